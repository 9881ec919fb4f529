"""The classical tests of one set of judgments: what is run, what is said of it, what is refused."""

from dataclasses import FrozenInstanceError

import numpy as np
import polars as pl
import pytest
from scipy import stats

import evenhand
from evenhand import datasets
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.fitted import wald_test
from evenhand.ranking.significance import cluster_pairs, find_preferences, sign_test_pairs
from golden_numbers import golden
from tallies import table

COLUMNS = ("judge", "left", "right", "outcome")


def table_1():
    one = datasets.load("dras2015_table1")
    return evenhand.read(pl.DataFrame(one.rows, schema=list(one.columns), orient="row"))


def test_three_systems_have_pairs_and_friedman():
    found = find_preferences(table_1())
    expected = golden("04_friedman", "t1_first_pref_counts").expected
    assert found.friedman.statistic == pytest.approx(expected["statistic"])
    assert (len(found.pairs.p), found.variants, found.model) == (6, (), ())
    differ = "6 of 6 pairs differ (p ≤ .05 after Holm's adjustment)"
    assert found.says == f"{differ} if all judgments are independent."
    assert found.signature.split(" | ")[1:3] == ["sign test ignore", "Friedman by judge"]
    with pytest.raises(FrozenInstanceError):
        found.blocks = "item"


def test_one_pair_has_every_variant_and_the_model():
    rows = [("j", "new", "old", "left")] * 61 + [("j", "new", "old", "tie")] * 24
    data = table(rows + [("j", "new", "old", "right")] * 35, COLUMNS)
    found = find_preferences(data, ties_as="split", new="old")
    # Dras (2015), section 5, ModPref seen from the other side
    assert found.model[0].estimate == pytest.approx(-0.2778, abs=5e-5)
    expected = stats.binomtest(35 + 12, 120, alternative="greater").pvalue
    assert found.pairs.p.tolist() == pytest.approx([expected])
    assert found.to_dict()["variants"][0]["greater"] is not None
    assert find_preferences(data).to_dict()["variants"][0]["greater"] is None


def test_clustered_p_values_are_the_wald_test_of_each_pair_by_itself():
    rng = np.random.default_rng(1)
    rows = [
        (f"j{rng.integers(9)}", *rng.permutation(list("abc"))[:2], outcome)
        for outcome in rng.choice(["left", "tie", "right"], 300, p=[0.5, 0.1, 0.4])
    ]
    data = table(rows, COLUMNS)
    pairs = sign_test_pairs(data.tally())
    found = cluster_pairs(pairs, {"judge": data.tally(by=("judge",))})
    for place, p in enumerate(found.clustered.tolist()):
        first, second = (pairs.systems[int(side[place])] for side in (pairs.first, pairs.second))
        tally = table([row for row in rows if {*row[1:3]} == {first, second}], COLUMNS).tally(
            by=("judge",)
        )
        fit = BradleyTerry(ties="discard", reference=second).fit(tally)
        assert p == pytest.approx(wald_test(fit, tally, "judge", np.array([0])).p, rel=1e-6)


def test_pairs_whose_judges_agree_altogether_have_no_clustered_p():
    rows = [(f"j{i % 8}", "a", "b", "left") for i in range(40)]
    found = find_preferences(table(rows, COLUMNS))
    assert found.pairs.rows()[0]["p_clustered"] is None
    assert "pairs-without-spread" in [note.code for note in found.notes]
    assert found.says.code == "preferred-if-independent"


def test_where_judges_have_tastes_clustered_p_values_keep_their_level():
    """Two level systems; the taste of each of 12 judges has sd .8 in log-odds."""
    rng, rejected = np.random.default_rng(0), np.zeros(2)
    for _ in range(200):
        chances = 1 / (1 + np.exp(-0.8 * rng.standard_normal(12)))
        won = rng.random((12, 20)) < chances[:, None]
        rows = [
            (f"j{judge}", "a", "b", "left" if vote else "right")
            for judge, votes in enumerate(won)
            for vote in votes
        ]
        data = table(rows, COLUMNS)
        found = cluster_pairs(sign_test_pairs(data.tally()), {"judge": data.tally(by=("judge",))})
        rejected += [found.p[0] <= 0.05, found.clustered[0] <= 0.05]
    classical, clustered = (rejected / 200).tolist()
    assert classical > 0.15
    assert clustered < 0.09


def test_the_headline_is_decided_by_the_p_values_that_are_clustered():
    """24 judges prefer A to B 5 or 6 times in 10, nearly alike: votes alone do not show it."""
    rows = [
        (left, right, "left" if (n < 5 + judge % 2) == (left == "A") else "right", f"j{judge}")
        for judge in range(24)
        for n in range(10)
        for left, right in [("A", "B") if n % 2 else ("B", "A")]
    ]
    rows += [
        (left, "C", "left" if (n + judge) % 2 else "right", f"j{judge}")
        for judge in range(24)
        for left in "AB"
        for n in range(3)
    ]
    frame = pl.DataFrame(rows, ("left", "right", "outcome", "judge"), orient="row")
    found = find_preferences(evenhand.read(frame))
    significant = int((found.pairs.clustered_holm <= 0.05).sum())
    assert significant == 1
    assert found.says.startswith("1 of 3 pairs differ")
    assert "with judgments correlated by judge" in found.says


def _vote(rng, pairs, judges=8, each=6):
    """Every judge answers each pair (first, second, share of the first) so many times."""
    return table(
        [
            (f"j{judge}", first, second, "left" if rng.random() < share else "right")
            for first, second, share in pairs
            for judge in range(judges)
            for _ in range(each)
        ],
        COLUMNS,
    )


def test_a_pair_that_cannot_be_tested_is_named_and_is_not_counted_as_one_that_does_not_differ():
    rng = np.random.default_rng(3)
    found = find_preferences(_vote(rng, [("a", "b", 1.0), ("a", "c", 0.8), ("b", "c", 0.5)]))
    assert found.says.startswith("1 of the 2 pairs that can be tested differ (p ≤ .05")
    assert found.says.values["tested"] == 2
    (note,) = [one for one in found.notes if one.code == "pairs-without-spread"]
    assert note.endswith("one judge made them: a and b.")
    even = find_preferences(_vote(rng, [("a", "b", 1.0), ("a", "c", 0.5), ("b", "c", 0.5)]))
    assert even.says.startswith("None of the 2 pairs that can be tested differs significantly")
    alike = find_preferences(_vote(rng, [("a", "b", 1.0), ("a", "c", 1.0), ("b", "c", 1.0)]))
    assert alike.says.startswith(
        "No pair can be tested with judgments correlated by judge; 3 pairs"
    )


def test_ratings_are_sent_to_what_tests_them():
    rows = [(f"i{i}", s, i % 5 + 2 * (s == "a")) for i in range(12) for s in "ab"]
    data = evenhand.read(pl.DataFrame(rows, schema=["item", "system", "score"], orient="row"))
    with pytest.raises(InvalidJudgments, match="not in ratings: find_differences tests them"):
        find_preferences(data)
    assert evenhand.find_differences(data).says.startswith("a scores better than b")


def test_what_cannot_be_tested_is_refused():
    with pytest.raises(UnknownOption, match=r"blocks cannot be 'jugde'.*'judge'"):
        find_preferences(table_1(), blocks="jugde")
    tasks = table([("x", "a", "b", "left"), ("y", "a", "b", "left")], ("task", *COLUMNS[1:]))
    with pytest.raises(InvalidJudgments, match="has 2 tasks: choose one"):
        find_preferences(tasks)
