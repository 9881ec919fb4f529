"""E14: the graph rules for existence agree with a linear programme on every random table.

Replicate r of arm a draws from Generator(PCG64(SeedSequence([20131, 14, a, r]))), in this order: K
uniform on 2..5; the mean count uniform on .3, .6, 1.0; for each pair whether it is present (.8);
for each present pair its wins, ties and losses, Poisson. Arm 0 has the K(K−1)/2 unordered pairs,
arm 1 both orders of each pair, for the models with an order effect. The programme sees a design
written out outcome by outcome here, from the models' formulas; it shares no code with the rules.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import sparse

from evenhand.data.tally import Tally
from evenhand.errors import NotIdentified
from evenhand.models.existence import check_existence
from evenhand.numerics.graph import find_separated
from experiments.campaign import part_of

TABLES = part_of(4000)
AT_ONCE = 250  # tables that go into one block-diagonal programme


def random_table(arm: int, replicate: int) -> Tally:
    seed = np.random.SeedSequence([20131, 14, arm, replicate])
    rng = np.random.Generator(np.random.PCG64(seed))
    k = int(rng.integers(2, 6))
    mean = rng.choice((0.3, 0.6, 1.0))
    pairs = np.array(list(permutations(range(k), 2) if arm else combinations(range(k), 2)))
    pairs = pairs[rng.random(len(pairs)) < 0.8]
    counts = rng.poisson(mean, (len(pairs), 3)).astype(float)
    return Tally(tuple("ABCDE"[:k]), pairs[:, 0], pairs[:, 1], *counts.T)


@cache
def tables(arm: int) -> tuple[Tally, ...]:
    return tuple(random_table(arm, replicate) for replicate in range(TABLES))


def log_odds_design(table: Tally, ties: str, *, order_effect: bool) -> np.ndarray:
    """Rows x_observed − x_other; columns worths but the last, tie parameter, order effect."""
    free = ties in {"davidson", "rao-kupper"} and bool(table.ties.any())
    if ties in {"davidson", "rao-kupper"} and not free:
        ties = "discard"  # no tie seen: two outcomes per pair, the tie parameter left out
    k = len(table.systems)
    rows = []
    for j, h, *seen in zip(
        table.left, table.right, table.wins, table.ties, table.losses, strict=True
    ):
        d = np.zeros(k + 2)
        d[j], d[h], d[k + 1] = 1, -1, 1
        g = np.zeros(k + 2)
        g[k] = 1
        rows += [z for z, count in rows_of_a_pair(d, g, seen, ties) if count > 0]
    columns = [*range(k - 1), *[k] * free, *[k + 1] * order_effect]
    return np.array(rows).reshape(-1, k + 2)[:, columns]


def rows_of_a_pair(
    d: np.ndarray, g: np.ndarray, seen: list[float], ties: str
) -> Iterator[tuple[np.ndarray, float]]:
    win, tie, loss = seen
    if ties == "davidson":  # scores d, g, −d
        yield from ((d - g, win), (2 * d, win), (g - d, tie), (g + d, tie), (-d - g, loss))
        yield -2 * d, loss
    elif ties == "none":  # scores d, 0, −d
        yield from ((d, win), (2 * d, win), (d, tie), (-d, tie), (-d, loss), (-2 * d, loss))
    elif ties == "rao-kupper":  # σ(2d − τ), σ(2d + τ) − σ(2d − τ), σ(−2d − τ), with g for τ
        yield from ((2 * d - g, win), (g - 2 * d, tie), (g + 2 * d, tie), (-2 * d - g, loss))
    else:  # two outcomes; a tie is half of each, or nothing
        half = tie / 2 if ties == "half-win" else 0
        yield from ((2 * d, win + half), (-2 * d, loss + half))


def programme_says(designs: list[np.ndarray]) -> list[bool]:
    verdicts = []
    for start in range(0, len(designs), AT_ONCE):
        some = designs[start : start + AT_ONCE]
        separated = find_separated(sparse.block_diag(some, format="csr"))
        block = np.repeat(np.arange(len(some)), [len(design) for design in some])
        falls = np.bincount(block[separated], minlength=len(some)) == 0
        full = [np.linalg.matrix_rank(design) == design.shape[1] for design in some]
        verdicts += (falls & full).tolist()
    return verdicts


def rules_say(table: Tally, ties: str, *, order_effect: bool = False) -> bool:
    try:
        check_existence(table, ties=ties, order_effect=order_effect)
    except NotIdentified:
        return False
    return True


@pytest.mark.parametrize("order_effect", [False, True], ids=["no order", "order effect"])
@pytest.mark.parametrize("ties", ["discard", "half-win", "none", "davidson", "rao-kupper"])
def test_the_graph_rules_equal_the_linear_programme_on_all_tables(ties, order_effect):
    drawn = tables(int(order_effect))
    programme = programme_says(
        [log_odds_design(table, ties, order_effect=order_effect) for table in drawn]
    )
    rules = [rules_say(table, ties, order_effect=order_effect) for table in drawn]
    two_way = "discard" if ties == "discard" else "half-win"
    rival = [rules_say(table, two_way) for table in drawn]
    wrong, rival_wrong = (
        sum(a != b for a, b in zip(verdicts, programme, strict=True)) for verdicts in (rules, rival)
    )
    print(  # noqa: T201 - an experiment shows its counts (pytest -rP)
        f"E14 {ties}{' + order effect' * order_effect}: {len(drawn)} tables, exists in"
        f" {sum(programme)}, rules wrong in {wrong}, strong connectivity alone in {rival_wrong}"
    )
    assert len(drawn) == TABLES
    assert 0.1 < sum(programme) / TABLES < 0.9  # both verdicts are put to the test
    assert wrong == 0
