"""Fragility against closed forms, every subset of small tables, and statsmodels' influences."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import evenhand
from evenhand.data.tally import Tally
from evenhand.errors import NotIdentified, UnknownColumn, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.robustness.fragility import find_fewest, vote_influence, worth_influence
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
    drawn = Campaign(gap=0.3, judge_sd=0, item_sd=0, systems=4, n=150, tie=0.8)
    tally = told_apart(drawn.simulate(generator(6, 9, 1)))
    model = BradleyTerry(order_effect=True)
    fit = model.fit(tally)
    contrast = np.array([1.0, 0.0, 0.0, -1.0])
    pulls = vote_influence(fit, tally, contrast[None])[0]
    for row, outcome in np.argwhere(tally.counts >= 1).tolist():
        counts = tally.counts.copy()
        counts[row, outcome] -= 1
        rest = Tally(tally.systems, tally.left, tally.right, *counts.T, n_judgments=149.0)
        change = contrast @ (fit.log_worth - model.fit(rest).log_worth)
        assert pulls[row, outcome] == pytest.approx(change, rel=0.05, abs=2e-3)


@pytest.mark.parametrize("threshold", range(1, 25))
@pytest.mark.parametrize("start", [1, 7, 12, 24])
def test_the_search_finds_every_threshold_from_every_start(threshold, start):
    found = find_fewest(lambda n: "falls" if n >= threshold else "", start, 24)
    assert found == (threshold, "falls")


@pytest.mark.parametrize("start", range(1, 25))
def test_where_a_claim_stands_again_the_search_ends_where_it_stands_with_one_unit_less(start):
    falls = {3, 4, 9, 10, 11, 12, 17, 24}  # the claim stands again at 5, 13 and 18
    number, left = find_fewest(lambda n: "falls" if n in falls else "", start, 24)
    assert (number, left) in {(3, "falls"), (9, "falls"), (17, "falls"), (24, "falls")}


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


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"pairs": [("B", "A")]}, "ask about A ahead of B"),
        ({"pairs": [("A", "A")]}, "are one system"),
        ({"after": [4]}, "no border after place 4"),
        ({"outcomes": ("broken",)}, "outcome"),
    ],
)
def test_what_the_board_does_not_say_cannot_be_asked(asked, says):
    with pytest.raises(UnknownOption, match=says):
        evenhand.find_fragility(table(campaign_table(3, n=250)), **asked)


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


def test_the_board_of_other_systems_is_refused():
    data = table(campaign_table(3, n=250))
    rows = [("A", "B", "left")] * 7 + [("A", "B", "right")] * 4
    other = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))
    with pytest.raises(UnknownOption, match="other systems"):
        evenhand.find_fragility(data, board=evenhand.rank(other))


# Which votes carry a conclusion: whoever gave them, whatever they are called, and no more.


def vote_flip(rows, how, pair=("A", "B")):
    found = evenhand.find_fragility(table(rows), pairs=[pair])
    return next(one for one in found.flips if (one.unit, one.how) == ("vote", how))


def beats(row):
    left, right, outcome = row[2:]
    return None if outcome == "tie" else (left, right) if outcome == "left" else (right, left)


def without(rows, kinds, order):
    """Rows without so many votes of each kind, the first in some order of rows."""
    left, gone = dict(kinds), set()
    for at in order:
        kind = beats(rows[at])
        if left.get(kind, 0):
            left[kind] -= 1
            gone.add(at)
    assert not any(left.values())
    return [row for at, row in enumerate(rows) if at not in gone]


def test_any_votes_of_a_kind_turn_the_order_whoever_gave_them():
    rows = campaign_table(3)
    flip = vote_flip(rows, "reversed", ("B", "C"))
    assert {(one.judge, one.item) for one in flip.removed} == {(None, None)}
    kinds = {(one.better, one.worse): one.count for one in flip.removed if not one.tie}
    assert sum(one.count for one in flip.removed) == sum(kinds.values()) == flip.fewest
    for one in flip.removed:
        assert one.of == sum(beats(row) == (one.better, one.worse) for row in rows)
        assert f"{one.count:.0f} of {one.of:.0f} {one.better} over {one.worse}" in flip.whose
    by_judge = sorted(range(len(rows)), key=lambda at: rows[at][0])
    for order in (by_judge, by_judge[::-1], np.random.default_rng(1).permutation(len(rows))):
        systems = evenhand.rank(table(without(rows, kinds, order))).systems
        assert systems.index("C") < systems.index("B")
    assert "j0" not in flip.whose


def test_where_sides_count_votes_of_a_kind_have_the_same_system_first():
    rows = [("A", "B", "left")] * 30 + [("A", "B", "right")] * 10
    rows += [("B", "A", "left")] * 20 + [("B", "A", "right")] * 14
    data = table(rows, ["left", "right", "outcome"])
    found = evenhand.find_fragility(data, model=BradleyTerry(order_effect=True))
    flip = found.flips[0]
    assert {(one.first, one.of) for one in flip.removed} <= {("A", 30.0), ("B", 14.0)}
    kinds = {one.first: one.count for one in flip.removed}
    assert sum(kinds.values()) == flip.fewest
    won = np.log((30 - kinds.get("A", 0)) / 10), np.log(20 / (14 - kinds.get("B", 0)))
    assert won[0] < won[1]  # in closed form λ is a quarter of their difference


RENAMED = {f"j{j:02d}": f"j{11 - j:02d}" for j in range(12)}
RENAMED |= {f"q{i:02d}": f"q{29 - i:02d}" for i in range(30)}
RENAMED |= {"A": "Z", "B": "C", "C": "M", "D": "B"}
RENAMED |= {"left": "left", "right": "right", "tie": "tie"}


def test_names_do_not_move_the_fewest_that_leave_a_pair_undecided():
    rows = [tuple(map(str, row)) for row in campaign_table(3)]
    renamed = [tuple(RENAMED[word] for word in row) for row in rows]
    opened, again = vote_flip(rows, "undecided"), vote_flip(renamed, "undecided", ("Z", "C"))
    assert again.fewest == opened.fewest
    named = {(RENAMED[one.judge], RENAMED[one.item], RENAMED[one.better]) for one in opened.removed}
    assert {(one.judge, one.item, one.better) for one in again.removed} == named


def test_a_pair_is_left_undecided_by_fewer_votes_than_the_hardest_pulls():
    rows = campaign_table(4)
    opened = vote_flip(rows, "undecided")
    pulled = [at for at, row in enumerate(rows) if beats(row) == ("A", "B")]
    for order in (sorted(pulled), sorted(pulled, key=lambda at: rows[at][1])):
        gone = set(order[: opened.fewest])
        left = [row for at, row in enumerate(rows) if at not in gone]
        assert decides(left, ("A", "B"))
    rest = list(rows)
    for one in opened.removed:
        kind = None if one.tie else (one.better, one.worse)
        same = [
            row
            for row in rest
            if (row[0], row[1], beats(row)) == (one.judge, one.item, kind)
            and {row[2], row[3]} == {one.better, one.worse}
        ]
        for row in same[: int(one.count)]:
            rest.remove(row)
    assert not decides(rest, ("A", "B"))


def test_a_pair_that_is_asked_for_twice_is_answered_once():
    votes = table(campaign_table(3, n=250))
    once, twice = (evenhand.find_fragility(votes, pairs=[("A", "D")] * n) for n in (1, 2))
    assert once == twice


def test_a_border_is_open_when_one_pair_across_it_is():
    rows = campaign_table(4)
    data = table(rows)
    found = evenhand.find_fragility(data, after=[2], outcomes=("undecided",)).flips
    (opened,) = (one for one in found if one.unit == "judge")
    named, systems = [one.judge for one in opened.removed], evenhand.rank(data).systems
    pairs = list(product(systems[:2], systems[2:]))
    left = [row for row in rows if row[0] not in named]
    assert 0 < sum(decides(left, pair) for pair in pairs) < len(pairs)


def test_the_pair_across_a_border_that_fewest_votes_turn_need_not_be_the_nearest():
    rows = [("A", "B", "left")] * 60 + [("A", "B", "right")] * 50  # .95 standard errors apart
    rows += [("A", "C", "left")] * 6 + [("A", "C", "right")] * 2  # 1.35
    found = evenhand.find_fragility(table(rows, ["left", "right", "outcome"]))
    turned = next(one for one in found.flips if one.how == "reversed")
    assert turned.fewest == min(60 - 50, 6 - 2) + 1
    assert turned.removed[0].worse == "C"


def test_the_pull_of_a_judge_who_alone_links_a_system_is_that_of_the_score():
    votes = [("j0", "A", "B", 3, 1), ("j0", "A", "C", 2, 3), ("j1", "A", "B", 9, 4)]
    rows = [
        (judge, left, right, outcome)
        for judge, left, right, won, lost in votes
        for outcome in ("left",) * won + ("right",) * lost
    ]
    tally = table(rows, ["judge", "left", "right", "outcome"]).tally(by=("judge",))
    fit = BradleyTerry().fit(tally)
    pulls = np.array([1.0, -1.0, 0.0]) @ worth_influence(fit, tally, "judge")
    share = 12 / 17  # A over B by all: a tree, so that each pair has its own share
    assert pulls[0] == pytest.approx((3 - 4 * share) / (17 * share * (1 - share)), rel=1e-6)


# Judges who alone link a system to the others carry what is said of it.


COLUMNS = ["judge", "left", "right", "outcome"]
WORTH = {"a": 0.6, "b": 0.4, "c": 0.0, "d": -0.5, "new": 1.6}
JUDGES = [f"j{k}" for k in range(7)]


def campaign(seed, saw, n=700, *, system="new", worth=2.2, judges=JUDGES):
    """Votes of judges of whom only some saw one system; a third of their votes are on it."""
    rng, rows = np.random.default_rng(seed), []
    worths = WORTH | {system: worth}
    others = [name for name in WORTH if name != system]
    taste = {(judge, name): rng.normal(0, 0.4) for judge in judges for name in WORTH}
    for at in range(n):
        judge = judges[at % len(judges)]
        one, other = rng.choice(others, 2, replace=False)
        if judge in saw and rng.random() < 1 / 3:
            one = system
        gap = worths[one] + taste[judge, one] - worths[other] - taste[judge, other]
        won = rng.random() < 1 / (1 + np.exp(-gap))
        rows.append((judge, str(one), str(other), "left" if won else "right"))
    return rows


def falls(rows, above, below):
    """Whether nothing is left of a side, no vote speaks for the one above, or another is ahead."""
    seen = {name for row in rows for name in row[1:3]}
    if not seen & set(above) or not seen & set(below):
        return True
    try:
        worth = evenhand.rank(table(rows, COLUMNS), interval="model")
    except NotIdentified:  # as where the leader never lost
        return not any(row[1 + (row[3] == "right")] in above for row in rows)
    worth = dict(zip(worth.systems, worth.log_worth.tolist(), strict=True))
    last = min(worth[name] for name in above if name in worth)
    return max(worth[name] for name in below if name in worth) > last + 1e-9


def fewest_judges_of_all_subsets(rows, above, below):
    """The size of the smallest set of judges without whom a conclusion falls, and those sets."""
    for size in range(1, len(JUDGES)):
        found = [
            set(gone)
            for gone in combinations(JUDGES, size)
            if falls([row for row in rows if row[0] not in gone], above, below)
        ]
        if found:
            return size, found
    return None, []


def judge_flip(rows, how="reversed", **asked):
    found = evenhand.find_fragility(table(rows, COLUMNS), **asked)
    return next(one for one in found.flips if (one.unit, one.how) == ("judge", how))


@pytest.mark.parametrize("saw", [("j0",), ("j0", "j1"), ("j2", "j6")])
@pytest.mark.parametrize("seed", range(2))
def test_no_smaller_set_of_judges_carries_a_leader_whom_few_saw(saw, seed):
    rows = campaign(seed, saw)
    flip = judge_flip(rows)
    assert flip.claim == "new is first"
    size, sets = fewest_judges_of_all_subsets(rows, ("new",), ("a", "b", "c", "d"))
    assert flip.fewest == size <= len(saw)
    assert {one.judge for one in flip.removed} in sets
    if {one.judge for one in flip.removed} == set(saw):
        assert (flip.left, flip.gone, flip.ahead) == ("no ranking", ("new",), None)
        assert "nothing is left of new" in flip.says


@pytest.mark.parametrize("seed", range(3))
def test_where_judges_are_few_no_smaller_set_of_them_turns_the_order(seed):
    rows = campaign(seed, JUDGES[:3], 420, worth=0.8)
    board = evenhand.rank(table(rows, COLUMNS)).systems
    size, sets = fewest_judges_of_all_subsets(rows, board[:1], board[1:])
    flip = judge_flip(rows)
    assert flip.fewest == size
    assert {one.judge for one in flip.removed} in sets


def test_two_parts_that_one_judge_links_fall_apart_without_that_judge():
    rows = []
    for judge, pair in (("j1", "ab"), ("j2", "ab"), ("j3", "cd"), ("j4", "cd"), ("j0", "bc")):
        for left, right, times in ((pair[0], pair[1], 9), (pair[1], pair[0], 5)):
            rows += [(judge, left, right, "left")] * times
    flip = judge_flip(rows, pairs=[("a", "d")])  # neither is seen by j0
    assert (flip.fewest, flip.left, flip.gone) == (1, "no ranking", ())
    assert [one.judge for one in flip.removed] == ["j0"]
    assert flip.effect == "no ranking is left"


def test_a_pair_is_open_where_fewer_than_five_judges_link_it():
    judges = [f"j{k:02d}" for k in range(14)]
    rows = campaign(2, judges[:7], n=4200, worth=2.2, judges=judges)
    flip = judge_flip(rows, "undecided", pairs=[("new", "d")])
    gone = {one.judge for one in flip.removed}
    assert gone < set(judges[:7])
    assert flip.fewest == 3  # seven of like load: four are left, and the board has eleven
    left = evenhand.rank(table([row for row in rows if row[0] not in gone], COLUMNS))
    assert ["new", "d"] not in left.to_dict()["rank_sets"]["decided"]


def test_who_is_then_ahead_is_named():
    rows = campaign(0, JUDGES, worth=0.7)
    first = evenhand.find_fragility(table(rows, COLUMNS))
    board = evenhand.rank(table(rows, COLUMNS)).systems
    turned = [one for one in first.flips if one.how == "reversed" and one.ahead is not None]
    assert turned[0].claim == f"{board[0]} is first"
    for one in turned:
        if one.unit == "judge":
            gone = {who.judge for who in one.removed}
            left = evenhand.rank(table([row for row in rows if row[0] not in gone], COLUMNS))
            assert left.systems[0] == one.ahead
        assert f"{one.ahead} is ahead" in one.says
        assert one.to_dict()["ahead"] == one.ahead
