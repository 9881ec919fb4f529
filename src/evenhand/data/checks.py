"""What a table of comparisons may not hold; looked for on cells, named by rows."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import narwhals as nw
import numpy as np

from evenhand.data import engine
from evenhand.data.conditions import advise_unequal, advise_without
from evenhand.data.labels import (
    OUTCOMES,
    Complete,
    Outcome,
    is_missing,
    read_outcome,
    refuse_unknown,
)
from evenhand.data.source import Source, find_rows, name_rows, repeats_header
from evenhand.data.tables import ComparisonTable
from evenhand.data.tally import Codes
from evenhand.errors import InvalidJudgments, MissingOutcomes, PaddedLabels, listing

REMEDY: Final = (
    "labels are compared exactly, take the blanks out, with TRIM() in a spreadsheet or .str.strip()"
    " in pandas"
)
MAX_LABELS_NAMED: Final = 10  # Most labels of a column that a refusal names


def check_labels(
    data: ComparisonTable, frame: engine.Frame, labels: Mapping[str, Sequence[str | None]]
) -> dict[str, int]:
    """Refuse missing labels, outer blanks and unknown outcomes; return what each outcome means."""
    if data.rankings is not None:  # whose rows are those of the file, as those of pairs are not
        whole = {role: names for role, names in labels.items() if data.rankings.has(role)}
        refuse_unnamed_levels(data.rankings.frame, whole, data.source)
    refuse_unnamed_levels(frame, labels, data.source, data.outcome_labels)
    meaning = {
        label: read_outcome(label, data.outcome_labels)
        for label in labels["outcome"]
        if label is not None
    }
    unknown = sorted(label for label, outcome in meaning.items() if outcome is None)
    if unknown:
        matches = find_rows(frame, nw.col("outcome").is_in(unknown))
        file = "" if data.source.name == Source.name else f" of {data.source.name}"
        rows = f"{file}{name_rows(matches)}"
        where = f" in column '{data.source.named('outcome')}'{rows}"
        if data.source.named("outcome") in unknown:
            # the column's name as a value: a header in the middle
            again = find_rows(frame, nw.col("outcome") == data.source.named("outcome"))
            raise InvalidJudgments(repeats_header(data.source.name, name_rows(again)))
        # Refuse outcomes that name the winner, with the way to read them.
        systems = {*labels["left"], *labels["right"]}
        named = [label for label in unknown if label in systems]
        if named and isinstance(data.outcome_labels, Complete):
            raise InvalidJudgments(
                f"unknown outcome '{named[0]}'{where}: it is the name of a system that its row does"
                " not compare: correct the row"
            )
        if named:
            raise InvalidJudgments(
                f"unknown outcome '{named[0]}'{where}: it is the name of a system; where each row"
                " names its winner, read it with --from crowd-kit, in Python format='crowd_kit'"
            )
        _refuse_phrases(unknown, systems, where)
        refuse_unknown(unknown, where, data.outcome_labels, every=labels["outcome"])
    return {label: OUTCOMES.index(o) for label, o in meaning.items() if o is not None}


def _refuse_phrases(unknown: Sequence[str], systems: Collection[str | None], where: str) -> None:
    """Refuse labels such as "A wins" of systems A, B and C, where A is no side."""
    names = "|".join(re.escape(one) for one in sorted(filter(None, systems), key=len, reverse=True))
    named = {one: {*re.findall(rf"(?<!\w)(?:{names})(?!\w)", one)} for one in unknown}
    phrases = {one: next(iter(found)) for one, found in named.items() if len(found) == 1}
    if len({*phrases.values()}) > 1 or phrases.keys() == {*unknown}:
        label, name = next(iter(phrases.items()))
        raise InvalidJudgments(
            f"unknown outcome {listing([*map(repr, phrases)], 5)}{where}: '{label}' holds"
            f" the name of system {name} and no side; write the name of the winner alone,"
            f" '{name}', and read it with --from crowd-kit, in Python format='crowd_kit'"
        )


def refuse_unnamed_levels(
    frame: engine.Frame,
    labels: Mapping[str, Sequence[str | None]],
    source: Source,
    outcome_labels: Mapping[str, Outcome] | None = None,
) -> None:
    """Refuse missing labels and outer blanks; outcomes such as "NaN" are missing too."""
    missing: dict[str, list[str | None]] = {}
    for column, names in labels.items():
        known = outcome_labels if column == "outcome" else None
        gap = [one for one in names if not one or (column == "outcome" and is_missing(one, known))]
        if gap:
            missing[column] = gap
    if missing:
        # Where values are missing, under which labels, and what leaves such rows out
        parts, filters = [], {}
        for column, gap in missing.items():
            words = sorted(one for one in gap if one)
            empty = nw.col(column).is_null() | nw.col(column).is_in(["", *words])
            rows = name_rows(find_rows(frame, empty))
            shown = f"'{source.named(column)}' of {source.name}"
            named = f" ({_count_each(frame, column, words)})" if words else ""
            parts.append(f"a value is missing in column {shown}{named}{rows}")
            filters[source.named(column)] = [one for one in gap if one is not None]
        fill = "fill it" if len(parts) == 1 else "fill them"
        refusal = MissingOutcomes if {*missing} == {"outcome"} else InvalidJudgments
        raise refusal(
            f"{'; '.join(parts)}: {fill}, or leave such rows out ({advise_without(frame, filters)})"
        )
    padded = {
        column: [label for label in names if label and not is_name(label)]
        for column, names in labels.items()
    }
    refuse_padded(frame, padded, source)


def is_name(label: str | None) -> bool:
    """Say whether a label is there and has no blank before or after it."""
    return label is not None and label != "" and label == label.strip()


def find_padded(frame: engine.Frame, columns: Sequence[str]) -> dict[str, list[str]]:
    padded = {}
    for column in columns:
        label = nw.col(column)
        odd = frame.filter(label.str.strip_chars() != label).select(column).unique()
        padded[column] = sorted(engine.fetch_columns(odd)[column].tolist())
    return padded


def refuse_padded(frame: engine.Frame, padded: Mapping[str, Sequence[str]], source: Source) -> None:
    """Refuse labels with a blank before or after them, all columns at once."""
    bad = {column: list(labels) for column, labels in padded.items() if labels}
    if not bad:
        return
    if sum(map(len, bad.values())) == 1:
        ((column, (label,)),) = bad.items()
        rows = name_rows(find_rows(frame, nw.col(column) == label))
        where = f"'{source.named(column)}' of {source.name}{rows}"
        raise PaddedLabels(
            f"label '{label}' in column {where} has a blank before or after it: {REMEDY}"
        )
    clauses = [
        f"{_count_each(frame, column, labels)} in column '{source.named(column)}'"
        for column, labels in bad.items()
    ]
    raise PaddedLabels(
        f"labels of {source.name} have a blank before or after them: {'; '.join(clauses)}. {REMEDY}"
    )


def _count_each(frame: engine.Frame, column: str, labels: Sequence[str]) -> str:
    """List labels with the number of their rows, most rows first."""
    there = frame.filter(nw.col(column).is_in(list(labels)))
    answers = engine.ANSWER in frame.collect_schema().names()  # a row may have become several
    there = there.select(column, engine.ANSWER).unique() if answers else there
    size = engine.count_labels(there, column)
    most = sorted(size, key=lambda label: (-size[label], label))
    counts = [f"'{label}' ({size[label]:,} row{'s' * (size[label] != 1)})" for label in most]
    return listing(counts, MAX_LABELS_NAMED)


def check_opponents(
    data: ComparisonTable, frame: engine.Frame, systems: Sequence[str], left: Codes, right: Codes
) -> None:
    """Refuse a system that was compared with itself."""
    same = np.flatnonzero(left == right)
    if len(same):
        rows = name_rows(find_rows(frame, nw.col("left") == nw.col("right")))
        name, where = systems[left[same[0]]], f"in {data.source.name}{rows}"
        if data.rankings is None and data.expanded:
            raise InvalidJudgments(
                f"'{name}' stands on both sides {where}, alone or in the name of a merged output:"
                " leave these rows out, or read the names as they are (without system_separator)"
            )
        remedy = ""
        if data.rankings is None and not data.source.laid_out:
            sides = map(data.source.named, ("left", "right"))
            remedy = f" ({advise_unequal(data.frame, *sides)})"
        raise InvalidJudgments(
            f"'{name}' is compared with itself {where}: leave these rows out{remedy}, or give the"
            " two outputs different system names"
        )


# Largest weight: up to here every whole number is a float of its own, and squares are finite
LARGEST: Final = 2.0**53


def explain_empty(data: ComparisonTable, zero: int) -> InvalidJudgments:
    name = data.source.name
    if zero:
        rows = "the only row" if zero == 1 else f"all {zero:,} rows"
        return InvalidJudgments(
            f"the weight of {rows} of {name} is 0, so that none counts: correct the column"
            f" '{data.source.named('weight')}'"
        )
    every = data.rankings.count() if data.rankings is not None else 0
    if data.rankings is not None and every:
        blank = data.rankings.count_blank()
        one = f", and {every - blank:,} rank one output only" if every > blank else ""
        return InvalidJudgments(
            f"no two outputs are ranked in {name}: {blank:,} of {every:,} rankings are blank{one};"
            f" is '{data.source.named('rank')}' the column of ranks?"
        )
    return InvalidJudgments(f"no judgments in {name}: nothing to count; is a condition too narrow?")


@dataclass(frozen=True, eq=False)
class Weighing:
    """How rows count: the frame without zero weights, and what to sum."""

    frame: engine.Frame  # the rows that count
    column: str | None  # the weight column, or None where each row counts once
    zero: int  # number of rows left out
    importance: bool  # whether squared weights are needed

    def sums(self) -> list[nw.Expr]:
        if self.column is None:
            return [nw.len().alias(engine.COUNT)]
        sums = [nw.col(self.column).sum().alias(engine.COUNT)]
        squares = [nw.col("evenhand_square").sum().alias(engine.SQUARES)]
        return [*sums, *squares] if self.importance else sums


def read_weights(data: ComparisonTable) -> Weighing:
    # Squares of small integers would not fit into their own type, and sums of single-precision
    # numbers lose what is added last.
    if not data.has("weight"):
        return Weighing(data.frame, None, 0, importance=False)
    weight = nw.col("weight")
    importance = data.weights == "importance"
    _refuse(data, weight.is_null(), "is missing")
    kind = data.frame.collect_schema()["weight"]
    if kind.is_float():
        _refuse(data, ~engine.is_finite(data.frame, "weight"), "is not a finite number")
    large = weight > (int(LARGEST) if kind.is_integer() else LARGEST)
    if find_rows(data.frame, (weight < 0) | large, limit=1):
        _refuse(data, weight < 0, "is negative: correct it, or leave the row out (0 does that too)")
        _refuse(data, large, "is too large: a row can stand for 2^53 judgments at most")
    if not importance:
        _refuse(
            data,
            weight != weight.round(),
            "is a fraction, but weights are frequencies (a row stands for that many judgments);"
            " importance weights: --weights importance, in Python weights='importance'",
        )
    zero = engine.count_rows(data.frame.filter(weight == 0))
    frame = data.frame.filter(weight > 0).with_columns(weight.cast(nw.Float64))
    if importance:
        frame = frame.with_columns(evenhand_square=weight * weight)
    return Weighing(frame, "weight", zero, importance=importance)


def _refuse(data: ComparisonTable, condition: nw.Expr, what: str) -> None:
    rows = find_rows(data.frame, condition)
    if rows:
        shown = data.source.named("weight")
        value = "" if what == "is missing" else f" '{rows[0]['weight']:g}'"
        raise InvalidJudgments(
            f"weight{value} in column '{shown}' of {data.source.name}{name_rows(rows)} {what}"
        )
