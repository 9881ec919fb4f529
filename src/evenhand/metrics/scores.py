"""Scores of metrics: from tables, from columns beside judgments, from folders of mt-metrics-eval.

Long tables have a column of metrics (metric, system, item, score), wide ones a column for each
metric. A folder of mt-metrics-eval has a file for each metric (`BLEU-refA.seg.score`: a system and
a score a line, items in their order), and people's scores in the same form.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any, Final

import narwhals as nw
import numpy as np

from evenhand.data.controls import keep_all_judges, leave_out_controls
from evenhand.data.engine import count_rows, fetch_columns
from evenhand.data.exclusions import exclude_by_format
from evenhand.data.groups import list_levels
from evenhand.data.joining import keep_places
from evenhand.data.labels import LONGEST, is_missing
from evenhand.data.rating_rows import RatingRows, label_documents, reads_lower
from evenhand.data.ratings import Ratings
from evenhand.data.source import find_rows, fold, name_rows
from evenhand.errors import (
    InvalidJudgments,
    NoRows,
    UnknownColumn,
    UnknownFormat,
    UnknownOption,
    listing,
    suggest_or_list,
    write_without,
    write_word,
)
from evenhand.formats.files import open_files
from evenhand.formats.grades import PATTERN, is_no_number, say_no_number
from evenhand.formats.layouts.mqm import read_mtme_scores
from evenhand.formats.layouts.wide import BLANK_CELLS, counts
from evenhand.formats.reading import open_source, read, read_decimals
from evenhand.formats.reading import read_columns as hold_scores
from evenhand.formats.roles import FALLBACKS, Header, is_criterion, is_metric
from evenhand.formats.table import (
    LOOK,
    ROWS_LOOKED_AT,
    WITH_COMMA,
    ReadOptions,
    Table,
)
from evenhand.metrics.texts import say
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import number_groups
from evenhand.render.document import Finding, plural, take_findings

METRIC_COLUMNS: Final = frozenset(
    ("metric", "metricname", "criterion", "scorer", "measure", "protocol")
)
# Words of columns that hold people's scores, beside those of criteria
OF_PEOPLE: Final = frozenset(
    ("score", "scores", "rating", "ratings", "human", "people", "judge", "mqm", "esa", "da", "sqm")
)
SCORE: Final = re.compile(r"(?i)(?<![^\W_])scores?(?![^\W_])")  # In the name of a column of scores
UNNAMED: Final = frozenset(("score", "scores", "value"))  # Columns that name no metric
PEOPLE: Final = ("score", "judge", "criterion")  # Columns that are not of metrics
NOTICED: Final = "metric-columns"  # The finding that names columns of metrics among ratings
# What people's scores of mt-metrics-eval are called, the one that is taken unasked first
PROTOCOLS: Final = ("mqm", "esa", "wmt-appraise-z", "wmt-z", "da-sqm", "wmt", "wmt-raw")
SEGMENTS: Final = ".seg.score"
SYSTEMS: Final = ".sys.score"
REFERENCE: Final = re.compile(r"-(ref\w*|src)$")  # Behind the name of a metric in a folder
FILES: Final = re.compile(r"\.(seg|sys)\.score(\.gz)?$")
# Settings of `evenhand.read` that also hold for files of scores: columns, decimal, missing, sheet,
# skip_bad_rows
Settings = Mapping[str, Any]
PLAIN: Final[Settings] = {}
ROLES: Final = ("item", "system", "task")  # What columns of both files play
# Roles whose columns name an output, or say something else of its row than a score
BESIDE: Final = (*ROLES, "criterion", "kind")
# Numbers with a comma or in per cent, which `evenhand.read` reads, or refuses for what they are
COMMA: Final = r"^[+-]?[\d.]*,\d+$"
PER_CENT: Final = r"^[+-]?[\d.]+\s*%$"
WRITTEN: Final = f"{COMMA}|{PER_CENT}"
PLACES: Final = ("system", "item", "criterion")  # Roles that say what was scored, and by what
FARTHEST: Final = 1.7e308  # Beyond it is infinity
SMALLEST: Final = 1e-250  # The largest score of a metric, without its sign, is above: floats round


@dataclass(frozen=True)
class Unread:
    """The first score of a metric that is no number."""

    value: str
    column: str
    place: str  # such as `scores.csv (line 3)`
    cells: int = 1  # how many of its scores are none

    def describe(self) -> str:
        comma = re.match(COMMA, self.value.strip()) is not None
        point = f" ({self.value.strip().replace(',', '.')} is one)" if comma else ""
        what = say_no_number(self.value)
        return f"'{self.value}' in column '{self.column}' of {self.place} {what}{point}"


@dataclass(frozen=True, eq=False)
class MetricScores:
    """Scores by name; higher is better."""

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    items: tuple[str, ...]  # ("",) where scores are of systems as a whole
    values: Array  # (M, K, S), NaN where there is none
    notes: tuple[Finding, ...] = ()
    negated: tuple[str, ...] = ()  # metrics that were negated already
    tasks: tuple[str, ...] = ()  # whose outputs were scored; () where nothing says
    # metric → its first score that is no number; such scores are missing
    unread: Mapping[str, Unread] = field(default_factory=dict)

    def rename(self, name: str) -> MetricScores:
        single = len(self.metrics) == 1
        new = {one: name if single else f"{name} {one}" for one in self.metrics}
        unread = {new[one]: first for one, first in self.unread.items()}
        return replace(self, metrics=tuple(new.values()), unread=unread)

    def describe_unread(self) -> str:
        """Say in brackets which score is no number, where one is."""
        told = [self.unread[one].describe() for one in self.metrics if one in self.unread]
        return f" ({listing(told, 2)})" if told else ""

    def list_unread(self) -> list[Finding]:
        """Name scores that are no numbers and turned out not to be needed."""
        return [
            say(
                *("unread", "warning"),
                metric=one,
                cells=first.cells,
                first=f"Score {first.describe()}",
                more=f", nor {first.cells - 1:,} more of {one}" if first.cells > 1 else "",
            )
            for one, first in self.unread.items()
            if one in self.metrics
        ]

    def note_unused(self, data: Any) -> MetricScores:
        """Name the columns of metrics beside people's scores, which are not used."""
        columns = find_metrics(data) if isinstance(data, Ratings) else []
        if not columns:
            return self
        note = say("unused-columns", "warning", columns=columns, file=data.source.name)
        return replace(self, notes=(*self.notes, note))

    def find(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Return metrics by names, several with commas; TER is TER-refA where no other TER is."""
        found = []
        for text in texts:
            for name in [text] if text in self.metrics else text.split(","):
                fitting = self.list_called(name.strip())
                if len(fitting) != 1:
                    hint = suggest_or_list(name.strip(), self.metrics)
                    hint = f" There are {listing(fitting)}" if fitting else hint
                    raise InvalidJudgments(f"no metric '{name.strip()}'.{hint}")
                found += fitting
        return tuple(dict.fromkeys(found))

    def list_called(self, name: str) -> list[str]:
        """Return the metrics of a name, or else those of it with a reference or source behind."""
        same = [one for one in self.metrics if one == name]
        return same or [one for one in self.metrics if REFERENCE.sub("", one) == name]

    def exclude(self, texts: Sequence[str]) -> MetricScores:
        """Leave metrics out by name, as `find` takes names."""
        if not texts:
            return self
        names = self.find(texts)
        kept = [at for at, one in enumerate(self.metrics) if one not in names]
        if not kept:
            raise InvalidJudgments(f"no metric is left without {listing([*names])}")
        notes = (*self.notes, say("metrics-excluded", "read", metrics=[*names]))
        metrics = tuple(self.metrics[at] for at in kept)
        return replace(self, metrics=metrics, values=self.values[kept], notes=notes)


def is_folder(source: Any) -> bool:
    return isinstance(source, str | Path) and Path(source).is_dir()


def read_scores(source: Any, *, settings: Settings = PLAIN) -> MetricScores:
    if isinstance(source, Mapping) and not _is_table(source):
        each = {name: read_scores(one, settings=settings) for name, one in source.items()}
        parts = [one.rename(str(name)) for name, one in each.items()]
        return join_scores(parts)
    if is_folder(source):
        return read_metric_folder(Path(source))
    if isinstance(source, str | Path) and FILES.search(str(source)):
        return read_metric_file(Path(source))
    if isinstance(source, MetricScores | Ratings):
        return source if isinstance(source, MetricScores) else tabulate(source, "")
    sheet = settings.get("sheet") if str(source).lower().endswith(".xlsx") else None
    try:
        skip = settings.get("skip_bad_rows", False)
        table = open_source(source, partial(open_files, sheet=sheet, skip=skip))
    except NoRows:
        raise NoRows(
            f"{source} has no scores of metrics: write a header such as system,item,bleu and a row"
            " for each output"
        ) from None
    table = replace(table, missing=_list_missing(settings))
    roles: dict[str, Any] = {
        role: name
        for role, name in settings.get("columns", {}).items()
        if role in ROLES and name in table.columns
    }
    table = read_decimals(table, settings.get("decimal"), roles)
    header = table.header(ReadOptions(roles))
    sides = [*header.candidates("left"), *header.candidates("right")]
    if len(sides) > 1 and header.candidates("outcome"):
        raise UnknownFormat(
            f"{table.name} holds comparisons, and no scores of metrics: name people's judgments"
            f" first, evenhand metrics {table.name} SCORES"
        )
    if not header.candidates("system"):
        raise UnknownColumn(
            f"no column of {table.name} says whose outputs were scored: call it system, or, where"
            " systems are columns, give rows of metric, system, item and score. It has"
            f" {listing(header.columns)}"
        )
    named = [one for one in header.columns if fold(one) in METRIC_COLUMNS]
    given = [*header.candidates("score"), *(one for one in header.free if fold(one) in UNNAMED)]
    columns = _find_columns(table, header)
    if not given and len(columns) == 1 and SCORE.search(columns[0]):
        given = columns
    if named and given:
        return _read(table, {**roles, "criterion": named[0], "score": given[0]}, settings=settings)
    table, dropped = _drop_asides(table, header)
    header, columns = table.header(ReadOptions(roles)), [c for c in columns if c in table.columns]
    if settings.get("decimal") is None:
        _refuse_commas(table, [one for one in header.free if one not in columns])
    beside = [one for role in BESIDE for one in header.candidates(role)[:1]]
    others = [one for one in header.columns if one not in (*columns, *beside)]
    judged = bool(header.candidates("judge"))
    if not columns:
        why = "it needs a column of numbers for each metric, or the columns metric and score. It"
        why += f" has {listing(header.columns)}"
        why += "".join(f". {one}" for one in _note_words(table, header, others, judged=judged))
        if counted := [*dropped, *_list_numbers(table, others)]:
            why = f"{listing(counted)} is no metric by its name: to use it, rename it, or give rows"
            why += " of metric, system, item and score"
        raise UnknownColumn(f"{table.name} has no scores of metrics: {why}")
    # a single column called score is called after its file
    unnamed = len(columns) == 1 and fold(columns[0]) in UNNAMED
    held = {"score": columns[0]} if unnamed else {"criterion": columns}
    scores = _read(table, {**roles, **held}, settings=settings)
    told = _note_others(table, header, others, judged=judged, dropped=dropped)
    return replace(scores, notes=(*told, *scores.notes))


def _drop_asides(table: Table, header: Header) -> tuple[Table, list[str]]:
    """Drop columns that say something of judgments, and nothing of scores; return those of numbers.

    Words in a column of kinds remain: controls are no outputs that people judged.
    """
    kinds = header.candidates("kind")
    others = [one for role in ("expected", "criterion") for one in header.candidates(role)]
    numbers = _list_numbers(table, [*kinds, *others])
    dropped = [one for one in (*kinds, *others) if one in numbers or one in others]
    return table.with_frame(table.frame.drop(*dropped)) if dropped else table, numbers


def gather_scores(sources: Any, *, settings: Settings = PLAIN) -> MetricScores:
    # Mappings whose values are numbers are rows of one table, and not tables
    if isinstance(sources, list | tuple) and not all(
        isinstance(one, Mapping) and any(isinstance(value, Real) for value in one.values())
        for one in sources
    ):
        return join_scores([read_scores(one, settings=settings) for one in sources])
    return read_scores(sources, settings=settings)


def find_metrics(data: Ratings) -> list[str]:
    noticed = [note for note in data.source.notes if isinstance(note, Finding)]
    return [
        name for note in noticed if note.code == NOTICED for name in note.values.get("columns", ())
    ]


def refuse_doubtful_people(data: Ratings) -> None:
    """Refuse a table whose columns do not say which of them are people's scores.

    That is where metrics stand beside columns of other numbers that were taken for criteria, and
    neither a judge nor a name says that these are people's; or where one of them gives an output
    the same score for all its judges, and others do not.
    """
    unfolded = [one for one in take_findings(data.source.notes) if one.code == "unfolded"]
    if not unfolded or not data.has("criterion") or not find_metrics(data):
        return
    rows = leave_out_controls(keep_all_judges(data)).rows()
    name = data.source.name
    if not data.has("judge") and not any(map(_reads_of_people, rows.criteria)):
        raise InvalidJudgments(
            f"nothing in {name} says which scores are people's ({listing(rows.criteria)}?): compare"
            f" its metrics with judgments (evenhand metrics RATINGS {name}), or name the column of"
            f" people's scores (--criterion {write_word(rows.criteria[0])})"
        )
    if len(rows.criteria) == 1:
        return
    shape, _, n = _count_cells(rows)
    values, spread = average_cells(rows)
    varies = (spread > 1e-9 * np.abs(values)).any(axis=(1, 2))
    same: Flags = np.asarray((n.reshape(shape) > 1).any(axis=(1, 2)) & ~varies)
    alike = [one for at, one in enumerate(rows.criteria) if same[at]]
    people = [one for one in rows.criteria if one not in alike]
    if people and alike:
        raise InvalidJudgments(
            f"scores of {listing(alike)} in {name} are the same whoever judged an output, as those"
            f" of metrics: name people's column (--criterion {write_word(people[0])})"
        )


def _reads_of_people(name: str) -> bool:
    words = {*re.findall(r"[^\W\d_]+", name.casefold())}
    return is_criterion(name) or reads_lower(name, 0.0) or not words.isdisjoint(OF_PEOPLE)


def read_columns(data: Ratings, *, settings: Settings = PLAIN) -> MetricScores:
    """Read the columns of numbers beside people's scores, each as a metric.

    A column that gives an output several values, such as a judge's age, is no metric, unless its
    name is that of one.
    """
    criteria = FALLBACKS["criterion"]  # which play the role where no column criterion is left
    people = [one for one in data.columns if one in PEOPLE or fold(one) in criteria]
    table = Table(data.frame.drop(*people), data.source.name, data.source.connection)
    table = replace(table, missing=_list_missing(settings))
    header = table.header(ReadOptions())
    columns = _find_columns(table, header)
    others = [one for one in header.free if one not in columns]
    if settings.get("decimal") is None:
        _refuse_commas(table, [one for one in others if is_metric(one) or not columns])
    held = {"criterion": columns}
    metrics = _read(table, held, settings=settings, beside=True) if columns else None
    if metrics is None or not metrics.metrics:
        name = data.source.name
        known = [*map(str, list_levels(data, "criterion"))] if data.has("criterion") else []
        column = fold(data.source.columns.get("criterion", ""))
        named = column in METRIC_COLUMNS - {"criterion"} or any(map(is_metric, known))
        if named and not any(_reads_of_people(one) and not is_metric(one) for one in known):
            raise UnknownColumn(
                f"{name} has no judgments beside its metrics: evenhand metrics RATINGS {name}"
            )
        if len(known) > 1:
            raise UnknownOption(
                "choose the criterion of people, to compare the others with: --criterion"
                f" {' | '.join(map(write_word, known))}"
            )
        raise UnknownColumn(
            f"{name} has no column of a metric beside people's scores: name a table of the scores"
            " of metrics too"
        )
    told = _note_others(table, header, others, judged=data.has("judge"))
    return replace(metrics, notes=(*told, *metrics.notes))


def _find_columns(table: Table, header: Header) -> list[str]:
    """Return the columns of a table that hold scores, one a metric.

    Those are columns of numbers, columns of which half of the cells or more are numbers, and
    columns of words under the name of a metric: words are refused once they are missed.
    """
    possible = {*header.free, *header.candidates("score")}
    fitting = [
        name
        for name in header.columns
        if name in possible and (is_metric(name) or not counts(name, ("system",)))
    ]
    numbers = _list_numbers(table, fitting)
    named = [one for one in fitting if one not in numbers and is_metric(one)]
    cells = _look(table, named)
    words = [one for one in named if one in cells and _tells_apart(cells[one])]
    return [one for one in fitting if one in numbers or one in words]


def _tells_apart(cells: Sequence[Any]) -> bool:
    """Say whether a column under the name of a metric holds several words, and no texts.

    Numbers with a comma are no words: how they are read is asked for.
    """
    words = {str(one).strip() for one in cells if not _is_blank(one)}
    plain = [one for one in words if not re.match(COMMA, one)]
    return len(words) > 1 and 2 * len(plain) > len(words) and max(map(len, words)) <= LONGEST


def _look(table: Table, columns: Sequence[str], rows: int = LOOK) -> dict[str, list[Any]]:
    """Return the first cells of some columns of numbers, texts and truth values."""
    plain = [one for one in columns if not table.schema[one].is_nested()]
    cells = fetch_columns(table.frame.select(*plain).head(rows)) if plain else {}
    return {name: values.tolist() for name, values in cells.items()}


def _list_numbers(table: Table, columns: Sequence[str]) -> list[str]:
    """Return the columns of which half of the first cells or more are numbers."""
    found = []
    for name, cells in _look(table, columns).items():
        given = [one for one in cells if not _is_blank(one) and str(one) not in table.missing]
        numbers = given if table.schema[name].is_numeric() else []
        if table.schema[name] == nw.String:
            texts = [str(one).strip() for one in given]
            numbers = [one for one in texts if re.match(PATTERN, one) or one.endswith("%")]
        found += [name] if numbers and 2 * len(numbers) >= len(given) else []
    return found


def _follows(words: Sequence[str | None], keys: Sequence[Any]) -> bool:
    """Say whether rows of one key have one word."""
    pairs = {pair for pair in zip(keys, words, strict=True) if pair[1] is not None}
    return len(pairs) == len({key for key, _ in pairs})


def _note_others(
    table: Table,
    header: Header,
    others: Sequence[str],
    *,
    judged: bool,
    dropped: Sequence[str] = (),
) -> list[Finding]:
    """Name columns that are read as no metrics: without a number, of numbers, and of words."""
    free = {*header.free, *header.candidates("score")}
    cells = _look(table, [one for one in header.columns if one in free], ROWS_LOOKED_AT)
    blank = [name for name, values in cells.items() if all(map(_is_blank, values))]
    severity = "warning" if any(map(is_metric, blank)) else "note"
    notes = [say("no-scores", severity, columns=blank)] if blank else []
    numbers = [*dropped, *_list_numbers(table, others)]
    notes += [say("counts", columns=numbers)] if numbers else []
    words = [one for one in others if one not in numbers]
    return [*notes, *_note_words(table, header, words, judged=judged)]


def _note_words(
    table: Table, header: Header, columns: Sequence[str], *, judged: bool
) -> list[Finding]:
    """Name columns of words that tell outputs of an item apart, as a metric does.

    Texts do not, nor what all outputs of an item or system share, such as a domain or a team, nor
    what varies among the rows of an output. Beside judges, where few outputs have two rows, nothing
    tells whether a column is of outputs or of judgments.
    """
    keys = [one for role in ("task", "item", "system") for one in header.candidates(role)[:1]]
    cells = _look(table, [*dict.fromkeys((*keys, *columns))], ROWS_LOOKED_AT)
    *whole, system = [cells[one] for one in keys] if header.candidates("system") else [[]]
    items = [*zip(*whole, strict=True)] if header.candidates("item") else []
    rows, outputs = len(system), [*zip(items, system, strict=True)] if items else system
    told = []
    for name in () if judged and 2 * rows < 3 * len({*outputs}) else columns:
        if name not in cells or table.schema[name].is_numeric() or table.holds_texts(name):
            continue
        words = [None if _is_blank(one) else str(one).strip() for one in cells[name]]
        there = [one for one in words if one is not None]
        spaced = sum(" " in one or bool(re.match(WRITTEN, one)) for one in there)
        shared = _follows(words, items) or _follows(words, system) if items else len({*there}) < 2
        few = 2 * len({*there}) <= len({*outputs})  # others name outputs
        if not few or 2 * spaced > len(there) or shared or not _follows(words, outputs):
            continue
        text = table.schema[name] == nw.String
        first = find_rows(table.frame, is_no_number(name) if text else ~nw.col(name).is_null(), 1)
        told += [f"{name} ('{one[name]}', {name_rows([one]).strip(' ()')})" for one in first]
    return [say("words", columns=told)] if told else []


def _refuse_commas(table: Table, names: Sequence[str]) -> None:
    """Refuse columns of numbers whose decimals follow a comma, which were not read as numbers."""
    texts = [one for one in names if table.schema[one] == nw.String]
    for name, cells in _look(table, texts).items():
        given = [one.strip() for one in cells if not _is_blank(one)]
        commas = [one for one in given if "," in one]
        if commas and all(map(WITH_COMMA.fullmatch, given)):
            raise InvalidJudgments(
                f"scores of {name} in {table.name} have a comma before decimals, such as"
                f" {commas[0]}: pass --decimal ,"
            )


def _is_blank(cell: Any) -> bool:
    return cell is None or cell != cell or is_missing(str(cell).strip())  # noqa: PLR0124 - nan


def _list_missing(settings: Settings) -> list[str]:
    return [word.strip() for one in settings.get("missing", ()) for word in str(one).split(",")]


def _read(
    table: Table, columns: Mapping[str, Any], *, settings: Settings, beside: bool = False
) -> MetricScores:
    """Read scores of a table whose decimals follow a point by now; what is no number is missing."""
    stem, long = "" if beside else Path(table.name).stem, "score" in columns
    scores = [columns["score"]] if long else columns["criterion"]

    header = table.header(ReadOptions({k: v for k, v in columns.items() if isinstance(v, str)}))
    for column in dict.fromkeys(one for role in PLACES for one in header.candidates(role)[:1]):
        if rows := find_rows(table.frame, nw.col(column).is_null()):
            raise InvalidJudgments(
                f"scores of {table.name} have no {column}{name_rows(rows)}: fill it, or delete"
                " these rows"
            )
    # empty the cells of scores that are no numbers, and keep the first of each metric
    wrong, unread = _find_words(table, scores), dict[str, Unread]()
    if wrong and find_rows(table.frame, nw.any_horizontal(*wrong.values(), ignore_nulls=True), 1):
        frame = keep_places(table.frame)
        for column, test in wrong.items():
            for row in find_rows(frame, test, count_rows(frame)):
                of_row = str(row[columns["criterion"]]) if long and "criterion" in columns else stem
                name = of_row if long else column
                place = f"{table.name}{name_rows([row])}"
                first = unread.get(name, Unread(str(row[column]), column, place, 0))
                unread[name] = replace(first, cells=first.cells + 1)
            frame = frame.with_columns(nw.when(~test).then(nw.col(column)).alias(column))
        table = table.with_frame(frame)
    texts = [one for one in scores if table.schema[one] == nw.String]
    some = [nw.col(one).str.contains(r"\d").any().alias(one) for one in texts]
    there = fetch_columns(table.frame.select(*some)) if some else {}
    left = [one for one in scores if one not in there or there[one][0]]
    if not left:
        size = len(unread), 0, 0
        return MetricScores((*unread,), (), (), np.zeros(size), unread=unread)
    held = dict(columns) if long else {**columns, "criterion": left}
    bad, missing = settings.get("skip_bad_rows", False), settings.get("missing", ())
    data = read(table, columns=held, decimal=".", missing=missing, skip_bad_rows=bad)
    if not isinstance(data, Ratings):
        raise UnknownFormat(f"{table.name} holds no scores of metrics, one a row or a column")
    emptied = sum(one.cells for one in unread.values())
    found = tabulate(data, stem, beside=beside, emptied=emptied)
    # a metric without any number is there without scores
    others = [note.values["columns"] for note in found.notes if note.code == "no-metrics"]
    known = {*found.metrics, *(name for names in others for name in names)}
    lost = [one for one in unread if one not in known]
    blank = np.full((len(lost), len(found.systems), len(found.items)), np.nan)
    values = np.concatenate([found.values, blank])
    return replace(found, metrics=(*found.metrics, *lost), values=values, unread=unread)


def _find_words(table: Table, scores: Sequence[str]) -> dict[str, nw.Expr]:
    """Return, by column, where a score is no finite number and cannot be read as one."""
    wrong = {}
    for column in scores:
        dtype, cell = table.schema[column], nw.col(column)
        if dtype.is_float():
            wrong[column] = (cell.abs() > FARTHEST).fill_null(value=False)
        elif dtype == nw.String:
            first = [str(one).strip() for one in _look(table, [column])[column]]
            commas = sum(bool(re.match(COMMA, one)) for one in first)
            points = sum(bool(re.match(PATTERN, one)) for one in first)
            # one comma among numbers is a slip; of several the decimals may follow commas
            text, pattern = cell.str.strip_chars(), PER_CENT if commas < points else WRITTEN
            known = text.str.contains(pattern) | text.is_in([*table.missing, column])
            wrong[column] = (is_no_number(column) & ~known).fill_null(value=False)
    return wrong


def _is_table(source: Mapping[Any, Any]) -> bool:
    return all(
        not isinstance(one, Mapping | str | Path | MetricScores | Ratings)
        and hasattr(one, "__len__")
        and not hasattr(one, "columns")
        for one in source.values()
    )


def tabulate(data: Ratings, name: str, *, beside: bool = False, emptied: int = 0) -> MetricScores:
    """Bring a table of scores into one array; several scores of an output must be the same.

    beside: whether they stand beside people's scores, where other columns vary; emptied: how many
    cells are blank since they held no number.
    """
    rows = leave_out_controls(keep_all_judges(data)).rows()
    metrics = tuple(name or "score" if one == "" else one for one in rows.criteria)
    values, spread = average_cells(rows)
    scale = np.nanmax(np.abs(values), axis=(1, 2), keepdims=True)
    unscored = []
    if data.has("criterion"):  # as read: metrics of which no row has a score are not among rows
        unscored = [str(one) for one in list_levels(data, "criterion") if one not in metrics]
    moved = spread > 1e-9 * np.maximum(scale, 1e-300)
    varies = moved.any(axis=(1, 2))
    notes = [say("no-scores", "warning", columns=unscored)] if unscored else []
    if beside:
        others = [at for at in np.flatnonzero(varies) if not is_metric(metrics[at])]
        if others:
            notes.append(say("no-metrics", columns=[metrics[at] for at in others]))
        kept = np.setdiff1d(np.arange(len(metrics)), others)
        metrics = tuple(metrics[at] for at in kept)
        values, moved = values[kept], moved[kept]
    if moved.any():
        m, k, s = np.argwhere(moved)[0].tolist()
        n = int(moved.any(axis=0).sum())
        remedy = "keep one row of each"
        if rows.items == ("",):
            remedy = "call the column that names items item, or keep one row of each system"
        if not beside and data.has("judge"):
            remedy += ", or, if these are people's, name them first:"
            remedy += f" evenhand metrics {data.source.name} SCORES"
        raise InvalidJudgments(
            f"{metrics[m]} gives the output of {rows.systems[k]} on {rows.items[s] or 'all'}"
            f" different scores in {data.source.name} ({plural(n, 'output')} with several): a"
            f" metric gives one; {remedy}"
        )
    for one in data.excluded:
        blank = one.reason == BLANK_CELLS
        left = exclude_by_format({BLANK_CELLS: int(one.rows) - emptied}) if blank else [one]
        notes += [say("scores-excluded", what=each.text) for each in left]
    notes.append(say("metrics-read", "read", metrics=metrics, file=data.source.name))
    tasks = tuple(one for one in rows.tasks if one)
    return MetricScores(metrics, rows.systems, rows.items, values, tuple(notes), tasks=tasks)


def average_cells(rows: RatingRows) -> tuple[Array, Array]:
    """Return (criteria, K, S) means, NaN where there is none, and how far scores are apart."""
    shape, cell, n = _count_cells(rows)
    size = len(n)
    mean = np.where(n > 0, np.bincount(cell, rows.score, size) / np.maximum(n, 1), np.nan)
    apart = np.zeros(size)
    np.maximum.at(apart, cell, np.abs(rows.score - mean[cell]))
    return mean.reshape(shape), apart.reshape(shape)


def _count_cells(rows: RatingRows) -> tuple[tuple[int, int, int], Integers, Integers]:
    """Return the shape (criteria, K, S), (n,) cell of each row, and how many rows a cell has."""
    shape = len(rows.criteria), len(rows.systems), len(rows.items)
    place = rows.criterion, rows.system, rows.item
    cell = np.ravel_multi_index(tuple(one.astype(np.intp) for one in place), shape)
    return shape, cell, np.bincount(cell, minlength=int(np.prod(shape)))


def join_scores(parts: Sequence[MetricScores]) -> MetricScores:
    metrics = [one for part in parts for one in part.metrics]
    twice = sorted({one for one in metrics if metrics.count(one) > 1})
    if twice:
        raise InvalidJudgments(
            f"two tables have scores of {listing(twice)}: give one of them another name"
        )
    whole = [one for part in parts if part.items == ("",) for one in part.metrics]
    if whole and len(whole) < len(metrics):
        outputs = [one for one in metrics if one not in whole]
        raise InvalidJudgments(
            f"scores of {listing(whole, 3)} are of systems as a whole, and those of"
            f" {listing(outputs, 3)} of outputs: compare them in two runs"
        )
    return _combine(parts, metrics)


def _combine(parts: Sequence[MetricScores], metrics: Sequence[str]) -> MetricScores:
    """Put parts of which no two score the same output by the same metric into one array."""
    systems = sorted({one for part in parts for one in part.systems})
    items = [*dict.fromkeys(one for part in parts for one in part.items)]
    values = np.full((len(metrics), len(systems), len(items)), np.nan)
    m, k, s = ({name: at for at, name in enumerate(names)} for names in (metrics, systems, items))
    for part in parts:
        rows = [m[one] for one in part.metrics], [k[one] for one in part.systems]
        values[np.ix_(*rows, [s[one] for one in part.items])] = part.values
    notes = tuple(note for part in parts for note in part.notes)
    negated = tuple(one for part in parts for one in part.negated)
    tasks = tuple(dict.fromkeys(one for part in parts for one in part.tasks))
    unread = {metric: first for part in parts for metric, first in part.unread.items()}
    names = tuple(metrics), tuple(systems), tuple(items)
    return MetricScores(*names, values, notes, negated, tasks, unread)


def orient(scores: MetricScores, lower: Collection[str] = ()) -> MetricScores:
    """Negate metrics of which lower is better: those that are named, and by their names.

    Metrics without any score, as of a file of None, are excluded.
    """
    blank: Flags = np.asarray(np.isnan(scores.values).all(axis=(1, 2)))
    if blank.any():
        empty = [one for one, lacks in zip(scores.metrics, blank.tolist(), strict=True) if lacks]
        if words := [one for one in empty if one in scores.unread]:
            other = (
                "" if blank.all() else f", or exclude the metric: {write_without('metric', words)}"
            )
            raise InvalidJudgments(
                f"score {scores.unread[words[0]].describe()}, nor is another of {words[0]}: write"
                f" its scores as numbers{other}"
            )
        if blank.all():
            raise InvalidJudgments(f"there are no scores of {listing(empty)}: give some")
        metrics = tuple(one for one in scores.metrics if one not in empty)
        notes = (*scores.notes, say("no-scores", "warning", columns=empty))
        scores = replace(scores, metrics=metrics, values=scores.values[~blank], notes=notes)
    for name, values in zip(scores.metrics, scores.values, strict=True):
        most = float(np.nanmax(np.abs(values)))
        if 0 < most <= SMALLEST:
            raise InvalidJudgments(
                f"scores of {name} are too small to compute with ({most:.3g} at most in absolute"
                " value): multiply all of them by a power of ten"
            )
    named = [one for one in scores.metrics if one in lower and one not in scores.negated]
    read = [
        name
        for name, values in zip(scores.metrics, scores.values, strict=True)
        if name not in (*lower, *scores.negated)
        and reads_lower(name, float(np.nanmean(values)), metric=True)
    ]
    turned = [scores.metrics.index(one) for one in (*named, *read)]
    values = scores.values.copy()
    values[turned] *= -1
    told = [say("metric-negated-asked", "read", metrics=named)] if named else []
    told += [say("metric-negated", metrics=read)] if read else []
    return replace(scores, values=values, notes=(*scores.notes, *told))


# Folders of mt-metrics-eval: human-scores/en-de.mqm.seg.score, metric-scores/en-de/BLEU-refA.seg.
# score, documents/en-de.docs, where en-de is the language pair.


def read_metric_folder(folder: Path, task: str | None = None) -> MetricScores:
    """Read the metrics of a folder: by segment where there is such a file, else by system."""
    people: Sequence[Path] = ()
    if (folder / "human-scores").is_dir():
        people = _list_files(folder / "human-scores", SEGMENTS)
        folder = folder / "metric-scores"
        if not folder.is_dir():
            raise UnknownFormat(f"'{folder}' is not there: name a file of scores of metrics too")
    if task is not None and (folder / task).is_dir():
        folder = folder / task
    inner = [one for one in sorted(folder.iterdir()) if one.is_dir()]
    if inner and not any(FILES.search(one.name) for one in folder.iterdir()):
        # language pairs stand behind each other; an item has its task before its name
        parts = [_read_metric_files(one, people) for one in inner]
        if len(parts) == 1 and parts[0].items == ("",):
            return parts[0]  # of systems as a whole, which have no items to name
        named = [
            replace(part, items=tuple(f"{pair} / {one}" for one in part.items), tasks=(pair,))
            for pair, part in zip([one.name for one in inner], parts, strict=True)
        ]
        return _combine(named, sorted({one for part in named for one in part.metrics}))
    return _read_metric_files(folder, people)


def _list_files(folder: Path, end: str) -> list[Path]:
    """Return the files of one kind by name; a compressed one where there is no other."""
    plain = {*folder.glob(f"*{end}")}
    return sorted(
        {*plain, *(one for one in folder.glob(f"*{end}.gz") if one.with_suffix("") not in plain)}
    )


def _name_file(path: Path) -> str:
    return FILES.sub("", path.name)


def _read_metric_files(folder: Path, people: Sequence[Path]) -> MetricScores:
    """Read the metrics of a language pair; people: files of people's scores, as long as theirs."""
    segments, systems = (_list_files(folder, end) for end in (SEGMENTS, SYSTEMS))
    files = segments or systems
    if not files:
        raise UnknownFormat(
            f"'{folder}' has no files of metrics such as BLEU-refA.seg.score: name the folder of"
            " one language pair of mt-metrics-eval, or a table"
        )
    parts = [read_metric_file(path) for path in files]
    lengths = {path.name: len(part.items) for path, part in zip(files, parts, strict=True)}
    gold = [path for path in people if path.name.startswith(f"{folder.name}.")]
    if segments and gold:
        lengths[gold[0].name] = len(next(iter(read_mtme_scores(gold[0]).values())))
    usual = Counter(lengths.values()).most_common(1)[0][0]
    other = next((name for name, n in lengths.items() if n != usual), None)
    if other is not None:
        raise InvalidJudgments(
            f"{other} has {lengths[other]:,} scores of each system, and other files of"
            f" {folder.name} have {usual:,}: every file has a line for each item"
        )
    joined = join_scores(parts)
    notes = [say("metrics-read", "read", metrics=joined.metrics, file=f"folder {folder.name}")]
    whole = [one for one in map(_name_file, systems) if one not in joined.metrics]
    if whole:
        notes.append(say("only-systems", "warning", metrics=whole, folder=folder.name))
    return replace(joined, notes=tuple(notes))


def read_metric_file(path: Path) -> MetricScores:
    """Read a file of one metric, such as BLEU-refA.seg.score; items are numbered from 1."""
    wrong = list[tuple[int, str]]()
    scores, whole = read_mtme_scores(path, wrong), path.name.removesuffix(".gz").endswith(SYSTEMS)
    values = np.array([scores[one] for one in sorted(scores)])[None]
    if whole and values.shape[2] > 1:
        raise InvalidJudgments(f"{path.name} has several scores of a system: keep one")
    items = ("",) if whole else tuple(str(at + 1) for at in range(values.shape[2]))
    name = _name_file(path)
    note = say("metrics-read", "read", metrics=(name,), file=path.name)
    unread = dict[str, Unread]()
    if wrong:
        line, value = wrong[0]
        unread[name] = Unread(value, "score", f"{path.name} (line {line:,})", len(wrong))
    return MetricScores((name,), tuple(sorted(scores)), items, values, (note,), unread=unread)


def read_gold_folder(
    folder: Path, task: str | None, criterion: str | None, *, where: str | None = None
) -> Ratings:
    """Read people's scores of a folder: of each language pair one protocol."""
    human = folder / "human-scores"
    if not human.is_dir():
        raise UnknownFormat(
            f"'{folder}' is a folder without human-scores, as those of mt-metrics-eval have: name"
            " a file of judgments"
        )
    found: dict[str, dict[str, Path]] = {}
    for path in _list_files(human, SEGMENTS):
        pair, _, protocol = _name_file(path).partition(".")
        found.setdefault(pair, {})[protocol] = path
    if not found:
        raise UnknownFormat(f"'{human}' has no files such as en-de.mqm{SEGMENTS}")
    if task is not None and task not in found:
        raise InvalidJudgments(f"no task '{task}' in {human}.{suggest_or_list(task, [*found])}")
    rows: list[tuple[Any, ...]] = []
    for pair, protocols in found.items():
        if task is not None and pair != task:
            continue
        known = [one for one in PROTOCOLS if one in protocols]
        protocol = criterion or (known[0] if known else next(iter(protocols)))
        if protocol not in protocols:
            if task is None and any(protocol in one for one in found.values()):
                continue  # other language pairs have it
            hint = suggest_or_list(protocol, [*protocols])
            raise InvalidJudgments(f"no criterion '{protocol}' of {pair} in {human}.{hint}")
        scores = read_mtme_scores(protocols[protocol])
        n, path = len(next(iter(scores.values()))), folder / "documents" / f"{pair}.docs"
        documents = [""] * n
        if path.is_file():
            lines = path.read_text().splitlines()
            documents = [line.split()[-1] if line.strip() else "" for line in lines]
        if len(documents) != n:
            raise InvalidJudgments(
                f"'{path}' has {plural(len(documents), 'line')}, and people's scores are of {n:,}"
                " items: it needs a line for each"
            )
        rows += [
            (pair, protocol, str(at + 1), system, value, documents[at])
            for system, values in scores.items()
            for at, value in enumerate(values)
            if not np.isnan(value)
        ]
    names = ("task", "criterion", "item", "system", "score", "document")
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    if len({*columns["document"]}) < 2:
        del columns["document"]
    data = hold_scores(columns, f"folder {folder.name}", where=where)
    if not isinstance(data, Ratings):
        raise UnknownFormat(f"'{human}' holds no scores")
    return data


def refuse_documents(item: str, documents: Iterable[str]) -> InvalidJudgments:
    one, other = sorted(documents)[:2]
    return InvalidJudgments(
        f"item {item} is in two documents, {one} and {other}: put the document into the names of"
        " items, here and in the scores, or remove the column of documents"
    )


def count_documents(rows: RatingRows, document: str | None) -> Any:
    """Return (S,) the number of each item's document; each item its own where none is known."""
    size = len(rows.items)
    if document is None:
        return np.arange(size)
    codes = np.full(size, -1, dtype=np.int64)
    names, of = label_documents(rows, document)
    item, of = rows.item[of >= 0], of[of >= 0]
    codes[item] = of
    for one in sorted({*item[codes[item] != of].tolist()}):  # items are sorted by their names
        both = [names[at] for at in np.unique(of[item == one])]
        raise refuse_documents(rows.items[one], both)
    codes[codes < 0] = np.arange(size)[codes < 0] + len(names)
    return number_groups(codes)
