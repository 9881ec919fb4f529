"""Position bias: all judges together, each of them, and what cannot be told."""

import numpy as np
import polars as pl
import pytest
from narwhals import from_native

import evenhand
from evenhand.data.comparisons import Comparisons
from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.bias import find_position_bias, share_first
from evenhand.ranking.sandwich import cluster_covariance


def campaign(
    seed: int, *, judges: int = 20, n: int = 60, delta: float = 0.1, biased: int = 0
) -> pl.DataFrame:
    """Judges of equal taste, some of whom always take the first; delta in log-odds."""
    rng = np.random.Generator(np.random.PCG64(seed))
    worth, judge = np.linspace(0.6, -0.6, 5), np.repeat(np.arange(judges), n)
    left = rng.integers(0, 5, len(judge))
    right = (left + rng.integers(1, 5, len(judge))) % 5
    half = (worth[left] - worth[right] + delta) / 2
    chances = np.stack([np.exp(half), np.full(len(half), 0.4), np.exp(-half)], axis=1)
    drawn = rng.random((len(half), 1)) * chances.sum(axis=1, keepdims=True)
    outcome = (drawn > chances.cumsum(axis=1)).sum(axis=1)
    outcome[judge < biased] = 0
    return pl.DataFrame(
        {
            "left": [f"s{i}" for i in left],
            "right": [f"s{i}" for i in right],
            "outcome": np.array(["left", "tie", "right"])[outcome].tolist(),
            "judge": [f"j{i:02d}" for i in judge],
        }
    )


def read(frame: pl.DataFrame, **settings) -> Comparisons:
    return Comparisons(from_native(frame), **settings)


def test_the_common_bias_is_the_order_effect_with_its_clustered_error():
    data = read(campaign(1))
    found = find_position_bias(data)
    tally = data.tally(by=["judge"])
    fit = BradleyTerry(order_effect=True).fit(tally)
    order = next(c for c in fit.coefficients if c.name == "order")
    vcov, _ = cluster_covariance(fit, tally, "judge")
    assert found.estimate == pytest.approx(2 * order.estimate, abs=1e-12)
    assert found.stderr == pytest.approx(2 * np.sqrt(vcov[-1, -1]), rel=1e-9)
    assert "sandwich CV3 by judge" in found.method


def test_one_pair_in_both_orders_has_a_closed_form():
    """61 of 90 and 50 of 90 for whoever is first: δ is the mean of the two logits."""
    rows = [("a", "b", "left")] * 61 + [("a", "b", "right")] * 29
    rows += [("b", "a", "left")] * 50 + [("b", "a", "right")] * 40
    found = find_position_bias(read(pl.DataFrame(rows, ["left", "right", "outcome"], orient="row")))
    logits = np.log(61 / 29), np.log(50 / 40)
    assert found.estimate == pytest.approx(np.mean(logits), abs=1e-9)
    assert found.share == pytest.approx(share_first(float(np.mean(logits))))
    assert found.judges == ()
    assert found.spread is None


def test_two_of_twenty_who_always_take_the_first_are_found():
    for seed in range(5):
        found = find_position_bias(read(campaign(seed, biased=2)))
        assert {one.judge for one in found.stand_out} >= {"j00", "j01"}
        assert [one.judge for one in found.judges[:2]] == sorted(
            (one.judge for one in found.judges[:2]), key=lambda name: name not in {"j00", "j01"}
        )
        assert {one.judge for one in found.judges[:2]} == {"j00", "j01"}
        assert found.heterogeneity_p < 1e-6
        assert found.judges[0].first == 60
        assert 0.9 < found.judges[0].share < 1


def test_the_others_do_not_stand_out_beside_them():
    """Twenty campaigns with two biased judges: of 18 others each, hardly any is named."""
    named = 0
    for seed in range(20):
        found = find_position_bias(read(campaign(seed, biased=2, delta=0.0)))
        named += len({one.judge for one in found.stand_out} - {"j00", "j01"})
    assert named <= 6


def test_the_exact_and_the_normal_test_agree_where_both_serve(monkeypatch):
    data = read(campaign(4, judges=6, n=400))
    exact = {one.judge: one.p_none for one in find_position_bias(data).judges}
    monkeypatch.setattr("evenhand.ranking.bias.MAX_EXACT_COMPARISONS", 0)
    normal = {one.judge: one.p_none for one in find_position_bias(data).judges}
    for judge, p in exact.items():
        assert normal[judge] == pytest.approx(p, rel=0.15, abs=0.02)


def rankings(seed: int, *, n: int = 400) -> pl.DataFrame:
    """Rankings of five equal outputs in random places by twenty judges, without any bias."""
    rng = np.random.Generator(np.random.PCG64(seed))
    order = np.stack([rng.permutation(5) for _ in range(n)])
    place = np.stack([rng.permutation(5) + 1 for _ in range(n)])
    ids = np.repeat(np.arange(n), 5)
    return pl.DataFrame(
        {
            "judge": [f"j{i % 20:02d}" for i in ids],
            "ranking": [f"r{i}" for i in ids],
            "system": [f"s{i}" for i in order.ravel()],
            "position": np.tile(np.arange(1, 6), n).tolist(),
            "rank": place.ravel().tolist(),
        }
    )


def test_rankings_without_bias_raise_no_alarm():
    alarms = [find_position_bias(evenhand.read(rankings(seed))) for seed in range(20)]
    assert sum(bool(one.stand_out) for one in alarms) <= 4
    assert sum(one.heterogeneity_p <= 0.05 for one in alarms) <= 4
    assert any("counts as 1/1." in note for one in alarms for note in one.notes)


def test_turning_everything_round_turns_the_bias():
    frame = campaign(6)
    turned = frame.with_columns(left=pl.col("right"), right=pl.col("left")).with_columns(
        outcome=pl.col("outcome").replace_strict({"left": "right", "right": "left", "tie": "tie"})
    )
    one, two = find_position_bias(read(frame)), find_position_bias(read(turned))
    assert two.estimate == pytest.approx(-one.estimate, abs=1e-9)
    assert two.stderr == pytest.approx(one.stderr, rel=1e-9)
    assert {j.judge: round(j.estimate, 6) for j in two.judges} == {
        j.judge: round(-j.estimate, 6) for j in one.judges
    }


def test_a_ranking_of_weight_three_is_three_rankings():
    frame = rankings(3, n=60).with_columns(weight=pl.col("ranking").str.slice(1).cast(int) % 3 + 1)
    apart = [
        frame.filter(pl.col("weight") >= times).with_columns(
            ranking=pl.col("ranking") + f"-{times}", weight=pl.lit(1)
        )
        for times in (1, 2, 3)
    ]
    one, two = (find_position_bias(evenhand.read(f)) for f in (frame, pl.concat(apart)))
    assert one.spread == pytest.approx(two.spread, abs=1e-6)
    assert one.heterogeneity_p == pytest.approx(two.heterogeneity_p, rel=1e-6)
    assert {j.judge: j.p_none for j in one.judges} == pytest.approx(
        {j.judge: j.p_none for j in two.judges}, rel=1e-6
    )
    (note,) = [note for note in one.notes if "counts as 1/" in note]
    assert note in two.notes


def one_sided() -> pl.DataFrame:
    """Two judges saw one pair in both orders; each always took one side."""
    rows = [("j0", "a", "b", "left"), ("j0", "b", "a", "left")]
    rows += [("j1", "a", "b", "right"), ("j1", "b", "a", "right")]
    return pl.DataFrame(rows, ["judge", "left", "right", "outcome"], orient="row")


def test_where_every_judge_took_one_side_no_spread_is_given_and_nobody_stands_out():
    found = find_position_bias(read(one_sided()))
    assert found.spread is None
    assert found.stand_out == ()
    assert {(one.p_common, one.p_common_adjusted) for one in found.judges} == {(None, None)}
    assert [one.p_none for one in found.judges] == pytest.approx([0.5, 0.5])  # 2 of 2, twofold
    said = " ".join(found.says)
    assert "the sd of their biases has no finite estimate below 10" in said
    assert "Different" not in said
    assert any("drawn to the common one as by a sd of 10" in note for note in found.notes)


def test_votes_that_balance_both_sides_to_the_last_are_refused_and_judgments_apart_are_not():
    """Each judge prefers a system on both sides: no judge's answers say anything of sides."""
    pairs = [("x", "y"), ("y", "z"), ("z", "x")]
    rows = [
        {"left": left, "right": right, "judge": f"j{judge}"}
        | {"outcome": "left" if left == pair[(judge // (1 + at)) % 2] else "right"}
        for judge in range(12)
        for at, pair in enumerate(pairs)
        for left, right in (pair, pair[::-1])
    ]
    votes = evenhand.read(pl.DataFrame(rows))
    with pytest.raises(NotIdentified, match="no standard error"):
        evenhand.find_position_bias(votes, cluster="judge")
    assert evenhand.find_position_bias(votes, cluster="judgment").stderr > 0


def test_worths_that_are_not_identified_are_refused_in_their_own_words():
    rows = [("a", "b", "left")] * 5 + [("b", "a", "right")] * 4
    frame = pl.DataFrame(rows, ["left", "right", "outcome"], orient="row")
    with pytest.raises(NotIdentified, match='nobody preferred anything to "a"'):
        find_position_bias(read(frame))
