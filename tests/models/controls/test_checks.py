"""Whether controls have finite estimates: against a linear programme over all rows."""

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linprog

from controlled_rows import comparisons, differences, outcomes
from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry


def draw_rows(seed: int) -> pl.DataFrame:
    """6 to 11 rows of three systems with a small whole number as control, ties in half of them."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 12))
    left = rng.integers(0, 3, n)
    right = (left + rng.integers(1, 3, n)) % 3
    words = ["left", "right"] if rng.random() < 0.5 else ["left", "right", "tie"]
    return pl.DataFrame(
        {
            "left": np.array(list("ABC"))[left].tolist(),
            "right": np.array(list("ABC"))[right].tolist(),
            "outcome": rng.choice(words, n).tolist(),
            "x": rng.integers(-2, 3, n).astype(float),
        }
    )


def lead_of_the_observed(frame: pl.DataFrame, *, order: bool) -> np.ndarray:
    """How far each observed outcome is ahead of each other one, a row each, per parameter.

    Utilities are η, γ and −η; without any tie seen there are no ties in the model.
    """
    seen, none = outcomes(frame), np.zeros((len(frame), 1))
    eta = differences(frame, "x")
    eta = np.hstack([eta, none + 1]) if order else eta
    tied = bool((seen == 1).any())
    eta = np.hstack([eta, none]) if tied else eta
    gamma = np.tile(np.eye(eta.shape[1])[-1], (len(frame), 1))
    of = [eta, *([gamma] if tied else []), -eta]
    place = seen if tied else seen // 2
    observed = np.stack(of)[place, np.arange(len(frame))]
    leads = [(observed - other)[place != at] for at, other in enumerate(of)]
    return np.concatenate(leads)


def estimate_exists(frame: pl.DataFrame, *, order: bool) -> bool:
    """No direction keeps all outcomes from falling behind (scipy.optimize.linprog, HiGHS)."""
    leads = lead_of_the_observed(frame, order=order)
    n, p = leads.shape
    if np.linalg.matrix_rank(leads) < p:
        return False
    bounds = np.r_[np.zeros(n), np.ones(n)]
    best = linprog(-leads.sum(axis=0), np.vstack([-leads, leads]), bounds, bounds=[(-5, 5)] * p)
    return bool(-best.fun < 1e-7)


def is_fitted(frame: pl.DataFrame, *, order: bool = False) -> bool:
    try:
        fit = BradleyTerry(order_effect=order, controls=("x",)).fit(comparisons(frame))
    except NotIdentified:
        return False
    return bool(np.isfinite(fit.beta).all())


@pytest.mark.parametrize("order", [False, True])
def test_refused_exactly_where_a_linear_programme_finds_a_direction(order):
    expected, found = {}, {}
    for seed in range(100):
        frame = draw_rows(seed)
        expected[seed] = estimate_exists(frame, order=order)
        found[seed] = is_fitted(frame, order=order)
    assert found == expected
    answers = list(expected.values())
    assert min(answers.count(True), answers.count(False)) >= 20


GRADIENT_OF_NOTHING = [
    ("BA>-2 BA>-1 BC>1 BA<2 AC<0 CA<2", False),
    ("AC>-1 CA<-1 AC>1 AC>-1 BA>1 CB>-2 CA>2 AC<-2", True),
    ("BC<1 AC>-2 CB<2 AB>-1 BA>-1 BC>-1 AB>0 CB>0", True),
]
"""Left, right, who was preferred, x; and whether there is an order effect."""


@pytest.mark.parametrize(("text", "order"), GRADIENT_OF_NOTHING)
def test_a_gradient_that_rounds_to_nothing_is_no_sign_of_a_maximum(text, order):
    rows = [(row[0], row[1], "left" if row[2] == ">" else "right") for row in text.split()]
    frame = pl.DataFrame(rows, ["left", "right", "outcome"], orient="row")
    frame = frame.with_columns(x=pl.Series([float(row[3:]) for row in text.split()]))
    assert not estimate_exists(frame, order=order)
    with pytest.raises(NotIdentified, match="control x: no finite estimate was found"):
        BradleyTerry(order_effect=order, controls=("x",)).fit(comparisons(frame))
