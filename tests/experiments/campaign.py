"""Simulated campaigns with known truth, for the acceptance experiments.

Replicate r of arm a of experiment e draws from Generator(PCG64(SeedSequence([20131, e, a, r]))), in
the order in which `Campaign.simulate` draws; whatever a method draws comes from
SeedSequence([20131, e, a, r, 1]).
"""

import os
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from evenhand.data.tally import Factor, Tally

ROOT = 20131


WHOLE = bool(os.environ.get("EVENHAND_WHOLE"))
"""Whether experiments are as long as stated."""


def part_of(stated: int) -> int:
    """Return how many campaigns are drawn: half of those stated, all where EVENHAND_WHOLE is set.

    Limits follow the number that is drawn.
    """
    return stated if WHOLE else stated // 2


def generator(experiment: int, arm: int, replicate: int, *own: int) -> np.random.Generator:
    """The source of randomness of a replicate; with a further 1 that of the method under test."""
    seed = np.random.SeedSequence([ROOT, experiment, arm, replicate, *own])
    return np.random.Generator(np.random.PCG64(seed))


def method_seed(experiment: int, arm: int, replicate: int) -> int:
    """The whole number that seeds as SeedSequence([ROOT, experiment, arm, replicate, 1]) does."""
    words = (ROOT, experiment, arm, replicate, 1)
    return sum(word << 32 * at for at, word in enumerate(words))


@dataclass(frozen=True)
class Campaign:
    """Judges compare systems on items; judges and items have tastes of their own.

    Attributes:
        gap: log-worth between neighbours, θ_k = gap (m − 1 − k).
        judge_sd: σ_J, of a judge's taste for a system (log-worth).
        item_sd: σ_I, of an item's.
        systems: m.
        judges: J.
        items: I.
        n: judgments.
        tie: ν.
        loads: judgments per judge: "equal", or "zipf", P(j) ∝ 1/(j + 1).
        seen: systems that each judge sees, all of them by default.

    """

    gap: float
    judge_sd: float
    item_sd: float
    systems: int = 10
    judges: int = 20
    items: int = 50
    n: int = 2000
    tie: float = 0.0
    loads: Literal["equal", "zipf"] = "equal"
    seen: int | None = None

    @property
    def worth(self) -> np.ndarray:
        """(m,) true log-worths, best first."""
        return self.gap * np.arange(self.systems - 1, -1, -1.0)

    def simulate(self, rng: np.random.Generator) -> Tally:
        """One campaign: an entry per judgment, with judge and item."""
        m, n = self.systems, self.n
        by_judge = rng.normal(0, self.judge_sd, (self.judges, m))
        by_item = rng.normal(0, self.item_sd, (self.items, m))
        judge = self._draw_judges(rng)
        item = rng.permutation(np.arange(n) % self.items)
        first, second = self._draw_pairs(rng, judge)
        stays = rng.random(n) < 0.5
        left, right = np.where(stays, first, second), np.where(stays, second, first)
        eta = self.worth[left] - self.worth[right]
        eta += by_judge[judge, left] - by_judge[judge, right]
        eta += by_item[item, left] - by_item[item, right]
        won, lost = np.exp(eta / 2), np.exp(-eta / 2)
        drawn = rng.random(n) * (won + lost + self.tie)
        outcome = np.where(drawn < won, 0, np.where(drawn < won + lost, 2, 1))
        wins, ties, losses = np.eye(3)[:, outcome]
        factors = {"judge": _factor("j", judge), "item": _factor("i", item)}
        names = tuple(f"s{k:02d}" for k in range(m))
        sides = (left.astype(np.int32), right.astype(np.int32))
        return Tally(names, *sides, wins, ties, losses, factors, n_judgments=float(n))

    def _draw_judges(self, rng: np.random.Generator) -> np.ndarray:
        if self.loads == "equal":
            return rng.permutation(np.arange(self.n) % self.judges)
        chance = 1 / np.arange(1, self.judges + 1)
        return rng.choice(self.judges, self.n, p=chance / chance.sum())

    def _draw_pairs(
        self, rng: np.random.Generator, judge: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Unordered pairs, uniform; where judges see some systems only, uniform within those."""
        among = self.seen or self.systems
        own = np.tile(np.arange(self.systems), (self.judges, 1))
        if self.seen is not None:
            own = np.stack([rng.permutation(row)[: self.seen] for row in own])
        low, high = np.triu_indices(among, 1)
        pair = rng.integers(len(low), size=self.n)
        return own[judge, low[pair]], own[judge, high[pair]]


def _factor(letter: str, codes: np.ndarray) -> Factor:
    used, own = np.unique(codes, return_inverse=True)
    labels = tuple(f"{letter}{code:03d}" for code in used)
    return Factor(labels, own.astype(np.int32), np.bincount(own).astype(float), len(used))


def tally_votes(
    names: tuple[str, ...],
    left: np.ndarray,
    right: np.ndarray,
    score: np.ndarray,
    **codes: np.ndarray,
) -> Tally:
    """Votes as counts, an entry each: what reading them as a table gives, in a tenth of the time.

    names: of systems, sorted; left, right: their codes; score: that of left, 1, .5 or 0; codes: of
    judges, items.
    """
    factors = {
        name: Factor.of([f"{name[0]}{code:03d}" for code in range(code.max() + 1)], code)
        for name, code in codes.items()
    }
    counts = (np.where(score == one, 1.0, 0.0) for one in (1, 0.5, 0))
    sides = (left.astype(np.int32), right.astype(np.int32))
    return Tally(names, *sides, *counts, factors, n_judgments=float(len(score)))


def told_apart(tally: Tally, *names: str) -> Tally:
    """The same judgments, distinguished by these factors only."""
    kept = {name: tally.factor(name) for name in names}
    return replace(tally, factors=kept).pool(names)
