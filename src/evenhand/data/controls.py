"""What public functions take as judgments, without controls: those tell of judges, not of systems.

What is not opened yet is opened here, so that `rank(x)` is `rank(read(x))`. Controls, and verdicts
of judges who are marked as LLMs beside people, are excluded once, and said once. Repeats stay: they
are answers on outputs like any other, and cluster with their judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from importlib import import_module
from inspect import signature
from itertools import chain
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeAlias, TypeVar, cast

import narwhals as nw
import numpy as np

from evenhand.data import tables
from evenhand.data.annotations import (
    DIRECTIONS,
    KINDS,
    AsideColumns,
    Unread,
    refuse_unread,
)
from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import (
    Frame,
    count_labels,
    count_rows,
    fetch_columns,
    quote,
    quote_name,
    require_open,
)
from evenhand.data.exclusions import (
    Exclusion,
    Result,
    count_exclusions,
    exclude_verdicts,
    name_lost,
    note_excluded,
)
from evenhand.data.groups import choose_criterion, list_judges
from evenhand.data.joining import note_llm_names, spread
from evenhand.data.labels import read_outcome
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import CONTROL, REPEAT, RatingRows
from evenhand.data.ratings import Ratings, is_unscored
from evenhand.data.source import Source, fold, number_rows
from evenhand.data.tally import Tally, take_names
from evenhand.data.texts import say
from evenhand.errors import (
    InvalidJudgments,
    MissingOutcomes,
    NotIdentified,
    PaddedLabels,
    UnknownColumn,
    UnknownOption,
    listing,
    quote_word,
    suggest_or_list,
)
from evenhand.render.document import Finding

if TYPE_CHECKING:
    from evenhand.data.votes import Votes

P = ParamSpec("P")
# A path, a URL, a data frame of any library, a dict of columns, a list of dicts, a data set
Openable: TypeAlias = Any
Table: TypeAlias = tables.ComparisonTable | tables.RankingTable | Ratings
Held = TypeVar("Held", bound=Table)
Split = TypeVar("Split", bound=tables.ComparisonTable | Ratings)
Taken = TypeVar("Taken")

_LABEL: Final = "evenhand_label"
_MAX_NAMED: Final = 5  # Judges that a refusal names
_LLM: Final = "LLM"  # Who gave verdicts that name no judge
# What an analysis of systems excludes
OF_SYSTEMS: Final = ("controls", "llm-judges")
# Value of the column judge_type in folded case → whether the judge is an LLM
JUDGE_TYPES: Final = {
    **dict.fromkeys(("human", "person", "people", "crowd", "expert"), False),
    **dict.fromkeys(("llm", "model", "machine", "ai"), True),
}
_TYPE: Final = "judge_type"
# Code of an exclusion → its reason
_REASONS: Final = {
    "controls": "controls, whose right answer was known: they tell of judges",
    "repeats": "repeats, which tell how judges agree with themselves",
    "llm-judges": "verdicts of LLM judges (judge_type)",
    "named": "verdicts of judges who are named as LLMs",
    "people": "judgments of people (judge_type)",
    "again": "second answers of a judge to the same pair of outputs",
}
_ROW, _LOW, _HIGH = "evenhand_row", "evenhand_low", "evenhand_high"
_WHEN: Final = "evenhand_when"
_EXPECTED: Final = {"kind": " | ".join(KINDS), "expected": "answers, such as left or 4"}


def take(judgments: Any) -> Any:
    """Return judgments that were opened, or counted, as they are; open anything else."""
    rooms = {kind.__module__.partition(".")[0] for kind in type(judgments).__mro__}
    if judgments is None or "evenhand" in rooms:
        return judgments
    return import_module("evenhand").read(judgments)  # which also opens a campaign's database


def takes_judgments(*arguments: str) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Let arguments of a public function be anything that holds judgments."""

    def decorate(function: Callable[P, Result]) -> Callable[P, Result]:
        names = [*signature(function).parameters]
        places = [(name, names.index(name)) for name in arguments]

        @wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> Result:
            given: list[Any] = [*args]
            for name, place in places:
                if place < len(given):
                    given[place] = take(given[place])
                elif name in kwargs:
                    kwargs[name] = take(kwargs[name])
            return cast("Callable[..., Result]", function)(*given, **kwargs)

        return run

    return decorate


def take_pairs(data: Comparisons | Rankings) -> Comparisons:
    """Return the comparisons of systems: controls are excluded, and rankings expanded."""
    # What holds no comparisons is returned as it is, for the caller to refuse.
    if isinstance(data, Rankings):
        return leave_out_controls(data).comparisons()
    return leave_out_controls(data) if isinstance(data, Comparisons) else data


def leave_out_controls(data: Held) -> Held:
    """Leave out the controls of a table, with a note in its source that counts them."""
    # Where no column says kinds, a judgment of which something is expected is a control. A table
    # without either column is returned as it is, and so is one whose controls were left out before.
    require_open(data.frame, data.source.name)
    require_systems(data)
    data = leave_out_llm_judges(data)
    if data.source.without_controls:
        return data
    table = _find_labelled(data)
    roles = ("kind",) if isinstance(table, tables.RankingTable) else ("kind", "expected")
    annotations = table.source.find_annotations(table.columns)
    role = next((one for one in roles if one in annotations), None)
    if role is None:
        return data
    named = name_kinds(table, role)
    # A control of weight 0 is no judgment: it would be counted neither as one nor as a row
    weightless = (
        tables.exclude_unweighted(table) if isinstance(table, tables.ComparisonTable) else ()
    )
    if weightless:
        named = named.filter((nw.col("weight").cast(nw.Float64) != 0).fill_null(value=True))
    counted = count_kind_labels(table, named)
    controls, notes = _choose_controls(table, role, list(counted))
    source = replace(data.source.noting(*notes), without_controls=True)
    if not controls:
        return replace(data, source=source)
    every = sum(counted.values())
    if not {*counted} - {*controls}:
        what = "rankings" if isinstance(table, tables.RankingTable) else "judgments"
        raise InvalidJudgments(
            f"all {every:,.0f} {what} of {table.source.name} are controls, whose answer was known:"
            " they tell of judges and say nothing of systems; read them with the other judgments,"
            f" or rename column '{annotations[role].column}' if it holds something else"
        )
    known = nw.col(_LABEL).is_in(controls)
    n = sum(counted[label] for label in controls)
    if isinstance(table, tables.RankingTable) and isinstance(data, tables.ComparisonTable):
        # A pair carries the kind of one of its outputs only, so that kinds are looked up in the
        # rankings
        keys, outputs, lost = table.key, named.filter(known), set[tuple[str, ...]]()
        if table.parts is not None:
            outputs = spread(outputs, "system", table.parts, table.source)
        remaining = data.frame
        for side in ("left", "right"):
            shown, on = outputs.select(*keys, nw.col("system").alias(side)), [*keys, side]
            hit = data.frame.join(shown, on=on, how="semi")  # type: ignore[arg-type]
            gone = fetch_columns(hit.select(*keys))
            lost |= {*zip(*(gone[name].tolist() for name in keys), strict=True)}
            remaining = remaining.join(shown, on=on, how="anti")  # type: ignore[arg-type]
        n = len(lost)
        data = replace(data, frame=remaining, rankings=leave_out_controls(table))
    else:
        data = replace(data, frame=named.filter(~known).drop(_LABEL, f"evenhand_{role}"))
    controls_out = _exclude("controls", n, every, table)
    source = source.excluding(*weightless, name_lost(controls_out, named, named.filter(~known)))
    return replace(data, source=replace(source, name=f"{source.name} without its controls"))


def leave_out_llm_judges(data: Held, named: Sequence[str] = ()) -> Held:
    """Exclude verdicts of judges who are marked as LLMs, where people judged too.

    named: LLM judges whose verdicts are asked for, and stay.
    """
    if data.source.all_judges or _TYPE not in data.columns:
        return data
    llm = _read_types(data)
    source = replace(data.source.noting(*_say_types(data, llm, named)), all_judges=True)
    if True not in llm.values():
        return replace(data, source=source)
    if all(llm.values()):
        alone = () if named else (say("llm-judges-alone"),)
        return replace(data, source=source.noting(*alone))
    marked = _is_type(one for one, known in llm.items() if known)
    if named:
        marked &= ~nw.col("judge").cast(nw.String).is_in([*named]).fill_null(value=False)
        if not count_rows(data.frame.filter(marked)):
            return replace(data, source=source)
    people = data.frame.filter(~marked)
    marked_out = replace(data, source=source)
    return cast("Held", marked_out.keep_rows(people, "llm-judges", _REASONS["llm-judges"]))


def judged_by_llm_alone(data: object) -> bool:
    if not isinstance(data, Table) or _TYPE not in data.columns:
        return False
    return all(_read_types(data).values())


def _read_types(data: Table) -> dict[str | None, bool | None]:
    """Return value of the column judge_type → whether it says LLM; None where it says neither."""
    types = count_labels(data.frame, _TYPE, as_text=True)
    llm = {one: JUDGE_TYPES.get((one or "").strip().casefold()) for one in types}
    if True not in llm.values() or all(llm.values()) or not data.has("judge"):
        return llm
    marked = _is_type(one for one, known in llm.items() if known)
    judges = (_list_judges(data.frame.filter(rows)) for rows in (marked, ~marked))
    both = sorted(set.intersection(*map(set, judges)))
    if both:
        raise InvalidJudgments(
            f"{listing(both, _MAX_NAMED)} {'is' if len(both) == 1 else 'are'} marked as LLM in some"
            f" rows of {data.source.name} and not in others (column {_TYPE}): write one type for"
            " each judge"
        )
    return llm


def _is_type(types: Iterable[str | None]) -> nw.Expr:
    return nw.col(_TYPE).cast(nw.String).is_in([*filter(None, types)]).fill_null(value=False)


def _list_judges(frame: Frame) -> list[str]:
    return sorted(filter(None, count_labels(frame, "judge", as_text=True)))


def _say_types(
    data: Table, llm: Mapping[str | None, bool | None], named: Sequence[str]
) -> tuple[Finding, ...]:
    """Say what the column judge_type says that is neither person nor LLM, and of whom."""
    unknown = [one or "" for one, known in llm.items() if known is None]
    types = sorted(one for one in unknown if one.strip())
    if not unknown or (len(unknown) == len(llm) and not types):
        return ()  # a column that is empty answers nothing
    rest = data.frame.filter(~_is_type(one for one, known in llm.items() if known is not None))
    judges = [one for one in _list_judges(rest) if one not in named] if data.has("judge") else []
    if named and not judges:
        return ()
    doubtful = bool(types) and len(unknown) < len(llm)
    severity = "warning" if doubtful or note_llm_names(judges) else "note"
    code = "judge-types" if judges else "judge-types-alone"
    return (say(code, severity, types=types or ["nothing"], judges=judges),)


def note_llm_judges(data: Table) -> tuple[str, ...]:
    """Say which judges are marked as LLMs, and how many verdicts are theirs."""
    people = leave_out_llm_judges(data)
    inside = [one for one in people.excluded if one.code == "llm-judges"]
    notes = people.source.notes[len(data.source.notes) :]
    told = (say("llm-judges-inside", "read", clause=one.clause) for one in inside)
    return (*notes, *told, *advise_llm_judges(people))


def note_types(data: Table, named: Sequence[str] = ()) -> tuple[Finding, ...]:
    """Say which types of judges are unknown, unless that was said; named: who are LLM judges."""
    if data.source.all_judges or _TYPE not in data.columns:
        return ()
    return _say_types(data, _read_types(data), named)


def list_left_out(data: Table) -> list[str]:
    return [one for part in data.excluded if part.code == "llm-judges" for one in part.judge_names]


def advise_llm_judges(data: object, verb: str = "rank") -> tuple[Finding, ...]:
    """Say how verdicts help to rank, where those of marked judges were excluded.

    Verdicts are matched by items.
    """
    if not isinstance(data, Table) or _TYPE not in data.columns or not data.has("item"):
        return ()
    names = list_left_out(data)
    if not names:
        return ()
    command = data.source.write_command(verb, "--llm-judges", ",".join(names))
    return (say("llm-judges-help", command=command),)


def keep_all_judges(data: Taken) -> Taken:
    if not isinstance(data, Table):
        return data
    return cast("Taken", replace(data, source=replace(data.source, all_judges=True)))


def split_people(
    data: Split, llm_judges: str | Sequence[str] = ()
) -> tuple[tuple[str, ...], Split | None, dict[str, Split]]:
    """Split judgments into people's and those of each LLM judge.

    llm_judges: names of LLM judges; by default all whom the column judge_type marks. Marked judges
    who are not among those named are excluded.

    Returns:
        Names of the LLM judges; what people judged, None if nothing; and each LLM judge's rows.
    """
    data.require("judge")
    judges = [one for one in count_labels(data.frame, "judge", as_text=True) if one is not None]
    marked: list[str] = []
    if _TYPE in data.columns:
        llm = [one for one, is_llm in _read_types(data).items() if is_llm]
        marked = _list_judges(data.frame.filter(_is_type(llm))) if llm else []
    names = tuple(dict.fromkeys(take_names(llm_judges))) or tuple(sorted(marked))
    for name in names:
        if name not in judges:
            known = sorted({*judges, *list_left_out(data)})
            raise InvalidJudgments(f"no judge '{name}'.{suggest_or_list(name, known)}")
    judge = nw.col("judge").cast(nw.String)
    people = data.where(~judge.is_in(names).fill_null(value=False), recorded=False)
    others = [name for name in marked if name not in names]
    if others:
        remaining = people.frame.filter(~judge.is_in(others).fill_null(value=False))
        people = people.keep_rows(remaining, "llm-judges", _REASONS["llm-judges"])
    alone = not {*judges} - {*names, *others}
    verdicts = {name: data.where(judge == name, recorded=False) for name in names}
    return names, None if alone else cast("Split", people), cast("dict[str, Split]", verdicts)


def leave_out_named(data: Held, llm_judges: str | Sequence[str]) -> Held:
    if not len(llm_judges):
        return data
    pairs = data.comparisons() if isinstance(data, Rankings) else data
    names, people, _ = split_people(cast("tables.ComparisonTable", pairs), llm_judges)
    if people is None:
        raise NotIdentified(
            "all judges are LLM judges: there are no people to compare them with",
            advise_bias(data, *names),
        )
    named = nw.col("judge").cast(nw.String).is_in(names)
    remaining = data.frame.filter(~named.fill_null(value=False))
    return cast("Held", data.keep_rows(remaining, "llm-judges", _REASONS["named"]))


def write_bias_command(data: Table, *llm_judges: str) -> str:
    """Return the command that shows what moves verdicts of LLM judges among judgments."""
    joined = "--llm" in data.source.words  # their file is named
    named = () if joined else ("--llm-judges", ",".join(llm_judges))
    return data.source.write_command("bias", *named)


def advise_bias(data: object, *llm_judges: str) -> list[str]:
    """Return the remedy to see what moves their verdicts, where these are comparisons."""
    if not isinstance(data, tables.ComparisonTable | tables.RankingTable):
        return []
    return [f"see what moves their verdicts ({write_bias_command(data, *llm_judges)})"]


def take_llm(llm: Openable) -> Any:
    """Open a table of verdicts; where people judged in it too, their rows are excluded."""
    data = take(llm)
    if not isinstance(data, Table) or data.source.all_judges or _TYPE not in data.columns:
        return data
    kinds = _read_types(data)
    people = [one for one, is_llm in kinds.items() if is_llm is False]
    if len(people) == len(kinds):
        raise InvalidJudgments(
            f"people judged in {data.source.name} (column {_TYPE}), and llm takes verdicts of LLM"
            " judges: give their table, or name them (--llm-judges NAME)"
        )
    if people:
        remaining = data.frame.filter(~_is_type(people))
        data = data.keep_rows(remaining, "people", _REASONS["people"])
    return keep_all_judges(data)


def require_one_source(llm: object, llm_judges: str | Sequence[str]) -> None:
    if llm is not None and take_names(llm_judges):
        raise UnknownOption("verdicts are in a table (llm) or by judges (llm_judges): give one")


def refuse_kinds(people: str, llm: object) -> InvalidJudgments:
    return InvalidJudgments(
        f"people's judgments are {people}, and the verdicts {type(llm).__name__.lower()}: both must"
        " be of one kind"
    )


def refuse_same_judges(people: Iterable[str], llm: Iterable[str]) -> None:
    both = sorted({*people} & {*llm})
    if not both:
        return
    raise InvalidJudgments(
        f"{listing(both, _MAX_NAMED)} {'is a judge' if len(both) == 1 else 'are judges'} in both"
        " tables: that of verdicts holds LLM judges alone; if one file holds all judgments, name"
        " its LLM judges (--llm-judges NAME)"
    )


def refuse_respelt(people: Iterable[str], llm: Iterable[str]) -> None:
    """Refuse systems that are called alike in both tables but for capitals."""
    own, theirs = {*filter(None, people)}, {*filter(None, llm)}
    lacking = {one.casefold(): one for one in own - theirs}
    respelt = sorted(one for one in theirs - own if one.casefold() in lacking)
    if respelt:
        pairs = [f"{lacking[one.casefold()]} and {one}" for one in respelt]
        raise InvalidJudgments(
            "names of systems in people's judgments and in the verdicts differ only in capitals:"
            f" {listing(pairs, _MAX_NAMED)}. Write the same names in both"
        )


def match_turns(data: Held, other: object) -> Held:
    """Name items with their turns where the other table does, which has several of a question."""
    if not (isinstance(other, Table) and other.source.turn and isinstance(data, Table)):
        return data
    if data.source.turn or not data.has("item"):
        return data
    items = (count_labels(one.frame, "item", as_text=True) for one in (data, other))
    if not set.isdisjoint(*map(set, items)):  # they name turns already
        return data
    turn = next((one for one in data.columns if fold(one) == "turn"), None)
    if turn is None:
        column, kept = other.source.turn, "one-turn.csv"
        first = min(filter(None, count_labels(other.frame, column, as_text=True)))
        value = first if first.isdecimal() else quote(first)
        name = column if column.isidentifier() else quote_name(column)
        condition = ("--where", f"{name} = {value}", "-o", kept)
        command = other.source.write_command("convert", *condition)
        raise InvalidJudgments(
            f"{other.source.name} has several turns of a question, and {data.source.name} has no"
            f" column of turns: keep the turn that was judged in both, such as {command}, and give"
            f" {kept} in its place"
        )
    parts = [nw.col(name).cast(nw.String) for name in ("item", turn)]
    frame = data.frame.with_columns(nw.concat_str(parts, separator=":").alias("item"))
    return replace(data, frame=frame)


def join_verdicts(
    people: Split, llm: Openable, llm_judges: str | Sequence[str] = ()
) -> tuple[Split, tuple[str, ...]]:
    """Return people's judgments and verdicts in one table, and the names of the LLM judges.

    llm: the verdicts; without a column of judges those of one, who is called "LLM".
    llm_judges: none, since a table holds verdicts alone.
    """
    require_one_source(llm, llm_judges)
    people.require("judge")
    verdicts = take_llm(llm)
    verdicts = verdicts.comparisons() if isinstance(verdicts, Rankings) else verdicts
    if not isinstance(verdicts, type(people)):
        raise refuse_kinds(type(people).__name__.lower(), verdicts)
    people, verdicts = match_turns(people, verdicts), match_turns(verdicts, people)
    for one in (people, verdicts):  # by which outputs are matched
        one.require("item")
    if not verdicts.has("judge"):
        verdicts = replace(verdicts, frame=verdicts.frame.with_columns(judge=nw.lit(_LLM)))
    if isinstance(verdicts, Comparisons):  # a fault is said with the file and the line where it is
        with suppress(MissingOutcomes, PaddedLabels):  # such rows are excluded, or read, later
            verdicts.tally(["judge", "item"])
    names = list_judges(cast("Ratings", verdicts))
    refuse_same_judges(list_judges(cast("Ratings", people)), names)
    parts = []
    for one in (people, verdicts):  # labels as text, and outcomes by the usual names
        both = [name for name in people.columns if verdicts.has(name)]
        text = {name: nw.col(name).cast(nw.String) for name in both if name in tables.LABELS}
        if isinstance(one, Comparisons):
            given = outcome = text["outcome"]
            for label in count_labels(one.frame, "outcome", as_text=True):
                meant = label and read_outcome(label, one.outcome_labels)
                if meant and meant != label:
                    outcome = nw.when(given == label).then(nw.lit(meant)).otherwise(outcome)
            text["outcome"] = outcome.alias("outcome")
        parts.append(fetch_columns(one.frame.select(text.get(name, nw.col(name)) for name in both)))
    sides = {"left", "right", "system"} & {*parts[0]}
    refuse_respelt(*({*chain(*(part[side] for side in sides))} for part in parts))
    joined = take({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
    words = verdicts.source.words
    source = replace(
        people.source,
        connection=joined.source.connection,
        exclusions=(
            *people.source.exclusions,
            *exclude_verdicts(count_exclusions(verdicts.source.exclusions)),
        ),
        words=(*people.source.words, "--llm", *(words if words != Source.words else ("VERDICTS",))),
    )
    return cast("Split", replace(joined, source=source)), tuple(sorted(names))


def require_systems(data: object) -> None:
    """Refuse labels of items, which are outputs of no system."""
    if isinstance(data, Ratings) and not data.has("system"):
        raise UnknownColumn(
            f"{data.source.name} holds labels of items and names no systems, so that none can be"
            " ranked or compared: agreement, labels and judges read it"
        )


# Columns that tell when an answer came in, the first that is there
ANSWERED: Final = (
    *("answered_at", "submitted_at", "submit_time", "submission_time", "judged_at", "voted_at"),
    *("completed_at", "finished_at", "ended_at"),
)


def find_answered(columns: Sequence[str]) -> str | None:
    """Return the column that tells when answers came in, by its name without blanks and signs."""
    names = {fold(one): one for one in reversed(columns)}
    return next((names[one] for one in map(fold, ANSWERED) if one in names), None)


def leave_out_second_answers(table: Comparisons, by: str | None = None) -> Comparisons:
    """Keep the first answer of each judge to a pair of outputs, whoever stood left.

    The first by time where that is recorded, else in the order of rows. Rows of one ranking or one
    merged output, and rows without a judge or an item, stay. by: a column whose levels are other
    questions, such as the aspect.
    """
    if (
        table.expanded
        or table.rankings is not None
        or not (table.has("judge") and table.has("item"))
    ):
        return table
    left, right = nw.col("left"), nw.col("right")
    frame = number_rows(table.frame, _ROW).with_columns(
        nw.when(left < right).then(left).otherwise(right).alias(_LOW),
        nw.when(left < right).then(right).otherwise(left).alias(_HIGH),
    )
    roles = [one for one in ("task", "criterion", "judge", "item") if table.has(one)]
    apart = [*roles, *([] if by is None or by in roles else [table.require(by)])]
    row = nw.col(_ROW).cast(nw.Int64)
    known = ~nw.any_horizontal(*(nw.col(one).is_null() for one in roles), ignore_nulls=False)
    kept, keys = frame, (*apart, _LOW, _HIGH)
    when = _find_times(table)
    if when is not None:
        kept = kept.with_columns(when.alias(_WHEN))
        when, first = nw.col(_WHEN), nw.col(_WHEN).min().over(*keys)
        kept = kept.filter(~known | first.is_null() | (when == first).fill_null(value=False))
        kept = kept.drop(_WHEN)
    kept = kept.filter(~known | (row == row.min().over(*keys))).drop(_ROW, _LOW, _HIGH)
    every = count_rows(table.frame)
    again = every - count_rows(kept)
    if not again:
        return table
    sentence = say("second-answers", again=again, every=every)
    excluded = Exclusion(
        "again", _REASONS["again"], again, every, unit="judgment", sentence=sentence
    )
    return replace(table, frame=kept, source=table.source.excluding(excluded))


def _find_times(table: Comparisons) -> nw.Expr | None:
    """Return when answers were given, as values that sort; None where nothing tells it."""
    name, shown = find_answered(table.columns), None
    if name is None and (shown := table.source.find_annotations(table.columns).get("shown_at")):
        name = shown.column
    if name is None:
        return None
    column = nw.col(name)
    if table.frame.collect_schema()[name] != nw.String:
        return column

    def find_others(values: nw.Expr, pattern: str) -> list[str]:
        others = table.frame.filter(~values.is_null() & ~values.str.contains(pattern))
        return [str(one) for one in fetch_columns(others.select(name).head(1))[name]]

    if not find_others(column, r"^\d+(\.\d*)?$"):
        return column.cast(nw.Float64)
    # times of one zone sort as texts
    times = column.str.replace_all(r"([zZ]|[+-]00:?00)$", "").str.replace_all("T", " ")
    if odd := find_others(times, r"^\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d(\.\d+)?)?)?$"):
        raise InvalidJudgments(
            f"column {quote_word(name)} holds {quote_word(odd[0])}, so that nothing tells which"
            " answers are first: write numbers, or times such as 2026-01-31 16:59:52 in universal"
            " time"
        )
    return times


def say_left_out(data: object, remaining: Comparisons | Rankings) -> tuple[str, ...]:
    if not isinstance(data, Comparisons | Rankings):
        return ()
    return remaining.source.notes[len(data.source.notes) :]


def _exclude_kinds(
    data: Table, wanted: Sequence[str], *, scored: bool = False
) -> tuple[Exclusion, ...]:
    """Count the judgments of some kinds, which an analysis excludes."""
    table = _find_labelled(data)
    annotations = table.source.find_annotations(table.columns)
    role = next((one for one in ("kind", "expected") if one in annotations), None)
    if role is None:
        return ()
    named = name_kinds(table, role)
    if scored:
        named = named.filter(~is_unscored(named))
    counted = count_kind_labels(table, named)
    controls, _ = _choose_controls(table, role, list(counted))
    repeats = [one for one in counted if KINDS.get(one.casefold(), (0,))[0] == REPEAT]
    excluded = []
    for code, labels in (("controls", controls), ("repeats", repeats if role == "kind" else [])):
        n = sum(counted[one] for one in labels)
        if n and code in wanted:
            others = named.filter(~nw.col(_LABEL).is_in(labels))
            left_out = _exclude(code, n, sum(counted.values()), table)
            excluded.append(name_lost(left_out, named, others))
            named = others
    return tuple(excluded)


def _find_labelled(data: Table) -> Table:
    """Return the table that says kinds: of pairs of rankings, the rankings."""
    return data.rankings or data if isinstance(data, tables.ComparisonTable) else data


def name_kinds(table: Table, role: str) -> Frame:
    annotation = table.source.find_annotations(table.columns)[role]
    named = AsideColumns(table.source, {role: annotation}, ()).add_to(table.frame)
    return named.with_columns(nw.col(f"evenhand_{role}").fill_null("").alias(_LABEL))


def _exclude(code: str, n: float, every: float, table: Table) -> Exclusion:
    unit = "ranking" if isinstance(table, tables.RankingTable) else "judgment"
    sentence = say("controls", controls=n) if code == "controls" else ""
    return Exclusion(code, _REASONS[code], n, every, unit=unit, sentence=sentence)


def count_kind_labels(data: Table, frame: Frame) -> dict[str, float]:
    """Count judgments by the label of their kind, as they are weighted; a ranking is one."""
    if isinstance(data, tables.ComparisonTable):
        return tables.count_answers(replace(data, frame=frame), _LABEL)
    if isinstance(data, tables.RankingTable):
        frame = frame.select(_LABEL, *data.key).unique()
    return count_labels(frame, _LABEL)


def _choose_controls(
    data: Table, role: str, labels: list[str]
) -> tuple[list[str], tuple[str, ...]]:
    """Return which labels are those of controls; none, and a note, where a column says no kinds."""
    meant: dict[str, bool | None] = {}  # None for what is no kind, or no answer
    for label in labels:
        word = label.strip().casefold()
        if role == "expected":
            meant[label] = _is_expected(data, label.strip())
        else:
            meant[label] = KINDS[word][0] == CONTROL if word in KINDS else None if word else False
    controls = [label for label, control in meant.items() if control]
    unknown = [label for label, control in meant.items() if control is None]
    if not unknown:
        return controls, ()
    annotation = data.source.find_annotations(data.columns)[role]
    annotation = annotation if controls else replace(annotation, sure=False)
    fault = Unread(f"holds {listing(unknown, 5)}: expected {_EXPECTED[role]}")
    return [], (refuse_unread(data.source, role, annotation, fault),)


def _is_expected(data: Table, answer: str) -> bool | None:
    """Say whether something is expected; None where it is no answer."""
    if answer.casefold() in ("", "nan"):
        return False
    if isinstance(data, tables.ComparisonTable):
        return read_outcome(answer, data.outcome_labels) is not None or None
    try:
        return answer.casefold() in DIRECTIONS or isfinite(float(answer)) or None
    except ValueError:
        return None


# What to do with ratings, where nothing else is said
RANKED: Final = "rank, fit and make_report take them"


def require_pairs(data: object, refusal: str, ratings: str = RANKED) -> Comparisons:
    table = take_pairs(data)  # type: ignore[arg-type]
    if isinstance(table, Comparisons):
        return table
    raise refuse_kind(data, refusal, ratings)


def require_scores(data: object, refusal: str) -> Ratings | RatingRows:
    if isinstance(data, Ratings | RatingRows):
        return data
    if isinstance(data, Comparisons | Rankings):
        kind = type(data).__name__.lower()
        raise InvalidJudgments(f"{refusal} {kind}: they have no scores; rank takes them")
    raise refuse_kind(data, refusal)


def refuse_kind(data: object, refusal: str, ratings: str = RANKED) -> InvalidJudgments:
    kind = type(data)
    if isinstance(data, Ratings):
        return InvalidJudgments(f"{refusal} ratings: {ratings}")
    return InvalidJudgments(f"{refusal} {kind.__name__}: pass what evenhand.read opens")


# The forms in which judgments come to a model of preferences: tables, votes, or counts of them.
Judgments: TypeAlias = "Comparisons | Rankings | Tally | Votes | Openable"
# What tells answers of several comparisons apart, and where one may change its judge
ANSWERS: Final = ("ranking", "task")


def count_pairs(data: Judgments, by: Sequence[str] = (), *, answers: bool = False) -> Tally:
    # A tally is taken as it is: it must have been made by these factors.
    if isinstance(data, Comparisons | Rankings):
        data = take_pairs(data)
    if isinstance(data, Tally):
        return data
    if isinstance(data, Comparisons):
        apart = ANSWERS if answers and data.has("ranking") else ()
        return data.tally(by=(*by, *filter(data.has, apart)))
    from evenhand.data.votes import Votes

    if isinstance(data, Votes):
        if "judge" in by and data.judges == ("",):
            raise UnknownColumn("these votes do not say who judged: read them with a judge column")
        answer_columns = ("ranking", *(["task"] if data.tasks != ("",) else []))
        return data.tally((*by, *(answer_columns if answers and data.answer is not None else ())))
    raise refuse_form(data, "preferences")


def refuse_form(data: object, of: str) -> InvalidJudgments:
    forms = "rankings or comparisons" if of == "rankings" else "comparisons or rankings"
    return refuse_kind(data, f"a model of {of} is fitted to {forms}, not to")


def note_tasks(data: object) -> tuple[str, ...]:
    tasks: Sequence[str] = ()
    notes: tuple[str, ...] = ()
    if isinstance(data, Comparisons | Rankings):
        table = take_pairs(data)
        tasks, notes = table.tasks(), say_left_out(data, table)
    elif not isinstance(data, Tally):
        from evenhand.data.votes import Votes

        tasks = data.tasks if isinstance(data, Votes) else ()
    return (*notes, say("tasks-pooled", tasks=len(tasks))) if len(tasks) > 1 else notes


def find_excluded(
    data: object, kinds: Sequence[str] = OF_SYSTEMS, uses: Sequence[str] = ()
) -> tuple[Exclusion, ...]:
    """Return what is excluded from judgments; () of anything that does not know."""
    # uses: codes of what it does not exclude, such as "no-score" where that is asked for next.
    if not isinstance(data, Table):
        return tuple(getattr(data, "excluded", ()))
    data = leave_out_llm_judges(data) if "llm-judges" in kinds else data
    if isinstance(data, Ratings) and "no-score" in uses:  # there may be no score at all
        excluded = count_exclusions(data.source.exclusions)
    else:
        excluded = tuple(one for one in data.excluded if one.code not in uses)
    known = {one.code for one in excluded}
    if not set(kinds) - known - {"llm-judges"} or not data.source.find_annotations(data.columns):
        return excluded

    wanted = [one for one in kinds if one in ("controls", "repeats") and one not in known]
    return (*excluded, *_exclude_kinds(data, wanted, scored="no-score" in known))


def mend(data: Table, fault: InvalidJudgments) -> Table:
    """Exclude rows without an outcome, or strip labels, wherever in a table they are."""
    if isinstance(fault, PaddedLabels):
        return data.strip_labels()
    return data.exclude_unanswered() if isinstance(data, Comparisons) else data


def _find_mendable(arguments: Mapping[str, Any], names: Sequence[str]) -> dict[str, Table]:
    """Return judgments, and verdicts, that may be read again without what is at fault."""
    given = {name: arguments[name] for name in names if arguments.get(name) is not None}
    opened = {name: one if isinstance(one, Table) else take(one) for name, one in given.items()}
    return {
        name: one
        for name, one in opened.items()
        if isinstance(one, Table) and not getattr(one, "rankings", None)
    }


def carries_excluded(
    *kinds: str, argument: str = "data", uses: Sequence[str] = ()
) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Make the result of a public function carry what is excluded from the judgments it takes."""

    def decorate(function: Callable[P, Result]) -> Callable[P, Result]:
        expected = signature(function)

        @wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> Result:
            given = expected.bind(*args, **kwargs)
            if argument in given.arguments:
                given.arguments[argument] = take(given.arguments[argument])
            data = given.arguments.get(argument)
            if isinstance(data, Ratings) and given.arguments.get("criterion") is not None:
                # controls are counted among the ratings under it
                data = choose_criterion(data, given.arguments["criterion"])
                given.arguments |= {argument: data, "criterion": None}
            # verdicts of judges who are named are asked for
            named = take_names(given.arguments.get("llm_judges") or ())
            wanted = [one for one in kinds if one != "llm-judges" or not named]
            if "llm-judges" in kinds and isinstance(data, Table):
                data = given.arguments[argument] = leave_out_llm_judges(data, named)
            # Two faults may lie beyond the rows that were looked at when the table was read
            for last in (False, False, True):
                try:
                    result = cast("Callable[..., Result]", function)(*given.args, **given.kwargs)
                    break
                except (MissingOutcomes, PaddedLabels) as fault:
                    faulty = _find_mendable(given.arguments, (argument, "llm"))
                    if last or not faulty:
                        raise
                    given.arguments |= {name: mend(one, fault) for name, one in faulty.items()}
                    data = given.arguments.get(argument)
            return note_excluded(result, find_excluded(data, wanted, uses))

        return run

    return decorate
