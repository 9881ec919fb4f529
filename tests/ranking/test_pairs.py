"""Two systems of a ranking, and predicted win rates, beside closed forms."""

import numpy as np
import polars as pl
import pytest
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import norm

import evenhand
from evenhand.errors import InvalidJudgments, UnknownOption

LEVEL = norm.ppf(0.975)


def votes(*counts: tuple[str, str, int, int, int]) -> pl.DataFrame:
    """Return votes: of each pair how often left won, how often neither and how often right."""
    rows = [
        (left, right, outcome)
        for left, right, *numbers in counts
        for outcome, n in zip(("left", "tie", "right"), numbers, strict=True)
        for _ in range(n)
    ]
    return pl.DataFrame(rows, schema=["left", "right", "outcome"], orient="row")


def rank(frame, **settings):
    return evenhand.rank(evenhand.read(frame), **{"interval": "model", **settings})


def test_of_two_systems_the_rate_is_the_observed_and_its_interval_in_closed_form():
    """Davidson's model has as many parameters as cells: log(30/20), variance 1/30 + 1/20."""
    pair = rank(votes(("A", "B", 30, 10, 20))).pair("A", "B")
    gap, error = np.log(30 / 20), np.sqrt(1 / 30 + 1 / 20)
    np.testing.assert_allclose(
        [pair.win, pair.tie, pair.difference, pair.stderr, pair.p_adjusted],
        [30 / 50, 10 / 60, gap, error, 2 * norm.sf(gap / error)],
        rtol=1e-7,
    )
    ends = gap - LEVEL * error, gap + LEVEL * error
    np.testing.assert_allclose([pair.lower, pair.upper], ends, rtol=1e-7)
    np.testing.assert_allclose([pair.win_lower, pair.win_upper], expit(ends), rtol=1e-7)
    assert (pair.wins, pair.ties, pair.losses, pair.compared) == (30, 10, 20, 60)
    assert pair.better is None


@pytest.mark.parametrize("ties", ["rao-kupper", "glenn-david", "half-win", "discard", "davidson"])
def test_every_law_of_ties_predicts_what_two_systems_showed(ties):
    """Each fits three cells, or two, exactly; ties that are half a win are no outcome of it."""
    model = evenhand.BradleyTerry(ties=ties)
    pair = rank(votes(("A", "B", 30, 10, 20)), model=model).pair("A", "B")
    expected = {"half-win": (35 / 60, 0.0), "discard": (30 / 50, 0.0)}.get(ties, (0.6, 1 / 6))
    np.testing.assert_allclose([pair.win, pair.tie], expected, rtol=1e-6)
    assert pair.win_lower < pair.win < pair.win_upper
    at_zero = (
        pair.difference - LEVEL * pair.stderr
    )  # an interval ends at .5 where the gap does at 0
    assert (pair.win_lower < 0.5) == (at_zero < 0)


def test_intervals_and_p_are_those_of_the_pairs_of_the_ranking(jury):
    ranking = evenhand.rank(jury)
    for row in ranking.pairs():
        pair = ranking.pair(row["first"], row["second"])
        keys = ("difference", "lower", "upper", "p_adjusted")
        assert [getattr(pair, key) for key in keys] == [row[key] for key in keys]
        assert (pair.better is not None) == row["decided"]
        assert pair.simultaneous


@pytest.fixture(scope="module")
def jury():
    """Votes of 20 judges on 30 items and four systems, the best two close."""
    draw, worth = np.random.default_rng(8), {"A": 0.7, "B": 0.45, "C": 0.0, "D": -0.5}
    rows = []
    for judge in range(20):
        for item in range(30):
            left, right = draw.choice([*worth], 2, replace=False)
            chance = expit(worth[left] - worth[right])
            outcome = "left" if draw.random() < chance else "right"
            outcome = "tie" if draw.random() < 0.15 else outcome
            rows.append((f"j{judge}", f"i{item}", left, right, outcome))
    names = ["judge", "item", "left", "right", "outcome"]
    return evenhand.read(pl.DataFrame(rows, schema=names, orient="row"))


def test_judgments_still_needed_solve_their_equation(jury):
    """d̂ t = c s √t + z s √(t − 1) with power .8, by another solver."""
    ranking = evenhand.rank(jury)
    pair = ranking.pair("A", "B")
    today, critical = pair.difference / pair.stderr, min(ranking.rank_sets.critical)
    z = norm.ppf(0.8)
    times = brentq(lambda t: today * t - critical * np.sqrt(t) - z * np.sqrt(t - 1), 1.0, 1e4)
    assert pair.better is None
    np.testing.assert_allclose(pair.judgments_needed, (times - 1) * ranking.n_judgments, rtol=1e-4)
    assert "judgments needed, all systems" in str(pair)
    assert evenhand.rank(jury).pair("A", "D").judgments_needed is None


@pytest.mark.parametrize("name", ["random-judges", "judge-slopes", "plackett-luce", "pattern"])
def test_other_models_bound_the_rate_that_they_predict(name, jury):
    ranking = evenhand.rank(jury, model=name)
    pair = ranking.pair("A", "C")
    (left,), (right,) = (ranking.fit.predict([one]) for one in (("A", "C"), ("C", "A")))
    win, loss = left[0] + right[2], left[2] + right[0]
    np.testing.assert_allclose(pair.win, win / (win + loss))
    assert pair.win_lower < pair.win < pair.win_upper
    chances = ranking.fit.predict_gaps(np.array([pair.difference, 0.0]))
    if chances is not None:
        np.testing.assert_allclose(chances[0, 0] / (1 - chances[0, 1]), pair.win)
        np.testing.assert_allclose(chances[1, 0], chances[1, 2])


def test_an_order_effect_is_averaged_over_both_orders():
    """Where left wins 40 of 50 in one order and 25 of 50 in the other, whoever stands there."""
    frame = votes(("A", "B", 40, 0, 10), ("B", "A", 25, 0, 25))
    ranking = rank(frame, model=evenhand.BradleyTerry(order_effect=True))
    pair = ranking.pair("A", "B")
    np.testing.assert_allclose(pair.win, (40 / 50 + 25 / 50) / 2, rtol=1e-6)
    assert pair.win_lower < pair.win < pair.win_upper


def test_win_rates_are_logistic_in_the_difference_and_add_up(jury):
    ranking = evenhand.rank(jury)
    rates = ranking.win_rates()
    gaps = ranking.log_worth[:, None] - ranking.log_worth
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(rates.rates[off], expit(gaps)[off], rtol=1e-9)
    assert np.isnan(rates.rates[~off]).all()
    assert rates.systems == ranking.systems
    written = {(row["first"], row["second"]): row for row in rates.to_dict()["win_rates"]}
    assert len(written) == 12
    np.testing.assert_allclose(written["D", "A"]["win"], ranking.pair("D", "A").win)
    np.testing.assert_allclose(written["D", "A"]["tie"], ranking.pair("A", "D").tie)
    assert len(rates.to_pandas()) == 4


def test_what_is_no_pair_is_refused(jury):
    ranking = evenhand.rank(jury)
    with pytest.raises(InvalidJudgments, match="no system 'E'"):
        ranking.pair("A", "E")
    with pytest.raises(UnknownOption, match="a pair is two systems, and 'A' is one"):
        ranking.pair("A", "A")


def test_a_pair_that_is_decided_in_steps_says_that_its_interval_has_none():
    draw, n = np.random.default_rng(0), 240
    worths = np.array([1.2, 0.2, -0.3, -1.2])
    left = draw.integers(4, size=n)
    right = (left + draw.integers(1, 4, size=n)) % 4
    won = draw.random(n) < 1 / (1 + np.exp(worths[right] - worths[left]))
    names = np.array([f"s{one}" for one in range(4)])
    winner = np.where(won, "left", "right")
    ranking = evenhand.rank({"left": names[left], "right": names[right], "winner": winner})
    pair = ranking.pair("s1", "s2")
    assert pair.better == "s1"
    assert pair.lower < 0 < pair.upper
    assert "decided-in-steps" in [one["code"] for one in pair.to_dict()["findings"]]
    assert "s1 is better by the p-value, which is adjusted in steps" in str(
        pair.document().findings
    )
    clear = ranking.pair("s0", "s3")
    assert clear.lower > 0
    assert clear.findings == clear.notes
