"""Which answer of a judge to a unit is the first, told by the engine that holds them.

Mostly it does not matter, since there is one, or all are the same. Else the earliest counts, where
moments are known, and then the first in the table, where its engine keeps an order: numbers of rows
times the number of scores, plus the place of the score, have their smallest at the first.
"""

from __future__ import annotations

from typing import Final

import narwhals as nw

from evenhand.agreement.engine_codes import Coded
from evenhand.agreement.engine_rows import MOMENT
from evenhand.judgments.engine import Frame
from evenhand.judgments.portable import mark, mark_whole
from evenhand.judgments.row_order import PLACE

ODD: Final = "evenhand_odd"
ROWS: Final = "evenhand_rows"
_LOW, _HIGH = "evenhand_low", "evenhand_high"


def count_rows(scores: Coded) -> nw.Expr:
    """Return how many judgments there are, whatever rows stand for."""
    weight = scores.targets.weight
    return nw.len() if weight is None else nw.col(weight).sum()


def keep_first(scores: Coded, frame: Frame) -> Frame:
    """Keep the answers of a judge to a unit that no known moment is before.

    Args:
        scores: with numbers for labels.
        frame: a row for each of them.

    """
    own = (*scores.keys, "judge")
    first, rows = nw.col(MOMENT).min().over(*own), count_rows(scores).over(*own)
    frame = frame.with_columns(first.alias(_LOW), rows.alias(ROWS))
    return frame.filter(nw.col(_LOW).is_null() | (nw.col(MOMENT) == nw.col(_LOW)))


def read_answers(
    scores: Coded, frame: Frame, keys: tuple[str, ...], given: list[str], *, placed: bool
) -> Frame:
    """Return what each judge said of each unit: 1 for the score given, and whether others were.

    Args:
        scores: with numbers for labels.
        frame: a row for each of them.
        keys: columns that tell answers apart.
        given: (K,) names of columns for the scores.
        placed: whether the first in the table counts, of answers that differ; else they are odd.

    """
    k, score = len(given), nw.col("score")
    counted = ROWS in frame.collect_schema().names()
    rows = (nw.col(ROWS).max() if counted else count_rows(scores)).alias(ROWS)
    if placed:
        place = nw.col(PLACE) * k
        for at, point in enumerate(scores.targets.points.tolist()[1:], start=1):
            place = place + mark_whole(score == point) * at
        frame = frame.with_columns(place.alias(PLACE))
        answers = frame.group_by(*keys).agg(nw.col(PLACE).min().alias(_LOW), rows)
        gave = [nw.col(_LOW) % k == at for at in range(k)]
        odd = nw.lit(0.0)
    else:
        ends = score.min().alias(_LOW), score.max().alias(_HIGH)
        answers = frame.group_by(*keys).agg(*ends, rows)
        gave = [nw.col(_LOW) == point for point in scores.targets.points.tolist()]
        odd = mark(nw.col(_LOW) != nw.col(_HIGH))
    return answers.with_columns(
        *(mark(one).alias(name) for one, name in zip(gave, given, strict=True)),
        odd.alias(ODD),
        nw.col(ROWS).cast(nw.Float64),
    )
