"""What leaving each cluster out does, against fits without it, and effective clusters by hand."""

import numpy as np
import polars as pl
import pytest

from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.numerics.bootstrap import jackknife
from evenhand.ranking.covariance import Network, count_effective, leave_each_out
from evenhand.ranking.intervals import pair_variance
from experiments.campaign import Campaign, generator
from ranking.panels import comparisons, fit, panel, tally


def test_one_step_is_as_large_as_refits_to_the_third_digit():
    """INFERENCE B1: CV3 from one step against CV3 from 20 refits, each without one judge."""
    campaign = Campaign(0.15, 0.5, 0.0)
    data = campaign.simulate(generator(1, 4, 0))
    model = BradleyTerry(ties="discard")
    whole = model.fit(data)
    parts = data.split("judge")
    frames = [[part for name, part in parts.items() if name != left] for left in parts]
    refits = [model.fit(_join(rest)).log_worth for rest in frames]
    changes = np.stack(refits) - whole.log_worth
    way = leave_each_out(whole, data, "judge")
    ratio = pair_variance(whole.to_worth(way.vcov)) / (
        pair_variance(jackknife(changes)) + np.eye(10)
    )
    pairs = np.triu_indices(10, 1)
    assert np.median(np.sqrt(ratio[pairs])) == pytest.approx(1, abs=2e-3)
    np.testing.assert_allclose(np.sqrt(ratio[pairs]), 1, atol=0.02)


def _join(parts):
    """One tally of several of the same systems."""
    first = parts[0]
    assert all(part.systems == first.systems for part in parts)
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("left", "right", "wins", "ties", "losses")
    }
    return type(first)(systems=first.systems, **columns)


def test_effective_clusters_are_counted_per_difference():
    """One parameter, loads 1, 1, 2: (1 + 1 + 2)² / (1 + 1 + 4) = 8/3."""
    own = np.array([1.0, 1.0, 2.0])[:, None, None]
    rows = np.array([[0.5], [-0.5]])
    found = count_effective(Network(lambda: [own], len(own), rows, rows))
    np.testing.assert_allclose(found, [[0, 8 / 3], [8 / 3, 0]])


def linked_by(judge: str) -> pl.DataFrame:
    """Nine judges compare a, b, c among themselves and x, y; only one compares across."""
    base = panel(3, n=600, judges=9, systems=5)
    near = {"s0", "s1", "s2"}
    inside = base.filter(pl.col("left").is_in(near) == pl.col("right").is_in(near))
    across = base.filter(pl.col("left").is_in(near) != pl.col("right").is_in(near))
    return pl.concat([inside, across.with_columns(judge=pl.lit(judge))])


def test_contrasts_across_the_cut_rest_on_the_judge_and_others_keep_their_part():
    """Inside a part the change is that of the part by itself, ties apart: a block of its own."""
    frame = linked_by("j004")
    model = BradleyTerry(ties="discard")
    whole = model.fit(comparisons(frame))
    way = leave_each_out(whole, tally(frame, "judge"), "judge")
    cut = way.resting >= 0
    near = np.array([True, True, True, False, False])
    np.testing.assert_array_equal(cut, near[:, None] != near)
    assert way.label(int(way.resting[0, 3])) == "judge j004"
    own = whole.tally  # the one-step change inside a part is that of the part's own Laplacian
    assert own.systems == ("s0", "s1", "s2", "s3", "s4")
    eta = whole.lambdas[own.left] - whole.lambdas[own.right]
    rest = tally(frame.filter(pl.col("judge") != "j004")).fold().pool()
    weight, score = _sums(whole, rest)
    part = [0, 1, 2]
    change = np.linalg.pinv(weight[np.ix_(part, part)]) @ score[part]
    centred = change - change.mean()
    codes = [str(label) for label in way.factor.labels]
    moved = way.influence.changes[codes.index("j004")] @ way.influence.rows.T / 2
    np.testing.assert_allclose(moved[part] - moved[part].mean(), centred, rtol=1e-6, atol=1e-9)
    assert len(eta) > 0


def _sums(whole, rest):
    """Laplacian and score of all other judges at the whole estimate, in λ."""
    eta = whole.lambdas[rest.left] - whole.lambdas[rest.right]
    chance = 1 / (1 + np.exp(-2 * eta))
    n = rest.wins + rest.losses
    weight, score = np.zeros((5, 5)), np.zeros(5)
    for i, j, w, r in zip(
        rest.left,
        rest.right,
        4 * n * chance * (1 - chance),
        2 * (rest.wins - n * chance),
        strict=True,
    ):
        e = np.zeros(5)
        e[i], e[j] = 1, -1
        weight += w * np.outer(e, e)
        score += r * e
    return weight, score


def test_one_cluster_shows_no_spread():
    frame = panel(judges=9).with_columns(judge=pl.lit("only"))
    with pytest.raises(NotIdentified, match="all comparisons are of one cluster"):
        leave_each_out(fit(frame), tally(frame, "judge"), "judge")
