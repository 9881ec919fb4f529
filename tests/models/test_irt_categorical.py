"""The categorical item-response model against exact posteriors, and the laws of every model."""

import numpy as np
import pytest

from categorical_truth import Exact, Scale, Seen, preference_of, sum_out, votes_on
from evenhand.data.votes import LEFT, RIGHT, TIE
from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.models.irt_categorical import (
    CategoricalFit,
    IRTCategorical,
    _weigh,
    noise_matrix,
    plan_colours,
    preference_chances,
)
from evenhand.models.irt_outputs import pair_outputs
from evenhand.numerics.sampling import bulk_size
from tallies import tally

GOLDEN = {0: TIE, 1: LEFT, 2: RIGHT}
TRIANGLE: list[Seen] = [
    *[(0, 0, 1, LEFT), (0, 1, 2, TIE), (0, 2, 0, RIGHT), (0, 0, 1, LEFT), (0, 0, 1, TIE)],
    *[(1, 1, 2, RIGHT), (1, 2, 1, TIE)],
]
DISPUTED: list[Seen] = [(0, 0, 1, outcome) for outcome in (LEFT, TIE, RIGHT) for _ in range(10)]
DISPUTED += [(1, 1, 2, LEFT)] * 3 + [(0, 0, 1, LEFT)] * 6


def settings(scale: Scale) -> IRTCategorical:
    kept = (scale.categories, scale.concentration, scale.noise_sd, scale.radius)
    return IRTCategorical(*kept, chains=20, sweeps=900, burn_in=100)


def within_error(draws: np.ndarray, found: np.ndarray, expected: np.ndarray) -> None:
    """Means of draws lie within four Monte Carlo errors of what they should be."""
    flat = draws.reshape(*draws.shape[:2], -1).astype(float)
    error = flat.std(axis=(0, 1)) / np.sqrt(bulk_size(flat))
    assert error.max() < 0.012
    assert (np.abs(found.reshape(-1) - expected.reshape(-1)) < 4 * error + 1e-6).all()


def agrees(fit: CategoricalFit, exact: Exact) -> None:
    within_error(fit.ability_draws, fit.ability, exact.ability)
    np.testing.assert_allclose(fit.chances, exact.chances, rtol=0, atol=0.01)
    np.testing.assert_allclose(fit.quality, exact.quality, rtol=0, atol=0.04)
    np.testing.assert_allclose(fit.quality_sd, exact.quality_sd, rtol=0, atol=0.02)
    assert fit.r_hat.max() < 1.02


def test_the_posterior_is_that_of_the_golden_file(golden):
    entry = golden("13_irt_exact_posteriors", "categorical_enumeration")
    author = entry.input["item_author"]
    items = [0, 0, 0, 1, 1, 2, 2]  # which outputs the entry compares with each other
    seen = [
        (items[one], author[one], author[other], GOLDEN[said])
        for one, other, said in entry.input["comparisons"]
    ]
    fit = settings(Scale(3, 0.5, 1.0, 0)).fit(votes_on(seen, 3))
    expected = np.array(entry.expected["posterior_mean_ability"])
    within_error(fit.ability_draws, fit.ability, expected)
    for pair, (tie, first, second) in entry.expected["predictive"].items():
        left, right = pair.split("|")
        found = fit.predict([(f"s{left}", f"s{right}")])[0]
        np.testing.assert_allclose(found, [first, tie, second], rtol=0, atol=0.005)


@pytest.mark.parametrize(
    ("seen", "scale"),
    [
        (TRIANGLE, Scale(3, 1.2, 0.8, 0)),
        (TRIANGLE, Scale(4, 0.5, 1.0, 1)),
        (DISPUTED, Scale(5, 0.7, 1.0, 0)),  # products of 36 chances
        (DISPUTED, Scale(4, 0.7, 0.35, 0)),  # in double precision
    ],
    ids=["triangle", "radius 1", "disputed", "sharp judges"],
)
def test_the_posterior_is_that_of_a_sum_over_all_qualities(seen, scale):
    agrees(settings(scale).fit(votes_on(seen, 3)), sum_out(seen, 3, scale))


def test_a_system_that_nobody_saw_stands_as_the_prior_has_it():
    scale = Scale(4, 0.5, 1.0, 0)
    fit = settings(scale).fit(votes_on(TRIANGLE, 4))
    agrees(fit, sum_out(TRIANGLE, 4, scale))
    np.testing.assert_allclose(fit.ability[3], 1 / 4)
    assert any(note.code == "never-compared" and "s3" in note for note in fit.notes)
    alone = settings(scale).fit(votes_on(TRIANGLE, 3))
    np.testing.assert_allclose(fit.log_worth[:3], alone.log_worth, rtol=0, atol=0.02)


def campaign(n: int = 240, seed: int = 3) -> list[Seen]:
    rng = np.random.Generator(np.random.PCG64(seed))
    left = rng.integers(0, 4, n)
    right = (left + rng.integers(1, 4, n)) % 4
    gap = (right - left) * 0.5 + rng.normal(0, 1.2, n)  # s0 is best
    outcome = np.where(np.abs(gap) < 0.4, TIE, np.where(gap > 0, LEFT, RIGHT))
    return np.stack((rng.integers(0, 60, n), left, right, outcome), axis=1).tolist()


PAPER = IRTCategorical.paper()


def test_log_worths_are_mean_log_odds_of_predictions_and_order_the_systems():
    fit = PAPER.fit(votes_on(campaign(), 4))
    for i, system in enumerate(fit.systems):
        odds = fit.predict([(system, other) for other in fit.systems if other != system])
        assert fit.log_worth[i] == pytest.approx(np.log(odds[:, 0] / odds[:, 2]).sum() / 4)
    assert fit.log_worth.sum() == pytest.approx(0, abs=1e-12)
    assert (np.diff(fit.log_worth) < 0).all()


def test_chains_that_have_not_met_are_named():
    fit = IRTCategorical(sweeps=24, burn_in=0).fit(votes_on(campaign(), 4))
    (note,) = (one for one in fit.notes if one.code == "categorical-not-converged")
    assert note.endswith(
        "take more sweeps than 24: `evenhand rank --sweeps 96`, in Python"
        " IRTCategorical(sweeps=96)."
    )


def test_the_noise_matrix_is_that_of_the_golden_file(golden):
    expected = golden("13_irt_exact_posteriors", "categorical_enumeration").expected
    np.testing.assert_allclose(noise_matrix(3, 1.0), expected["noise_matrix"], rtol=0, atol=1e-10)


@pytest.mark.parametrize("scale", [Scale(3, 1, 1.0, 0), Scale(8, 1, 1.0, 0), Scale(5, 1, 0.6, 1)])
def test_chances_of_preferences_are_sums_over_what_is_seen(scale):
    found = preference_chances(noise_matrix(scale.categories, scale.noise_sd), scale.radius)
    np.testing.assert_allclose(found, preference_of(scale), rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.sum(axis=0), 1, rtol=0, atol=1e-14)


@pytest.mark.parametrize("times", [3, 20, 100, 400])
def test_contrary_answers_cancel_however_many_there_are(times):
    """The conditional law of one output against sums of logarithms."""
    law = IRTCategorical().law
    votes = votes_on([(0, 0, 1, 0)] * times + [(0, 0, 1, 2)] * times, 2)
    step = plan_colours(pair_outputs(votes), 1, 8).colours[0]
    even = np.full((2, 8), 1 / 8, law.rows.dtype)
    weights = _weigh(step, even, np.full((2, 1), 3), law)[0].astype(float)
    logs = times * (np.log(law.chances[0][:, 3]) + np.log(law.chances[2][:, 3]))
    exact = np.exp(logs - logs.max())
    np.testing.assert_allclose(weights / weights.sum(), exact / exact.sum(), rtol=1e-4, atol=1e-9)


def test_parts_of_comparisons_are_refused():
    with pytest.raises(InvalidJudgments, match="counts must be whole numbers"):
        PAPER.fit(tally(("a", "b", 0.5, 1, 2)))


def test_data_without_comparisons_and_unknown_systems_are_refused():
    votes = votes_on(campaign(), 4)
    with pytest.raises(NotIdentified):
        PAPER.fit(votes.take(np.zeros(votes.size, bool)))
    with pytest.raises(InvalidJudgments, match="not to NoneType"):
        PAPER.fit(None)
    with pytest.raises(InvalidJudgments, match="no system 's9'"):
        PAPER.fit(votes).predict([("s0", "s9")])


def test_too_many_systems_are_refused():
    votes = votes_on([(0, 0, 1, LEFT)], 3001)
    with pytest.raises(NotIdentified, match="3,001 systems are too many"):
        PAPER.fit(votes)
