"""Laws that hold for every model of the family on one campaign (METHODS 8, INFERENCE A9)."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

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
    expand, step = fit.likelihood.expand, 1e-5
    here = expand(fit.beta)
    ahead = [expand(fit.beta + step * one) for one in np.eye(len(fit.beta))]
    behind = [expand(fit.beta - step * one) for one in np.eye(len(fit.beta))]
    slopes = [(a.value - b.value) / (2 * step) for a, b in zip(ahead, behind, strict=True)]
    bends = [(b.gradient - a.gradient) / (2 * step) for a, b in zip(ahead, behind, strict=True)]
    np.testing.assert_allclose(here.gradient, slopes, rtol=0, atol=1e-4)
    np.testing.assert_allclose(here.gradient, 0, atol=1e-6)
    np.testing.assert_allclose(bends, here.information, rtol=1e-5, atol=1e-4)
    away = fit.beta + np.linspace(-0.3, 0.4, len(fit.beta))
    slopes = [
        (expand(away + step * one).value - expand(away - step * one).value) / (2 * step)
        for one in np.eye(len(away))
    ]
    np.testing.assert_allclose(expand(away).gradient, slopes, rtol=1e-6, atol=1e-4)


# what has no estimate is refused by every model without a prior, and given one by a prior
