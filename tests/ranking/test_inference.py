"""From clusters to intervals: which variance, which quantile, and what is given up."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evenhand.errors import NotIdentified
from evenhand.formats.reading import read
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import rank
from evenhand.ranking.inference import number_places
from evenhand.ranking.intervals import centred_variance
from ranking.panels import comparisons, panel, write_out


def ordered(found, values: np.ndarray) -> np.ndarray:
    return values[[found.fit.systems.index(system) for system in found.systems]]


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_two_ways_take_the_larger_of_judge_item_and_their_sum_less_the_cells(level):
    """INFERENCE B3, from scores written out answer by answer; t on min(J*, I*) − 1 df."""
    frame = panel(judges=9, items=7)
    found = rank(comparisons(frame), interval="sandwich", level=level)
    answers = write_out(frame, found.fit)
    judge, item = (answers.jackknife(frame[by].to_list()) for by in ("judge", "item"))
    cells = answers.pooled((frame["judge"] + frame["item"]).to_list())
    worths = [found.fit.to_worth(vcov) for vcov in (judge, item, judge + item - cells)]
    stderr = np.sqrt(np.max([centred_variance(vcov) for vcov in worths], axis=0))
    np.testing.assert_allclose(found.stderr, ordered(found, stderr), rtol=1e-7)
    loads = frame["item"].value_counts()["count"].to_numpy()
    df = loads.sum() ** 2 / (loads**2).sum() - 1
    critical = stats.t.ppf((1 + level) / 2, df)
    np.testing.assert_allclose(found.upper, found.log_worth + critical * found.stderr, rtol=1e-9)
    assert found.method == f"sandwich CV3 by judge+item, t on {df:.0f} df"


def resting_on(judge: str, item: str | None = None) -> pl.DataFrame:
    """Systems s0, s1 and s2, s3 are linked by one judge's answers only, on one item or several."""
    frame = panel(n=600, judges=9, items=12).filter(
        pl.col("left").is_in(["s0", "s1"]) == pl.col("right").is_in(["s0", "s1"])
    )
    outcomes = ["left", "right", "left", "tie", "left", "right"]
    rows = {
        "left": ["s1"] * 6,
        "right": ["s2"] * 6,
        "outcome": outcomes,
        "judge": [judge] * 6,
        "item": [item or f"i00{i}" for i in range(6)],
    }
    return pl.concat([frame, pl.DataFrame(rows)])


def test_judges_are_given_up_where_one_alone_links_some_systems_and_it_says_so():
    found = rank(comparisons(resting_on("j004")), interval="sandwich")
    assert "by item, t on" in found.method
    assert found.headline == "for these 9 judges only"
    assert (
        "No clustering by judge: without j004 some systems are linked to the rest by nothing."
        in found.notes
    )


def test_clusters_that_answer_suspiciously_alike_are_noted():
    """Nineteen judges give the same answers on each pair, the twentieth the other way."""
    pairs = [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    turned = [(right, left) for left, right in pairs]
    answers = [(left, right, "left") for left, right in (*pairs, *turned, *turned)]
    rows = [(*answer, f"j{judge}") for judge in range(19) for answer in answers]
    rows += [(left, right, "right", "odd") for left, right, _ in answers]
    found = rank(
        comparisons(pl.DataFrame(rows, ["left", "right", "outcome", "judge"], orient="row"))
    )
    model = rank(comparisons(panel(judges=9)), interval="model")
    assert any("less than half as wide as independent answers" in note for note in found.notes)
    assert found.stderr.max() < 0.5 * np.sqrt(centred_variance(found.fit.worth_vcov)).max()
    for ranking in (rank(comparisons(panel(judges=9))), model):
        assert not any(note.code == "narrow" for note in ranking.notes)


def test_rankings_that_mirror_each_other_are_given_up_as_clusters_once():
    """Two rankings whose scores cancel have no spread; their comparisons are what is left."""
    rows = [("r1", "a", "b", "left"), ("r1", "a", "c", "left"), ("r1", "b", "c", "tie")]
    rows += [("r2", "a", "b", "right"), ("r2", "a", "c", "right"), ("r2", "b", "c", "tie")]
    frame = pl.DataFrame(rows, ["ranking", "left", "right", "outcome"], orient="row")
    found = rank(comparisons(frame), interval="sandwich")
    assert "sandwich CR1 by judgment" in found.method
    assert any("No clustering by ranking" in note for note in found.notes)


def ties_only(rows: int) -> pl.DataFrame:
    return pl.DataFrame({"left": ["a"] * rows, "right": ["b"] * rows, "outcome": ["tie"] * rows})


@pytest.mark.parametrize("ties", ["half-win", "none"])
def test_ties_alone_are_no_certainty_that_systems_are_equal(ties):
    """All scores are zero: the interval is the model's, and a note says why."""
    found = rank(comparisons(ties_only(25)), model=BradleyTerry(ties=ties))
    # log-odds 2λ of 25 answers: outcomes +1/2 and -1/2 with 1/2 each; with γ = 0 and 0, 1/3 each
    variance = 1 / (25 * (1 / 4 if ties == "half-win" else 1 / 6))
    np.testing.assert_allclose(found.stderr, np.sqrt(variance) / 2, rtol=1e-9)
    assert any(note.code == "all-ties" for note in found.notes)
    assert "the model's where wider" in found.signature


def test_importance_weights_of_ties_alone_have_no_interval():
    frame = ties_only(25).with_columns(weight=pl.lit(0.5))
    data = read(frame, weights="importance")
    with pytest.raises(NotIdentified, match=r"all comparisons are ties.*no interval"):
        rank(data, model=BradleyTerry(ties="half-win"))


# The order of the board, and who shares a place.


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.1 + 0.2, 0.3, 1.0]), min_size=1, max_size=9))
def test_equal_estimates_share_a_place_and_stand_by_name(values):
    order, places = number_places(np.array(values))
    rounded = [round(value, 6) for value in values]
    assert order.tolist() == sorted(range(len(values)), key=lambda i: (-rounded[i], i))
    assert places.tolist() == [
        1 + sum(other > rounded[i] for other in rounded) for i in order.tolist()
    ]


def test_wins_ties_and_losses_are_counted_from_either_side():
    frame = panel()
    found = rank(comparisons(frame))
    for row in found.rows():
        left = frame.filter(pl.col("left") == row["system"])["outcome"].to_list()
        right = frame.filter(pl.col("right") == row["system"])["outcome"].to_list()
        assert row["wins"] == left.count("left") + right.count("right")
        assert row["ties"] == left.count("tie") + right.count("tie")
        assert row["losses"] == left.count("right") + right.count("left")
    assert found.wins.sum() + found.ties.sum() / 2 == found.n_comparisons
