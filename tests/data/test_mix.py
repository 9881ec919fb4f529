"""Stated mixes of judges and items, against closed forms."""

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import fetch_columns
from evenhand.data.rankings import Rankings
from evenhand.data.source import Source
from evenhand.data.weights import Mix
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownColumn, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import rank
from frames_of_engines import every_engine, handle
from ranking.panels import comparisons, panel

WON = {"ann": (60, 10, 20), "ben": (3, 1, 5), "cai": (2, 0, 8)}
"""Judge → how often a beat b, tied, lost."""
GROUP = {"ann": "expert", "ben": "crowd", "cai": "crowd"}


def judged(won=None) -> pl.DataFrame:
    """One row an answer on systems a and b."""
    rows = [
        ("a", "b", outcome, judge, GROUP[judge], f"i{i % 7}")
        for judge, counts in (won or WON).items()
        for outcome, n in zip(("left", "tie", "right"), counts, strict=True)
        for i in range(n)
    ]
    names = ["left", "right", "outcome", "judge", "judge_group", "item"]
    return pl.DataFrame(rows, schema=names, orient="row")


def shares_of_outcomes(weight) -> np.ndarray:
    """Win, tie and loss shares where each judge's answers weigh so much together."""
    shares = {judge: np.array(counts) / sum(counts) for judge, counts in WON.items()}
    return sum(weight[judge] * shares[judge] for judge in WON)


def test_where_judges_weigh_the_same_the_log_worth_is_that_of_the_mean_of_their_shares():
    """Two systems, Davidson: log-worth difference = ln(weighted wins / weighted losses)."""
    mixed = Mix(each="judge").weigh(comparisons(judged()))
    won, tied, lost = shares_of_outcomes(dict.fromkeys(WON, 1 / 3))
    fit = BradleyTerry().fit(mixed)
    assert fit.log_worth[0] - fit.log_worth[1] == pytest.approx(np.log(won / lost), abs=1e-8)
    row = rank(mixed).row("a")
    total = row["wins"] + row["ties"] + row["losses"]
    assert row["wins"] / total == pytest.approx(won)
    assert row["ties"] / total == pytest.approx(tied)
    assert total == pytest.approx(109)  # as many as there are


def test_shares_of_groups_hold_and_within_them_judges_weigh_the_same():
    mix = Mix({"judge_group": {"expert": 0.3, "crowd": 0.7}}, each="judge")
    won, _, lost = shares_of_outcomes({"ann": 0.3, "ben": 0.35, "cai": 0.35})
    fit = BradleyTerry().fit(mix.weigh(comparisons(judged())))
    assert fit.log_worth[0] - fit.log_worth[1] == pytest.approx(np.log(won / lost), abs=1e-8)


def test_two_columns_are_mixed_independently_of_each_other():
    frame = panel(judges=8, n=900).with_columns(
        group=pl.when(pl.col("judge") < "j003").then(pl.lit("x")).otherwise(pl.lit("y")),
        domain=pl.when(pl.col("item") < "i002").then(pl.lit("news")).otherwise(pl.lit("web")),
    )
    mix = Mix({"group": {"x": 0.6, "y": 0.4}, "domain": {"news": 0.1, "web": 0.9}})
    rows = pl.DataFrame(fetch_columns(mix.weigh(comparisons(frame)).frame))
    found = rows.group_by("group", "domain").agg(pl.col("weight").sum() / 900)
    shares = {row[:2]: row[2] for row in found.iter_rows()}
    assert shares == pytest.approx(
        {("x", "news"): 0.06, ("x", "web"): 0.54, ("y", "news"): 0.04, ("y", "web"): 0.36}
    )


def test_the_effective_number_of_judgments_is_kishs():
    mixed = Mix(each="judge").weigh(comparisons(judged())).mix
    weights = np.concatenate([np.full(n, 1 / n) for n in (90, 9, 10)])
    assert mixed.effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert (mixed.n_judgments, mixed.n_comparisons) == (109, 109)


def test_a_group_that_counts_twice_is_a_group_whose_rows_stand_twice():
    frame = panel(judges=10, n=600).with_columns(
        group=pl.when(pl.col("judge") < "j005").then(pl.lit("x")).otherwise(pl.lit("y"))
    )
    x = frame.filter(pl.col("group") == "x")
    total = len(frame) + len(x)
    shares = {"x": 2 * len(x) / total, "y": 1 - 2 * len(x) / total}
    mixed = rank(comparisons(frame), mix=Mix({"group": shares}), cluster="judge")
    twice = rank(comparisons(pl.concat([frame, x])), cluster="judge")
    np.testing.assert_allclose(mixed.log_worth, twice.log_worth, atol=1e-8)
    np.testing.assert_allclose(mixed.stderr, twice.stderr, rtol=1e-6)


@every_engine
def test_every_engine_gives_the_same_ranking_and_signature(engine):
    frame = judged().sample(fraction=1, shuffle=True, seed=3)
    mix = Mix({"judge_group": {"expert": 0.3, "crowd": 0.7}}, each="judge")
    data = handle(Comparisons, frame.to_dict(as_series=False), engine)
    expected = rank(comparisons(judged()), mix=mix, cluster="judgment")
    found = rank(data, mix=mix, cluster="judgment")
    np.testing.assert_allclose(found.log_worth, expected.log_worth, atol=1e-9)
    np.testing.assert_allclose(found.stderr, expected.stderr, rtol=1e-9)
    assert found.signature == expected.signature
    assert "| mix judge_group=expert:0.3,crowd:0.7 per judge |" in found.signature
    assert "n=109" in found.signature


def ranked() -> Rankings:
    """Four rankings of three outputs by ann, one of two outputs by ben."""
    rows = [(f"r{i}", s, r, "ann", "1") for i in range(4) for s, r in zip("abc", (1, 2, 3))]  # noqa: B905
    rows += [("r9", "b", 1.0, "ben", "1"), ("r9", "a", 2.0, "ben", "1")]
    names = ["ranking", "system", "rank", "judge", "item"]
    frame = pl.DataFrame([(a, b, float(c), d, e) for a, b, c, d, e in rows], names, orient="row")
    return Rankings(nw.from_native(frame))


def test_a_judge_of_long_rankings_weighs_no_more_than_a_judge_of_pairs():
    mixed = Mix(each="judge").weigh(ranked())
    rows = pl.DataFrame(fetch_columns(mixed.frame.select("judge", "ranking", "weight")))
    ann = rows.filter(pl.col("judge") == "ann")["weight"]
    ben = rows.filter(pl.col("judge") == "ben")["weight"]
    assert (len(ann), len(ben)) == (12, 1)
    assert ben[0] == pytest.approx(12 * ann[0])  # half of the weight, on one comparison
    assert ben.sum() == pytest.approx(ann.sum()) == pytest.approx(6.5)
    assert ann.sum() + ben.sum() == pytest.approx(13)
    assert (mixed.mix.n_judgments, mixed.mix.n_comparisons) == (5, 13)
    assert mixed.count_judgments() == 5
    assert mixed.mix.effective == pytest.approx((4 + 4) ** 2 / (4 * 1 + 16))


def test_a_share_of_zero_leaves_rows_out_and_says_so():
    mix = Mix({"judge_group": {"expert": 0, "crowd": 1}})
    data = comparisons(judged())
    mixed = mix.weigh(data)
    assert mixed.mix.left_out == 90
    assert mixed.mix.notes == (
        "90 comparisons of judge_group expert have share 0 and are excluded",
    )
    alone = rank(data.where(nw.col("judge_group") == "crowd"), cluster="judgment")
    found = rank(mixed, cluster="judgment")
    np.testing.assert_allclose(found.log_worth, alone.log_worth, atol=1e-9)
    assert found.n_comparisons == alone.n_comparisons == 19
    assert mixed.mix.notes[0] in found.notes


def test_judgments_with_weights_or_mixed_already_are_refused():
    mix = Mix(each="judge")
    with pytest.raises(UnknownOption, match="have weights already"):
        mix.weigh(comparisons(judged().with_columns(weight=pl.lit(2))))
    with pytest.raises(UnknownOption, match="mixed already"):
        mix.weigh(mix.weigh(comparisons(judged())))
    with pytest.raises(UnknownOption, match="rows are chosen before"):
        mix.weigh(comparisons(judged())).where(nw.col("judge") == "ann")


def test_the_mix_is_made_in_every_task_by_itself_and_a_task_without_a_level_is_refused():
    one = judged().with_columns(task=pl.lit("one"))
    two = judged({"ann": (6, 2, 5), "ben": (3, 1, 5)}).with_columns(task=pl.lit("two"))
    three = judged({"ben": (4, 1, 2), "cai": (3, 1, 3)}).with_columns(task=pl.lit("three"))
    data = Comparisons(nw.from_native(pl.concat([one, two, three])), Source(name="v.csv"))
    mix = Mix({"judge_group": {"expert": 0.3, "crowd": 0.7}}, each="judge")
    found = rank(data, mix=mix, cluster="judgment")
    assert list(found) == ["one", "two"]
    assert "no judgments of judge_group expert" in found.refused["three"]
    alone = rank(comparisons(judged()), mix=mix, cluster="judgment")
    np.testing.assert_allclose(found["one"].log_worth, alone.log_worth, atol=1e-9)
    with pytest.raises(UnknownOption, match="mixed over every task"):
        rank(Mix(each="judge").weigh(data))


GROUPS = {"expert": 0.5, "crowd": 0.5}
REFUSED = {
    "a sum": ({"judge_group": {"expert": 0.5, "crowd": 0.4}}, UnknownOption, "sum to 0.9, not"),
    "ends": ({"judge_group": {"expert": 1.5, "crowd": -0.5}}, UnknownOption, "between 0 and 1"),
    "none": ({"judge_group": {}}, UnknownOption, "no shares"),
    "a text": ("judge_group=expert:1", UnknownOption, "write them as .'judge_group'"),
    "a word": ({"judge_group": {"expert": "a"}}, UnknownOption, "write them as .'judge_group'"),
    "a level misspelt": (
        {"judge_group": {"expert": 0.8, "crod": 0.2}},
        *(UnknownOption, "^no judgment of .* has judge_group crod. Did you mean 'crowd'"),
    ),
    "a level of nobody": (
        {"judge_group": {"expert": 0.5, "crowd": 0.4, "lay": 0.1}},
        *(NotIdentified, "no judgments of judge_group lay"),
    ),
    "a cell of nobody": (
        {"judge_group": GROUPS, "domain": {"news": 0.5, "web": 0.5}},
        *(NotIdentified, "no judgments of judge_group expert, domain web"),
    ),
    "what was judged": ({"left": {"a": 1.0}}, UnknownOption, "says what was judged"),
    "a column": ({"judge_grop": {"a": 1.0}}, UnknownColumn, "Did you mean 'judge_group'"),
    "rows without": ({"half": GROUPS}, InvalidJudgments, "9 comparisons of .* have no half"),
}


@pytest.mark.parametrize(("shares", "kind", "message"), REFUSED.values(), ids=REFUSED)
def test_shares_that_cannot_be_are_refused(shares, kind, message):
    judge, group = pl.col("judge"), pl.col("judge_group")
    frame = judged().with_columns(
        domain=pl.when(judge == "ann").then(pl.lit("news")).otherwise(pl.lit("web")),
        half=pl.when(judge != "ben").then(group),
    )
    with pytest.raises(kind, match=message):
        Mix(shares).weigh(comparisons(frame))
    with pytest.raises(UnknownColumn):
        Mix(each="item").weigh(comparisons(judged().drop("item")))
