"""An outside table on its way to a handle: wishes of the caller, types, roles and layouts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from difflib import get_close_matches
from functools import cached_property
from itertools import chain
from numbers import Real
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import narwhals as nw

from evenhand.data.annotations import is_kind
from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import (
    PLACE,
    Frame,
    code_columns,
    count_labels,
    count_rows,
    fetch_columns,
    is_nan,
)
from evenhand.data.exclusions import Exclusion, sign_names
from evenhand.data.groups import list_levels
from evenhand.data.joining import keep_places, list_places
from evenhand.data.labels import (
    KNOWN_LABELS,
    LONGEST,
    MISSING,
    OUTCOMES,
    Complete,
    Outcome,
    Reading,
    is_both_bad,
    is_missing,
    read_outcome,
    tell_reading,
)
from evenhand.data.query_log import name_originals
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import find_far, find_no_answers, reads_lower
from evenhand.data.ratings import Ratings
from evenhand.data.source import (
    ANNOTATIONS,
    AnnotationColumn,
    Source,
    empty_codes,
    find_lines,
    find_rows,
    fold,
    name_rows,
    repeats_header,
    strip_blanks,
)
from evenhand.data.tables import LABELS as LABEL_ROLES
from evenhand.errors import (
    SKIP,
    InvalidJudgments,
    UnknownOption,
    listing,
    require_option,
    write_word,
)
from evenhand.formats.grades import (
    KNOWN_WORDS,
    PATTERN,
    Grades,
    find_written,
    is_graded,
    is_no_number,
    keep_documents_apart,
    list_numbers,
    read_grades,
    read_probability,
    say_no_number,
    says_missing,
)
from evenhand.formats.roles import (
    FOLDED,
    SOFT,
    UNKNOWN_POSITIONS,
    Header,
    Spread,
    assign,
    describe,
    find_mark,
    find_probability,
    find_side,
    is_metric,
    name_covariates,
    names_loser,
)
from evenhand.formats.texts import say
from evenhand.render.document import Finding

LOOK: Final = 1000  # Rows looked at to tell texts from names
# From so many values, so large a share of different ones names nobody who judged twice
FEWEST, ALL_DIFFERENT = 20, 0.9
MANY_LONG: Final = 0.05  # Share of long values in a column of texts
Handle: TypeAlias = Comparisons | Rankings | Ratings
Kinds: TypeAlias = Callable[[], Mapping[str, str]]
# Kinds of value that name the same however they are read: "5" and 5
LABELS: Final = frozenset({"text", "whole numbers", "dates"})
NESTED: Final = "nested values"  # What a column of a JSON file may hold
# Kinds of value that are the same number: "5", 5 and 5.0
NUMBERS: Final = frozenset({"text", "whole numbers", "fractions"})


@dataclass(frozen=True)
class ReadOptions:
    # role → column; wins over what the names say
    columns: Mapping[str, str] = field(default_factory=dict)
    # the table's own outcome labels and what they mean
    outcomes: Mapping[str, Outcome] | None = None
    weights: Literal["frequency", "importance"] = "frequency"  # what the weight column means
    # the sign between the systems of one output; None takes names as they are
    system_separator: str | None = None
    decimal: str | None = None  # the sign before decimals; None notices a comma where it is sure
    skip_bad_rows: bool = False  # whether rows that cannot be read are skipped and counted
    missing: Sequence[str] = ()  # values of scores, ranks and outcomes that are no answer
    # severity → what such an error takes from a score, where not as usual
    error_weights: Mapping[str, float] = field(default_factory=dict)
    # role → columns of scores whose names say it, or "score" where that is left open
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)


class InvalidRow(InvalidJudgments):
    def __init__(self, number: int, table: str, reason: str) -> None:
        super().__init__(f"row {number:,} of {table}: {reason}")
        self.number, self.reason = number, reason
        self.numbers: tuple[int, ...] = (number,)  # of all rows that cannot be read without it


@dataclass(frozen=True, eq=False)
class Table:
    """An outside table before its columns play roles."""

    frame: Frame  # narwhals frame with the columns as they are
    name: str  # what it is called in messages
    connection: Any = None  # the private DuckDB connection that reads the files, if they are files
    # column → "fractions", "true or false" or "nested values", for columns that are read as text
    # although the file holds something else there (JSON)
    original_types: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[Path, ...] = ()  # the files, if they are files
    # column → what finds out which kinds of value it holds, and a file with each, for columns
    # whose rows or files do not agree
    mixed: Mapping[str, Kinds] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what must be said of how it was opened
    written: Mapping[str, str] = field(default_factory=dict)  # column → its name in the file
    delimiter: str = ""  # of a CSV file
    # rows that could not be read, which are skipped; None where the first of them is refused
    faults: list[InvalidRow] | None = None
    skipped: Sequence[Exclusion] = ()  # lines that are no rows, and were left out for that
    missing: Sequence[str] = ()  # values of judgments that are no answer, until they are emptied
    whole: Frame | None = None  # all rows, where some were selected: they tell what a scale is
    origin: Source = Source()  # what is known of the campaign that gave it, if one did

    @cached_property
    def schema(self) -> nw.Schema:
        return self.frame.collect_schema()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name in self.schema.names() if name != PLACE)

    def header(self, options: ReadOptions) -> Header:
        return Header(
            *(self.columns, options.columns, self.name),
            holds_texts=self.holds_texts,
            list_rankings=self.list_rankings,
            spreads=lambda: self.spreads,
        )

    @cached_property
    def spreads(self) -> dict[str, Spread]:
        """Columns whose first values are numbers or blank: their range without codes and slips."""
        plain = [
            name
            for name, dtype in self.schema.items()
            if dtype == nw.String or (dtype.is_numeric() and not dtype.is_nested())
        ]
        numbers: dict[str, list[float]] = {name: [] for name in plain}
        for rows in (LOOK, ROWS_LOOKED_AT):  # of few rows first: most columns are no numbers
            some = fetch_columns(self.frame.select(*numbers).head(rows)) if numbers else {}
            read = {name: list_numbers(one.tolist(), self.missing) for name, one in some.items()}
            numbers = {name: each for name, each in read.items() if each}
        counts = {name: Counter(each) for name, each in numbers.items()}
        scores = {
            name: each.keys() - {*find_no_answers(each), *find_far(each)}
            for name, each in counts.items()
        }
        return {name: Spread(min(each), max(each)) for name, each in scores.items()}

    def holds_texts(self, column: str) -> bool:
        """Say whether the first values of a column are texts or numbers, and so name nothing."""
        dtype = self.schema[column]
        if dtype.is_float() or dtype.is_nested():
            return True
        if dtype != nw.String:
            return False
        values = fetch_columns(self.frame.select(column).head(LOOK))[column].tolist()
        texts = [value for value in values if value]
        long = sum(len(text) > LONGEST or "\n" in text for text in texts)
        different = len(set(texts)) > ALL_DIFFERENT * len(texts)
        return long > MANY_LONG * len(texts) or (different and len(texts) >= FEWEST)

    def list_rankings(self) -> list[str]:
        """Return the columns whose first values are whole rankings, such as A>B>C."""
        texts = [name for name in self.columns if self.schema[name] == nw.String]
        looked = fetch_columns(self.frame.select(*texts).head(LOOK)) if texts else {}
        found = []
        for column, values in looked.items():
            cells = [[one.strip() for one in value.split(">")] for value in values if value]
            names = Counter(chain(*cells))
            named = all(0 < len(name) <= LONGEST for name in names)
            again = len(cells) < 2 or len(names) < names.total()  # as systems are ranked
            long = max(map(len, cells), default=0) > 2
            if long and named and again and all(1 < len({*one}) == len(one) for one in cells):
                found.append(column)
        return found

    def skip(self, fault: InvalidRow) -> None:
        """Refuse a row that cannot be read, or note that it is skipped."""
        if self.faults is None:
            where = self.name_rows([fault.number])[fault.number]
            said = f"{where} of {self.name}: {fault.reason}; correct it, or {SKIP}"
            raise InvalidJudgments(said) from None
        self.faults.append(fault)

    def empty_missing(self, columns: Sequence[str]) -> tuple[Table, list[Finding]]:
        """Empty the cells of judgments that hold a value which is no answer; say how many did."""
        if not self.missing:
            return self, []
        table = self
        for column in (one for one in columns if self.schema[one] == nw.Object):
            table = _write_objects(table, column)
        frame, notes = empty_codes(table.frame, columns, self.missing, self.name)
        return replace(table, frame=frame, missing=()), notes

    def name_rows(self, numbers: Collection[int]) -> dict[int, str]:
        lines = find_lines(self.frame, numbers)
        return {n: f"line {lines[n]:,}" if lines else f"row {n:,}" for n in numbers}

    def exclude_skipped(self) -> tuple[Exclusion, ...]:
        numbers = sorted({number for fault in self.faults or () for number in fault.numbers})
        if not numbers:
            return ()
        faults = sorted(self.faults or (), key=lambda fault: fault.number)
        places = self.name_rows({*numbers, *(fault.number for fault in faults)})
        told = {one.number: f"{places[one.number]} ({one.reason})" for one in faults}
        with_them = (f"{places[one]} (of the same output)" for one in numbers if one not in told)
        reasons = [*told.values(), *with_them]
        if len(numbers) >= (every := count_rows(self.frame)):
            raise InvalidJudgments(f"no row of {self.name} can be read: {reasons[0]}")
        return (exclude_bad_rows([places[number] for number in numbers], reasons, every),)

    def refuse_mixed(self, column: str, role: str, fitting: frozenset[str]) -> None:
        """Refuse a column whose values are of different kinds: 5.0 and "5" would be two judges."""
        kinds = self.mixed[column]() if column in self.mixed else {}
        if not set(kinds) <= fitting:
            description = " and ".join(
                f"{kind} in {name_originals(at)}" for kind, at in kinds.items()
            )
            raise InvalidJudgments(
                f"column '{column}', taken as {role}, holds {description}: write it alike"
                " everywhere"
            )

    def with_frame(self, frame: Frame) -> Table:
        return replace(self, frame=frame)

    def source(self, layout: str, columns: Mapping[str, str], note: str) -> Source:
        source = replace(self.origin, name=self.name, connection=self.connection)
        return replace(source, format=layout, columns={**columns}, notes=(note,))


def exclude_bad_rows(places: Sequence[str], faults: Sequence[str], every: int) -> Exclusion:
    sentence = say("bad-rows", rows=len(places), faults=faults)
    reason = f"rows that cannot be read: {listing(places)}{sign_names(places)}"
    return Exclusion("bad-rows", reason, len(places), every, sentence=sentence)


# A number that may have a comma before its decimals, and one that may have it in thousands instead
WITH_COMMA: Final = re.compile(r"[+-]?(?:\d+|\d*,\d+)", re.ASCII)
THOUSANDS: Final = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}|[^,]*")


MAX_WORDS: Final = 2000  # Different scores in words, or with a sign, that are read as numbers


def read_written_scores(
    table: Table, columns: Iterable[str | None], groups: Sequence[Sequence[str]] | None = None
) -> tuple[Table, list[Finding]]:
    """Write scores such as 85 %, 4/5, "1 - poor" and "strongly agree" as numbers; say how.

    One scale is sought for all columns, else one for each of some groups, else one for each column.
    """
    notes: list[Finding] = []
    texts: list[str] = []
    for column in columns:
        if column and table.schema[column] == nw.Boolean:
            number = nw.col(column).cast(nw.Float64)
            table = table.with_frame(table.frame.with_columns(number.alias(column)))
            notes.append(say("score-words", of="", words=["false = 0", "true = 1"]))
        if column and table.schema[column] == nw.Object:
            table = _write_objects(table, column)
        if column and table.schema[column] == nw.String:
            texts.append(column)
    parts = [texts] if texts else []
    readings = [_read_together(table, one) for one in parts]
    if len(texts) > 1 and readings == [None]:
        parts = [[one for one in part if one in texts] for part in groups or [[t] for t in texts]]
        readings = [_read_together(table, one) for one in parts]
    for part, written in zip(parts, readings, strict=True):
        if written is None:
            continue
        words, numbers = [*written[0]], [f"{number:g}" for number in written[0].values()]
        read = [nw.col(one).replace_strict(words, numbers, default=nw.col(one)) for one in part]
        table = table.with_frame(table.frame.with_columns(*read))
        note, of = written[1], f" in {listing(part)}"
        apart = len(parts) > 1 and note.code == "score-words"
        notes.append(say(note.code, **{**note.values, "of": of}) if apart else note)
    return table, [*dict.fromkeys(notes)]


def _read_together(table: Table, columns: Sequence[str]) -> tuple[dict[str, float], Finding] | None:
    """Return what labels of some columns mean on one scale, which all rows of the file tell."""
    first = fetch_columns(table.frame.select(*columns).head(LOOK)) if columns else {}
    if find_written(Counter(chain(*(one.tolist() for one in first.values())))) is None:
        return None
    for frame in (table.frame,) if table.whole is None else (table.whole, table.frame):
        if not {*columns} <= {*frame.collect_schema().names()}:
            continue
        labels = [count_labels(frame, one) for one in columns]
        counted = {one: sum(each.get(one, 0.0) for each in labels) for one in chain(*labels)}
        written = find_written(counted) if len(counted) <= MAX_WORDS else None
        if written is not None:
            return written
    return None


def _write_objects(table: Table, column: str) -> Table:
    """Write numbers of several types, such as Decimal beside text, as text; others stay."""
    native: Any = table.frame.to_native()
    kinds = {*map(type, native[column].dropna())}
    if bool in kinds or not all(issubclass(one, str | Real | Decimal) for one in kinds):
        return table
    text = native[column].map(str, na_action="ignore")
    return table.with_frame(nw.from_native(native.assign(**{column: text})))


_ADVICE: Final = {
    "rank": "ranks are whole numbers from 1 (best); −1 or blank means not ranked",
    "position": "positions are whole numbers, the place on the screen",
    "weight": "weights are numbers from 0, with a point before decimals",
    "score": "scores are numbers, with a point before decimals; blank or NA means none",
    "seconds": "seconds are numbers",
    "control": "controls are numbers, with a point before decimals",
}


def read_number(table: Table, column: str, role: str, *, check: bool = True) -> nw.Expr:
    """Return a column as numbers under the name of its role; blank text, NA and NaN are missing."""
    table.refuse_mixed(column, role, NUMBERS)
    dtype = table.schema[column]
    value = nw.col(column)
    if dtype.is_integer():
        return value.alias(role)
    if dtype.is_float():
        pandas = table.frame.implementation.is_pandas_like()  # there NaN is what missing is
        # fill_nan would hand DuckDB a constant, for which it imports pandas
        return (value if pandas else nw.when(~is_nan(table.frame, column)).then(value)).alias(role)
    if dtype.is_decimal():
        return value.cast(nw.Float64).alias(role)
    if dtype != nw.String:
        kind = "values of several kinds" if dtype == nw.Object else str(dtype).lower()
        raise InvalidJudgments(
            f"column '{column}' of {table.name} holds {kind}, not numbers: {_ADVICE[role]}"
        )
    if check:
        plain = value.is_null() | value.str.contains(PATTERN)
        looked = fetch_columns(table.frame.select(plain.all().alias(role)))
        if looked[role][0]:  # with nothing to strip, and nothing that says missing
            return value.cast(nw.Float64).alias(role)
        refuse_text(table, [column], role)
    text = value.str.strip_chars()
    return nw.when(~says_missing(text)).then(text).cast(nw.Float64).alias(role)


def skip_unreadable(
    table: Table, columns: Iterable[str | None], *, cells: bool = False
) -> tuple[Table, list[str]]:
    """Leave out rows whose ranks or scores are no numbers, where bad rows are skipped.

    cells: only the cells, which are empty then; they are returned, each with its place.
    """
    texts = [column for column in columns if column and table.schema[column] == nw.String]
    if table.faults is None or not texts:
        return table, []
    frame, bad = keep_places(table.frame), list[tuple[int, str]]()
    for column in texts:
        for row in find_rows(frame, is_no_number(column), limit=count_rows(frame)):
            bad.append((int(row["row"]), f"'{row[column]}' in '{column}'"))
    numbers = {column: ~is_no_number(column).fill_null(value=False) for column in texts}
    if not cells:
        frame = frame.filter(nw.all_horizontal(*numbers.values(), ignore_nulls=True))
    # An engine may cast before it filters: what is no number is missing for it as well
    blank = [nw.when(there).then(nw.col(one)).alias(one) for one, there in numbers.items()]
    numeric = table.with_frame(frame.with_columns(*blank))
    if cells:
        places = table.name_rows({number for number, _ in bad})
        return numeric, [f"{places[number]} ({what})" for number, what in sorted(bad)]
    table.faults.extend(InvalidRow(n, table.name, f"{what} is no number") for n, what in bad)
    table.exclude_skipped()  # refuses where no row is left
    return numeric, []


def refuse_text(table: Table, columns: list[str], role: str) -> None:
    """Refuse text that is not a number, in one pass over some text columns."""
    bad = find_rows(table.frame, nw.any_horizontal(*map(is_no_number, columns), ignore_nulls=True))
    if not bad:
        return
    for column in columns:
        # a word of some scale is shown only where no other is there: the other one is the fault
        folded = nw.col(column).str.strip_chars().str.to_lowercase()
        unknown = find_rows(table.frame, is_no_number(column) & ~folded.is_in(KNOWN_WORDS))
        rows = unknown or find_rows(table.frame, is_no_number(column))
        if rows:
            value = rows[0][column]
            if value == column:
                raise InvalidJudgments(repeats_header(table.name, name_rows(rows)))
            what = say_no_number(value)
            if role == "score" and re.fullmatch(r"[\d.]+\s*%", value.strip()):
                number = nw.col(column).str.strip_chars().str.contains(PATTERN)
                plain = find_rows(table.frame, number, 1)
                beside = f" beside '{plain[0][column]}'" if plain else ""
                raise InvalidJudgments(
                    f"score '{value}'{beside} in column '{column}' of {table.name}"
                    f"{name_rows(rows)}: per cent or fractions? Write all scores of the column"
                    " alike, such as 85 or 0.85"
                )
            comma = WITH_COMMA.fullmatch(value.strip()) is not None
            thousands = THOUSANDS.fullmatch(value.strip())
            way, skipped = "", f"or {SKIP}" if role in ("rank", "score") else ""
            some = fetch_columns(table.frame.select(column).head(LOOK))[column].tolist()
            points, commas = (sum(sign in str(one) for one in some) for sign in ".,")
            if comma and points > commas and not thousands:
                way = f"; write it as {value.strip().replace(',', '.')}"
                way += f", {skipped}" if skipped else ""
            elif comma:
                first = "write thousands without a comma, or where it is" if thousands else ""
                way = f"; {first or 'where a comma is'} before decimals: --decimal , in Python"
                way += " decimal=','"
            elif skipped and find_rows(table.frame, ~is_no_number(column), 1):
                way = f"; {skipped}"
            elif role == "score":
                way = "; write the number before words or signs, such as '1 - poor'"
            raise InvalidJudgments(
                f"{role} '{value}' in column '{column}' of {table.name}{name_rows(rows)} {what}:"
                f" {_ADVICE[role]}{way}"
            )


ONE: Final = (1, ("1", "1.0", "true"))
ZERO: Final = (0, ("0", "0.0", "false"))


def holds(table: Table, column: str, number: int, words: tuple[str, ...]) -> nw.Expr:
    """Return the condition that a column holds a number, however its kind of table writes it."""
    dtype = table.schema[column]
    if dtype == nw.Boolean:
        held = nw.col(column) if number else ~nw.col(column)
    elif dtype.is_numeric():
        held = nw.col(column) == number
    else:
        held = nw.col(column).cast(nw.String).str.strip_chars().str.to_lowercase().is_in(words)
    return held.fill_null(value=False)


# A text column passes as it is, without a cast: DuckDB then keeps its dictionary, and grouping ten
# million rows costs a fifth. Labels that are fractions, truth values or nested are refused, since
# engines write them differently.


# Roles whose values are numbers; all others are labels
NUMERIC_ROLES: Final = ("rank", "position", "weight", "score", "seconds")
# Roles whose values may be numbers, times or words; they are read when they are used
EITHER: Final = ("expected", "shown_at")

# Roles without which there is still a result, of another kind
EASILY_LOST: Final = ("judge", "item", "weight")
ALIKE: Final = 0.8  # Likeness from which a name may be a slip of another; "jugde" is .8 of "judge"


def take(table: Table, roles: Mapping[str, str]) -> tuple[Frame, list[str]]:
    taken = set(roles.values())
    expressions = []
    for role, column in roles.items():
        if role in NUMERIC_ROLES or (role in EITHER and table.schema[column].is_numeric()):
            expressions.append(read_number(table, column, role))
        elif role in EITHER:
            expressions.append(_keep(table, column).alias(role))
        else:
            expressions.append(read_label(table, column, role))
    others = [column for column in table.columns if column not in taken]
    names, notes = name_covariates(others, roles)
    # Columns whose names nearly are that of a judge, an item or a weight
    header = table.header(ReadOptions())
    weightless = {"weight"} if "score" in roles else set()  # ratings have no weights
    for role in (one for one in EASILY_LOST if one not in {*roles} | weightless):
        for column in others:
            near = get_close_matches(fold(column), FOLDED[role], n=1, cutoff=ALIKE)
            if near and header.fits(column, role):
                sentence = f"column '{column}' is not taken as {role}"
                notes.append(f"{sentence}; if it is: --column {write_word(f'{role}={column}')}")
    for column, name in names.items():
        expressions.append(_keep(table, column).alias(name))
    places = list_places(table.frame)
    called = {column: role for role, column in roles.items()} | names
    if isinstance(table.frame, nw.DataFrame) and len(called) == len(expressions):
        as_they_are = {
            one: {nw.Categorical, nw.Enum}.isdisjoint([type(table.schema[one])])
            if one in names
            else table.schema[one] == nw.String and called[one] not in (*NUMERIC_ROLES, *EITHER)
            for one in called
        }
        if all(as_they_are.values()):  # in pandas a third of the time of expressions
            return table.frame.select(*called, *places).rename(called), notes
    return table.frame.select(*expressions, *places), notes


def read_label(table: Table, column: str, role: str) -> nw.Expr:
    table.refuse_mixed(column, role, LABELS)
    dtype = table.schema[column]
    unfit_type = table.original_types.get(column) or _unfit(table, column, dtype)
    if unfit_type == "whole floats":
        rows = name_rows(find_rows(table.frame, nw.col(column).is_null()))
        missing = f" a value is missing{rows}, and" if rows else ""
        raise InvalidJudgments(
            f"column '{column}' of {table.name}, taken as {role}, holds whole numbers as floats:"
            f"{missing} 3.0 is no label. Fill or drop the missing values and make it whole:"
            f" frame['{column}'].astype('Int64')"
        )
    if unfit_type:
        first = find_rows(table.frame, ~nw.col(column).is_null(), limit=1)
        nested = bool(first) and table.original_types.get(column) == NESTED
        held = json.loads(first[0][column]) if nested else None
        named = [f"{role}={column}.{key}" for key in held] if isinstance(held, dict) else []
        way = f"name what is in it, such as --column {write_word(named[0])}, or " if named else ""
        raise InvalidJudgments(
            f"column '{column}' of {table.name}, taken as {role}, holds {unfit_type}, which cannot"
            f" name anything: {way}make it text or whole numbers"
        )
    value = nw.col(column)
    return (value if dtype == nw.String else _as_text(table, column)).alias(role)


def _keep(table: Table, column: str) -> nw.Expr:
    """Pass a covariate on as it is, but categories as text: engines group them differently."""
    categories = isinstance(table.schema[column], nw.Categorical | nw.Enum)
    return _as_text(table, column) if categories else nw.col(column)


def _as_text(table: Table, column: str) -> nw.Expr:
    value = nw.col(column)
    text = value.cast(nw.String)
    if not table.frame.implementation.is_pandas_like():
        return text
    return nw.when(~value.is_null()).then(text)  # else pandas writes a missing value as 'nan'


def _unfit(table: Table, column: str, dtype: nw.dtypes.DType) -> str | None:
    """Say what a column holds where that is nothing to name a thing by."""
    named = isinstance(dtype, nw.String | nw.Categorical | nw.Enum | nw.Date)
    labels = named or dtype.is_integer()
    if labels or (dtype == nw.Unknown and _native_type(table, column) == "UUID"):
        return None
    if dtype.is_float():
        # Tell whole numbers that pandas made floats, since some are missing, from fractions
        if not table.frame.implementation.is_pandas():
            return "floats (fractions, or no numbers)"
        value = nw.col(column)
        fractions = find_rows(table.frame, ~value.is_null() & (value != value.round()), limit=1)
        return "fractions" if fractions else "whole floats"
    if dtype.is_nested():
        return "nested values"
    words = {
        nw.Decimal: "fractions",
        nw.Boolean: "true or false",
        nw.Object: "Python objects that are not all text",
    }
    return words.get(type(dtype), f"values of type {_native_type(table, column)}")


def _native_type(table: Table, column: str) -> str:
    if not table.frame.implementation.is_duckdb():
        return str(table.schema[column])
    native = table.frame.to_native()
    return str(native.types[native.columns.index(column)])


# Names of columns beside a judgment are common (`type`, `timestamp`): a column under another name
# is taken for a kind only if every value is one.


def place_asides(
    table: Table, options: ReadOptions, roles: Mapping[str, str], beside: Mapping[str, str]
) -> dict[str, AnnotationColumn]:
    renamed = set(roles.values())
    covariates, _ = name_covariates([name for name in table.columns if name not in renamed], roles)
    return {
        role: AnnotationColumn(covariates[column], is_sure(table, options, role, column))
        for role, column in beside.items()
    }


# Rows in which outcomes and kinds are looked for before anything is counted
ROWS_LOOKED_AT: Final = 50_000


def is_sure(table: Table, options: ReadOptions, role: str, column: str) -> bool:
    """Say whether a column was asked for or is called like its role.

    `kind` may be the kind of anything, such as news and web: it is sure where a label of ours is
    in it, so that a misspelt one is refused.
    """
    if role in options.columns or fold(column) != fold(role):
        return role in options.columns
    if role != "kind":
        return True
    labels = count_labels(table.frame.head(ROWS_LOOKED_AT), column, as_text=True)
    return not any(labels) or any(label and is_kind(label) for label in labels)


def drop_misfits(
    table: Table, options: ReadOptions, roles: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    fitting, notes = {}, []
    for role, column in roles.items():
        odd: list[str] = []
        if role in ("kind", "seconds") and not is_sure(table, options, role, column):
            dtype = table.schema[column]
            text = isinstance(dtype, nw.String | nw.Categorical | nw.Enum)
            if role == "kind" and text:
                labels = count_labels(table.frame, column, as_text=True)
                odd = sorted(label for label in labels if not is_kind(label))
            elif text:
                named = table.frame.select(nw.col(column).cast(nw.String))
                rows = find_rows(named, is_no_number(column), limit=3)
                odd = sorted({row[column] for row in rows})
            elif role == "kind" or not dtype.is_numeric():
                odd = [str(dtype).lower()]
        if odd:
            notes.append(f"column '{column}' is not taken as {role}: it holds {listing(odd, 3)}")
        else:
            fitting[role] = column
    return fitting, notes


# Outcomes may name the winning system of their row. The first rows tell: where none of them is a
# word for a side, the column names winners. Names that are words for a side as well ("a" for the
# left) are read as a side only where both readings say the same.
SIDES: Final = Complete(left="left", tie="tie", right="right")
LOSING: Final[Mapping[Outcome, Outcome]] = {"left": "right", "tie": "tie", "right": "left"}
_ROLES: Final = ("left", "right", "outcome")


def look_at_outcomes(
    table: Table, roles: Mapping[str, str], outcome_labels: Mapping[str, Outcome] | None = None
) -> Reading | None:
    """Say what the first outcomes are; None where some are neither sides nor names of winners."""
    column = roles["outcome"]
    if table.original_types.get(column) or _unfit(table, column, table.schema[column]):
        return None
    labels = [read_label(table, roles[role], role) for role in _ROLES]
    first, names = table.frame.head(LOOK), [roles[role] for role in _ROLES]
    texts = isinstance(first, nw.DataFrame) and {table.schema[one] for one in names} == {nw.String}
    coded = code_columns(first, names) if texts else None
    if coded is not None:
        columns: list[list[str | None]] = [coded[name].values for name in names]
    else:
        fetched = fetch_columns(first.select(*labels))
        columns = [fetched[role].tolist() for role in _ROLES]
    rows = dict.fromkeys(zip(*columns, strict=True))  # many are the same
    reading = tell_reading(rows, outcome_labels)
    if reading == "both":
        words = sorted({*filter(None, columns[2])} & {*columns[0], *columns[1]})
        sides = {word: meant for word in words if (meant := read_outcome(word, outcome_labels))}
        way = "read names with --from crowd-kit (in Python format='crowd_kit')"
        if names_loser(column):
            sides = {word: LOSING[meant] for word, meant in sides.items()}
            way = "give the systems other names, or read"
        options = " ".join(f"--outcome '{word}={meant}'" for word, meant in sides.items())
        raise InvalidJudgments(
            f"column '{column}' of {table.name} can be read in two ways, as names of systems and as"
            f" sides, and they differ: {way}, sides by declaring them ({options}, in Python"
            f" outcomes={sides})"
        )
    there = [one for one in {*columns[2]} if one and not is_missing(one, outcome_labels)]
    known = all(read_outcome(one, outcome_labels) for one in there)
    return reading if reading == "winners" or (known and find_mark(column) is None) else None


def understand_outcomes(
    table: Table, roles: Mapping[str, str], declared: Mapping[str, Outcome] | None
) -> tuple[Table, Mapping[str, Outcome] | None, list[str]]:
    """Find out what outcomes mean that are not sides as they are; say how they are read."""
    column = roles["outcome"]
    reading, loser = look_at_outcomes(table, roles, declared), names_loser(column)
    names = f"'{column}' names the {'loser' if loser else 'winner'} of its row"
    if reading == "winners":
        # Any other label stays, to be refused with its rows when something is counted; labels that
        # the caller declared have their meaning.
        left, right, label = (read_label(table, roles[role], role) for role in _ROLES)
        ties = [word for word, outcome in KNOWN_LABELS.items() if outcome == "tie"]
        tied = label.str.to_lowercase().is_in(ties)
        other = nw.when(tied).then(nw.lit("tie")).otherwise(label)
        for side in OUTCOMES:
            words = [word for word, outcome in (declared or {}).items() if outcome == side]
            if words:
                other = nw.when(label.is_in(words)).then(nw.lit(side)).otherwise(other)
        first, second = ("right", "left") if loser else ("left", "right")
        of_right = nw.when(label == right).then(nw.lit(second)).otherwise(other)
        winner = nw.when(label == left).then(nw.lit(first)).otherwise(of_right)
        return table.with_frame(table.frame.with_columns(winner.alias(column))), SIDES, [names]
    if loser:
        labels = filter(None, count_labels(table.frame, column, as_text=True))
        meant = {one: LOSING[won] for one in labels if (won := read_outcome(one))}
        return table, {**meant, **(declared or {})}, [names]
    table, grades = take_grades(table, roles, declared) if reading is None else (table, None)
    if grades is None:
        return table, declared, []
    return table, {**grades.outcomes, **(declared or {})}, [grades.note]


def take_grades(
    table: Table, roles: Mapping[str, str], declared: Mapping[str, Outcome] | None
) -> tuple[Table, Grades | None]:
    column = roles["outcome"]
    if table.schema[column].is_nested():
        return table, None

    def find_sides() -> dict[str, set[Outcome]]:
        sides: dict[str, set[Outcome]] = {}
        for side in OUTCOMES[::2]:
            for name in filter(None, count_labels(table.frame, roles[side], as_text=True)):
                sides.setdefault(name, set()).add(side)
        return sides

    grades = None
    for frame in (table.frame.head(ROWS_LOOKED_AT), table.frame):
        labels = count_labels(frame, column, as_text=True)
        grades = read_grades(labels, column, declared, systems=find_sides)
        if grades is None:
            return table, None
    if table.whole is not None and column in table.whole.collect_schema().names():
        every = {*labels, *filter(is_graded, count_labels(table.whole, column, as_text=True))}
        grades = read_grades(every, column, declared, systems=find_sides) or grades
    kinds = {name: kind for name, kind in table.original_types.items() if name != column}
    text = _as_text(table, column).alias(column)
    frame = table.frame if table.schema[column] == nw.String else table.frame.with_columns(text)
    return replace(table, frame=frame, original_types=kinds), grades


COMPARISON_ROLES: Final = (*Comparisons.ROLES, *ANNOTATIONS)
RANKING_ROLES: Final = (*Rankings.ROLES, *ANNOTATIONS)
RATING_ROLES: Final = Ratings.ROLES


def fill_outcomes(table: Table, outcome: str) -> tuple[Table, list[Finding]]:
    """Take the likelier side where an outcome is empty and a probability stands beside it."""
    told = nw.col(outcome).cast(nw.String)
    empty = told.is_null() | (told.str.strip_chars() == "")
    there = any(map(find_probability, table.columns)) and not find_probability(outcome)
    if not (there and find_rows(table.frame, empty, 1)):
        return table, []
    named, likely = read_probability(table.frame, table.name, table.columns)
    told = nw.when(empty).then(find_side(likely)).otherwise(told).alias(outcome)
    turned = table.with_frame(table.frame.with_columns(told))
    return turned, [say("probabilities-fill", columns=named)]


def make_comparisons(
    table: Table, options: ReadOptions, layout: Layout, fixed: Mapping[str, str] | None = None
) -> Comparisons:
    roles, beside = assign_beside(table, options, Comparisons, fixed)
    table, emptied = table.empty_missing([roles["outcome"]])
    table, filled = fill_outcomes(table, roles["outcome"])
    table, notes = strip_labels(table, roles)
    notes += [*emptied, *filled]
    outcome_labels: Mapping[str, Outcome] | None = None
    if options.outcomes is not None:
        if not options.outcomes:
            raise UnknownOption("outcomes is empty: say what each label means, or leave it out")
        for label, outcome in options.outcomes.items():
            require_option(f"outcome of '{label}'", outcome, OUTCOMES)
        kind = Complete if isinstance(options.outcomes, Complete) else dict
        outcome_labels = kind(options.outcomes)
    if not isinstance(outcome_labels, Complete):
        table, outcome_labels, read = understand_outcomes(table, roles, outcome_labels)
        notes += read
    frame, source = _take(table, layout, roles)
    source = replace(source, annotations=place_asides(table, options, roles, beside))
    known = UNKNOWN_POSITIONS not in table.columns
    notes += [] if known else ["which output stood left is not known"]
    data = Comparisons(
        frame,
        source=source.noting(*notes),
        outcome_labels=outcome_labels,
        positions_known=known,
        weights=options.weights,
    )
    if options.weights == "importance" and "weight" not in roles:
        raise UnknownOption("importance needs a weight column: --column weight=NAME")
    if "id" in options.columns:
        counted = frame.group_by("id").agg(nw.len().alias("n"))
        doubled = find_rows(counted.select("id", "n"), (nw.col("n") > 1) & ~nw.col("id").is_null())
        if doubled:
            ids = sorted(str(row["id"]) for row in doubled)
            raise InvalidJudgments(
                f"id {listing(ids)} in column '{source.named('id')}' of {source.name} stands more"
                " than once: keep one row of each, or do not map the column as id"
            )
    # A look at the first rows: to look at all would read a long file twice. Should rows without an
    # outcome stand further down only, whoever counts comes upon them (`carries_excluded`).
    labels = list_levels(data, "outcome", rows=ROWS_LOOKED_AT)
    bad = [one for one in labels if is_both_bad(one) and one not in (outcome_labels or ())]
    if bad:
        data = replace(data, source=data.source.noting(say("both-bad", labels=bad)))
    if any(is_missing(label, data.outcome_labels) for label in labels):
        return data.exclude_unanswered()
    return data


# Ranks such as 1st and 2nd, which are read as numbers where a column holds no others
ORDINAL: Final = r"^\d+(?:st|nd|rd|th)$"
_UNRANKED: Final = [*sorted(MISSING), "-1"]


def make_rankings(
    table: Table, options: ReadOptions, layout: Layout, fixed: Mapping[str, str] | None = None
) -> Rankings:
    refuse_comparison_wishes(options, "rankings")
    roles, beside = assign_beside(table, options, Rankings, fixed)
    column = roles["rank"]
    if table.schema[column] == nw.String:
        rank = nw.col(column).str.strip_chars().str.to_lowercase()
        if not find_rows(table.frame, ~(rank.str.contains(ORDINAL) | rank.is_in(_UNRANKED)), 1):
            number = rank.str.replace_all("(?:st|nd|rd|th)$", "").alias(column)
            table = table.with_frame(table.frame.with_columns(number))
    table, emptied = table.empty_missing([roles["rank"]])
    table, _ = skip_unreadable(table, [roles["rank"]])
    table, notes = strip_labels(table, roles)
    notes += emptied
    frame, source = _take(table, layout, roles)
    source = source.noting(*notes)
    source = replace(source, annotations=place_asides(table, options, roles, beside))
    data = Rankings(frame, source=source)
    data.check()
    return data


def make_ratings(
    table: Table,
    options: ReadOptions,
    layout: Layout,
    fixed: Mapping[str, str] | None = None,
    *,
    needed: Sequence[str] = ("system", "score"),
) -> Ratings:
    refuse_comparison_wishes(options, "ratings")
    roles = assign(table.header(options), Ratings.ROLES, needed, fixed)
    table, emptied = table.empty_missing([roles["score"]])
    table, written = read_written_scores(table, [roles["score"]])
    table, _ = skip_unreadable(table, [roles["score"]])
    roles, notes = drop_misfits(table, options, roles)
    notes += [*emptied, *written]
    table, stripped = strip_labels(table, roles)
    frame, roles, more = keep_documents_apart(table.frame, table.columns, roles)
    table = replace(table, frame=frame)
    more += stripped
    more += [
        f"ratings have no weights: column '{column}' is not used"
        for column in table.columns
        if fold(column) in FOLDED["weight"] and column not in roles.values()
    ]
    name = roles["score"]
    if "criterion" not in roles and reads_lower(name, 0.0):  # a direction that must not get lost
        table = table.with_frame(table.frame.with_columns(nw.lit(name).alias("criterion")))
        roles = {**roles, "criterion": "criterion"}
    metrics = [one for one in table.columns if one not in roles.values() and is_metric(one)]
    metrics = [one for one in metrics if one in table.spreads]
    more += [say("metric-columns", columns=metrics)] if metrics else []
    frame, source = _take(table, layout, roles)
    beside = {
        role: AnnotationColumn(role, is_sure(table, options, role, column))
        for role, column in roles.items()
        if role in SOFT
    }
    return Ratings(frame, source=replace(source.noting(*notes, *more), annotations=beside))


def make_labels(
    table: Table, options: ReadOptions, layout: Layout, fixed: Mapping[str, str] | None = None
) -> Ratings:
    """Return ratings of items, without systems: for agreement and labels, and no ranking."""
    data = make_ratings(table, options, layout, fixed, needed=("judge", "item", "score"))
    return replace(data, source=data.source.noting(say("no-systems")))


def strip_labels(
    table: Table, roles: Mapping[str, str], further: Sequence[str] = ()
) -> tuple[Table, list[str]]:
    # further: columns of labels that play no role as they are.
    labels = {column: column for role, column in roles.items() if role in LABEL_ROLES}
    labels |= {column: column for column in further}
    frame, notes = strip_blanks(table.frame, labels, ROWS_LOOKED_AT)
    return (table.with_frame(frame) if notes else table), [*notes]


def assign_beside(
    table: Table,
    options: ReadOptions,
    kind: type[Comparisons | Rankings],
    fixed: Mapping[str, str] | None = None,
) -> tuple[dict[str, str], dict[str, str]]:
    assigned = assign(table.header(options), (*kind.ROLES, *ANNOTATIONS), kind.NECESSARY, fixed)
    beside = {role: column for role, column in assigned.items() if role in SOFT}
    return {role: column for role, column in assigned.items() if role not in SOFT}, beside


def _take(table: Table, layout: Layout, roles: Mapping[str, str]) -> tuple[Frame, Source]:
    frame, notes = take(table, roles)
    renamed = any(role != column for role, column in roles.items())
    columns = say("columns", "info", layout=layout.title, columns=describe(roles), renamed=renamed)
    return frame, table.source(layout.name, roles, columns).noting(*notes)


def refuse_comparison_wishes(options: ReadOptions, kind: str) -> None:
    if options.outcomes is not None:
        raise UnknownOption(f"outcomes are labels of comparisons; this table holds {kind}")
    if options.weights == "importance":
        raise UnknownOption(f"importance weights are for comparisons; this table holds {kind}")


@dataclass(frozen=True)
class Layout:
    name: str  # in the registry, such as "wmt_rnk"
    title: str  # in sentences, such as "WMT rankings"
    needs: Sequence[str]  # columns, or roles of columns, without which it is no such table
    # what makes judgments of a table; where a column of a name always has one role, `make` does
    understand: Callable[[Table, ReadOptions], Handle] | None = None
    make: Callable[..., Handle] = make_comparisons
    fixed: Mapping[str, str] = field(default_factory=dict)  # role → its column, for `make`
    # roles that a user may give to columns; without any, the columns are called exactly as told
    roles: Sequence[str] = ()
    also: Sequence[str] = ()  # further columns that are read
    by_role: bool = False  # whether `needs` are roles, which columns of many names may have
    condition: Callable[[Header], bool] = lambda _: True  # what must hold besides

    @property
    def reads(self) -> tuple[str, ...]:
        return (*self.needs, *self.also)

    def read_by(self, understand: Callable[[Table, ReadOptions], Handle]) -> Layout:
        return replace(self, understand=understand)

    def recognise(self, header: Header) -> bool:
        if self.by_role:
            has_all = not header.missing(self.needs)
        elif self.roles:
            has_all = header.holds(self.needs)
        else:
            has_all = set(self.needs) <= set(header.columns)
        return has_all and self.condition(header)

    def read(self, table: Table, options: ReadOptions) -> Handle:
        if self.understand is None:
            return self.make(table, options, self, self.fixed)
        return self.understand(table, options)
