"""Wide tables: what other tables say in rows stands side by side here, in columns.

What columns of scores are is said by the roles that the other columns leave open, by names of
criteria and judges, and by numbers on one scale. Where these do not decide, the caller does:
`--column criterion=fluency,adequacy`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

import narwhals as nw
import numpy as np

from evenhand.data.engine import Frame, count_labels, count_rows, fetch_columns
from evenhand.data.exclusions import exclude_by_format
from evenhand.data.joining import keep_places
from evenhand.data.labels import is_missing
from evenhand.data.rating_rows import MAX_SHORT, reads_lower
from evenhand.data.source import fold, number_rows
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownFormat, UnknownOption, listing
from evenhand.formats import table as tables
from evenhand.formats.grades import KNOWN_WORDS
from evenhand.formats.layouts.wmt import stack
from evenhand.formats.roles import (
    AFFIXES,
    COUNTS,
    JUDGES,
    ONLY_ASKED,
    Header,
    Spread,
    are_judges,
    check_asked,
    find_mark,
    is_criterion,
    is_metric,
    split_words,
    word_set,
    write_roles,
)
from evenhand.formats.texts import say
from evenhand.render.document import Finding

# What names of columns can be, beside "score", which leaves open what they are
NAMED: Final = ("criterion", "judge", "system")
# Names of scores of which lower is better, where no other column holds numbers
_PENALTIES: Final = frozenset(("penalty", "penalties", "errors", "errorcount", "numerrors"))
# Words of columns that number items, and of columns that hold texts
_NUMBERS: Final = frozenset(("id", "index", "nr", "no", "number", "item", "segment", "sentence"))
_TEXTS: Final = word_set(
    "output response answer translation text source target reference comment comments note "
    "notes remark kommentar"
)
# Words of columns that sum up the scores of others
_SUMS: Final = word_set(
    "mean average avg median sum total mittelwert durchschnitt summe gesamt std stdev"
)
_ALL: Final = frozenset(("all", "of", "overall", "judges", "annotators", "raters"))
# Words of columns that hold places in a text
_OFFSETS: Final = word_set(
    "start end begin offset offsets span spans startoffset endoffset startindex endindex "
    "startpos endpos startchar endchar"
)
_PLACES: Final = frozenset(("char", "character", "error", "i", "idx", "index", "pos", "position"))
# Words that are the whole name of a column of what judges are
_PERSONS: Final = frozenset(
    ("gender", "sex", "education", "group", "block", "cohort", "condition", "level", "degree")
)
_ALONE: Final = frozenset(("i", "q"))  # The same where no other word is in the name
_PARTINGS: Final = (" / ", "__", "_", " ", ".", "-", ":", "/")
# Ends of scales that people use, the narrowest first
_SCALES: Final = ((0, 1), (1, 3), (1, 4), (1, 5), (0, 5), (1, 7), (1, 10), (0, 10), (0, 100))
MIN_RANKED: Final = 3  # Systems from which on rows that hold 1 to K once look like ranks
_WIDE: Final = 10  # Points from which on a column must use a part of the scale to be on it
_PART: Final = 0.25  # That part
MAX_STEPS: Final = 12  # Different words up to which a column may hold steps of a scale


@dataclass(frozen=True)
class Unfolding:
    """What the names of some columns say of the scores below them."""

    roles: tuple[str, ...]  # one or two of NAMED
    names: Mapping[str, tuple[str, ...]]  # column → who or what it is, for each role

    @property
    def groups(self) -> list[list[str]]:
        """Columns that are on one scale: all, or those of one criterion."""
        groups: dict[str, list[str]] = {}
        at = self.roles.index("criterion") if "criterion" in self.roles else None
        for column, names in self.names.items():
            groups.setdefault("" if at is None else names[at], []).append(column)
        return [*groups.values()]

    def describe(self) -> str:
        if len(self.roles) > 1:
            return f"each is of a {self.roles[0]} and a {self.roles[1]}"
        if len(self.names) == 1:
            return f"the {self.roles[0]} is {next(iter(self.names.values()))[0]}"
        new = [names[0] for column, names in self.names.items() if names[0] != column]
        return f"each is a {self.roles[0]}" + (f", {listing(new)}" if new else "")


def find_unfolding(header: Header) -> Unfolding | None:
    """Return what columns of scores are, from names and scales alone; None without such columns.

    Raises:
        UnknownFormat: several readings are possible, or it is not said whose outputs are scored.
    """
    columns = _find_scores(header)
    plan = _decide(header, columns) if columns else None
    ties = [name for name in header.columns if find_mark(name) == "tie"]
    two = plan is not None and plan.roles == ("system",) and len(columns) == 2
    if two and ties and all(header.spreads()[one].high <= 1 for one in columns):
        raise UnknownFormat(
            f"{header.table} marks ties in '{ties[0]}', so that {listing(columns)} are outcomes and"
            " no scores: add columns model_a and model_b with the names of the two systems"
        )
    return plan


def _find_scores(header: Header) -> list[str]:
    """Return the columns of scores: numbers under names of criteria, or on one scale."""
    said = [role for role in ("item", *NAMED) if header.candidates(role)]
    several = sum(map(is_criterion, header.columns)) > 1  # which are scores of something
    sides = [name for side in ("left", "right") for name in header.candidates(side)]
    if not (said or several or unnamed_first(header)) or any(
        map(header.candidates, ("outcome", "ranking", "rank", "score"))
    ):
        return []
    spreads = header.spreads()
    # columns called after sides may be some of more systems: model_1 to model_3
    more = {fold(name)[:-1] + end for name in sides for end in "3c"}
    if sides and not (more & {*map(fold, spreads)} and {*sides} <= {*spreads}):
        return []
    free = [name for name in header.columns if name in (*header.free, *sides)]
    free = [name for name in free if name not in unnamed_first(header)]
    numeric = [name for name in free if name in spreads]
    only = [one for one in numeric if fold(one) in _PENALTIES or not counts(one, said)]
    alone = len(only) == 1 and fold(only[0]) in _PENALTIES
    if alone and "system" in said and "criterion" not in said:
        return only
    numeric = [name for name in numeric if not counts(name, said)]
    # metrics are no judges and no criteria beside scores of people
    columns = [name for name in numeric if not is_metric(name)]
    if numeric and not columns and "system" in said:
        raise UnknownFormat(
            f"{header.table} has scores of metrics ({listing(numeric)}) but none by people. To"
            f" compare them with people's: evenhand metrics RATINGS {header.table}; to rank by one:"
            f" {write_roles(header, {'score': numeric[0]})}"
        )
    columns = columns or numeric
    columns = [name for name in columns if not sums_up(name)] or columns
    one_criterion = len(columns) == 1 < len(numeric) and "criterion" not in said
    if one_criterion or _find_pairs(columns, [role for role in NAMED if role not in said]):
        return columns
    criteria = [name for name in columns if is_criterion(name)]
    if criteria and "criterion" not in said:
        beside = [spreads[name] for name in criteria]
        columns = [
            name for name in columns if name in criteria or share_scale([*beside, spreads[name]])
        ]
    elif len(columns) < 2 or not share_scale([spreads[name] for name in columns]):
        # a system with other numbers is no column to pass over
        columns = find_short_scale(spreads, columns) if "system" in said else []
    return columns


def find_short_scale(spreads: Mapping[str, Spread], columns: Sequence[str]) -> list[str]:
    """Return the columns whose numbers are on one short scale, such as 1 to 7, if several are."""
    short = [name for name in columns if 0 <= spreads[name].low < spreads[name].high <= MAX_SHORT]
    several = len(short) > 1 and share_scale([spreads[name] for name in short])
    return short if several else []


def _decide(header: Header, columns: Sequence[str], *, asked: bool = False) -> Unfolding | None:
    """Return what columns of scores are; where they could be several, what was `asked` for is."""
    unsaid = [role for role in NAMED if not header.candidates(role)]
    pairs = _find_pairs(columns, unsaid)
    if pairs is not None:
        return pairs
    if len(columns) == 1 and "criterion" in unsaid and "system" not in unsaid:
        return _unfold("criterion", columns)
    criteria, judges = any(map(is_criterion, columns)), "judge" in unsaid and are_judges(columns)
    if "system" in unsaid and (judges or criteria):
        what = f" for each of several {'judges' if judges else 'criteria'}"
        named = [one for one in header.free if {"model", "system"} & {*split_words(one)}]
        others = [one for one in list_others(header, columns) if one not in header.spreads()]
        items = [] if others else header.candidates("item")  # all that is left
        likely_system = [*named, *(others if len(others) == 1 else items), "NAME"][0]
        raise UnknownFormat(
            f"{header.table} has a column of scores{what if len(columns) > 1 else ''}"
            f" ({listing(columns)}), and none that says whose output was scored. Say which it is:"
            f" {write_roles(header, {'system': likely_system})}"
        )
    parted = [one for one in columns if any(map(_is_criterion, _cut(one)))]
    if "system" in unsaid and not asked and len(parted) > 1:
        raise UnknownFormat(
            f"{header.table} names systems and criteria in columns of scores ({listing(columns)}),"
            " and not each criterion of each system: name those of one criterion:"
            f" {write_roles(header, {'system': ','.join(parted)})}"
        )
    mixed = criteria and not asked and any(JUDGES & {*split_words(name)} for name in columns)
    likely = (("system", True), ("judge", judges), ("criterion", (criteria and not mixed) or asked))
    for role, sure in likely:
        if role in unsaid and (sure or len(unsaid) == 1):
            return _unfold(role, columns)
    if not unsaid:
        return None
    others, rest = list_others(header, columns), _guess_beside(header, columns)
    beside = rest if len(rest) > 1 else {}
    likely_judges = rest.get("judge") == "NAME"
    listed = ",".join(columns)
    ways = {
        "criterion": {"criterion": listed, **beside},
        "judge": {"judge": listed, **{role: one for role, one in rest.items() if role == "item"}},
    }
    said = [
        f"{write_roles(header, ways[role])} if each is a {role}"
        for role in sorted(ways, reverse=likely_judges)
    ]
    among = f"; judge and item are among {listing(others)}" if others and beside else ""
    raise UnknownFormat(
        f"{header.table} has several columns of scores, {listing(columns)}, and does not say what"
        f" they are: {'; '.join(said)}{among}"
    )


def list_others(header: Header, columns: Collection[str]) -> list[str]:
    free = {*header.free, *(one for one in header.columns if fold(one) in ONLY_ASKED)}
    open_ = [one for one in header.columns if one in free and not sums_up(one)]
    return [one for one in open_ if one not in columns]


def _guess_beside(header: Header, columns: Collection[str]) -> dict[str, str]:
    """Return the likeliest columns of judges and items, where none is called so; else NAME."""
    likely = [one for one in list_others(header, columns) if not _TEXTS & {*split_words(one)}]
    likely.sort(key=header.spreads().__contains__)  # those of words are likelier to name judges
    named = {role: "NAME" for role in ("judge", "item") if not header.candidates(role)}
    numbered = [one for one in likely if _NUMBERS & {*split_words(one)}]
    if "item" in named and numbered:
        named["item"] = numbered[0]
        likely.remove(numbered[0])
    left = [role for role in named if named[role] == "NAME"]
    return named | (dict(zip(left, likely, strict=True)) if len(left) == len(likely) else {})


def unnamed_first(header: Header) -> list[str]:
    """Return the first column where it has no name, as that of the rows in an export has none."""
    return [name for name in header.columns[:1] if name in ("column1", "Unnamed: 0")]


def counts(name: str, said: Collection[str]) -> bool:
    """Say whether a column counts or numbers something, by its name.

    said: roles that columns have; q1 is a criterion where systems have a column, else an item.
    """
    words = split_words(name)
    numbered = words[0] in _ALONE and all(one.isdigit() for one in words[1:])
    counted = bool(COUNTS & {*words}) or {*words} <= _PERSONS or is_offset(name)
    return counted or (numbered and (len(words) == 1 or "system" not in said))


def is_offset(name: str) -> bool:
    words = {*split_words(name)}
    return bool(_OFFSETS & words) and words <= _OFFSETS | _PLACES


def sums_up(name: str) -> bool:
    words = {*split_words(name)}
    return bool(_SUMS & words) and words <= _SUMS | _ALL | AFFIXES


def share_scale(spreads: Sequence[Spread]) -> bool:
    low, high = min(one.low for one in spreads), max(one.high for one in spreads)
    if high > 1 and any(one.low == 0 and one.high <= 1 for one in spreads):
        return False  # yes or no
    ends = next(((a, b) for a, b in _SCALES if a <= low and high <= b), (low, high))
    width = ends[1] - ends[0]
    return width <= _WIDE or all(one.high - one.low >= _PART * width for one in spreads)


def strip_words(name: str, words: Collection[str]) -> str:
    """Return a name without some words before or behind it: score_GPT-4 is GPT-4."""
    parts = re.split(r"([\s_.:-]+)", name)  # words, and what stands between them
    while parts and parts[0].casefold() in words:
        del parts[:2]
    while parts and parts[-1].casefold() in words:
        del parts[-2:]
    return "".join(parts)


def _unfold(role: str, columns: Sequence[str]) -> Unfolding:
    """Name what each column is; words for scores beside all names say nothing."""
    parts = {
        name: [one for one in re.split(r"[\s_.:-]+", name) if one.casefold() not in AFFIXES]
        for name in columns
    }
    short = {name: " ".join(words) for name, words in parts.items()}
    every = all(AFFIXES & {*split_words(name)} for name in columns)
    distinct = all(short.values()) and len({*short.values()}) == len(columns)
    return Unfolding(
        (role,), {name: (short[name] if every and distinct else name,) for name in columns}
    )


def _find_pairs(columns: Sequence[str], open_roles: Collection[str]) -> Unfolding | None:
    """Return what names of two parts say: A_fluency, A_adequacy, B_fluency, B_adequacy.

    One part may be the same in all, such as in errors_A, errors_B, if it names a criterion.
    """
    for firsts, seconds in _split(columns):
        for one, other in ((firsts, seconds), (seconds, firsts)):
            criteria = any(map(_is_criterion, one))
            if not criteria and (len({*one}) == 1 or not are_judges(one)):
                continue
            role = "criterion" if criteria else "judge"
            rest = [name for name in open_roles if name != role]
            second = "judge" if "system" not in rest else "system"
            if role not in open_roles or not rest or any(map(is_criterion, other)):
                continue
            if len({*other}) > 1 and (len({*one}) > 1 or second == "system"):
                names = dict(zip(columns, zip(one, other, strict=True), strict=True))
                return Unfolding((role, second), names)
    return None


def _is_criterion(name: str) -> bool:
    return is_criterion(name) or reads_lower(name, 0.0)


def _cut(name: str) -> list[str]:
    parts = re.split(r"[\s_.:/-]+", name)
    return [parts[0], parts[-1]] if len(parts) > 1 else []


def _split(columns: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield both parts of all names where each first part stands with each second part."""
    for sign in _PARTINGS:
        for split in (str.partition, str.rpartition):
            parts = [split(name, sign) for name in columns]
            firsts, seconds = [one[0] for one in parts], [one[2] for one in parts]
            pairs = {*zip(firsts, seconds, strict=True)}
            whole = len({*firsts}) * len({*seconds}) == len(columns) == len(pairs) > 1
            if whole and all(firsts) and all(seconds):
                yield firsts, seconds


def read_unfolding(header: Header, lists: Mapping[str, Sequence[str]]) -> Unfolding | None:
    if len(lists) > 1 or not {*lists} <= {"score", *NAMED}:
        role = next((one for one in lists if one not in ("score", *NAMED)), next(iter(lists)))
        raise UnknownOption(
            f"{role}={','.join(lists[role])}: of several columns of scores one role says what they"
            f" are ({' | '.join(('score', *NAMED))})"
        )
    ((role, columns),) = lists.items()
    if role != "score":
        return _unfold(role, columns)
    return _decide(header, columns, asked=True)


_ROW: Final = "row_number"
BLANK_CELLS: Final = "blank cells"  # The reason of an exclusion


@tables.Layout(
    "wide",
    "a wide table of ratings",
    (),
    roles=tables.RATING_ROLES,
    condition=lambda header: find_unfolding(header) is not None,
).read_by
def wide(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    tables.refuse_comparison_wishes(options, "ratings")
    header = table.header(options)
    check_asked(header, wide.roles)
    plan = read_unfolding(header, options.lists) if options.lists else find_unfolding(header)
    if plan is None:
        raise UnknownColumn(
            f"{table.name} has no columns of scores that could be told by their names: say which"
            f" they are ({write_roles(header, {'score': 'NAME,NAME'})})"
        )
    parts = {name: of for name, of in plan.names.items() if of != (name,)}  # else as in the file
    plan = replace(plan, names={one: (table.written.get(one, one),) for one in plan.names} | parts)
    taken = [role for role in plan.roles if header.candidates(role)]
    if taken:
        raise UnknownOption(
            f"{listing([*plan.names])} of {table.name} cannot each be a {taken[0]}: column"
            f" '{header.candidates(taken[0])[0]}' says the {taken[0]} already. Name the"
            f" one that holds scores: {write_roles(header, {'score': next(iter(plan.names))})}"
        )
    are, hold = ("columns", "hold") if len(plan.names) > 1 else ("column", "holds")
    notes = [say("unfolded", columns=[*plan.names], what=plan.describe(), are=are, hold=hold)]
    notes += _say_left(header, plan, asked=bool(options.lists))
    if "criterion" in plan.roles and not options.lists:
        notes += _say_words(table.frame, header, options.missing)
    table, emptied = table.empty_missing([*plan.names])
    table, written = tables.read_written_scores(table, plan.names, plan.groups)
    notes += [*emptied, *written]
    table, bad = tables.skip_unreadable(table, plan.names, cells=True)
    frame = table.frame
    rows = [] if header.candidates("item") else unnamed_first(header)
    named = bool(rows) or any(map(header.candidates, ("item", "judge")))
    numbered = "system" in plan.roles and not named
    if numbered and (isinstance(frame, nw.DataFrame) or frame.implementation.is_duckdb()):
        frame = number_rows(frame, _ROW)
        notes.append(say("rows-as-items"))
    text = [name for name in plan.names if table.schema[name] == nw.String]
    if text:
        tables.refuse_text(table, text, "score")
    numbers = [
        tables.read_number(table, name, "score", check=False).cast(nw.Float64).alias(name)
        for name in plan.names
    ]
    if "system" in plan.roles and look_like_ranks(frame, numbers, [*plan.names]):
        notes.append(say("like-ranks", "warning"))
    others = {fold(name) for name in table.columns if name not in plan.names}
    score = next(one for one in ("score", "cell_score", "score_in_cell") if fold(one) not in others)
    labelled = ([*names] for names in zip(*plan.names.values(), strict=True))
    labels = dict(zip(plan.roles, labelled, strict=True))
    # rows are named by their place in the table, not among scores
    stacked = stack(keep_places(frame).with_columns(*numbers), {score: [*plan.names]}, labels)
    given = stacked.filter(~nw.col(score).is_null())
    if bad and count_rows(given) == 0:
        raise InvalidJudgments(f"no score of {table.name} is a number: {bad[0]}")
    fixed = {"score": score, **{role: role for role in plan.roles}}
    if rows:
        fixed["item"] = rows[0]
    if _ROW in stacked.collect_schema().names():
        fixed["item"] = _ROW
    data = tables.make_ratings(table.with_frame(given), options, wide, fixed)
    coded = sum((Counter(one.values.get("by", {})) for one in emptied), Counter[str]())
    by = ", ".join(f"{name} {coded[name]:,}" for name in plan.names if coded[name])
    excluded = exclude_by_format(
        {
            BLANK_CELLS: count_rows(stacked) - count_rows(given) - len(bad) - coded.total(),
            f"cells that are no numbers, {listing(bad)}": len(bad),
            f"no answer ({by})": coded.total(),
        }
    )
    return replace(data, source=data.source.noting(*notes).excluding(*excluded))


def _say_left(header: Header, plan: Unfolding, *, asked: bool) -> list[Finding]:
    spreads = header.spreads()
    others = [one for one in header.free if one in spreads and one not in plan.names]
    summed = [one for one in others if sums_up(one)]
    notes = [say("summed-up", columns=summed)] if summed else []
    said = [role for role in ("item", *NAMED) if header.candidates(role)]
    more = [one for one in others if not (one in summed or is_metric(one))]
    if plan.roles == ("system",):  # of which one may be called like a number of something else
        scales = [spreads[one] for one in plan.names]
        more = [one for one in more if share_scale([*scales, spreads[one]])]
    else:
        more = [one for one in more if not counts(one, said)]
    if more and len(plan.roles) == 1 and not asked:
        wanted = write_roles(header, {plan.roles[0]: ",".join([*plan.names, *more])})
        named = write_roles(header, {"item": more[0]}) if len(more) == 1 else ""
        items = f"; if it names items: {named}" if named and "item" not in said else ""
        notes.append(say("numbers-not-read", columns=more, asked=wanted, items=items))
    return notes


def _say_words(frame: Frame, header: Header, missing: Sequence[str]) -> list[Finding]:
    """Name columns of criteria that hold a few words each, and are no scores for these."""
    notes = []
    for column in header.free:
        if is_criterion(column) and column not in header.spreads():
            labels = list(count_labels(frame, column, as_text=True))
            labels = [one for one in labels if not (is_missing(one) or one in missing)]
            if 1 < len(labels) <= MAX_STEPS:
                words = sorted({one for one in labels if one.strip().lower() not in KNOWN_WORDS})
                shown = words or sorted(labels)
                named = {"column": column, "words": [*map(repr, shown)], "first": shown[0]}
                notes.append(say("words-not-read", "warning", **named))
    return notes


def look_like_ranks(frame: Frame, numbers: Sequence[nw.Expr], names: Sequence[str]) -> bool:
    """Say whether every row holds ranks from 1: each once, or with ties, as 1, 2, 2 or 1, 1, 3."""
    k = len(names)
    if k < MIN_RANKED:  # of two systems 1 and 2 are scores as well
        return False
    first = fetch_columns(frame.select(*numbers).head(tables.ROWS_LOOKED_AT))
    rows = np.sort(np.column_stack([first[name].astype(np.float64) for name in names]), axis=1)
    steps = np.diff(rows, axis=1, prepend=0)
    # after a tie comes the next place of all, or the next number
    sparse = ((steps == 0) | (rows == np.arange(1, k + 1))).all(axis=1)
    dense = ((steps == 0) | (steps == 1)).all(axis=1)
    fits = (rows[:, 0] == 1) & (sparse | dense)
    return len(rows) > k and bool(fits.all() and (rows > 1).any())


_PLACE: Final = re.compile(r"\d+(?:st|nd|rd|th)")
_RANKS: Final = frozenset(("rank", "ranked", "ranking", "ranks", "of"))


def find_ranks(header: Header) -> list[str]:
    """Return columns of ranks by their names: whole places, from 1 to as many as there are."""
    if any(map(header.candidates, ("system", "rank", "score", "outcome", "left", "right"))):
        return []
    columns = [name for name in header.free if _RANKS - {"of"} & {*split_words(name)}]
    spreads = header.spreads() if len(columns) > 1 else {}
    places = [spreads[name] for name in columns if name in spreads]
    fits = all(one.low >= -1 and 1 <= one.high <= len(columns) for one in places)
    return columns if fits and 1 < len(places) == len(columns) else []


def find_places(header: Header) -> list[str]:
    """Return the columns 1st, 2nd, 3rd and so on, each with the system that has this rank."""
    if any(map(header.candidates, ("system", "rank", "score", "outcome", "left", "right"))):
        return []
    columns = [name for name in header.free if _PLACE.fullmatch(fold(name))]
    numbers = [int(re.sub(r"\D", "", name)) for name in columns]
    return columns if len(columns) > 1 and numbers == [*range(1, len(columns) + 1)] else []


@tables.Layout(
    "wide_ranks",
    "a wide table of rankings",
    (),
    roles=tuple(role for role in tables.RANKING_ROLES if role not in ("ranking", "system", "rank")),
    condition=lambda header: bool(find_ranks(header) or find_places(header)),
).read_by
def wide_ranks(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    header, rows = table.header(options), number_rows(table.frame, _ROW)
    if columns := find_places(header):
        ranks = [str(at) for at in range(1, len(columns) + 1)]
        stacked = stack(rows, {"system": columns}, {"rank": ranks})
        named = nw.col("system").cast(nw.String).str.strip_chars().fill_null("") != ""
        stacked, note = stacked.filter(named), say("unfolded-places", columns=columns)
    elif columns := find_ranks(header):
        names = [strip_words(name, _RANKS) or name for name in columns]
        texts = [name for name in columns if table.schema[name] == nw.String]
        if texts:
            tables.refuse_text(table, texts, "rank")
        ranked = [tables.read_number(table, n, "rank", check=False).alias(n) for n in columns]
        stacked = stack(rows.with_columns(*ranked), {"rank": columns}, {"system": names})
        note = say("unfolded-ranks", columns=columns, systems=names)
    else:
        raise UnknownColumn(f"{table.name} has no columns of ranks, such as rank_x and rank_y")
    fixed = {"ranking": _ROW, "system": "system", "rank": "rank"}
    data = tables.make_rankings(table.with_frame(stacked), options, wide_ranks, fixed)
    return replace(data, source=data.source.noting(note))


# The higher score is the better one, of errors, ranks and the like the lower one.

_SIDES: Final = (("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"), ("0", "1"))
_THINGS: Final = ("", "model", "system", "output", "answer", "response")
_SCORES: Final = ("score", "rating", "grade", "points", "quality")
_PLACED: Final = ("rank", "place")
_LOWER: Final = (*_PLACED, "errors", "errorcount", "penalty", "penalties")


def find_score_pairs(header: Header) -> list[tuple[str, str]]:
    pairs = []
    for word, thing, sides in product((*_SCORES, *_LOWER), _THINGS, _SIDES):
        for form in (f"{word}{thing}{{}}", f"{thing}{{}}{word}"):
            found = [header.named(form.format(side)) for side in sides]
            if found[0] and found[1]:
                pairs.append((found[0], found[1]))
    return list(dict.fromkeys(pairs))


@tables.Layout(
    "pair_scores",
    "comparisons by two scores",
    ("left", "right"),
    roles=tuple(role for role in tables.COMPARISON_ROLES if role != "outcome"),
    by_role=True,
    condition=lambda header: bool(find_score_pairs(header)),
).read_by
def pair_scores(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    header = table.header(options)
    check_asked(header, pair_scores.roles)
    pairs = [tuple(options.lists["score"])] if options.lists else find_score_pairs(header)
    if not pairs:
        raise UnknownColumn(
            f"{table.name} has no two columns with scores of the left and the right output, such as"
            f" score_a and score_b: {write_roles(header, {'score': 'NAME,NAME'})}"
        )
    if len(pairs) != 1 or len(pairs[0]) != 2:
        raise UnknownOption(
            f"which two columns of {table.name} are the scores of the left and the right output is"
            f" not sure: {write_roles(header, {'score': ','.join(pairs[0][:2])})}"
        )
    left, right = pairs[0]
    table, emptied = table.empty_missing(pairs[0])
    table, _ = tables.skip_unreadable(table, pairs[0])
    one, other = (tables.read_number(table, name, "score") for name in (left, right))
    placed = bool({*_PLACED} & {*split_words(left)})
    if placed:  # -1 is not ranked
        one, other = (nw.when(each != -1).then(each) for each in (one, other))
    lowest = fetch_columns(table.frame.select(left=one.min(), right=other.min()))
    level = min((float(each[0]) for each in lowest.values() if each[0] is not None), default=0.0)
    lower = placed or reads_lower(left, level)
    first, second = ("right", "left") if lower else ("left", "right")
    tied = nw.when(one == other).then(nw.lit("tie"))
    won = nw.when(one > other).then(nw.lit(first)).otherwise(tied)
    better = nw.when(one < other).then(nw.lit(second)).otherwise(won)
    outcome = next(name for name in ("better", "better_score") if header.named(name) is None)
    frame = table.frame.with_columns(better.alias(outcome))
    data = tables.make_comparisons(
        table.with_frame(frame), options, pair_scores, {"outcome": outcome}
    )
    note = say("score-pair", left=left, right=right, better="lower" if lower else "higher")
    return replace(data, source=data.source.noting(*emptied, note))


def find_votes(header: Header) -> list[str]:
    if any(map(header.candidates, ("judge", "outcome"))):
        return []
    named = [name for name in header.free if JUDGES & {*split_words(name)}]
    columns = [name for name in named if header.fits(name, "outcome")]
    return columns if len(columns) > 1 else []


@tables.Layout(
    "wide_votes",
    "a wide table of comparisons",
    ("left", "right"),
    roles=tuple(role for role in tables.COMPARISON_ROLES if role not in ("outcome", "judge")),
    by_role=True,
    condition=lambda header: bool(find_votes(header)),
).read_by
def votes(table: tables.Table, options: tables.ReadOptions) -> tables.Handle:
    header = table.header(options)
    check_asked(header, votes.roles)
    columns = options.lists["outcome"] if options.lists else find_votes(header)
    if not columns:
        raise UnknownColumn(
            f"{table.name} has no columns of outcomes under the names of judges, such as"
            f" annotator_1 and annotator_2: {write_roles(header, {'outcome': 'NAME,NAME'})}"
        )
    if header.candidates("judge"):
        raise UnknownOption(
            f"{listing(columns)} of {table.name} cannot each be a judge: column"
            f" '{header.candidates('judge')[0]}' says the judge already"
        )
    plan = _unfold("judge", columns)
    texts = [tables.read_label(table, name, "outcome").alias(name) for name in columns]
    labels = {"judge": [names[0] for names in plan.names.values()]}
    stacked = stack(keep_places(table.frame).with_columns(*texts), {"outcome": columns}, labels)
    there = ~nw.col("outcome").is_null() & (nw.col("outcome").str.strip_chars() != "")
    blank = count_rows(stacked) - count_rows(stacked.filter(there))
    given = table.with_frame(stacked.filter(there))
    data = tables.make_comparisons(given, options, votes, {"outcome": "outcome", "judge": "judge"})
    note = say("unfolded-votes", columns=[*columns], what=plan.describe())
    excluded = exclude_by_format({"blank cells": blank})
    return replace(data, source=data.source.noting(note).excluding(*excluded))
