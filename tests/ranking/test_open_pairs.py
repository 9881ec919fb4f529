"""What is said of pairs that stay open: counts by hand, and judges behind merged groups."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl

from evenhand.data.tally import Factor
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import clustering, covariance
from evenhand.ranking.rank import rank
from evenhand.ranking.rank_sets import mark_barred
from ranking.panels import comparisons, panel, tally

SCHEMA = ["judge", "left", "right", "outcome"]


def answers(judge, left, right, n=60):
    """Answers of one judge on one pair, two thirds for left."""
    return [(judge, left, right, "left" if k % 3 else "right") for k in range(n)]


def board(*bridges, judges=12, seed=3):
    """Four systems that all judges saw, and further answers."""
    frame = panel(seed, n=900, judges=judges).select(SCHEMA)
    extra = [row for rows in bridges for row in rows]
    return pl.concat([frame, pl.DataFrame(extra, schema=SCHEMA, orient="row")])


def of_note(found, start):
    """The one note that starts so."""
    (note,) = [note for note in found.notes if start in note]
    return note


def test_pairs_that_rest_on_several_judges_count_for_each_of_them():
    """{s0..s3} – j001 – u – j002 – v, w: 4·3 pairs are cut by j001, 5·2 by j002, 14 by either."""
    both = [row for k in range(12) for row in answers(f"j{k:03d}", "v", "w", 9)]
    frame = board(answers("j001", "s0", "u"), answers("j002", "u", "v"), both)
    found = rank(comparisons(frame))
    assert found.rank_sets.to_dict(found.systems)["single_cluster_pairs"] == 14
    assert of_note(found, "with one judge alone") == (
        "14 pairs undecided, each with one judge alone to link the two (judge j001: 12, judge j002:"
        " 10): nothing shows how another judge would differ."
    )


def merged_into(monkeypatch, limit):
    monkeypatch.setattr(clustering, "MAX_CLUSTERS", limit)


def test_a_judge_is_named_also_where_judges_are_merged(monkeypatch):
    merged_into(monkeypatch, 8)
    found = rank(comparisons(board(answers("j007", "new", "s1"))), cluster="judge")
    assert "12 judges in 8" in found.method
    assert "4 pairs undecided, with judge j007 alone" in of_note(found, "alone")


def merged_together(data, first, second):
    """The tally with two judges in one group, all others by themselves."""
    judge = data.factor("judge")
    one, other = judge.labels.index(first), judge.labels.index(second)
    clusters = np.array([k - (k > other) for k in range(judge.size)], dtype=np.int32)
    clusters[other] = clusters[one]
    codes = clusters[judge.codes]
    merged = Factor(judge.labels, codes, judge.loads, judge.size - 1, True, clusters)
    return replace(data, factors={"judge": merged}, unmerged={"judge": lambda: data}).pool(
        ["judge"]
    )


def test_effective_judges_of_thin_pairs_are_those_of_the_judges_themselves(monkeypatch):
    """Counted again by judge: the same as if judges had never been merged."""
    rows = [answers(judge, "new", "s1", n) for judge, n in (("j001", 30), ("j005", 45))]
    frame = board(*rows)
    model = BradleyTerry(ties="davidson")
    whole = model.fit(comparisons(frame))
    exact = covariance.leave_each_out(whole, tally(frame, "judge"), "judge")
    merged = comparisons(frame).tally(by=("judge",), limits={"judge": 7})
    coarse = covariance.leave_each_out(whole, merged, "judge")
    at = whole.systems.index("new")
    assert coarse.factor.merged
    others = [k for k in range(5) if k != at]
    assert (exact.effective[at, others] < 3).all()
    np.testing.assert_allclose(coarse.effective[at, others], exact.effective[at, others], rtol=1e-9)


def test_a_pair_of_fewer_than_five_effective_judges_or_items_is_barred():
    effective = np.array([[0, 4.99, 5.0], [4.99, 0, 9.0], [5.0, 9.0, 0]])
    resting = np.array([[-1, -1, -1], [-1, -1, 2], [-1, 2, -1]])  # the third judge alone links two
    ways = [
        SimpleNamespace(name=name, effective=effective, resting=resting)
        for name in ("judge", "item", "ranking")
    ]
    alone, thin = mark_barred(ways, 3)
    few = np.array([[False, True, False], [True, False, False], [False, False, False]])
    np.testing.assert_array_equal(thin, [few, few, np.zeros((3, 3))])  # a ranking is no judge
    np.testing.assert_array_equal(alone, [resting == 2] * 3)


def test_large_boards_keep_the_protection(monkeypatch):
    """Where the information of clusters is too large to hold, a bridge and thin pairs are known."""
    frame = board(
        answers("j007", "new", "s1"), answers("j003", "rare", "s2"), answers("j004", "rare", "s0")
    )
    exact = rank(comparisons(frame), cluster="judge")
    monkeypatch.setattr(covariance, "MAX_DENSE", 10)
    found = rank(comparisons(frame), cluster="judge")
    assert "CR1 by judge" in found.method
    np.testing.assert_array_equal(found.rank_sets.resting, exact.rank_sets.resting)
    np.testing.assert_allclose(found.rank_sets.effective, exact.rank_sets.effective, rtol=1e-9)
    assert "judge j007 alone" in of_note(found, "alone")
    assert "fewer than 5 effective judges" in of_note(found, "effective")
    assert (found.rank_sets.decided[found.rank_sets.barred] == 0).all()
