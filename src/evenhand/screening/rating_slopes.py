"""How strongly the scores of each judge follow what the others lead one to expect.

    b̂_l = Σ z x / Σ x²

over the outputs that judge l scored, z the judge's standardised scores and x what is expected of
them (`rating_expectation`). Judges whose scores follow the others' have b near 1, whatever their
severity and however much of the scale they use; who answers at random or always the same has 0;
who takes the scale the wrong way round has about −1. That others' scores are noisy makes all
slopes smaller alike, which the scale of x takes back.

The standard error is the larger of the usual one and one that allows scores of outputs of the same
item to err together (Liang & Zeger 1986, Biometrika 73:13-22). In the usual one the variance of
what is left is drawn to 1, its value for a careless judge, by as much as four further scores: of
few scores the fit may be perfect by chance. It is raised by 1 + 4/n, n = 3 (Σ x²)² / Σ x⁴ being the
outputs that the slope rests on: all of them where x is normal, few where a handful of very bad
outputs decide.

z is divided by the judge's own standard deviation, which is larger where a judge happened to see
outputs that differ more. Slope and error are therefore multiplied by √(1 + s_l² − s²), s_l² and s²
being the variances of x over the judge's outputs and over all: then honest judges have slope 1
whatever they saw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.screening.rating_expectation import Expectation

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

NOTHING: Final = 10.0
"""Standard error of a judge of whose outputs nothing is known: far wider than any slope."""
FURTHER: Final = 4.0
LEAST_LEFT: Final = 0.1
"""Least variance of a usual judge's scores on any outputs, beside 1 on all."""


@dataclass(frozen=True, eq=False)
class RatingSlopes:
    """Slopes of all judges.

    Attributes:
        slope: (J,) b̂: about 1 for an honest judge, 0 for a careless one.
        error: (J,) its standard error.
        outputs: (J,) outputs that the judge scored.
        shared: (J,) how many of them another judge scored, too.
        correlation: (J,) of the judge's scores with what is expected; 0 where either is constant.
        information: (J,) 1 / error² that the outputs would bring about a slope of 0.
        constant: (J,) whether all scores were the same.

    """

    slope: Array
    error: Array
    outputs: Integers
    shared: Integers
    correlation: Array
    information: Array
    constant: NDArray[np.bool_]


def rating_slopes(seen: Expectation) -> RatingSlopes:
    """Return how strongly each judge follows the others.

    Args:
        seen: the judges' scores and what is expected of them.

    """
    n_judges = len(seen.lost)
    judge, z, x = seen.judge, seen.own, seen.others
    outputs = np.bincount(judge, minlength=n_judges)
    square, cross, own = (_sum(judge, v, n_judges) for v in (x * x, z * x, z * z))
    held = square > 1e-3  # less would need errors above 30: nothing is known
    slope = np.where(held, cross / np.where(held, square, 1.0), 0.0)
    left = z - slope[judge] * x
    spare = np.maximum(outputs - seen.lost - 1, 0)
    variance = (_sum(judge, left**2, n_judges) + FURTHER) / (spare + FURTHER)
    variance[own == 0] = 1.0  # whoever always says the same could have said anything
    bulk = 3 * square**2 / np.maximum(_sum(judge, x**4, n_judges), 1e-300)
    usual = variance / np.where(held, square, 1.0)
    usual *= 1 + FURTHER / np.maximum(bulk, 1)
    grouped = _grouped(seen, left * x, n_judges) / np.where(held, square, 1.0) ** 2
    error = np.where(held, np.sqrt(np.maximum(usual, grouped)), NOTHING)
    root = np.sqrt(own * square)
    stretch = _stretch(seen, square, outputs)
    careless = np.where(held, square, 0.0) / (1 + FURTHER / np.maximum(bulk, 1))
    return RatingSlopes(
        slope * stretch,
        np.minimum(error * stretch, NOTHING),
        outputs,
        np.bincount(judge, seen.shared, n_judges).astype(np.int64),
        np.where(root > 0, cross / np.where(root > 0, root, 1.0), 0.0),
        careless / stretch**2,
        (own == 0) & (outputs > 1),
    )


def _stretch(seen: Expectation, square: Array, outputs: Integers) -> Array:
    """Return (J,) how much more the usual judge's scores of these outputs vary than of all."""
    whole = float(seen.others @ seen.others) / max(len(seen.others), 1)
    own = np.where(outputs > 0, square / np.maximum(outputs, 1), whole)
    return np.sqrt(np.maximum(1 + own - whole, LEAST_LEFT))


def _sum(codes: Integers, values: NDArray[Any], size: int) -> Array:
    return np.asarray(np.bincount(codes, values, size))


def _grouped(seen: Expectation, pull: Array, n_judges: int) -> Array:
    """Return (J,) sums of squared sums by item; 0 for a judge with at most one output of each."""
    key = seen.judge * (int(seen.item.max()) + 1) + seen.item
    found, group = np.unique(key, return_inverse=True)
    group = group.reshape(-1)
    owner = np.zeros(len(found), np.int64)
    owner[group] = seen.judge
    sums = _sum(owner, np.bincount(group, pull) ** 2, n_judges)
    many = np.bincount(owner, minlength=n_judges)
    outputs = np.bincount(seen.judge, minlength=n_judges)
    return np.where(outputs > many, sums * many / np.maximum(many - 1, 1), 0.0)
