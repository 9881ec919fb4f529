"""Does sorting by votes find the order with fewer judgments, and are rank sets of its votes right?

`experiments.sort_arms` draws the campaigns and prints all of them as a table.

Rank sets cover if every system's true rank lies in its set. The judgments are chosen by the answers
so far, and a question is closed once somebody leads: the same campaigns with random pairs are the
control. Eight systems with log-worths N(0, 1), or all equal, 20 judges with tastes N(0, .3²), 240
judgments, clustered by judge. A campaign that `rank` refuses makes no claim.
"""

import numpy as np
import pytest

from evenhand import rank
from evenhand.errors import NotIdentified
from evenhand.numerics.sampling import one_blas_thread
from experiments.campaign import generator, part_of
from experiments.rank_arms import Count
from experiments.sort_arms import POLICIES, Votes, follow, sort_alone

SORT = "sort, none at random"
OUTCOMES = ("left", "tie", "right")


def more_than_random(systems: int, sd: float, campaigns: int, name: str) -> np.ndarray:
    """By how much τ is higher than that of random pairs, at each look, on average."""
    with one_blas_thread():
        runs = {
            one: np.mean([follow(POLICIES[one], systems, sd, r) for r in range(campaigns)], axis=0)
            for one in (name, "random")
        }
    return np.asarray(runs[name] - runs["random"])


def test_where_judges_seldom_err_a_sort_is_ahead_of_random_pairs() -> None:
    more = more_than_random(8, 4.0, 12, SORT)
    print(f"8 systems, sd 4: {more}")  # noqa: T201 - an experiment shows its counts (pytest -rP)
    assert more[1] > 0


@pytest.mark.slow
def test_the_order_of_the_sort_is_no_better_than_the_worths_fitted_to_its_votes() -> None:
    alone = np.mean([sort_alone(20, 1.0, r) for r in range(40)], axis=0)
    print(f"20 systems, sd 1: {alone}")  # noqa: T201 - as above
    assert alone[1] < alone[2]


def cover(name: str, sd: float, campaigns: int) -> Count:
    """Rank sets of campaigns whose pairs a policy chose."""
    count = Count()
    for replicate in range(campaigns):
        rng, own = (generator(28, round(sd), replicate, *more) for more in ((), (1,)))
        votes = Votes(rng.normal(0, sd, 8), rng, judges=20)
        with one_blas_thread():
            while votes.n < 240:
                votes.ask(POLICIES[name], 4, own)
        left, right, outcome, judge = zip(*votes.rows, strict=True)
        table = {
            "left": [f"s{code}" for code in left],
            "right": [f"s{code}" for code in right],
            "outcome": [OUTCOMES[code] for code in outcome],
            "judge": [f"j{code}" for code in judge],
        }
        try:
            ranking = rank(table)
        except NotIdentified:
            continue
        truth = votes.worth[[int(system[1:]) for system in ranking.systems]]
        count.add(ranking.rank_lower, ranking.rank_upper, truth)
    print(  # noqa: T201 - as above
        f"{name}, sd {sd:g}: {len(count.widths)} of {campaigns} ranked, all ranks covered in"
        f" {count.share:.3f}, mean width {count.width:.2f}"
    )
    return count


@pytest.mark.slow
@pytest.mark.parametrize("sd", [1.0, 0.0])
def test_rank_sets_of_a_sort_hold_the_true_ranks(sd: float) -> None:
    campaigns = part_of(300)
    found = {name: cover(name, sd, campaigns) for name in ("random", "sort", SORT)}
    least = 0.95 - 3.09 * (0.0475 / campaigns) ** 0.5
    for count in found.values():
        assert count.share >= least
