"""Do the intervals beside rank sets hold all the true log-worths at once?

150 campaigns of five equal systems and twelve judges with tastes of .7, judgments in equal loads:
in one arm all judges see all systems, in the others the fifth is seen by one judge, or by two, so
that nothing shows how other judges would place it.

Then 200 campaigns of eight or nine equal systems and twenty judges with such tastes, in which two
more judges are the only link: to a new system, which they compare with one that all know, or
between two parts of four. Neither may rank sets make a false claim there, nor intervals miss.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest

from evenhand.data.tally import Tally
from evenhand.ranking import rank
from experiments.campaign import Campaign, generator, method_seed
from experiments.rank_arms import Arm, rank_campaign
from ranking.panels import comparisons

R = 150
FLOOR = 0.92
ARM = Arm(Campaign(0.0, 0.7, 0.0, systems=5, judges=12, items=1, n=1200), cluster="judge")
SEEN = {1: range(12), 2: (3,), 3: (3, 4)}


def hide_fifth(tally: Tally, who: range | tuple[int, ...]) -> Tally:
    """The same without what other judges said of the fifth system."""
    judge = tally.factor("judge")
    kept = np.isin(judge.codes, list(who)) | ((tally.left != 4) & (tally.right != 4))
    columns = ("left", "right", "wins", "ties", "losses")
    part = {name: getattr(tally, name)[kept] for name in columns}
    codes = judge.codes[kept]
    judge = replace(judge, codes=codes, loads=np.bincount(codes).astype(float))
    return replace(tally, **part, factors={"judge": judge}, n_judgments=float(kept.sum()))


@pytest.mark.slow
@pytest.mark.parametrize("number", SEEN)
def test_intervals_hold_all_true_log_worths(number):
    covered, critical = 0, []
    for replicate in range(R):
        tally = hide_fifth(ARM.campaign.simulate(generator(101, number, replicate)), SEEN[number])
        found = rank_campaign(ARM, tally, method_seed(101, number, replicate))
        covered += bool((found.lower <= 0).all() and (found.upper >= 0).all())
        fifth = np.array(found.systems) == "s04"
        np.testing.assert_array_equal(found.bounded, ~fifth | (number == 1))
        width = (found.upper - found.lower)[~fifth] / found.stderr[~fifth]
        critical.append(width[0] / 2)
    print(f"seen by {len(SEEN[number])} judges: {covered}/{R}, critical {np.median(critical):.2f}")  # noqa: T201 - an experiment shows its counts
    assert covered >= FLOOR * R
    assert max(critical) < 4.5


class Asked(NamedTuple):
    """Who compares what: (n,) judges and the two systems."""

    judge: np.ndarray
    one: np.ndarray
    other: np.ndarray


def ask_of_new(rng: np.random.Generator, loads: tuple[int, ...]) -> Asked:
    """Twenty judges compare eight systems, others a ninth with the first of them."""
    linkers = np.repeat(20 + np.arange(len(loads)), loads)
    one = rng.integers(0, 8, 800)
    other = (one + rng.integers(1, 8, 800)) % 8
    return Asked(
        np.append(np.repeat(np.arange(20), 40), linkers),
        np.append(one, np.zeros_like(linkers)),
        np.append(other, np.full_like(linkers, 8)),
    )


def ask_of_parts(rng: np.random.Generator, loads: tuple[int, ...]) -> Asked:
    """Twenty judges compare four systems with each other, and four others; some all with all."""
    linkers = np.repeat(20 + np.arange(len(loads)), loads)
    part, one = 4 * rng.integers(0, 2, 1200), rng.integers(0, 4, 1200)
    other = (one + rng.integers(1, 4, 1200)) % 4
    return Asked(
        np.append(np.repeat(np.arange(20), 60), linkers),
        np.append(part + one, rng.integers(0, 4, len(linkers))),
        np.append(part + other, 4 + rng.integers(0, 4, len(linkers))),
    )


LINKED: dict[str, tuple[Callable[..., Asked], tuple[int, ...], int]] = {
    "a new system by two": (ask_of_new, (300, 300), 8),
    "a new system by one and a tenth of another": (ask_of_new, (300, 30), 8),
    "two parts by two": (ask_of_parts, (150, 150), 4),
    "a new system by four": (ask_of_new, (150, 150, 150, 150), 9),
}
"""What is asked, answers of each who links, and the systems that then have an interval."""


def answer(asked: Asked, rng: np.random.Generator) -> pl.DataFrame:
    """Answers of judges with tastes of .7, sides by chance."""
    taste = rng.normal(0, 0.7, (asked.judge.max() + 1, asked.other.max() + 1))
    swap = rng.random(len(asked.judge)) < 0.5
    left, right = (np.where(swap, *pair) for pair in (asked[1:], asked[:0:-1]))
    apart = taste[asked.judge, left] - taste[asked.judge, right]
    won = rng.random(len(left)) < 1 / (1 + np.exp(-apart))
    columns = {
        "left": [f"s{i}" for i in left],
        "right": [f"s{i}" for i in right],
        "outcome": np.where(won, "left", "right").tolist(),
        "judge": [f"j{i:02d}" for i in asked.judge],
    }
    return pl.DataFrame(columns)


@pytest.mark.slow
@pytest.mark.parametrize("name", LINKED)
def test_where_few_judges_are_the_only_link_no_claim_is_false_and_no_interval_endless(name):
    ask, loads, members = LINKED[name]
    held, silent, widest = 0, 0, []
    for replicate in range(200):
        rng = generator(102, list(LINKED).index(name), replicate)
        found = rank(comparisons(answer(ask(rng, loads), rng)))
        silent += not found.rank_sets.decided.any()
        held += bool(((found.lower <= 0) & (found.upper >= 0)).all())
        linked = np.isfinite(found.upper)
        assert linked.sum() == members
        widest.append((found.upper - found.lower)[linked].max())
    print(f"{name}: no claim {silent}/200, intervals {held}/200, widest {np.median(widest):.2f}")  # noqa: T201 - an experiment shows its counts
    assert min(silent, held) >= FLOOR * 200
