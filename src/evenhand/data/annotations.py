"""What was recorded beside a judgment: its kind, what was expected, when, how long, errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, Final, TypeAlias, TypeVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import Labels
from evenhand.data.engine import Columns, Frame
from evenhand.data.labels import OUTCOMES, Outcome, read_outcome
from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET
from evenhand.data.source import AnnotationColumn, Source
from evenhand.data.tally import Codes
from evenhand.data.texts import say
from evenhand.errors import InvalidJudgments, listing, sentence_hint, suggest

Array: TypeAlias = NDArray[np.float64]
Small: TypeAlias = NDArray[np.int8]
# What is expected, of which judgments something is, and whether that is good or bad
Expected = tuple[Any, NDArray[np.bool_], Small | None]
Words = tuple[Sequence[str], Codes]  # Different labels of a column, and the code of each row
# Label in folded case → kind, and direction of a control. TGT, CHK, REF and BAD are Appraise's,
# SYSTEM, REPEAT and BAD_REF those of WMT's direct assessments.
KINDS: Final[Mapping[str, tuple[int, int]]] = {
    **dict.fromkeys(("target", "tgt", "system"), (TARGET, 0)),
    **dict.fromkeys(("repeat", "chk"), (REPEAT, 0)),
    "control": (CONTROL, 0),
    **dict.fromkeys(("good", "ref"), (CONTROL, 1)),
    **dict.fromkeys(("bad", "bad_ref"), (CONTROL, -1)),
}
# What may be expected of a control where no score is
DIRECTIONS: Final[Mapping[str, int]] = {"good": 1, "bad": -1}


@dataclass(frozen=True, eq=False)
class Kinds:
    kind: Small | None = None  # (n,) TARGET, REPEAT or CONTROL; None where nothing says so
    # (n,) of controls: +1 known good, -1 known bad, 0 unknown; None without kinds
    direction: Small | None = None
    notes: tuple[str, ...] = ()  # what must be said of them


class Unread(Exception):
    """A column does not hold what its role needs."""


def is_kind(label: str | None) -> bool:
    """Say whether a label is a kind of judgment; a missing one is, a target."""
    return not label or label.casefold() in KINDS


def classify_kinds(labels: Sequence[str]) -> list[tuple[int, int]]:
    unknown = [label for label in labels if not is_kind(label)]
    if unknown:
        hint = sentence_hint(suggest(unknown[0], KINDS))
        raise Unread(f"holds {listing(unknown, 5)}: expected {' | '.join(KINDS)}{hint}")
    return [KINDS[label.casefold()] if label else (TARGET, 0) for label in labels]


def read_kinds(labels: Sequence[str], codes: Codes) -> Kinds:
    # codes: (n,) label of each judgment.
    meant = classify_kinds(labels)
    kind, direction = (np.array(part, dtype=np.int8)[codes] for part in zip(*meant, strict=True))
    n = int(np.array([not label for label in labels])[codes].sum())
    note = f"judgments without a kind are targets: {n:,} of {len(codes):,}"
    return Kinds(kind, direction, (note,) if n else ())


def read_expected_scores(given: NDArray[Any] | Words) -> Expected:
    """Read what is expected of ratings: a score, or good or bad."""
    # Expected are scores, NaN where there is none; and directions, 0 where there is none.
    labels, codes = (given, None) if isinstance(given, np.ndarray) else given
    values = np.asarray(labels, dtype=None if codes is None else object)
    direction = np.zeros(len(values), dtype=np.int8)
    if values.dtype.kind in "iuf":
        score = values.astype(np.float64)
    else:
        texts = [_text(value).casefold() for value in values.tolist()]
        direction[:] = [DIRECTIONS.get(text, 0) for text in texts]
        numbers = ["nan" if text in DIRECTIONS or not text else text for text in texts]
        score = _numbers(numbers, "expected are a score, good or bad")
    if codes is not None:
        score, direction = score[codes], direction[codes]
    return score, ~np.isnan(score) | (direction != 0), direction


def read_expected_outcomes(
    words: Words, outcome_labels: Mapping[str, Outcome] | None = None
) -> Expected:
    """Read what is expected of comparisons: an outcome, -1 where there is none."""
    labels, codes = words
    meant = {label: read_outcome(label, outcome_labels) for label in labels if label}
    unknown = [label for label, outcome in meant.items() if outcome is None]
    if unknown:
        raise Unread(f"holds {listing(unknown, 5)}, no outcomes such as left, tie or right")
    places = {label: OUTCOMES.index(outcome) for label, outcome in meant.items() if outcome}
    expected = np.array([places.get(label, -1) for label in labels], dtype=np.int8)[codes]
    return expected, expected >= 0, None


def read_seconds(values: NDArray[Any]) -> tuple[Array, tuple[str, ...]]:
    """Read how long judgments took; times that cannot be are unknown, and counted."""
    if values.dtype.kind in "iuf":
        seconds = values.astype(np.float64)
    elif values.dtype.kind == "m":
        seconds = values.astype("timedelta64[us]").astype(np.float64) / 1e6
    else:
        texts = [_text(value) or "nan" for value in values.tolist()]
        seconds = _numbers(texts, "seconds are numbers")
    bad = (seconds < 0) | np.isinf(seconds)
    if not bad.any():
        return seconds, ()
    note = f"times that are negative or endless are unknown: {bad.sum():,} of {len(seconds):,}"
    return np.where(bad, np.nan, seconds), (note,)


def mark_controls(kinds: Kinds, given: NDArray[np.bool_], direction: Small | None) -> Kinds:
    """Make controls of judgments of which something is expected, where no column says kinds."""
    # given: (n,) whether something is expected.
    # direction: (n,) whether that is "good" or "bad"; 0 elsewhere.
    if kinds.kind is None:
        kind = np.where(given, CONTROL, TARGET).astype(np.int8)
        return Kinds(kind, np.zeros(len(kind), np.int8) if direction is None else direction)
    spare = int((given & (kinds.kind != CONTROL)).sum())
    notes = kinds.notes
    if spare:
        notes += (f"what is expected of judgments that are no controls is not used: {spare:,}",)
    both = kinds.direction
    if both is not None and direction is not None:
        both = np.where((direction != 0) & (kinds.kind == CONTROL), direction, both)
        both = both.astype(np.int8)
    return Kinds(kinds.kind, both, notes)


def _numbers(texts: list[str], expected: str) -> Array:
    try:
        return np.array(texts, dtype=np.float64)
    except ValueError:
        odd = dict.fromkeys(texts)
        for text in [*odd]:
            with suppress(ValueError):
                float(text)
                del odd[text]
        raise Unread(f"holds {listing([*odd], 5)}: {expected}") from None


def _text(value: Any) -> str:
    if value is None or value != value:  # noqa: PLR0124 - nan is the only value that differs from itself
        return ""
    return str(value).strip()


_ZONES: Final = ("UTC", "GMT", "Z")  # Names of universal time behind a time, in letters of any size


def read_moments(values: NDArray[Any]) -> Array:
    """Read when judgments were given; missing ones are NaN."""
    # values: (n,) numbers, times, or text that holds either; a time without a zone is taken for
    # universal time.
    # Returns: (n,) seconds: of any clock where the values are numbers, since 1970 where they are
    # times.
    if values.dtype.kind in "iuf":
        return values.astype(np.float64)
    if values.dtype.kind == "M":
        seconds = values.astype("datetime64[us]").astype(np.float64) / 1e6
        return np.where(np.isnat(values), np.nan, seconds)
    moments = [
        datetime.combine(value, time())
        if isinstance(value, date) and not isinstance(value, datetime)
        else value
        for value in values.tolist()
    ]
    distinct, inverse = np.unique([_text(moment) for moment in moments], return_inverse=True)
    texts = distinct.tolist()
    given = [text for text in texts if text]
    try:
        read = np.array([float(text) for text in given], dtype=np.float64)
    except ValueError:
        times = [_read_time(text) for text in given]
        odd = [text for text, moment in zip(given, times, strict=True) if moment is None]
        if odd:
            expected = "numbers, or times such as 2016-01-31 16:59:52"
            raise Unread(f"holds {listing(odd, 3)}: expected {expected}") from None
        read = np.array(times, dtype=np.float64)
    missing = np.full(len(texts) - len(given), np.nan)  # the empty text sorts first
    return np.concatenate([missing, read])[inverse]


def _read_time(text: str) -> float | None:
    """Return seconds since 1970, or None where a text is no time."""
    try:
        end = text[-3:].upper()
        zone = next((name for name in _ZONES if end.endswith(name)), "")
        moment = datetime.fromisoformat(text[: len(text) - len(zone)].rstrip())
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


# Error spans: what a judge marked in an output or its source, as docs/formats.md says.
SIDES: Final = ("output", "source")
_FIELDS: Final = ("start", "end", "severity", "category", "side")
FORM: Final = (
    'a JSON list such as [{"start": 0, "end": 4, "severity": "minor", "category": "", "side":'
    ' "output"}]'
)


@dataclass(frozen=True)
class Span:
    start: int | None  # first character, counted from 0; None where no place was marked
    end: int | None  # the character after the last one; 0 to 0 marks something that is missing
    severity: str  # how bad it is, such as "minor"
    category: str = ""  # what kind of error it is; "" where that was not asked
    side: str = "output"  # "output", or "source" where the error is in the source

    @property
    def missing(self) -> bool:
        """Whether it marks something that is not there."""
        return self.start == 0 and self.end == 0

    @property
    def placed(self) -> bool:
        return self.start is not None and not self.missing

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _FIELDS}


def write_spans(spans: Iterable[Span]) -> str:
    return json.dumps([one.to_dict() for one in spans], ensure_ascii=False)


def read_spans(text: str) -> tuple[Span, ...]:
    try:
        given = json.loads(text)
    except json.JSONDecodeError:
        given = None
    if not isinstance(given, list):
        raise ValueError(f"spans are {FORM}")  # noqa: TRY004 - the text is wrong, not its type
    return tuple(map(_read_one, given))


def _read_one(given: object) -> Span:
    if not isinstance(given, Mapping) or set(given) - set(_FIELDS):
        raise ValueError(f"a span has {', '.join(_FIELDS)}")
    start, end = given.get("start"), given.get("end")
    check_place(start, end)
    severity, category = given.get("severity"), given.get("category", "")
    if not isinstance(severity, str) or not severity or not isinstance(category, str):
        raise ValueError("severity and category of a span are words")
    side = given.get("side", "output")
    if side not in SIDES:
        raise ValueError(f"a span lies in {' or '.join(SIDES)}, not in {side!r}")
    return Span(start, end, severity, category, side)


def check_place(start: object, end: object) -> None:
    if start is None and end is None:
        return
    whole = all(isinstance(one, int) and not isinstance(one, bool) for one in (start, end))
    if not whole or start < 0:  # type: ignore[operator]
        raise ValueError(f"start and end of a span are whole numbers from 0, not {start} and {end}")
    if start >= end and (start, end) != (0, 0):  # type: ignore[operator]
        raise ValueError(f"a span ends after it starts, not at {end} from {start}")


Value = TypeVar("Value")
# Roles whose columns are fetched as they are; of the others the different labels are looked up
_PLAIN: Final = ("seconds", "shown_at")


@dataclass(frozen=True, eq=False)
class Annotations:
    # which are controls and repeats
    kinds: Kinds = Kinds()
    # what is expected of controls, in the unit of the judgments; None for nothing
    expected: Any = None
    seconds: Array | None = None  # (n,) how long they took; None for nothing
    moment: Array | None = None  # (n,) when they were given; None for nothing
    notes: tuple[str, ...] = ()  # what must be said of them


@dataclass(frozen=True, eq=False)
class AsideColumns:
    source: Source  # of the table, for messages
    annotations: Mapping[str, AnnotationColumn]  # role → column
    plain: tuple[str, ...]  # roles whose columns are fetched as they are

    def add_to(self, frame: Frame) -> Frame:
        schema = frame.collect_schema()
        added = []
        for role, column in ((role, one.column) for role, one in self.annotations.items()):
            value, dtype = nw.col(column), schema[column]
            if role not in self.plain and dtype != nw.String:  # text; what is missing stays so
                nested = dtype.is_nested()
                text = nw.when(~value.is_null()).then(value.cast(nw.String))
                value = nw.lit("nested values") if nested else text
            added.append(value.alias(_name(role)))
        return frame.with_columns(*added) if added else frame

    @property
    def columns(self) -> list[str]:
        return [_name(role) for role in self.plain]

    @property
    def words(self) -> list[str]:
        """Names of the others, whose different labels are looked up."""
        return [_name(role) for role in self.annotations if role not in self.plain]

    def read(
        self,
        columns: Columns,
        words: Mapping[str, Labels],
        read_expected: Callable[[NDArray[Any] | Words], Expected],
    ) -> Annotations:
        """Turn what was fetched, codes where there are words, into arrays."""
        notes: list[str] = []

        def take(role: str, read: Callable[[Any], Value]) -> Value | None:
            if role not in self.annotations:
                return None
            values = columns[_name(role)]
            labels = words.get(_name(role))
            try:
                return read(values if labels is None else (labels.words, values))
            except Unread as fault:
                notes.append(refuse_unread(self.source, role, self.annotations[role], fault))
                return None

        kinds = take("kind", lambda coded: read_kinds(*coded)) or Kinds()
        expected = take("expected", read_expected)
        if expected is not None:
            kinds = mark_controls(kinds, expected[1], expected[2])
        timed = take("seconds", read_seconds)
        moment = take("shown_at", read_moments)
        seconds, time_notes = timed if timed is not None else (None, ())
        values = expected[0] if expected is not None else None
        return Annotations(kinds, values, seconds, moment, (*notes, *kinds.notes, *time_notes))


def refuse_unread(source: Source, role: str, annotation: AnnotationColumn, fault: Unread) -> str:
    """Refuse a column that cannot be read, or return the note that it is left aside."""
    column = source.columns.get(role, annotation.column)
    if annotation.sure:
        task = annotation.task or f"taken as {role}"
        other = "; if it holds something else, rename it" if column == role else ""
        raise InvalidJudgments(f"column '{column}' of {source.name}, {task}, {fault}{other}")
    return f"column '{column}' is not taken as {role}: it {fault}"


def find_aside_columns(source: Source, frame: Frame, *, scores: bool) -> AsideColumns:
    schema = frame.collect_schema()
    annotations = source.find_annotations(list(schema.names()))
    plain = [role for role in annotations if role in _PLAIN]
    if scores and "expected" in annotations:
        plain += ["expected"] if schema[annotations["expected"].column].is_numeric() else []
    return AsideColumns(source, annotations, tuple(plain))


def _name(role: str) -> str:
    return f"evenhand_{role}"


def note_names(annotations: Mapping[str, AnnotationColumn]) -> tuple[str, ...]:
    """Say which columns were taken for something that they are not called."""
    columns = {role: one.column for role, one in annotations.items()}
    assignments = [f"{role}={column}" for role, column in columns.items() if column != role]
    return (say("beside", "info", columns=assignments),) if assignments else ()
