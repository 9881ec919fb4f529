"""Fragility against closed forms, every subset of small tables, and statsmodels' influences."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import evenhand
from evenhand.data.tally import Tally
from evenhand.errors import UnknownColumn, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.robustness.fragility import (
    find_fewest,
    vote_influence,
)
from experiments.campaign import Campaign, generator, told_apart

NAMES = ["judge", "item", "left", "right", "outcome"]


def table(rows, columns=NAMES):
    return evenhand.read(pd.DataFrame(rows, columns=columns))


def campaign_table(seed, n=900, judges=12):
    rng = np.random.default_rng(seed)
    worth = {"A": 1.2, "B": 0.3, "C": -0.4, "D": -1.1}
    taste = {(j, s): rng.normal(0, 0.3) for j in range(judges) for s in worth}
    rows = []
    for i in range(n):
        one, other = rng.choice(list(worth), 2, replace=False)
        judge = int(rng.integers(judges))
        gap = worth[one] + taste[judge, one] - worth[other] - taste[judge, other]
        outcome = "left" if rng.random() < 1 / (1 + np.exp(-gap)) else "right"
        outcome = "tie" if rng.random() < 0.1 else outcome
        rows.append((f"j{judge:02d}", f"q{i % 30:02d}", one, other, outcome))
    return rows


@pytest.mark.parametrize(("wins", "losses", "ties"), [(7, 4, 0), (61, 35, 24), (20, 19, 3)])
def test_of_two_systems_the_lead_and_one_more_vote_turn_the_order(wins, losses, ties):
    rows = [("A", "B", "left")] * wins + [("A", "B", "right")] * losses + [("A", "B", "tie")] * ties
    found = evenhand.find_fragility(table(rows, ["left", "right", "outcome"]))
    turned = next(one for one in found.flips if one.how == "reversed")
    assert (turned.fewest, turned.total) == (wins - losses + 1, wins + losses + ties)
    (removed,) = turned.removed
    assert (removed.better, removed.worse, removed.count) == ("A", "B", wins - losses + 1)


def worths(wins):
    """Bradley-Terry by Hunter's MM algorithm (2004, Annals of Statistics 32:384-406)."""
    n, own, pi = wins + wins.T, wins.sum(axis=1), np.ones(len(wins))
    for _ in range(4000):
        pi = own / (n / (pi[:, None] + pi)).sum(axis=1)
        pi /= pi.sum()
    return pi


def connected(wins):
    reach = np.linalg.matrix_power((wins > 0) + np.eye(len(wins)), len(wins)) > 0
    return bool(reach.all())


def fewest_of_all_subsets(wins):
    """The size of the smallest set of votes without which A is not first, or nothing is ranked."""
    cells = [(i, j) for i in range(3) for j in range(3) if i != j]
    best = 99
    for gone in product(*(range(int(wins[cell]) + 1) for cell in cells)):
        if not 0 < sum(gone) < best:
            continue
        left = wins.copy()
        for cell, number in zip(cells, gone, strict=True):
            left[cell] -= number
        if not connected(left):
            best = sum(gone)
            continue
        pi = worths(left)
        best = sum(gone) if pi[1:].max() > pi[0] * (1 + 1e-7) else best
    return best


@pytest.mark.parametrize(
    "wins",
    [[[0, 4, 5], [3, 0, 4], [3, 3, 0]], [[0, 4, 4], [3, 0, 4], [2, 2, 0]]],
)
def test_in_small_tables_no_subset_of_votes_is_smaller(wins):
    wins = np.array(wins, dtype=float)
    cells = [(i, j) for i in range(3) for j in range(3) for _ in range(int(wins[i, j]))]
    rows = [("ABC"[i], "ABC"[j], "left") for i, j in cells]
    found = evenhand.find_fragility(table(rows, ["left", "right", "outcome"]))
    turned = next(one for one in found.flips if one.how == "reversed")
    assert turned.fewest == fewest_of_all_subsets(wins)


def test_pulls_are_the_influences_of_statsmodels():
    tally = Campaign(gap=0.4, judge_sd=0, item_sd=0, systems=4, n=300).simulate(generator(6, 9, 0))
    fit = BradleyTerry(ties="discard").fit(tally)
    design = np.zeros((300, 4))
    design[np.arange(300), tally.left], design[np.arange(300), tally.right] = 1.0, -1.0
    model = sm.GLM(tally.wins, design[:, :-1], family=sm.families.Binomial()).fit()
    theirs = model.get_influence().d_params[:, 0] - model.get_influence().d_params[:, 1]
    pulls = vote_influence(fit, tally, np.array([[1.0, -1.0, 0.0, 0.0]]))[0]
    ours = np.where(tally.wins > 0, pulls[:, 0], pulls[:, 2])
    assert ours == pytest.approx(theirs, rel=1e-5, abs=1e-9)


def test_a_pull_is_nearly_what_a_fit_without_the_vote_changes_ties_and_order_included():
    tally = Campaign(gap=0.3, judge_sd=0, item_sd=0, systems=4, n=400, tie=0.8).simulate(
        generator(6, 9, 1)
    )
    tally = told_apart(tally)
    model = BradleyTerry(order_effect=True)
    fit = model.fit(tally)
    contrast = np.array([1.0, 0.0, 0.0, -1.0])
    pulls = vote_influence(fit, tally, contrast[None])[0]
    for row in range(len(tally.left)):
        for outcome in range(3):
            if tally.counts[row, outcome] < 1:
                continue
            counts = tally.counts.copy()
            counts[row, outcome] -= 1
            without = model.fit(
                Tally(tally.systems, tally.left, tally.right, *counts.T, n_judgments=399.0)
            )
            change = contrast @ (fit.log_worth - without.log_worth)
            assert pulls[row, outcome] == pytest.approx(change, rel=0.05, abs=5e-4)


@pytest.mark.parametrize("threshold", range(1, 25))
@pytest.mark.parametrize("start", [1, 7, 12, 24])
def test_the_search_finds_every_threshold_from_every_start(threshold, start):
    found = find_fewest(lambda n: "falls" if n >= threshold else "", start, 24)
    assert found == (threshold, "falls")


def decides(rows, pair, names=NAMES):
    sets = evenhand.rank(table(rows, names)).to_dict()["rank_sets"]
    return list(pair) in sets["decided"]


def test_without_the_judges_that_are_named_the_pair_is_no_longer_decided():
    rows = campaign_table(3)
    found = evenhand.find_fragility(table(rows), pairs=[("A", "B")])
    opened = next(one for one in found.flips if (one.unit, one.how) == ("judge", "undecided"))
    named = [one.judge for one in opened.removed]
    assert decides([row for row in rows if row[0] not in named[:-1]], ("A", "B"))
    assert not decides([row for row in rows if row[0] not in named], ("A", "B"))


def test_a_conclusion_that_the_board_does_not_draw_is_refused():
    votes = table(campaign_table(3))
    with pytest.raises(UnknownOption, match="ask about A ahead of B"):
        evenhand.find_fragility(votes, pairs=[("B", "A")])
    with pytest.raises(UnknownOption, match="no border after place 4"):
        evenhand.find_fragility(votes, after=[4])


def test_where_two_lead_together_nobody_is_first():
    columns = ["left", "right", "outcome"]
    rows = [("A", "B", "left")] * 5 + [("A", "B", "right")] * 5
    found = evenhand.find_fragility(table(rows, columns))
    assert found.flips == ()
    assert found.notes[0] == "Level at the head, so that nobody is first: A, B."
    with pytest.raises(UnknownOption, match="A and B level: neither is ahead"):
        evenhand.find_fragility(table(rows, columns), pairs=[("A", "B")])
    with pytest.raises(UnknownOption, match="no border after place 1: A and B are level"):
        evenhand.find_fragility(table(rows, columns), after=[1])
    rows += [(one, "C", side) for one in "AB" for side in ("left",) * 6 + ("right",) * 3]
    found = evenhand.find_fragility(table(rows, columns))
    assert found.flips[0].claim == "A, B are ahead of all others"


def test_the_conclusion_is_that_of_the_model_and_the_clusters_that_are_given():
    rows = [
        (f"j{j}", f"q{j}{i}", "A", "B", "left" if j < 6 else "right")
        for j in range(10)
        for i in range(40)
    ]
    rows += [("j0", "q99", "A", "B", "tie")] * 30

    def opened(**asked):
        found = evenhand.find_fragility(table(rows), pairs=[("A", "B")], **asked)
        return found, [one for one in found.flips if (one.unit, one.how) == ("vote", "undecided")]

    assert opened()[1] == []  # by judge it is open
    found, (one,) = opened(cluster="judgment", model=BradleyTerry(ties="discard"))
    assert 0 < one.fewest < 80
    assert " by judgment " in found.signature
    with pytest.raises(UnknownColumn, match="no ranking column"):
        opened(cluster="ranking")


def test_an_outcome_that_does_not_exist_is_refused():
    with pytest.raises(UnknownOption, match="outcome"):
        evenhand.find_fragility(table(campaign_table(3, n=250)), outcomes=("broken",))


def test_the_board_of_other_systems_is_refused():
    data = table(campaign_table(3, n=250))
    rows = [("A", "B", "left")] * 7 + [("A", "B", "right")] * 4
    other = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))
    with pytest.raises(UnknownOption, match="other systems"):
        evenhand.find_fragility(data, board=evenhand.rank(other))
