"""Laws that hold for every model of the family on one campaign (METHODS 8, INFERENCE A9)."""

import pickle
from dataclasses import FrozenInstanceError, fields, replace
from itertools import combinations

import numpy as np
import pytest

from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from model_family import FAMILY, UNPENALISED, campaign
from tallies import doubled, mirrored, renamed, shuffled, tally

EVERY = pytest.mark.parametrize("model", FAMILY.values(), ids=FAMILY)
EVERY_UNPENALISED = pytest.mark.parametrize("model", UNPENALISED.values(), ids=UNPENALISED)
SYSTEMS = campaign().systems
PAIRS = list(combinations(SYSTEMS, 2))


def close(found, expected, tolerance=1e-7):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def parameters(fit):
    return dict(zip(fit.names, fit.estimate, strict=True))


@EVERY
def test_predictions_are_distributions(model):
    fit = model.fit(campaign())
    chances = fit.predict([*PAIRS, *[pair[::-1] for pair in PAIRS]])
    assert chances.shape == (2 * len(PAIRS), 3)
    assert (chances >= 0).all()
    close(chances.sum(axis=1), 1, 1e-12)
    assert fit.predict([]).shape == (0, 3)


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
def test_fitting_changes_neither_model_nor_data(model):
    data, before = campaign(), repr(model)
    names = ("left", "right", "wins", "ties", "losses")
    copies = {name: getattr(data, name).copy() for name in names}
    codes = data.factors["judge"].codes.copy()
    model.fit(data)
    assert repr(model) == before
    for name, copy in copies.items():
        np.testing.assert_array_equal(getattr(data, name), copy)
    np.testing.assert_array_equal(data.factors["judge"].codes, codes)


@EVERY
def test_fitting_twice_gives_the_same_to_the_last_bit(model):
    one, two = model.fit(campaign()), model.fit(campaign())
    np.testing.assert_array_equal(one.estimate, two.estimate)
    np.testing.assert_array_equal(one.vcov, two.vcov)


@EVERY
@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_rows_does_not_matter(model, seed):
    one, two = model.fit(campaign()), model.fit(shuffled(campaign(), seed))
    assert one.names == two.names
    np.testing.assert_array_equal(one.estimate, two.estimate)
    np.testing.assert_array_equal(one.vcov, two.vcov)


@EVERY
def test_exchanging_left_and_right_mirrors_the_order_effect_and_nothing_else(model):
    one, two = model.fit(campaign()), model.fit(mirrored(campaign()))
    sign = np.where(np.array(one.names) == "order", -1.0, 1.0)
    assert ("order" in one.names) == model.order_effect
    close(two.estimate, sign * one.estimate)
    close(two.vcov, sign * sign[:, None] * one.vcov)
    close(two.log_worth, one.log_worth)
    assert two.loglik == pytest.approx(one.loglik, rel=1e-12)


@EVERY
def test_renaming_systems_permutes_estimates_and_standard_errors(model):
    order = np.array([2, 0, 3, 1])
    names = {SYSTEMS[i]: SYSTEMS[j] for i, j in enumerate(order)}
    features = {
        name: {names[system]: x for system, x in values.items()}
        for name, values in model.system_covariates.items()
    }
    one = replace(model, reference="s0001").fit(campaign())
    other = replace(model, reference=names["s0001"], system_covariates=features)
    two = other.fit(renamed(campaign(), order))
    close(two.log_worth[order], one.log_worth)
    close(two.worth_vcov[np.ix_(order, order)], one.worth_vcov)
    for found, expected in zip(
        two.contrasts([(names[a], names[b]) for a, b in PAIRS]), one.contrasts(PAIRS), strict=True
    ):
        close((found.estimate, found.stderr), (expected.estimate, expected.stderr))


@EVERY
def test_the_choice_of_reference_changes_no_contrast(model):
    fits = [replace(model, reference=name).fit(campaign()) for name in (None, "s0000")]
    for one, two in zip(*(fit.contrasts(PAIRS) for fit in fits), strict=True):
        close((one.estimate, one.stderr), (two.estimate, two.stderr))
    assert fits[0].log_worth[3] == fits[1].log_worth[0] == 0
    assert fits[0].loglik == pytest.approx(fits[1].loglik, rel=1e-10)


@EVERY_UNPENALISED
def test_counting_every_judgment_twice_keeps_estimates_and_halves_variances(model):
    one, two = model.fit(campaign()), model.fit(doubled(campaign()))
    close(two.estimate, one.estimate)
    close(two.vcov, one.vcov / 2)
    close(two.deviance, 2 * one.deviance)
    assert two.df == one.df


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


@EVERY
def test_fits_pickle_and_are_frozen(model):
    fit = model.fit(campaign())
    back = pickle.loads(pickle.dumps(fit))
    np.testing.assert_array_equal(back.estimate, fit.estimate)
    assert repr(back) == repr(fit)
    assert back.model == model
    with pytest.raises(FrozenInstanceError):
        fit.loglik = 0.0
    with pytest.raises(ValueError, match="read-only"):
        fit.estimate[0] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        fit.vcov[0, 0] = 0.0


@EVERY
def test_a_model_is_what_its_repr_says(model):
    assert eval(repr(model), {"BradleyTerry": BradleyTerry}) == model
    with pytest.raises(FrozenInstanceError):
        model.prior = 1.0


@EVERY
def test_worths_are_shares_and_nothing_is_missing(model):
    fit = model.fit(campaign())
    assert sum(fit.worths.values()) == pytest.approx(1, abs=1e-12)
    numbers = [getattr(fit, field.name) for field in fields(fit)]
    arrays = [one for one in numbers if isinstance(one, np.ndarray | float)]
    assert all(np.isfinite(one).all() for one in arrays)
    assert (np.linalg.eigvalsh(fit.vcov) > 0).all()
    assert fit.df == fit.observed.size - len(fit.observed) - len(fit.names)


# what has no estimate is refused by every model without a prior, and given one by a prior

APART = tally(("a", "b", 3, 1, 2), ("b", "a", 2, 1, 3), ("c", "d", 4, 1, 3), ("d", "c", 3, 1, 2))
UNBEATEN = tally(
    *[("a", other, 5, 0, 0) for other in "bcd"],
    *[(other, "a", 0, 0, 5) for other in "bcd"],
    *[(x, y, 3, 1, 2) for x in "bcd" for y in "bcd" if x != y],
)
PLAIN = {
    name: model
    for name, model in FAMILY.items()
    if not model.covariates and not model.system_covariates
}


@pytest.mark.parametrize("model", PLAIN.values(), ids=PLAIN)
def test_systems_never_compared_are_refused_by_name_unless_a_prior_joins_them(model):
    if model.prior:
        assert np.isfinite(model.fit(APART).log_worth).all()
        return
    with pytest.raises(NotIdentified, match="a, b were never compared with c, d"):
        model.fit(APART)


@pytest.mark.parametrize("model", PLAIN.values(), ids=PLAIN)
def test_a_system_that_always_wins_is_refused_by_name_unless_a_prior_holds_it(model):
    if model.prior:
        fit = model.fit(UNBEATEN)
        assert fit.log_worth.argmax() == 0
        return
    with pytest.raises(NotIdentified, match=r'nobody preferred anything to "a" \(0 of 30\)'):
        model.fit(UNBEATEN)


@EVERY
def test_no_judgments_are_refused(model):
    rows = np.zeros(0, dtype=np.int32)
    none = replace(
        campaign(),
        left=rows,
        right=rows,
        wins=np.zeros(0),
        ties=np.zeros(0),
        losses=np.zeros(0),
        factors={"judge": replace(campaign().factors["judge"], codes=rows)},
    )
    with pytest.raises(NotIdentified, match="there is no comparison among 4 systems"):
        model.fit(none)
