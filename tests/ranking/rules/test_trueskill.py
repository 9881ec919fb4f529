"""TrueSkill as WMT used it: the replay beside matches played one by one, and what is refused."""

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.ranking.rules import MATCHES_AT_ONCE, Matches, TrueSkill, replay, score_trueskill
from tallies import tally

QUICK = TrueSkill(runs=40)
NORMAL = NormalDist()
CHAIN = tally(("a", "b", 30, 5, 10), ("b", "c", 30, 5, 10), ("c", "d", 30, 5, 10))
THREE = tally(("a", "b", 6, 2, 3), ("b", "c", 5, 4, 1), ("a", "c", 4, 1, 2))


def rate(a, b, outcome, beta):
    """Win and draw by the formulas of Herbrich et al. (2006), in scalars; a won or drew."""
    c = math.sqrt(2 * beta**2 + a[1] + b[1])
    e = NORMAL.inv_cdf(1.25 / 2) * math.sqrt(2) * beta / c
    t = (a[0] - b[0]) / c
    if outcome == "win":
        v = NORMAL.pdf(t - e) / NORMAL.cdf(t - e)
        w = v * (v + t - e)
    else:
        z = NORMAL.cdf(e - t) - NORMAL.cdf(-e - t)
        v = (NORMAL.pdf(-e - t) - NORMAL.pdf(e - t)) / z
        w = v * v + ((e - t) * NORMAL.pdf(e - t) + (e + t) * NORMAL.pdf(e + t)) / z
    return (
        (a[0] + a[1] / c * v, a[1] * (1 - a[1] / c**2 * w)),
        (b[0] - b[1] / c * v, b[1] * (1 - b[1] / c**2 * w)),
    )


def one_by_one(counts, k, n, luck):
    """Play n matches with given luck; counts: {(i, j): (wins, ties, losses)} for i < j."""
    beta = 0.5 * n / 40
    skills = {i: (0.0, 0.25) for i in range(k) if any(i in p for p, c in counts.items() if sum(c))}
    for partner, outcome in luck:
        a = max(skills, key=lambda i: (skills[i][1], -i))
        met = [j for j in range(k) if j != a and sum(counts.get((min(a, j), max(a, j)), ()))]
        weights = [math.exp(-abs(skills[a][0] - skills[j][0])) for j in met]
        reached, b = 0.0, met[-1]
        for j, weight in zip(met, weights, strict=True):
            reached += weight
            if partner * sum(weights) < reached:
                b = j
                break
        wins, ties, losses = counts[min(a, b), max(a, b)][:: 1 if a < b else -1]
        total = wins + ties + losses
        if outcome < wins / total:
            skills[a], skills[b] = rate(skills[a], skills[b], "win", beta)
        elif outcome < (wins + ties) / total:
            skills[a], skills[b] = rate(skills[a], skills[b], "draw", beta)
        else:
            skills[b], skills[a] = rate(skills[b], skills[a], "win", beta)
    return [skills.get(i, (0.0,))[0] for i in range(k)]


@pytest.mark.parametrize("missing", [False, True], ids=["all pairs seen", "a pair and more unseen"])
def test_all_runs_at_once_are_matches_played_one_by_one(missing):
    n, runs = 2 * MATCHES_AT_ONCE + 7, 6
    rng = np.random.Generator(np.random.PCG64(4))
    pairs = tally(
        ("a", "b", 1, 0, 0), ("a", "c", 1, 0, 0), ("a", "d", 1, 0, 0),
        ("b", "c", 1, 0, 0), ("b", "d", 1, 0, 0), ("c", "d", 1, 0, 0),
    )  # fmt: skip
    counts = rng.integers(1, 9, (runs, 6, 3)).astype(float)
    if missing:
        counts[:3, 1] = 0.0  # a never met c
        counts[4, [2, 4, 5]] = 0.0  # nobody met d
    luck = np.random.Generator(np.random.PCG64(9))
    found = replay(Matches.of(pairs, counts), n, luck)
    same = np.random.Generator(np.random.PCG64(9))
    draws = np.concatenate(
        [same.random((b, 2, runs)) for b in (MATCHES_AT_ONCE, MATCHES_AT_ONCE, 7)]
    )
    ends = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    for run in range(runs):
        seen = {pair: tuple(row) for pair, row in zip(ends, counts[run], strict=True)}
        expected = one_by_one(seen, 4, n, draws[:, :, run])
        np.testing.assert_allclose(found[run], expected, rtol=1e-9, atol=1e-12)
    assert not missing or found[4, 3] == 0.0


def test_rankings_are_drawn_whole_and_give_wider_ranges():
    """Twelve judges of one mind each say the same 20 times: 240 comparisons, 12 opinions."""
    rows = [("a", "b", 20.0 * (j < 8), 0, 20.0 * (j >= 8), f"j{j:02d}") for j in range(12)]
    rows.append(("b", "c", 20, 0, 20, "j00"))
    panel = tally(*rows)
    alone = score_trueskill(panel, settings=QUICK)
    whole = score_trueskill(panel, settings=replace(QUICK, by="judge"))
    assert "drawn=judge" in whole.settings
    assert whole.stderr[0] > 1.5 * alone.stderr[0]


def test_without_resamples_runs_differ_by_their_matches_alone():
    """Of two equals, n matches drawn from n comparisons have a variance of n/4 in wins.

    Resampling the n comparisons first adds as much again, so that the standard deviation of a skill
    falls by √2 without. Each of the two deviations has an error of 1/√(2 · 1,000 runs) = 2.2 %.
    """
    even = tally(("a", "b", 200, 0, 200))
    drawn = score_trueskill(even, settings=TrueSkill(runs=1000))
    whole = score_trueskill(even, settings=TrueSkill(runs=1000, resampled=False))
    assert drawn.stderr[0] / whole.stderr[0] == pytest.approx(math.sqrt(2), rel=0.1)
    assert "drawn=comparison" in drawn.settings
    assert "drawn=nothing" in whole.settings


def test_only_what_met_nobody_is_said_to_have_met_nobody(monkeypatch):
    """Ties alone, and too few matches for all, leave skills at zero too."""
    ties = tally(("a", "b", 0, 9, 0), ("b", "c", 0, 9, 0), ("a", "c", 0, 9, 0))
    assert score_trueskill(ties, settings=QUICK).notes == ()
    monkeypatch.setattr("evenhand.ranking.rules.MAX_WORK", 1)
    (few,) = score_trueskill(CHAIN, settings=QUICK).notes
    assert few.startswith("1 matches a run")


def weighted(data, scale):
    """Every comparison with the importance `scale`."""
    counts = scale * data.counts.T
    wins, ties, losses = counts.copy()
    return replace(data, wins=wins, ties=ties, losses=losses, squares=scale**2 * data.counts)


def test_importance_weights_are_no_counts_to_draw_from_and_their_scale_changes_nothing():
    with pytest.raises(InvalidJudgments, match="cannot be drawn with importance weights"):
        score_trueskill(weighted(THREE, 3.0), settings=QUICK)
    with pytest.raises(InvalidJudgments, match="fractional weights"):
        score_trueskill(tally(("a", "b", 3.5, 1, 2)), settings=QUICK)
    panel = tally(*(("a", "b", 3, 1, 2, f"j{j}") for j in range(6)), ("b", "c", 2, 0, 3, "j0"))
    by = replace(QUICK, by="judge")
    whole, other = (score_trueskill(weighted(panel, w), settings=by) for w in (1.0, 3.0))
    np.testing.assert_allclose(other.values, whole.values, rtol=1e-12)
    assert whole.settings == other.settings == score_trueskill(panel, settings=by).settings


def test_settings_that_cannot_be_are_refused():
    with pytest.raises(UnknownOption, match="resampled=True"):
        TrueSkill(by="judge", resampled=False)
    with pytest.raises(UnknownOption, match="cannot be 0"):
        TrueSkill(runs=0)


def test_very_large_data_are_thinned(monkeypatch):
    monkeypatch.setattr("evenhand.ranking.rules.MAX_WORK", 100 * 4 * 40)
    scores = score_trueskill(CHAIN, settings=QUICK)
    assert "matches=100" in scores.settings
    assert scores.notes == (
        "100 matches a run instead of 136: rank ranges are wider than with all.",
    )  # fmt: skip
    assert scores.order[0] == "a"
