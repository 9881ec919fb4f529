"""What a table of comparisons may not hold; looked for on cells, named by rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import narwhals as nw
import numpy as np

from evenhand.errors import InvalidJudgments
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import Frame, fetch_columns
from evenhand.judgments.labels import OUTCOMES, read_outcome, refuse_unknown
from evenhand.judgments.source import find_rows, name_rows
from evenhand.judgments.tally import Codes


def check_labels(
    data: Comparisons, frame: Frame, labels: Mapping[str, Sequence[str | None]]
) -> dict[str, int]:
    """Refuse missing labels, outer blanks and unknown outcomes; return what each outcome means.

    Args:
        data: the table, for its labels and its name.
        frame: the rows that were counted.
        labels: column → the different labels found in it.

    Raises:
        InvalidJudgments: names the column, the label and up to five rows.

    """
    for column, found in labels.items():
        shown = f"'{data.source.named(column)}' of {data.source.name}"
        if not all(found):
            empty = nw.col(column).is_null() | (nw.col(column) == "")
            rows = name_rows(find_rows(frame, empty))
            raise InvalidJudgments(
                f"a value is missing in column {shown}{rows}: fill it, or leave such rows out"
                f""" (--where '"{data.source.named(column)}" is not null')"""
            )
        padded = [label for label in found if label and label != label.strip()]
        if padded:
            rows = name_rows(find_rows(frame, nw.col(column) == padded[0]))
            raise InvalidJudgments(
                f"label '{padded[0]}' in column {shown}{rows} has a blank before or after it:"
                " labels are compared exactly, take the blank out"
            )
    meaning = {
        label: read_outcome(label, data.outcome_labels)
        for label in labels["outcome"]
        if label is not None
    }
    unknown = sorted(label for label, outcome in meaning.items() if outcome is None)
    if unknown:
        rows = name_rows(find_rows(frame, nw.col("outcome").is_in(unknown)))
        refuse_unknown(unknown, f" in column '{data.source.named('outcome')}'{rows}")
    return {label: OUTCOMES.index(o) for label, o in meaning.items() if o is not None}


def check_opponents(
    data: Comparisons, frame: Frame, systems: Sequence[str], left: Codes, right: Codes
) -> None:
    """Refuse a system that was compared with itself.

    Raises:
        InvalidJudgments: names the system and up to five rows.

    """
    same = np.flatnonzero(left == right)
    if len(same):
        rows = name_rows(find_rows(frame, nw.col("left") == nw.col("right")))
        raise InvalidJudgments(
            f"'{systems[left[same[0]]]}' is compared with itself in {data.source.name}{rows}:"
            " leave these rows out, or give the two outputs different system names"
        )


@dataclass(frozen=True, eq=False)
class Weighing:
    """How rows count: the frame without zero weights, and what to sum.

    Attributes:
        frame: the rows that count.
        column: the weight column, or None where each row counts once.
        zero: number of rows left out.
        importance: whether squared weights are needed.

    """

    frame: Frame
    column: str | None
    zero: int
    importance: bool

    def sums(self) -> list[nw.Expr]:
        """Return the aggregates that a group-by must compute: "n" and perhaps "squares"."""
        if self.column is None:
            return [nw.len().alias("n")]
        weight = nw.col(self.column)
        sums = [weight.sum().alias("n")]
        return (
            [*sums, nw.col("evenhand_square").sum().alias("squares")] if self.importance else sums
        )


def read_weights(data: Comparisons) -> Weighing:
    """Check the weight column, if there is one.

    Raises:
        InvalidJudgments: a weight that is missing, negative, not a number, or a fraction where
            weights are frequencies.

    """
    if not data.has("weight"):
        return Weighing(data.frame, None, 0, importance=False)
    weight = nw.col("weight")
    importance = data.weights == "importance"
    _refuse(data, weight.is_null(), "is missing")
    if data.frame.collect_schema()["weight"].is_float():
        _refuse(data, ~weight.is_finite(), "is not a finite number")
    _refuse(data, weight < 0, "is negative")
    if not importance:
        _refuse(
            data,
            weight % 1 != 0,
            "is a fraction, but weights are frequencies (a row stands for that many judgments);"
            " for importance weights say weights='importance'",
        )
    zero = fetch_columns(data.frame.filter(weight == 0).select(nw.len().alias("n")))["n"]
    kept = data.frame.filter(weight > 0)
    if importance:
        kept = kept.with_columns(evenhand_square=weight * weight)
    return Weighing(kept, "weight", int(zero[0]), importance=importance)


def _refuse(data: Comparisons, condition: nw.Expr, what: str) -> None:
    rows = find_rows(data.frame, condition)
    if rows:
        shown = data.source.named("weight")
        value = "" if what == "is missing" else f" '{rows[0]['weight']:g}'"
        raise InvalidJudgments(
            f"weight{value} in column '{shown}' of {data.source.name}{name_rows(rows)} {what}"
        )
