"""Which votes carry a conclusion: whoever gave them, whatever they are called, and no more."""

from itertools import product

import numpy as np
import pytest

import evenhand
from evenhand.errors import UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.robustness.fragility import worth_influence
from ranking.test_fragility import campaign_table, decides, table


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


@pytest.mark.parametrize("seed", [3, 4])
def test_names_do_not_move_the_fewest_that_leave_a_pair_undecided(seed):
    rows = [tuple(map(str, row)) for row in campaign_table(seed)]
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
        for _ in range(int(one.count)):
            kind = None if one.tie else (one.better, one.worse)
            rest.remove(
                next(
                    row
                    for row in rest
                    if (row[0], row[1], beats(row)) == (one.judge, one.item, kind)
                    and {row[2], row[3]} == {one.better, one.worse}
                )
            )
    assert not decides(rest, ("A", "B"))


def test_a_pair_that_is_asked_for_twice_is_answered_once_and_needs_two_systems():
    votes = table(campaign_table(3))
    once, twice = (evenhand.find_fragility(votes, pairs=[("A", "B")] * n) for n in (1, 2))
    assert once == twice
    with pytest.raises(UnknownOption, match="are one system"):
        evenhand.find_fragility(votes, pairs=[("A", "A")])


def test_a_border_is_open_when_one_pair_across_it_is():
    rows = campaign_table(4)
    data = table(rows)
    found = evenhand.find_fragility(data, after=[2])
    opened = [one for one in found.flips if (one.unit, one.how) == ("judge", "undecided")]
    named = [one.judge for one in opened[0].removed]
    systems = evenhand.rank(data).systems
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
