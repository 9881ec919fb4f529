"""Do judges agree with themselves: scores of the same output by the same judge, given again.

What is asked again is known by `kind=repeat`, or by the judge having scored the output before.
Every output of a judge with several answers is a unit, and the answers are its judges: n-agreement,
Fleiss' κ (neither answer is the first one, so chance is that of all answers together) and α are
then those of other units. Pearson's correlation sets the earlier answer against the later one. No
judge can agree with others better than with itself, so this bounds what agreement between judges
can be.

When not to use it: where the second answer was asked for soon after the first, or beside it:
judges remember. A row that was pasted twice is no second answer: it equals an earlier row in
every column, the time among them. Where no column tells the time, nobody can tell.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data.annotations import read_moments
from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import PLACE, count_rows, fetch_columns, one_thread
from evenhand.data.exclusions import Exclusion
from evenhand.data.joining import keep_places, list_places
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import REPEAT, RatingRows, Scale
from evenhand.data.ratings import Ratings
from evenhand.errors import NotIdentified
from evenhand.judges.judge_pairs import MIN_UNITS, correlate_within
from evenhand.judges.texts import say
from evenhand.judges.units import Coefficient, Units, find_units
from evenhand.numerics import Array
from evenhand.numerics.cluster_means import number_groups, pairs_within

CORRELATION: Final = "intra-pearson"
NO_REPEATS: Final = "no judge scored an output twice"


DAY: Final = 86_400.0  # seconds
MAX_TIMES_READ: Final = 1_000  # Times that are looked at to tell times from dates
Judged = TypeVar("Judged", bound=Ratings | Comparisons | Rankings)


def drop_pasted(data: Judged) -> tuple[Judged, tuple[Exclusion, ...]]:
    """Drop rows that equal an earlier one in every column, the time among them."""
    shown_at = data.source.find_annotations(data.columns).get("shown_at")
    frame = keep_places(data.frame)
    if shown_at is None or not list_places(frame):
        return data, ()
    with one_thread(data.source.connection):
        known = fetch_columns(frame.select(shown_at.column).head(MAX_TIMES_READ))
        times = read_moments(known[shown_at.column])
        if len(np.unique(times[np.isfinite(times)] % DAY)) < 2:
            return data, ()  # dates: a judge may answer twice on a day
        place = nw.col(PLACE)
        first = place.min().over(*data.columns)
        again = (place > first).fill_null(value=False) & ~nw.col(shown_at.column).is_null()
        n = count_rows(frame.filter(again))
    if not n:
        return data, ()
    reason = "rows that equal another in every column, the time among them"
    excluded = Exclusion("pasted", reason, n, sentence=str(say("pasted", n=n)))
    return replace(data, frame=frame.filter(~again)), (excluded,)


@dataclass(frozen=True, eq=False)
class Repeats:
    earlier: Array  # (m,) score given first, of every two answers of a judge on an output
    later: Array  # (m,) score given later
    units: int  # outputs of a judge with several answers
    ratings: int  # answers on them


def find_repeats(rows: RatingRows) -> Repeats:
    rows = _order_answers(rows)
    owner = number_groups(rows.unit, rows.judge)
    sizes = np.bincount(owner)
    again = sizes[sizes > 1]
    first, second = pairs_within(owner)
    return Repeats(rows.score[first], rows.score[second], len(again), int(again.sum()))


def find_answer_units(rows: RatingRows, scale: Scale | None = None) -> Units:
    """Return outputs of a judge with several answers as units, the answers being their judges."""
    rows = _order_answers(rows)
    owner = number_groups(rows.unit, rows.judge)
    again = np.bincount(owner)[owner] > 1
    if not again.any():
        raise NotIdentified(NO_REPEATS)
    rows, owner = rows.take(again), owner[again]
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
    times = tuple(f"answer {i + 1:,}" for i in range(int(sizes.max())))
    answers = replace(rows, judges=times, judge=place, systems=names, kind=None, moment=None)
    return find_units(replace(answers, system=output.astype(np.int32)), scale)


def correlate_repeats(repeats: Repeats) -> Coefficient:
    value, why = None, NO_REPEATS
    if repeats.units:
        together = np.zeros(len(repeats.earlier), dtype=np.int64)
        r = correlate_within(together, repeats.earlier, repeats.later)[0]
        value = None if np.isnan(r) else float(r)
        why = f"fewer than {MIN_UNITS} pairs of scores, or earlier or later ones all alike"
    return Coefficient(
        CORRELATION,
        "Pearson's r of earlier and later score",
        value,
        units=repeats.units,
        ratings=repeats.ratings,
        why=why if value is None else None,
    )


def _order_answers(rows: RatingRows) -> RatingRows:
    """Leave controls out, and put rows in the order of asking."""
    # What was not asked again (kind) comes first, then what was given earlier, then what stands
    # earlier in the table.
    rows = rows.without_controls()
    keys: list[NDArray[Any]] = [np.arange(rows.size)]
    if rows.moment is not None:
        keys.append(rows.moment)
    if rows.kind is not None:
        keys.append(rows.kind == REPEAT)
    return rows if len(keys) == 1 else rows.take(np.lexsort(keys))
