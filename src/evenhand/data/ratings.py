"""Ratings: a judge gave one output a score under one criterion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import ClassVar, Final, Self

import narwhals as nw
import numpy as np

from evenhand.data import coding, engine, joining
from evenhand.data.annotations import find_aside_columns, read_expected_scores
from evenhand.data.exclusions import Exclusion, count_exclusions, name_lost
from evenhand.data.rating_rows import CONTROL, RatingRows, find_document, note_no_answers
from evenhand.data.source import Source, advise_missing, find_rows, name_rows
from evenhand.data.tables import RowTable
from evenhand.data.tally import Factor, number_codes, take_names
from evenhand.data.texts import say
from evenhand.errors import InvalidJudgments, UnknownFormat

TOO_LARGE: Final = 1e100  # Of a score; its square, times the number of rows, still is a number
RATING_LABELS: Final = ("task", "judge", "item", "system", "criterion")


@dataclass(frozen=True, eq=False, repr=False)
class Ratings(RowTable):
    """A handle on a table with one rating a row.

    Attributes:
        frame: narwhals frame with at least `system` and `score` (a number); optional `judge`,
            `item`, `criterion`, `task`, `kind` (target, control, repeat), `expected` (of a
            control), `seconds` (how long it took), `shown_at` (when).
        source: where it came from and what was understood.
        merged: whether some scores were of an output of several systems, and count for each.
    """

    KIND: ClassVar[str] = "ratings"
    ROLES: ClassVar[tuple[str, ...]] = (
        *("judge", "item", "system", "criterion", "score"),
        *("kind", "expected", "task", "seconds", "shown_at"),
    )
    NECESSARY: ClassVar[tuple[str, ...]] = ("score",)

    source: Source = Source(format="ratings")
    merged: bool = False

    @cached_property
    def excluded(self) -> tuple[Exclusion, ...]:
        """What was excluded from these ratings: filters, controls, rows without a score."""
        engine.require_open(self.frame, self.source.name)
        stored = count_exclusions(self.source.exclusions)
        scored, missing = self.scored
        if not missing:
            return stored
        every = scored + missing
        sentence = say("no-score", rows=missing, of=every)
        unscored = Exclusion("no-score", "the score is missing", missing, every, sentence=sentence)
        others = self.frame.filter(~is_unscored(self.frame))
        return (*stored, name_lost(unscored, self.frame, others))

    def require_numbers(self) -> None:
        """Refuse scores of another type."""
        dtype = self.frame.collect_schema()["score"]
        if not dtype.is_numeric():
            where = f"column '{self.source.named('score')}' of {self.source.name}"
            raise InvalidJudgments(f"{where} holds {str(dtype).lower()}: scores are numbers")

    @cached_property
    def scored(self) -> tuple[int, int]:
        """Count the rows with a score and those without, and check the former."""
        self.require_numbers()
        where = f"column '{self.source.named('score')}' of {self.source.name}"
        missing = is_unscored(self.frame)
        large = ~missing & (nw.col("score").abs() >= TOO_LARGE)  # infinite ones, too
        odd = self.frame.select(missing=missing, large=large)
        with engine.one_thread(self.source.connection):
            counts = engine.count_by(odd, ["missing", "large"])
        n = int(counts[engine.COUNT].sum())
        n_missing = int(counts[engine.COUNT][counts["missing"].astype(bool)].sum())
        if counts["large"].any():
            rows = name_rows(find_rows(self.frame, large))
            raise InvalidJudgments(
                f"a score in {where}{rows} is infinite, or 1e100 or more: correct it,"
                " or leave it empty"
            )
        if not n:
            raise InvalidJudgments(f"no ratings in {self.source.name}: is a condition too narrow?")
        if n_missing == n:
            raise InvalidJudgments(
                f"{where} has no score in any of {n:,} rows: nothing to look at; is it the"
                " column of scores?"
            )
        return n - n_missing, n_missing

    def split_merged(self, sign: str) -> Self:
        """Count a score of an output under a name such as "A+B" for each of its systems.

        They gave the same output, so the score is that of each of them.

        Args:
            sign: what stands between the systems of one output.

        Raises:
            UnknownOption: no sign.
            InvalidJudgments: a merged name with an empty part or with one system twice.
        """
        explanation = (
            "a score of such an output is that of each; bias, labels, similarity, impute and"
            " variance count it once for each, as if these were independent"
        )
        parts = joining.find_parts(
            self.frame, ("system",), sign, self.source, explanation=explanation
        )
        if parts is None:
            return replace(self, source=self.source.noting(joining.say_none(sign)))
        frame = joining.spread(joining.keep_places(self.frame), "system", parts, self.source)
        return replace(self, frame=frame, source=self.source.noting(parts.note), merged=True)

    def rows(self, *, factors: Sequence[str] = ()) -> RatingRows:
        """Read the table: labels as codes, scores as numbers; see `code_ratings`.

        A whole column of documents is a factor besides: items of one document are correlated.
        """
        engine.require_open(self.frame, self.source.name)
        wanted = take_names(factors)
        document = find_document(self.covariates)
        if document is not None and document not in wanted and self.has("item"):
            label = nw.col(document).cast(nw.String)
            blank = label.is_null() | (label.str.strip_chars() == "")
            whole = not engine.count_rows(self.frame.filter(blank))
            wanted = (*wanted, document) if whole else wanted
        return code_ratings(self, factors=wanted)


def is_unscored(frame: engine.Frame) -> nw.Expr:
    """Return the condition that a row has no score: it is missing, or not a number."""
    missing = nw.col("score").is_null()
    floats = frame.collect_schema()["score"].is_float()
    return missing | engine.is_nan(frame, "score") if floats else missing


def code_ratings(data: Ratings, *, factors: Sequence[str] = ()) -> RatingRows:
    """Read ratings; rows without a score are excluded and counted."""
    from evenhand.data.row_reading import look_up, name_labels

    wanted = {name: data.require(name) for name in factors}
    names = [name for name in RATING_LABELS if data.has(name)]
    keys = list(dict.fromkeys([*names, *wanted.values()]))
    data.require_numbers()
    every = coding.name_levels(data, keys, data.frame)
    beside = find_aside_columns(data.source, data.frame, scores=True)
    labels, words, fetch = look_up(data, every, keys, beside, ["score", *beside.columns])
    if not any(one.names for one in labels.values()):
        _ = data.scored  # refuses a table without rows
    columns = fetch()
    score = columns["score"] = columns["score"].astype(np.float64)
    known = ~np.isnan(score)
    n, missing = int(known.sum()), int((~known).sum())
    if not n or (np.abs(score) >= TOO_LARGE).any():
        _ = data.scored  # names the rows
        raise UnknownFormat(f"{data.source.name} was changed while it was read: read it again")
    vars(data)["scored"] = n, missing  # which need no query of their own
    if missing:
        columns = {name: values[known] for name, values in columns.items()}
        for some in (labels, words):
            for name, one in some.items():
                present, codes = number_codes(columns[name], len(one.names))
                columns[name] = codes.astype(np.int32)
                some[name] = coding.Labels(tuple(one.names[at] for at in present.tolist()))
    different = {name: one.names for name, one in labels.items()}
    with engine.one_thread(data.source.connection):
        if not all(coding.is_name(name) for names in different.values() for name in names):
            scored = joining.keep_places(every).filter(~is_unscored(every))
            coding.refuse_unnamed_levels(scored, different, data.source)
    levels = {name: (one.texts, columns[name]) for name, one in labels.items()}
    score = columns["score"]
    read = beside.read(columns, words, read_expected_scores)
    kind, expected = read.kinds.kind, read.expected
    if kind is not None and expected is not None:
        expected = np.where(kind == CONTROL, expected, np.nan)
    left_out = say("no-score", rows=missing, of=missing + len(score))
    rows = RatingRows(
        **name_labels({name: levels[name] for name in names}, RATING_LABELS, len(score)),
        score=score,
        kind=kind,
        direction=read.kinds.direction,
        expected=expected,
        seconds=read.seconds,
        moment=read.moment,
        factors={name: Factor.of(*levels[column]) for name, column in wanted.items()},
        missing=missing,
        notes=(left_out, *read.notes) if missing else read.notes,
    )
    doubts = note_no_answers(rows, partial(advise_missing, data.frame))
    named = joining.note_llm_names(rows.judges, data.columns)
    return replace(rows, notes=(*doubts, *rows.notes, *named))
