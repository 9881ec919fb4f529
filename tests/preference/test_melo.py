"""mElo finds circles where there are some, and leaves Bradley and Terry's model where not."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judgments.tally import Tally
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.melo import MElo
from tallies import tally

GAMMA = -0.3


def chances_of(odds, gamma=GAMMA):
    """Davidson's chances of log-odds, written out."""
    scores = np.stack([np.exp(odds / 2), np.full_like(odds, np.exp(gamma)), np.exp(-odds / 2)], -1)
    return scores / scores.sum(axis=-1, keepdims=True)


def campaign(odds, n, seed):
    """Draw n comparisons of random pairs with the given (K, K) log-odds."""
    rng = np.random.Generator(np.random.PCG64(seed))
    k = len(odds)
    left = rng.integers(0, k, n)
    right = (left + rng.integers(1, k, n)) % k
    below = chances_of(odds[left, right]).cumsum(axis=1)[:, :2]
    seen = (rng.random(n)[:, None] > below).sum(axis=1)
    counts = np.eye(3)[seen].T.copy()
    names = tuple(f"s{i:02d}" for i in range(k))
    sides = left.astype(np.int32), right.astype(np.int32)
    return Tally(names, *sides, *counts, {}, float(n)).pool()


def rock_paper_scissors(k=9, size=1.5):
    """Worths, and systems on a circle of which each beats those ahead of it."""
    worth, angle = np.linspace(0.6, -0.6, k), 2 * np.pi * ((np.arange(k) * 4) % k) / k
    return worth[:, None] - worth + size * np.sin(angle - angle[:, None])


def transitive(k=9):
    worth = np.linspace(1, -1, k)
    return worth[:, None] - worth


def loss(fit, odds):
    """Expected loss (nats) of a new comparison of a random pair: no draw needed."""
    k = len(odds)
    pairs = [(i, j) for i in range(k) for j in range(i)]
    names = [(fit.systems[i], fit.systems[j]) for i, j in pairs]
    true = chances_of(np.array([odds[i, j] for i, j in pairs]))
    return float(-(true * np.log(fit.predict(names))).sum(axis=1).mean())


@pytest.mark.parametrize("seed", range(4))
def test_in_a_campaign_of_circles_it_predicts_better_than_bradley_terry(seed):
    odds = rock_paper_scissors()
    data = campaign(odds, 1500, seed)
    ours, plain = (loss(model.fit(data), odds) for model in (MElo(), BradleyTerry()))
    best = -(chances_of(odds) * np.log(chances_of(odds))).sum(axis=-1)
    entropy = best[~np.eye(9, dtype=bool)].mean()
    assert plain - entropy > 0.05
    assert ours - entropy < 0.4 * (plain - entropy)


@pytest.mark.parametrize(("strength", "campaigns"), [("noise", 8), ("held-out", 2)])
def test_in_a_transitive_campaign_it_loses_next_to_nothing(strength, campaigns):
    odds = transitive()
    lost = []
    for seed in range(campaigns):
        data = campaign(odds, 1500, seed)
        model = MElo(strength=strength)
        lost.append(loss(model.fit(data), odds) - loss(BradleyTerry().fit(data), odds))
    assert np.mean(lost) < 0.002
    assert max(lost) < 0.008


def test_the_share_and_the_circle_are_those_of_the_truth():
    odds = rock_paper_scissors()
    fit = MElo().fit(campaign(odds, 60_000, 1))
    gradient = odds.mean(axis=1)
    circles = odds - (gradient[:, None] - gradient)
    truth = (circles**2).sum() / (odds**2).sum()
    assert fit.share == pytest.approx(truth, abs=0.03)
    np.testing.assert_allclose(fit.log_worth, gradient, rtol=0, atol=0.1)
    np.testing.assert_allclose(fit.odds, odds, rtol=0, atol=0.25)
    one, two, three = fit.circle.systems
    assert min(odds[one, two], odds[two, three], odds[three, one]) > 0.5
    assert "strongest circle: s" in " ".join(fit.says)


def test_worths_are_mean_log_odds_and_circles_say_nothing_of_a_system_against_all():
    fit = MElo(k=2, strength=2.0).fit(campaign(rock_paper_scissors(), 800, 2))
    np.testing.assert_allclose(fit.odds.mean(axis=1), fit.log_worth, rtol=0, atol=1e-12)
    np.testing.assert_allclose(fit.coordinates.mean(axis=0), 0, rtol=0, atol=1e-9)
    assert fit.log_worth.sum() == pytest.approx(0, abs=1e-12)


def test_three_systems_in_a_circle_without_ties_have_the_penalised_maximum_by_hand():
    """Each beats the next in 80 of 100: x solves 80 − 100 σ(x) = s/√3 of the nuclear norm.

    A with all log-odds x has both singular values √3 x, so that the penalty is s √3 x.
    """
    data = tally(("a", "b", 80, 0, 20), ("b", "c", 80, 0, 20), ("c", "a", 80, 0, 20))
    for strength in (0.5, 5.0, 20.0):
        fit = MElo(strength=strength).fit(data)
        x = fit.odds[0, 1]
        assert 3 * (80 - 100 / (1 + np.exp(-x))) == pytest.approx(strength * np.sqrt(3), abs=1e-3)
    assert MElo(strength=60.0).fit(data).share == 0  # 3 (80 − 50) = 90 < 60 √3
    assert fit.circle.systems == (0, 1, 2)


def test_without_circles_it_is_bradley_terry_under_its_prior():
    data = campaign(transitive(), 1500, 3)
    fit = MElo(strength=1000.0).fit(data)
    plain = BradleyTerry(prior=1.0).fit(data)
    pairs = [("s00", "s05"), ("s08", "s01")]
    assert fit.share == 0
    np.testing.assert_allclose(fit.predict(pairs), plain.predict(pairs), rtol=0, atol=2e-4)
    assert fit.says[0] == "the penalty leaves no circles: this is Bradley and Terry's model"


def test_more_planes_than_systems_allow_are_said_to_be_fewer():
    fit = MElo(k=3, strength=1.0).fit(campaign(rock_paper_scissors(3), 400, 1))
    assert fit.coordinates.shape == (3, 2)
    assert "3 systems go in circles in at most 1 plane" in fit.notes


def test_two_systems_have_no_circle_and_no_planes_or_starts_are_spoken_of():
    two = MElo().fit(tally(("a", "b", 7, 2, 3)))
    assert (two.share, two.circle, two.noise_p) == (0, None, None)
    assert two.says[0].startswith("with two systems there can be no circle")
    assert "0 " not in " ".join((*two.says[2:], *two.notes))
    assert "planes" not in " ".join((*two.says, *two.notes))


def test_a_circle_is_named_where_there_is_one_and_seldom_where_noise_alone_makes_it():
    fits = [MElo(starts=1).fit(campaign(transitive(15), 1500, seed)) for seed in range(20)]
    assert sum(fit.share > 0 for fit in fits) > 10
    assert sum(fit.circle is not None for fit in fits) <= 3
    for fit in fits:
        said = " ".join(fit.says)
        p = f"the flat model alone gives as much in {100 * fit.noise_p:.0f} % of 99 simulated"
        assert p in said
        named = "strongest circle" in said or "of higher worth" in said
        assert not named or fit.noise_p <= 0.05
        assert ("no sign of circles" in said) == (fit.noise_p > 0.05)
    strong = MElo().fit(campaign(rock_paper_scissors(), 1500, 0))
    assert strong.noise_p == strong.extras["noise_p"] == 0.01
    assert strong.extras["circle"] is not None


def test_noise_says_the_same_twice_and_its_share_is_even_where_nothing_goes_in_circles():
    fits = [MElo(starts=1).fit(campaign(transitive(6), 600, seed)) for seed in range(30)]
    assert np.mean([fit.noise_p for fit in fits]) == pytest.approx(0.5, abs=0.2)
    assert MElo(starts=1).fit(campaign(transitive(6), 600, 0)).noise_p == fits[0].noise_p


def test_shares_are_whole_percent():
    rock = tally(("a", "b", 80, 0, 20), ("b", "c", 80, 0, 20), ("c", "a", 80, 0, 20))
    assert MElo(strength=1.0).fit(rock).says[0].startswith("100 % of the variance")
    nearly = tally(("a", "b", 800, 0, 100), ("b", "c", 800, 0, 100), ("a", "c", 970, 0, 30))
    fit = MElo(strength=0.5).fit(nearly)
    assert 0 < fit.share < 0.01
    assert fit.says[0].startswith("less than 1 % of the variance")


def test_a_weak_penalty_by_number_is_noted_and_the_default_is_not():
    data = campaign(rock_paper_scissors(), 800, 2)
    assert "more of them may find a better maximum" in " ".join(MElo(strength=0.1).fit(data).notes)
    assert "better maximum" not in " ".join(MElo().fit(data).notes)


def test_the_prior_and_o_are_those_of_the_score_equation_by_hand():
    """With r and −r: 30 − 40 σ(2r) + prior (1/2 − σ(r)) = 0; o is r / 2."""
    for prior in (1.0, 20.0):
        fit = MElo(prior=prior).fit(tally(("a", "b", 30, 0, 10)))
        r = 2 * fit.coefficients[0].estimate
        score = 30 - 40 / (1 + np.exp(-2 * r)) + prior * (0.5 - 1 / (1 + np.exp(-r)))
        assert score == pytest.approx(0, abs=1e-3)
        assert r == pytest.approx(fit.log_worth[0])


def test_rankings_are_noted_to_have_less_noise_that_goes_in_circles():
    ranked = tally(("a", "b", 7, 2, 3), ("b", "c", 7, 2, 3), ("a", "c", 7, 2, 3))
    notes = MElo().fit(replace(ranked, n_judgments=12.0)).notes
    assert any("one ranking cannot contain a circle: less goes" in note for note in notes)


def test_a_hundred_systems_take_seconds():
    fit = MElo().fit(campaign(rock_paper_scissors(99), 20_000, 1))
    assert fit.share > 0.2


def test_what_cannot_be_fitted_is_refused():
    with pytest.raises(NotIdentified, match="every judgment is a tie"):
        MElo().fit(tally(("a", "b", 0, 7, 0)))
    with pytest.raises(NotIdentified, match="cannot be chosen by held-out comparisons"):
        MElo(strength="held-out").fit(tally(("a", "b", 7, 1, 3), ("b", "c", 5, 0, 3)))
    many = tuple(f"s{i:03d}" for i in range(501))
    with pytest.raises(NotIdentified, match="501 systems are too many for mElo"):
        MElo().fit(tally((many[0], many[1], 1, 1, 1), systems=many))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"k": 0}, "k cannot be 0"),
        ({"starts": 0}, "starts cannot be 0"),
        ({"strength": 0.0}, "strength cannot be 0.0"),
        ({"strength": "some"}, "strength cannot be 'some'"),
        ({"prior": 0.0}, "prior cannot be 0.0"),
        ({"k": 1.5}, "k cannot be 1.5: it is a whole number"),
        ({"k": True}, "k cannot be True"),
        ({"k": "1"}, "k cannot be '1'"),
        ({"prior": "1"}, "prior cannot be '1'"),
        ({"strength": None}, "strength cannot be None"),
        ({"starts": 2.5}, "starts cannot be 2.5"),
        ({"seed": -1}, "seed cannot be -1: it is a whole number, 0 or more"),
        ({"ties": "half-win"}, "ties cannot be 'half-win'"),
    ],
)
def test_settings_that_do_not_exist_are_refused(settings, said):
    with pytest.raises(UnknownOption, match=said):
        MElo(**settings)


def test_a_system_preferred_to_one_of_higher_worth_is_named_though_nothing_goes_in_circles():
    answers = {
        (0, 1): (75, 25),
        (1, 2): (98, 2),
        (1, 3): (98, 2),
        (0, 2): (55, 45),
        (0, 3): (55, 45),
    }
    left, right = np.array(list(answers), np.int32).T
    wins, losses = np.array(list(answers.values()), float).T
    tally = Tally(tuple("ABCD"), left, right, wins, 0 * wins, losses, n_judgments=500)
    fit = MElo().fit(tally)
    assert fit.log_worth[1] > fit.log_worth[0]
    assert fit.odds[0, 1] > 0
    assert any("yet A is preferred to B, of higher worth" in line for line in fit.says)
