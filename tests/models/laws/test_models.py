"""Laws that hold for every model of the family on one campaign (METHODS 8, INFERENCE A9)."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from derivatives import assert_derivatives, differences
from evenhand.models.existence import THRESHOLDS
from model_family import FAMILY, campaign

EVERY = pytest.mark.parametrize("model", FAMILY.values(), ids=FAMILY)
SYSTEMS = campaign().systems
PAIRS = list(combinations(SYSTEMS, 2))


def close(found, expected, tolerance=1e-7):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@EVERY
def test_the_likelihood_is_that_of_its_own_predictions(model):
    fit = model.fit(campaign())
    design, counts, ties = fit.design, fit.likelihood.counts, fit.likelihood.ties
    groups = design.group[design.left] if ties is None else ties.code
    total = 0.0
    for left, right, row, group in zip(design.left, design.right, counts, groups, strict=True):
        pair = tuple(fit.systems[design.system[node]] for node in (left, right))
        chances = fit.predict([pair], group=fit.groups[group])[0]
        total += (row[row > 0] * np.log(chances[row > 0])).sum()
    assert fit.loglik == pytest.approx(total, rel=1e-12)


@EVERY
def test_the_choice_of_reference_changes_no_contrast(model):
    fits = [replace(model, reference=name).fit(campaign()) for name in (None, "s0000")]
    for one, two in zip(*(fit.contrasts(PAIRS) for fit in fits), strict=True):
        close((one.estimate, one.stderr), (two.estimate, two.stderr))
    assert fits[0].log_worth[3] == fits[1].log_worth[0] == 0
    assert fits[0].loglik == pytest.approx(fits[1].loglik, rel=1e-10)


@EVERY
def test_gradient_and_information_are_finite_differences(model):
    fit = model.fit(campaign())
    expand = fit.likelihood.expand
    assert_derivatives(expand, fit.beta, slope=1e-4, bend=1e-4)
    np.testing.assert_allclose(expand(fit.beta).gradient, 0, atol=1e-6)
    away = fit.beta + np.linspace(-0.3, 0.4, len(fit.beta))
    slopes, bends = differences(expand, away)
    np.testing.assert_allclose(expand(away).gradient, slopes, rtol=1e-6, atol=1e-4)
    if model.ties not in THRESHOLDS:  # of log τ a term is left out that is zero at the maximum
        np.testing.assert_allclose(expand(away).information, bends, rtol=1e-6, atol=1e-4)
