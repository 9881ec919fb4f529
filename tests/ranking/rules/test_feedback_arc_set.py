"""Lopez's rule against brute force over all orders."""

from itertools import pairwise, permutations
from math import factorial

import numpy as np
import pytest

from evenhand.errors import UnknownOption
from evenhand.ranking.rules import find_feedback_arc_set, score_feedback_arc_set
from tallies import tally

RULES = ("net", "raw", "share")


def weight(counts, rule):
    wins, ties, losses = counts
    net = max(0, wins - losses)
    return {"net": net, "raw": wins, "share": net / (wins + ties + losses)}[rule]


def brute(rows, rule):
    """All orders of least cost, and that cost."""
    names = sorted({name for row in rows for name in row[:2]})
    lost = {(a, b): weight((w, t, n), rule) for a, b, w, t, n in rows}
    lost |= {(b, a): weight((n, t, w), rule) for a, b, w, t, n in rows}
    costs = {
        order: sum(
            lost.get((later, one), 0) for i, one in enumerate(order) for later in order[i + 1 :]
        )
        for order in permutations(names)
    }
    least = min(costs.values())
    return least, {order for order, cost in costs.items() if cost <= least + 1e-9}


def draw(rng):
    """A linked board of up to six systems; small counts, so that many pairs are even."""
    k, most = rng.integers(2, 7), rng.integers(1, 8)
    names = "ABCDEF"[:k]
    rows = []
    for i in range(k):
        for j in range(i + 1, k):
            counts = rng.integers(0, most + 1, size=3).tolist()
            if j == i + 1 or rng.random() < 0.7:
                rows.append((names[i], names[j], counts[0], counts[1] + 1, counts[2]))
    return rows


@pytest.mark.parametrize("rule", RULES)
def test_orders_costs_and_counts_are_those_of_brute_force_on_200_random_tallies(rule):
    rng = np.random.Generator(np.random.PCG64(20131))
    for _ in range(200):
        rows = draw(rng)
        cost, orders = brute(rows, rule)
        found = find_feedback_arc_set(tally(*rows), weights=rule, limit=1000)
        assert found.cost == pytest.approx(cost, abs=1e-9), rows
        assert (found.count, set(found.orders)) == (len(orders), orders), rows
        assert found.gap == 0
        places = np.array([[order.index(name) + 1 for name in found.systems] for order in orders])
        assert found.best_place.tolist() == places.min(axis=0).tolist()
        assert found.worst_place.tolist() == places.max(axis=0).tolist()


def test_the_golden_board_has_three_best_orders_for_net_and_raw_weights(golden):
    entry = golden("11_ranking_heuristics", "heur")
    for rule in ("net", "raw"):
        found = find_feedback_arc_set(tally(*entry.input["rows"]), weights=rule)
        assert found.cost == entry.expected[f"mfas_{rule}_cost"]
        listed = sorted("".join(order) for order in found.orders)
        assert listed == sorted(entry.expected[f"mfas_{rule}_optimal"])
        assert found.count == 3
    net, raw = (find_feedback_arc_set(tally(*entry.input["rows"]), weights=w) for w in RULES[:2])
    assert raw.cost - net.cost == entry.expected["constant_raw_minus_net"]


def test_the_order_reported_takes_the_most_expected_net_wins_first(golden):
    """Of ACBDE, ACDBE, ACDEB. By hand: B −.0822, D −.0532, E −.0519, so that D comes before B."""
    one = tally(*golden("11_ranking_heuristics", "heur").input["rows"])
    found = score_feedback_arc_set(one)
    assert "".join(found.order) == "ACDEB"
    assert found.notes == (
        "The order contradicts 4 net wins.",
        "3 orders are equally good: places of B, D, E differ between them.",
    )
    assert find_feedback_arc_set(one, limit=1).orders == (tuple("ACDEB"),)


def test_a_system_without_a_decided_comparison_may_stand_anywhere_and_that_is_said():
    one = tally(("A", "B", 3, 0, 1), ("B", "C", 0, 5, 0))
    found = find_feedback_arc_set(one)
    assert (found.count, found.undecided) == (3, ("C",))
    assert score_feedback_arc_set(one).notes[-1] == (
        "No comparison of C is decided: any place is as good."
    )


@pytest.mark.parametrize("k", [16, pytest.param(20, marks=pytest.mark.slow)])
def test_systems_that_are_all_even_have_k_factorial_best_orders(k):
    names = [f"s{i:02d}" for i in range(k)]
    rows = [(a, b, 1, 0, 1) for a, b in pairwise(names)]
    assert find_feedback_arc_set(tally(*rows)).count == factorial(k)


def test_shares_weigh_pairs_alike_and_net_wins_weigh_them_by_judgments():
    """A > B > C > A: the pair judged most keeps its order by net wins, the clearest by shares."""
    one = tally(("A", "B", 60, 0, 40), ("B", "C", 9, 0, 1), ("C", "A", 8, 0, 2))
    assert "".join(score_feedback_arc_set(one).order) == "ABC"
    assert "".join(score_feedback_arc_set(one, weights="share").order) == "BCA"


def test_weights_that_do_not_exist_are_refused():
    with pytest.raises(UnknownOption, match="weights cannot be 'nett'"):
        find_feedback_arc_set(tally(("A", "B", 3, 1, 2)), weights="nett")


def test_a_gap_and_the_seed_are_said_where_no_order_is_proven():
    rng = np.random.Generator(np.random.PCG64(1))
    names = [f"s{i:02d}" for i in range(62)]
    rows = [
        (a, b, *((1, 0, 0) if rng.random() < 0.5 else (0, 0, 1)))
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    ]
    one = tally(*rows)
    found = find_feedback_arc_set(one, seed=7)
    assert found.count is None
    assert found.best_place is None
    assert 0 < found.bound < found.cost
    order = found.orders[0]
    won = {(a, b) if w else (b, a) for a, b, w, _, _ in rows}
    contradicted = sum((b, a) in won for i, a in enumerate(order) for b in order[i + 1 :])
    assert found.cost == contradicted
    scores = score_feedback_arc_set(one, seed=7)
    assert scores.settings == ("seed=7",)
    assert [one.code for one in scores.notes] == ["contradicted", "not-proven", "loose-bound"]
