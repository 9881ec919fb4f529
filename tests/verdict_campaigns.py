"""People's judgments with verdicts of an LLM judge on all outputs, and plain sums about both.

Judges b ~ N(0, taste²) and outputs u ~ N(0, output²) add to the worths of systems; the LLM sees
`sharpness` times worth and output, `bias` more of the first system, and noise of its own, and is
asked twice about each of all pairs.

The reference is numpy alone: three logistic fits by Newton's method, what
leaving each judge and item out changes, and the variances by judges, by items and by the cells of
both.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evenhand.data.tally import Factor, Tally


@dataclass(frozen=True)
class Design:
    gap: float = 0.35
    systems: int = 6
    judges: int = 12
    items: int = 200
    labelled: int = 80
    judgments: int = 480
    taste: float = 0.3
    output: float = 1.5
    sharpness: float = 1.5
    bias: float = 0.8
    noise: float = 0.3
    ties: float = 0.0  # Davidson's ν

    @property
    def worths(self):
        return self.gap * (self.systems - 1 - np.arange(self.systems))

    @property
    def pairs(self):
        return np.array([*combinations(range(self.systems), 2)])


@dataclass(frozen=True, eq=False)
class Campaign:
    """(n,) judge, item, left, right and (n, 3) outcome; (N,) item, left, right, (N, 3) verdicts."""

    design: Design
    judge: np.ndarray
    item: np.ndarray
    sides: np.ndarray
    outcome: np.ndarray
    of_item: np.ndarray
    of_sides: np.ndarray
    verdict: np.ndarray

    def tallies(self):
        names = tuple(f"s{at:02d}" for at in range(self.design.systems))
        items = [f"i{at}" for at in range(self.design.items)]
        judges = [f"j{at}" for at in range(self.design.judges)]
        people = {"judge": Factor.of(judges, self.judge), "item": Factor.of(items, self.item)}
        every = {"item": Factor.of(items, self.of_item)}
        return tuple(
            Tally(names, *sides.T.astype(np.int32), *counts.T, of, n_judgments=counts.sum())
            for sides, counts, of in (
                (self.sides, self.outcome, people),
                (self.of_sides, self.verdict, every),
            )
        )

    def tables(self):
        """Columns of both, as a file has them; people's without a judge named llm."""
        labels = np.array(["left", "tie", "right"])
        people = {
            "judge": [f"j{at}" for at in self.judge],
            "item": [f"i{at}" for at in self.item],
            "left": [f"s{at:02d}" for at in self.sides[:, 0]],
            "right": [f"s{at:02d}" for at in self.sides[:, 1]],
            "winner": labels[self.outcome.argmax(axis=1)].tolist(),
        }
        rows = [
            ("llm", f"i{item}", f"s{a:02d}", f"s{b:02d}", labels[kind])
            for item, (a, b), counts in zip(
                self.of_item, self.of_sides, self.verdict.astype(int), strict=True
            )
            for kind in range(3)
            for _ in range(counts[kind])
        ]
        return people, dict(zip(people, map(list, zip(*rows, strict=True)), strict=True))


def draw(design, rng):
    m, pairs = design.systems, design.pairs
    tastes = rng.normal(0, design.taste, (design.judges, m))
    outputs = rng.normal(0, design.output, (design.items, m))
    labelled = rng.permutation(design.items)[: design.labelled]
    n = design.judgments
    item = rng.permutation(labelled[np.arange(n) % design.labelled])
    judge = np.arange(n) % design.judges
    sides = pairs[rng.integers(len(pairs), size=n)]
    sides = np.where(rng.random(n)[:, None] < 0.5, sides, sides[:, ::-1])

    def answer(apart):
        half = np.exp(apart / 2)
        whole, chance = half + 1 / half + design.ties, rng.random(len(apart))
        right = chance > 1 - 1 / half / whole
        left = chance < half / whole
        return np.stack([left, ~left & ~right, right], axis=1).astype(float)

    felt = design.worths + tastes[judge] + outputs[item]
    rows = np.arange(n)
    outcome = answer(felt[rows, sides[:, 0]] - felt[rows, sides[:, 1]])
    seen = design.sharpness * (design.worths + outputs)
    seen += rng.normal(0, design.noise, (design.items, m))
    seen[:, 0] += design.bias
    of_item = np.repeat(np.arange(design.items), len(pairs))
    of_sides = np.tile(pairs, (design.items, 1))
    apart = seen[of_item, of_sides[:, 0]] - seen[of_item, of_sides[:, 1]]
    verdict = answer(apart) + answer(apart)
    return Campaign(design, judge, item, sides, outcome, of_item, of_sides, verdict)


def project(worths, variance):
    """Log-worths, centred, of a population whose differences vary by N(0, variance)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    apart = worths[:, None] - worths
    moved = apart[..., None] + np.sqrt(variance) * nodes
    chance = (1 / (1 + np.exp(-moved)) * weights).sum(axis=-1) / weights.sum()
    return fit_chances(chance)


def fit_chances(chance):
    m = len(chance)
    at, others = np.zeros(m), ~np.eye(m, dtype=bool)
    for _ in range(50):
        expected = 1 / (1 + np.exp(at - at[:, None]))
        weight = expected * (1 - expected) * others
        information = np.diag(weight.sum(axis=1)) - weight + 1 / m
        at = at + np.linalg.solve(information, ((chance - expected) * others).sum(axis=1))
    return at - at.mean()


@dataclass(frozen=True, eq=False)
class Logit:
    """A fit without ties: (m,) log-worths, centred, and scores and information of its rows."""

    at: np.ndarray
    x: np.ndarray  # (n, m) +1 and -1
    rest: np.ndarray  # (n,) share for left less what is expected
    weight: np.ndarray  # (n,)

    @classmethod
    def of(cls, sides, share, m):
        x = np.zeros((len(sides), m))
        x[np.arange(len(x)), sides[:, 0]], x[np.arange(len(x)), sides[:, 1]] = 1, -1
        at = np.zeros(m)
        for _ in range(30):
            expected = 1 / (1 + np.exp(-x @ at))
            weight = expected * (1 - expected)
            at = at + np.linalg.solve((x.T * weight) @ x + 1 / m, x.T @ (share - expected))
        return cls(at - at.mean(), x, share - expected, weight)

    def scores(self, codes, size):
        sums = np.zeros((size, self.x.shape[1]))
        np.add.at(sums, codes, self.x * self.rest[:, None])
        return sums

    def inform(self, codes, size):
        """(m, m) information of all, and (size, m, m) that without each cluster."""
        m = self.x.shape[1]
        information = np.zeros((size, m, m))
        for g in range(size):
            x, w = self.x[codes == g], self.weight[codes == g]
            information[g] = (x.T * w) @ x
        whole = information.sum(axis=0) + 1 / m
        return whole, whole - information

    def leave_out(self, codes, size):
        """(size, m) what leaving each cluster out changes."""
        rest = self.inform(codes, size)[1]
        return -np.linalg.solve(rest, self.scores(codes, size)[..., None])[..., 0]

    def carry(self, codes, size):
        """(size, m, size) how far the leverage of a cluster carries the change by another."""
        whole, rest = self.inform(codes, size)
        return np.linalg.solve(rest, whole @ self.leave_out(codes, size).T)

    def move(self, codes, size):
        whole = (self.x.T * self.weight) @ self.x + 1 / self.x.shape[1]
        return self.scores(codes, size) @ np.linalg.inv(whole)


def jackknife(changes):
    centred = changes - changes.mean(axis=0)
    return (len(changes) - 1) / len(changes) * centred.T @ centred


@dataclass(frozen=True, eq=False)
class Plain:
    """What the formulas give: estimates, λ, variances of differences by all ways and without."""

    people: np.ndarray
    llm: np.ndarray
    llm_variance: np.ndarray  # by items
    fused: np.ndarray
    weight: float
    variance: np.ndarray
    people_variance: np.ndarray
    independent: np.ndarray


def fit_parts(campaign):
    """Fit people's judgments, verdicts beside them, and all; a tie is half a vote for each."""
    m = campaign.design.systems
    place = {
        (item, *sides): row
        for row, (item, sides) in enumerate(
            zip(campaign.of_item.tolist(), campaign.of_sides.tolist(), strict=True)
        )
    }
    share = (campaign.verdict[:, 0] + campaign.verdict[:, 1] / 2) / campaign.verdict.sum(axis=1)
    low = np.sort(campaign.sides, axis=1)
    at = [
        place[item, *pair] for item, pair in zip(campaign.item.tolist(), low.tolist(), strict=True)
    ]
    won = campaign.outcome[:, 0] + campaign.outcome[:, 1] / 2
    return (
        Logit.of(campaign.sides, won, m),
        Logit.of(low, share[at], m),
        Logit.of(campaign.of_sides, share, m),
    )


def compute(campaign):
    """Fuse without ties."""
    design, items = campaign.design, campaign.design.items
    own, beside, every = fit_parts(campaign)
    h, v = own.leave_out(campaign.item, items), beside.leave_out(campaign.item, items)
    a = every.leave_out(campaign.of_item, items)
    other = (v - a) - (v - a).mean(axis=0)
    size = (other**2).sum()
    weight = float(np.clip(((h - h.mean(axis=0)) * other).sum() / size, 0, 1)) if size else 0.0

    def variance(by):
        by_item = jackknife(h - by * (v - a))
        ways = [own.leave_out(campaign.judge, design.judges)]
        ways[0] = ways[0] - by * beside.leave_out(campaign.judge, design.judges)
        by_judge = jackknife(ways[0]) + by**2 * jackknife(a)
        cells = campaign.judge * items + campaign.item
        _, cells = np.unique(cells, return_inverse=True)
        n = int(cells.max()) + 1
        moved = own.move(cells, n) - by * beside.move(cells, n)
        of_cells = moved.T @ moved + by**2 * jackknife(a)
        return max_pairs(by_judge, by_item, by_judge + by_item - of_cells)

    rows = np.arange(len(campaign.judge))
    moved = own.move(rows, len(rows)) - weight * beside.move(rows, len(rows))
    verdicts = np.arange(len(campaign.of_item))
    alone = every.move(verdicts, len(verdicts))
    independent = moved.T @ moved + weight**2 * alone.T @ alone
    return Plain(
        own.at,
        every.at,
        max_pairs(jackknife(a)),
        own.at - weight * (beside.at - every.at),
        weight,
        variance(weight),
        variance(0.0),
        max_pairs(independent),
    )


def max_pairs(*covariances):
    each = [np.diag(v)[:, None] + np.diag(v) - 2 * v for v in covariances]
    return np.max(each, axis=0)
