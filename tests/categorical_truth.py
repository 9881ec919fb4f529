"""The categorical item-response model, summed out over all qualities by hand: no sampling.

Written from the formulas of Hopkins & May (2013), section 7, in loops; it shares no code with the
sampler. Only for a handful of outputs.
"""

from dataclasses import dataclass
from itertools import product
from math import exp, lgamma, log

import numpy as np

from evenhand.data.votes import Votes

Seen = tuple[int, int, int, int]  # item, left, right, outcome 0, 1 or 2 for left, tie, right


@dataclass(frozen=True)
class Scale:
    """Λ, α per category, σ and the radius."""

    categories: int
    concentration: float
    noise_sd: float
    radius: float


@dataclass(frozen=True)
class Exact:
    """The posterior: mean abilities (K, Λ), chances (K, K, 3), mean quality 1..Λ and its sd."""

    ability: np.ndarray
    chances: np.ndarray
    quality: np.ndarray
    quality_sd: np.ndarray


def votes_on(seen: list[Seen], systems: int) -> Votes:
    """The same comparisons as votes of one judge."""
    item, left, right, outcome = np.array(seen).T
    none = np.zeros(len(seen), np.int32)
    items = tuple(f"item {i}" for i in range(int(item.max()) + 1))
    names = tuple(f"s{i}" for i in range(systems))
    codes = (column.astype(np.int32) for column in (item, left, right))
    return Votes(("",), ("ann",), items, names, none, none, *codes, outcome.astype(np.int8))


def noise_of(scale: Scale) -> list[list[float]]:
    """How a quality (row) is seen."""
    steps, rows = range(scale.categories), []
    for a in steps:
        weights = [exp(-(((o - a) / scale.noise_sd) ** 2) / 2) for o in steps]
        rows.append([weight / sum(weights) for weight in weights])
    return rows


def preference_of(scale: Scale) -> np.ndarray:
    """(3, Λ, Λ) chances of left, tie, right."""
    noise, steps = noise_of(scale), range(scale.categories)
    table = np.zeros((3, scale.categories, scale.categories))
    for a, b, o, p in product(steps, repeat=4):
        said = 1 if abs(o - p) <= scale.radius else 0 if o > p else 2
        table[said, a, b] += noise[a][o] * noise[b][p]
    return table


def sum_out(seen: list[Seen], systems: int, scale: Scale) -> Exact:
    """The posterior by enumeration of the qualities of all outputs."""
    outputs = sorted({(item, s) for item, *pair, _ in seen for s in pair})
    at = {output: i for i, output in enumerate(outputs)}
    table, width = preference_of(scale), scale.categories
    weighed = []
    for quality in product(range(width), repeat=len(outputs)):
        counts = np.zeros((systems, width))
        for (_, system), a in zip(outputs, quality, strict=True):
            counts[system, a] += 1
        logs = sum(lgamma(n + scale.concentration) for n in counts.reshape(-1).tolist())
        for item, left, right, outcome in seen:
            logs += log(table[outcome, quality[at[item, left]], quality[at[item, right]]])
        weighed.append((logs, counts + scale.concentration))
    highest = max(logs for logs, _ in weighed)
    weights = np.exp([logs - highest for logs, _ in weighed])
    return average(weights / weights.sum(), [mass for _, mass in weighed], table)


def average(weights: np.ndarray, masses: list[np.ndarray], table: np.ndarray) -> Exact:
    """Average what Dirichlet laws of (K, Λ) masses say, by their weights."""
    systems, width = masses[0].shape
    steps = np.arange(1, width + 1)
    ability, moment = np.zeros((systems, width)), np.zeros((systems, systems, width, width))
    for weight, mass in zip(weights.tolist(), masses, strict=True):
        strength = mass.sum(axis=1)
        p = mass / strength[:, None]
        product_of = np.einsum("sa,tb->stab", p, p)
        for s in range(systems):  # E[p_a p_b] of one Dirichlet law
            both = np.outer(mass[s], mass[s]) + np.diag(mass[s])
            product_of[s, s] = both / (strength[s] * (strength[s] + 1))
        ability += weight * p
        moment += weight * product_of
    chances = np.einsum("stab,xab->stx", moment, table)
    square = np.einsum("ssab,a,b->s", moment, steps, steps)
    mean = ability @ steps
    return Exact(ability, chances, mean, np.sqrt(square - mean**2))
