"""Campaigns of judges who may be careless or reversed, as votes: the truth of E4 and its kin.

Output pairs have latent gaps; a judge perceives slope × (gap + own taste), so that the slope is 0
for a careless judge, −1 for a reversed one and about 1 for the honest.
"""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET
from evenhand.data.votes import Votes

NU = 0.5


@dataclass(frozen=True)
class Panel:
    """E4: 8 systems with log-worths 1 … −1, 30 judges, three of them on every output pair.

    Attributes:
        each: judgments per judge.
        bad: how many of the first judges are bad.
        value: their slope.
        judges: J.
        systems: m.
        controls: per judge; a gap of 4 in favour of the left or right output.
        repeats: judgments of each judge that are asked again, with the sides exchanged.
        hurry: by how much bad judges are quicker (log seconds), beside honest ones who differ by
            .5; None where nobody looked at the clock.
    """

    each: int
    bad: int = 0
    value: float = 0.0
    judges: int = 30
    systems: int = 8
    controls: int = 0
    repeats: int = 0
    hurry: float | None = None

    def simulate(self, rng: np.random.Generator) -> Votes:
        """One campaign, drawn in the order in which E4 lists what is random."""
        m, u = self.systems, self.judges * self.each // 3
        theta, (low, high) = np.linspace(1, -1, m), np.triu_indices(m, 1)
        pair = rng.integers(len(low), size=u)
        stays = rng.random(u) < 0.5
        left, right = (np.where(stays, a[pair], b[pair]) for a, b in ((low, high), (high, low)))
        gap = theta[left] - theta[right] + rng.normal(0, np.sqrt(2), u)
        judge = deal(rng, self.judges, 3 * u)
        slope, taste = draw_judges(rng, self.judges, m)
        slope[: self.bad] = self.value
        item = np.repeat(np.arange(u), 3)
        left, right, gap = left[item], right[item], gap[item]
        eta = slope[judge] * (gap + taste[judge, left] - taste[judge, right])
        plain = make_votes((self.judges, m), judge, item, np.stack([left, right]), answer(rng, eta))
        return self._time(self._check(plain, slope, eta, rng), rng)

    def _time(self, votes: Votes, rng: np.random.Generator) -> Votes:
        if self.hurry is None:
            return votes
        own = rng.normal(2, 0.5, self.judges) - self.hurry * (np.arange(self.judges) < self.bad)
        return replace(votes, seconds=np.exp(own[votes.judge] + rng.normal(0, 0.5, votes.size)))

    def _check(
        self, plain: Votes, slope: np.ndarray, eta: np.ndarray, rng: np.random.Generator
    ) -> Votes:
        """Add repeats and controls at the end."""
        if not self.controls and not self.repeats:
            return plain
        again = [np.flatnonzero(plain.judge == j)[: self.repeats] for j in range(self.judges)]
        rows = np.concatenate(again)
        judge = np.repeat(np.arange(self.judges, dtype=np.int32), self.controls)
        good = rng.random(len(judge)) < 0.5
        of_controls = slope[judge] * np.where(good, 4.0, -4.0)
        told = answer(rng, np.concatenate([-eta[rows], of_controls]))
        n, size = len(rows), len(judge)
        own = len(plain.items) + np.arange(size, dtype=np.int32) // self.judges
        kinds = np.repeat([TARGET, REPEAT, CONTROL], [plain.size, n, size]).astype(np.int8)
        expected = np.full(plain.size + n + size, -1, dtype=np.int8)
        expected[plain.size + n :] = np.where(good, 0, 2)
        return replace(
            plain,
            items=(*plain.items, *(f"c{i}" for i in range(size))),
            task=np.zeros(len(kinds), np.int32),
            judge=np.concatenate([plain.judge, plain.judge[rows], judge]),
            item=np.concatenate([plain.item, plain.item[rows], own]),
            left=np.concatenate([plain.left, plain.right[rows], np.zeros(size, np.int32)]),
            right=np.concatenate([plain.right, plain.left[rows], np.ones(size, np.int32)]),
            outcome=np.concatenate([plain.outcome, told]),
            kind=kinds,
            expected=expected,
        )


@dataclass(frozen=True)
class RankingPanel:
    """The same judges rank five outputs at a time, three of them every set.

    Attributes:
        each: rankings per judge.
        bad: how many of the first judges are bad.
        value: their slope.
        judges: J.
        systems: m.
        shared: judges of every set.
    """

    each: int
    bad: int = 0
    value: float = 0.0
    judges: int = 30
    systems: int = 8
    shared: int = 3

    def simulate(self, rng: np.random.Generator) -> Votes:
        """One campaign: a ranking is ten comparisons of one answer; near values tie."""
        m, k = self.systems, 5
        u = self.judges * self.each // self.shared
        theta, (a, b) = np.linspace(1, -1, m), np.array(list(combinations(range(k), 2))).T
        sets = np.argsort(rng.random((u, m)), axis=1)[:, :k]
        quality = theta[sets] + rng.normal(0, 1, (u, k))
        judge = deal(rng, self.judges, self.shared * u)
        slope, taste = draw_judges(rng, self.judges, m)
        slope[: self.bad] = self.value
        item = np.repeat(np.arange(u), self.shared)
        seen = slope[judge, None] * (quality[item] + taste[judge[:, None], sets[item]])
        seen += rng.gumbel(size=seen.shape)
        place = np.argsort(rng.random(seen.shape), axis=1)
        first = place[:, a] < place[:, b]
        lead = np.where(first, 1, -1) * (seen[:, a] - seen[:, b])
        sides = np.where(first, sets[item][:, a], sets[item][:, b])
        sides = np.stack([sides, sets[item][:, a] + sets[item][:, b] - sides]).reshape(2, -1)
        told = np.where(np.abs(lead) < 0.3, 1, np.where(lead > 0, 0, 2)).reshape(-1)
        each = len(a)
        who, what = np.repeat(judge, each), np.repeat(item, each)
        found = make_votes((self.judges, m), who, what, sides, told)
        return replace(found, answer=np.repeat(np.arange(len(judge), dtype=np.int32), each))


def deal(rng: np.random.Generator, judges: int, n: int) -> np.ndarray:
    """Judges from concatenated random permutations, nobody twice within three in a row."""
    dealt: list[int] = []
    while len(dealt) < n:
        hand = rng.permutation(judges).tolist()
        open_triple = dealt[len(dealt) - len(dealt) % 3 :]
        if not set(open_triple) & set(hand[: 3 - len(open_triple)]) or not open_triple:
            dealt += hand
    return np.array(dealt[:n])


def draw_judges(rng: np.random.Generator, judges: int, systems: int) -> tuple:
    """Slopes exp(N(0, .25²)) and tastes N(0, .2²)."""
    return np.exp(rng.normal(0, 0.25, judges)), rng.normal(0, 0.2, (judges, systems))


def answer(rng: np.random.Generator, eta: np.ndarray) -> np.ndarray:
    """Left, tie or right, as in CAMPAIGN with ν = .5."""
    won, lost = np.exp(eta / 2), np.exp(-eta / 2)
    drawn = rng.random(len(eta)) * (won + lost + NU)
    return np.where(drawn < won, 0, np.where(drawn < won + lost, 2, 1)).astype(np.int8)


def make_votes(
    sizes: tuple[int, int],
    judge: np.ndarray,
    item: np.ndarray,
    sides: np.ndarray,
    outcome: np.ndarray,
) -> Votes:
    """Votes of judges j000, j001, … on items u0, u1, … of systems s0, s1, …"""
    judges, systems = sizes
    left, right = sides.astype(np.int32)
    return Votes(
        ("",),
        tuple(f"j{k:03d}" for k in range(judges)),
        tuple(f"u{k}" for k in range(int(item.max()) + 1)),
        tuple(f"s{k}" for k in range(systems)),
        np.zeros(len(judge), np.int32),
        judge.astype(np.int32),
        item.astype(np.int32),
        left,
        right,
        outcome.astype(np.int8),
    )
