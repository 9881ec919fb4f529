"""Koehn's question: how near do rules come to a known truth, by number of judgments?

Fifteen systems with log-worths .12 apart (a range of 1.68: WMT16's fifteen English-German systems
span 1.29), Davidson's ties with ν = 2/3 (a quarter between equals). Judgments are drawn one by one;
a smaller number is the first so many of them. Three ways to draw pairs:

- balanced: all pairs alike;
- uneven: systems 5, 7, 9 meet one of the last four 10 times as often as others, systems 4, 6, 8 one
  of the first four: near neighbours differ in their opponents;
- duplicated: eleven systems, and four copies of the eighth, whose outputs are all the same: pairs
  alike, copies tie with each other and with it always.
"""

from dataclasses import dataclass

import numpy as np

from evenhand.data.tally import Tally

SYSTEMS = 15
GAP = 0.12
TIE = 2 / 3
SIZES = (100, 300, 1000, 3000, 5000)
LOW, HIGH = np.triu_indices(SYSTEMS, 1)


@dataclass(frozen=True, eq=False)
class World:
    """What is true, and who meets whom.

    Attributes:
        worth: (15,) log-worths; equal ones are copies of one system.
        weight: (105,) how often each pair is drawn, in proportion.

    """

    worth: np.ndarray
    weight: np.ndarray

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Pair and outcome (0 the first won, 1 tie, 2 it lost) of all judgments."""
        n = max(SIZES)
        pair = rng.choice(len(LOW), n, p=self.weight / self.weight.sum())
        u = rng.random(n)
        return pair, (u[:, None] >= self.chances()[pair].cumsum(axis=1)[:, :2]).sum(axis=1)

    def chances(self) -> np.ndarray:
        """(105, 3) chances that the first of a pair wins, ties, loses."""
        eta = self.worth[LOW] - self.worth[HIGH]
        scores = np.stack([np.exp(eta / 2), np.full(len(eta), TIE), np.exp(-eta / 2)], axis=1)
        scores[eta == 0] = [0, 1, 0]
        return scores / scores.sum(axis=1, keepdims=True)

    def expected(self, n: int) -> Tally:
        """What n judgments give on average, rounded: nothing is left to chance."""
        counts = n * (self.weight / self.weight.sum())[:, None] * self.chances()
        return tabulate(np.round(counts))


def worlds() -> dict[str, World]:
    """The three arms."""
    worth = GAP * np.arange(SYSTEMS - 1, -1, -1.0)
    weight = np.ones((SYSTEMS, SYSTEMS))
    weight[np.ix_([5, 7, 9], [11, 12, 13, 14])] = 10
    weight[np.ix_([0, 1, 2, 3], [4, 6, 8])] = 10
    copied = np.concatenate([worth[:8], np.repeat(worth[7], 4), worth[8:11]])
    even = np.ones(len(LOW))
    return {
        "balanced": World(worth, even),
        "uneven": World(worth, weight[LOW, HIGH]),
        "duplicated": World(copied, even),
    }


def count(pair: np.ndarray, outcome: np.ndarray) -> Tally:
    """A tally with an entry per pair, also of pairs that nobody judged."""
    return tabulate(np.bincount(pair * 3 + outcome, minlength=3 * len(LOW)).reshape(-1, 3))


def tabulate(counts: np.ndarray) -> Tally:
    """A tally of (105, 3) counts."""
    names = tuple(f"s{k:02d}" for k in range(SYSTEMS))
    sides = LOW.astype(np.int32), HIGH.astype(np.int32)
    return Tally(names, *sides, *counts.T.astype(float), {}, float(counts.sum()))


def kendall(values: np.ndarray, worth: np.ndarray) -> float:
    """Kendall's τ over the pairs that truly differ; a tie of scores counts nothing."""
    truly = np.sign(worth[LOW] - worth[HIGH])
    found = np.sign(values[LOW] - values[HIGH])
    return float((truly * found)[truly != 0].mean())
