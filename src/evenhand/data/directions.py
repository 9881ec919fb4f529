"""Whether lower scores are better, by the name of a criterion."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from evenhand.data.rating_rows import RatingRows
    from evenhand.numerics import Array

# Words of metrics of which lower is better
LOWER_METRICS: Final = frozenset(
    (
        *("ter", "hter", "sacreter", "chrter", "wer", "cer", "cder"),
        *("metricx", "perplexity", "ppl"),
    )
)

# Words in the name of a criterion that say that lower scores are better
LOWER_WORDS: Final = LOWER_METRICS | {"penalty", "penalties", "error", "errors"}
# Metrics whose names are words of other names ("bleu per segment", "character"), so that they
# stand alone or before a reference: position-independent error rate, CharacTER
LOWER_NAMES: Final = re.compile(r"(m?per|character)([\W_]+(ref|src)\w*)?", re.IGNORECASE)
# Other error rates, with TER in capitals behind another name, and a loss
LOWER_ENDS: Final = re.compile(r"[^\W\d_]*[a-z]TER|[Ll]oss|LOSS")


def reads_lower(name: str, level: float, *, metric: bool = False) -> bool:
    """Say whether lower scores are better, by the name of a criterion or a metric.

    level: lowest score of people, mean of a metric; below 0 stand penalties that are taken off,
    where higher is better.

    >>> reads_lower("mqm_penalty", 0.0), reads_lower("mqm_penalty", -25.0), reads_lower("da", 0.0)
    (True, False, False)
    >>> [reads_lower(name, 1.0, metric=True) for name in ("myTER", "val_loss", "FILTER", "gloss")]
    [True, True, False, False]
    """
    if level < 0:
        return False
    words = re.findall(r"[^\W\d_]+", name)
    if not LOWER_WORDS.isdisjoint(map(str.casefold, words)):
        return True
    return metric and bool(LOWER_NAMES.fullmatch(name) or any(map(LOWER_ENDS.fullmatch, words)))


def reads_lower_of(rows: RatingRows) -> bool:
    """Say the same of ratings under one criterion; without one, by the column of scores."""
    name = rows.criteria[int(rows.criterion[0])] or rows.column
    return reads_lower(name, float(rows.score.min()))


def turn_mixed(rows: RatingRows) -> Array:
    """Return (n,) −1 where lower scores are better and under other criteria higher ones, else 1."""
    signs = sign_scores(rows) if len(rows.criteria) > 1 else np.ones(rows.size)
    return signs if signs.max(initial=-1.0) > 0 else np.ones(rows.size)


def sign_scores(rows: RatingRows) -> Array:
    """Return (n,) 1 where higher scores are better, −1 where lower ones are, by the criterion."""
    signs = np.ones(len(rows.criteria))
    for part in rows.split(("criterion",)).values():
        if reads_lower_of(part):
            signs[part.criterion[0]] = -1.0
    return signs[rows.criterion]
