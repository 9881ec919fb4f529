"""statsmodels 0.15 as an independent oracle where no golden number reaches.

GLM(Poisson()) on the log-linear model written out, μ for every entry of the tally explicit; and
GLM(Binomial(), freq_weights=) on rows with weights.
"""

import warnings

import narwhals as nw
import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

from evenhand.data.comparisons import Comparisons
from evenhand.models.bradley_terry import BradleyTerry
from model_family import campaign


def poisson(entries, k, groups, *, order):
    """Fit log m = μ ± (x_left − x_right)·(1, groups) ± δ + γ·[tie] to (left, right, group, counts).

    Returns deviance, residual df, and estimates and errors of λ (last system out), then of its
    interactions with each group but the first, γ, δ.
    """
    rows, y = [], []
    for at, (left, right, group, counts) in enumerate(entries):
        difference = (np.eye(k)[left] - np.eye(k)[right])[:-1]
        level = np.eye(groups)[group][1:]
        effects = np.kron([1.0, *level], difference)
        for sign, count in zip((1, 0, -1), counts, strict=True):
            mu = np.eye(len(entries))[at]
            rows.append([*mu, *(sign * effects), float(sign == 0), *([sign] if order else [])])
            y.append(count)
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", PerfectSeparationWarning)
        fit = sm.GLM(np.array(y), np.array(rows), family=sm.families.Poisson()).fit(tol=1e-13)
    own = slice(len(entries), None)
    return fit.deviance, fit.df_resid, fit.params[own], fit.bse[own]


@pytest.mark.parametrize("order", [False, True])
def test_judge_covariate_and_order_effect_together(order):
    model = BradleyTerry(judge_covariates=("judge",), order_effect=order)
    fit = model.fit(campaign())
    used = fit.tally
    codes = used.factors["judge"].codes
    entries = list(zip(used.left, used.right, codes, used.counts, strict=True))
    deviance, df, estimates, errors = poisson(entries, 4, 2, order=order)
    np.testing.assert_allclose(fit.estimate, estimates, rtol=0, atol=1e-7)
    np.testing.assert_allclose(np.sqrt(np.diag(fit.vcov)), errors, rtol=1e-5)
    assert fit.deviance == pytest.approx(deviance, abs=1e-7)
    assert fit.df == df


def weighted_rows(seed, rows=300):
    rng = np.random.Generator(np.random.PCG64(seed))
    left = rng.integers(0, 4, rows)
    right = (left + rng.integers(1, 4, rows)) % 4
    won = rng.random(rows) < 1 / (1 + np.exp(-0.4 * (right - left)))
    weight = rng.integers(0, 5, rows)
    frame = pl.DataFrame(
        {
            "left": [f"s{i}" for i in left],
            "right": [f"s{i}" for i in right],
            "outcome": np.where(won, "left", "right"),
            "weight": weight,
        }
    )
    return left, right, won, weight, Comparisons(nw.from_native(frame))


@pytest.mark.parametrize("order", [False, True])
def test_frequency_weights_are_judgments(order):
    """GLM(Binomial(), freq_weights=): log-odds b_left − b_right + 2 δ."""
    left, right, won, weight, data = weighted_rows(3)
    x = (np.eye(4)[left] - np.eye(4)[right])[:, :-1]
    if order:
        x = np.column_stack([x, np.ones(len(x))])
    model = sm.GLM(won.astype(float), x, family=sm.families.Binomial(), freq_weights=weight)
    oracle = model.fit(tol=1e-12)
    fit = BradleyTerry(ties="discard", order_effect=order).fit(data)
    np.testing.assert_allclose(2 * fit.estimate, oracle.params, rtol=0, atol=1e-7)
    np.testing.assert_allclose(2 * np.sqrt(np.diag(fit.vcov)), oracle.bse, rtol=1e-5)
    assert fit.loglik == pytest.approx(oracle.llf, rel=1e-9)
    assert fit.n_judgments == fit.n_comparisons == weight.sum()
    assert fit.tally.zero_weight == (weight == 0).sum() > 0
