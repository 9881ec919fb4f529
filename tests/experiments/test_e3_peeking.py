"""E3: may a board be looked at thirty times, and pairs be chosen by what it shows?

Six systems, 30 looks of 60 votes, no items; worths equal, or .4 apart. Pairs are uniform, or have
chances ∝ exp(−3 |θ̃_s − θ̃_t|) by what is predicted now. Ties are discarded where there are none,
else an outcome (ν = .8). A board is false once anything is decided that is not true. Beside it, the
estimate of the model with its 1.96 standard errors at every look. Draws of a look are in the order
pair, side, answer; judges and tastes come first. With judges (e to g) rank sets must confirm what
is decided after the last vote, and the first 60 votes of each judge make one. Looks come from the
first on: the supremum is right also before every system won and lost.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl
import pytest

from evenhand import read
from evenhand.errors import NotConverged
from evenhand.numerics.newton import Expansion, maximise, one_blas_thread
from evenhand.ranking.sequential.leaderboard import LiveLeaderboard, confirm_pairs
from evenhand.ranking.sequential.likelihood import expand
from evenhand.ranking.sequential.votes import Vote
from experiments.campaign import generator, part_of

NAMES = tuple(f"s{k}" for k in range(6))
OUTCOMES = ("left", "tie", "right")
LOW, HIGH = np.triu_indices(6, 1)
LOOKS, BATCH = 30, 60


@dataclass(frozen=True)
class Arm:
    """What a board is drawn from.

    Attributes:
        number: of the arm.
        replicates: boards.
        gap: log-worth between neighbours.
        tie: ν.
        chosen: whether answers choose the pairs.
        judges: J, 1 for none.
        taste: σ_J.

    """

    number: int
    replicates: int = part_of(200)
    gap: float = 0.0
    tie: float = 0.0
    chosen: bool = False
    judges: int = 1
    taste: float = 0.0


ARMS = {
    "a": Arm(1),
    "b": Arm(2, chosen=True),
    "c": Arm(3, tie=0.8),
    "d": Arm(4, 40, gap=0.4),
    "e": Arm(5, judges=5, taste=0.7),
    "f": Arm(6, 40, judges=8, taste=0.7),
    "g": Arm(7, 40, judges=20, taste=0.7),
}


@dataclass(frozen=True)
class Panel:
    """Who votes, drawn before the first vote.

    Attributes:
        taste: (J, 6) of each judge for each system (log-worth).
        judge: (n,) who gives each vote, all equally many.

    """

    taste: np.ndarray
    judge: np.ndarray

    @classmethod
    def draw(cls, arm, rng):
        """Tastes of judges and of the one item, then who judges and which item."""
        taste = rng.normal(0, arm.taste, (arm.judges, 6))
        rng.normal(0, 0, (1, 6))
        judge = rng.permutation(np.arange(LOOKS * BATCH) % arm.judges)
        rng.permutation(LOOKS * BATCH)
        return cls(taste, judge)


def draw_votes(arm, state, panel, rng):
    """The votes of one look."""
    worth = np.array(state.numerator.worth)
    if arm.chosen:
        chance = np.exp(-3 * np.abs(worth[LOW] - worth[HIGH]))
        pair = rng.choice(15, BATCH, p=chance / chance.sum())
    else:
        pair = rng.integers(15, size=BATCH)
    stays = rng.random(BATCH) < 0.5
    left, right = np.where(stays, LOW[pair], HIGH[pair]), np.where(stays, HIGH[pair], LOW[pair])
    judge = panel.judge[state.seen.votes : state.seen.votes + BATCH]
    eta = arm.gap * (right - left) + panel.taste[judge, left] - panel.taste[judge, right]
    won, lost = np.exp(eta / 2), np.exp(-eta / 2)
    drawn = rng.random(BATCH) * (won + lost + arm.tie)
    said = np.where(drawn < won, 0, np.where(drawn < won + lost, 2, 1))
    rows = zip(left.tolist(), right.tolist(), said.tolist(), judge.tolist(), strict=True)
    return [Vote(NAMES[s], NAMES[t], OUTCOMES[y], f"j{j}") for s, t, y, j in rows]


def naive(state):
    """Whether any two systems are 1.96 standard errors apart, by the model without a prior."""
    pairs = state.numerator.pairs()
    tied = bool(pairs.counts[:, 1].any())
    anchor = np.zeros((6 + tied, 6 + tied))
    anchor[:6, :6] = 1.0

    def anchored(at):
        here = expand(pairs, at)
        return Expansion(here.value, here.gradient, here.information + anchor)

    near = np.array([*state.numerator.worth, state.numerator.gamma or 0.0][: 6 + tied])
    try:
        found = maximise(anchored, near)
    except NotConverged:  # a system that never won, or never lost, yet
        return False
    vcov = np.linalg.inv(found.expansion.information)
    own = vcov.diagonal()
    error = np.sqrt(own[LOW] + own[HIGH] - 2 * vcov[LOW, HIGH])
    return bool((np.abs(found.at[LOW] - found.at[HIGH]) > 1.96 * error).any())


def simulate(arm, replicate):
    """What a board claims: truly, falsely, by the naive rule, confirmed at the end, by judges."""
    rng = generator(3, arm.number, replicate)
    panel = Panel.draw(arm, rng)
    settings = LiveLeaderboard("davidson" if arm.tie else "discard", judge_votes=BATCH)
    state, votes, spoke = settings.start(NAMES), [], False
    for _ in range(LOOKS):
        votes += (batch := draw_votes(arm, state, panel, rng))
        state.observe(batch)
        state.decide()
        spoke = spoke or (arm.gap == 0 and arm.judges == 1 and naive(state))
    right = sum(arm.gap > 0 and claim.better < claim.worse for claim in state.claims)
    confirmed = count_confirmed(state, votes) if arm.judges > 1 and replicate < 40 else 0
    return right, len(state.claims) - right, spoke, confirmed, len(state.judge_claims)


def count_confirmed(state, votes):
    """Claims that the rank sets of the same judges confirm after the last vote."""
    rows = [(vote.left, vote.right, vote.outcome, vote.judge) for vote in votes]
    table = pl.DataFrame(rows, schema=["left", "right", "outcome", "judge"], orient="row")
    return len(state.look(confirm_pairs(read(table), state.settings)).decided)


@cache
def results(name):
    arm = ARMS[name]
    with one_blas_thread():
        found = np.array([simulate(arm, r) for r in range(arm.replicates)], dtype=float)
    false, spoke = int((found[:, 1] > 0).sum()), int(found[:, 2].sum())
    confirmed, judges = (found[:40, 3] > 0).sum(), int((found[:, 4] > 0).sum())
    more = f"; confirmed {confirmed} of 40, by judges {judges}" if arm.judges > 1 else ""
    print(  # noqa: T201 - an experiment shows its counts (pytest -rP)
        f"E3 ({name}): {false} of {arm.replicates} boards false, naive rule {spoke}; true claims"
        f" {found[:, 0].mean():.2f} of 15{more}"
    )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_whoever_looks_thirty_times_is_hardly_ever_told_what_is_false(name):
    """5 % + 3.09 √(.05 · .95 / 200) = .097, or .117 of 100."""
    false = results(name)[:, 1] > 0
    assert false.mean() <= 0.05 + 3.09 * (0.0475 / len(false)) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("name", "least"), [("a", 0.80), ("b", 0.85)])
def test_standard_errors_that_are_looked_at_thirty_times_mislead_nearly_every_board(name, least):
    assert results(name)[:, 2].mean() >= least


@pytest.mark.slow
def test_systems_that_differ_are_told_apart():
    assert results("d")[:, 0].mean() >= 8.8
    assert results("d")[:, 1].sum() == 0


@pytest.mark.slow
def test_five_judges_with_tastes_fool_it():
    """Reported, since it is what the board does not protect from: it speaks of a panel."""
    assert (results("e")[:, 1] > 0).mean() >= 0.3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["e", "f", "g"])
def test_rank_sets_and_the_column_of_judges_hold_back_what_tastes_decide(name):
    """5 % + 3.09 √(.05 · .95 / 40) = .156."""
    found = results(name)[:40]
    assert (found[:, 3] > 0).mean() <= 0.156
    assert (found[:, 4] > 0).mean() <= 0.156
