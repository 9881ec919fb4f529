"""Do judges agree with themselves: scores of the same output by the same judge, given again.

What is asked again is known by `kind=repeat`, or by the judge having scored the output before.
Every output of a judge with several answers is a unit, and the answers are its judges: n-agreement,
Fleiss' κ (neither answer is the first one, so chance is that of all answers together) and α are
then those of other units. Pearson's and Spearman's correlations set the earlier answer against
the later one. No judge can agree with others better than with itself, so this bounds what
agreement between judges can be.

When not to use it: where the second answer was asked for soon after the first, or beside it:
judges remember.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import CONTROL, REPEAT, RatingRows, Scale
from evenhand.errors import NotIdentified
from evenhand.judges.judge_pairs import MIN_UNITS, correlate_within
from evenhand.judges.units import Coefficient, Units, find_units
from evenhand.numerics.cluster_means import number_groups, pairs_within

Array = NDArray[np.float64]

CORRELATIONS: Final = {
    "intra-pearson": "Pearson's r of earlier and later score",
    "intra-spearman": "Spearman's ρ of earlier and later score",
}
NO_REPEATS: Final = "no judge scored an output twice"


@dataclass(frozen=True, eq=False)
class Repeats:
    judges: tuple[str, ...]  # names
    judge: NDArray[np.int64]  # (m,) code of the judge of each pair
    earlier: Array  # (m,) score given first
    later: Array  # (m,) score given later
    weight: Array  # (m,) 1 / pairs of scores of this judge and output
    ratings: NDArray[np.int64]  # (J,) scores of outputs with several, by judge


def find_repeats(rows: RatingRows) -> Repeats:
    rows = _order_answers(rows)
    owner = number_groups(rows.unit, rows.judge)
    sizes = np.bincount(owner)
    first, second = pairs_within(owner)
    again = sizes[owner[first]]
    return Repeats(
        judges=rows.judges,
        judge=rows.judge[first].astype(np.int64),
        earlier=rows.score[first],
        later=rows.score[second],
        weight=2 / (again * (again - 1)),
        ratings=np.bincount(rows.judge[sizes[owner] > 1], minlength=len(rows.judges)),
    )


def answers_as_judges(rows: RatingRows) -> RatingRows:
    """Turn a judge's answers on an output into "judges" of a unit of its own."""
    rows = _order_answers(rows)
    owner = number_groups(rows.unit, rows.judge)
    rows, owner = rows.take(np.bincount(owner)[owner] > 1), owner[np.bincount(owner)[owner] > 1]
    order = np.argsort(owner, kind="stable")
    sizes = np.bincount(owner)
    place = np.empty(rows.size, dtype=np.int32)
    ends = np.cumsum(sizes)
    place[order] = np.arange(rows.size) - (ends - sizes)[owner[order]]
    output = number_groups(rows.system, rows.judge)
    _, one = np.unique(output, return_index=True)
    names = tuple(
        f"{rows.systems[rows.system[i]]} / {rows.judges[rows.judge[i]]}" for i in one.tolist()
    )
    times = tuple(f"answer {i + 1:,}" for i in range(int(sizes.max(initial=0))))
    return replace(
        rows, judges=times, judge=place, systems=names, system=output.astype(np.int32), kind=None
    )


def find_answer_units(rows: RatingRows, scale: Scale | None = None) -> Units:
    """Return outputs of a judge with several answers as units, the answers being their judges."""
    answers = answers_as_judges(rows)
    if not answers.size:
        raise NotIdentified(NO_REPEATS)
    return find_units(replace(answers, moment=None), scale)


def correlate_repeats(repeats: Repeats, names: Sequence[str]) -> tuple[Coefficient, ...]:
    together = np.zeros(len(repeats.judge), dtype=np.int64)
    units, ratings = round(float(repeats.weight.sum())), int(repeats.ratings.sum())
    coefficients = []
    for name in names:
        value, why = None, NO_REPEATS
        if units:
            ranks = name == "intra-spearman"
            r = correlate_within(together, repeats.earlier, repeats.later, ranks=ranks)[0]
            value = None if np.isnan(r) else float(r)
            why = f"fewer than {MIN_UNITS} pairs of scores, or earlier or later ones all alike"
        title, reason = CORRELATIONS[name], why if value is None else None
        coefficients.append(
            Coefficient(name, title, value, units=units, ratings=ratings, why=reason)
        )
    return tuple(coefficients)


def _order_answers(rows: RatingRows) -> RatingRows:
    """Leave controls out, and put rows in the order of asking."""
    # What was not asked again (kind) comes first, then what was given earlier, then what stands
    # earlier in the table.
    if rows.kind is not None:
        rows = rows.take(rows.kind != CONTROL)
    keys: list[NDArray[Any]] = [np.arange(rows.size)]
    if rows.moment is not None:
        keys.append(rows.moment)
    if rows.kind is not None:
        keys.append(rows.kind == REPEAT)
    return rows if len(keys) == 1 else rows.take(np.lexsort(keys))
