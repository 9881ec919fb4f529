"""Votes and models for tests of held-out comparisons: models that know the truth or never learn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evenhand.data.votes import Votes
from evenhand.errors import NotIdentified

Row = tuple[str, str, int]


@dataclass(frozen=True)
class Table:
    """A model that says what a table says, whatever it is trained on; also its own fit."""

    chances: Mapping[tuple[str, str], Sequence[float]]
    systems: tuple[str, ...] = ()

    def fit(self, _: Votes) -> "Table":
        return self

    def predict(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        return np.array([self.chances[pair] for pair in pairs])


@dataclass(frozen=True)
class Davidson:
    """A model that knows log-worths by system code, and ν; it learns nothing."""

    worth: Sequence[float]
    systems: tuple[str, ...]
    nu: float = 0.5

    def fit(self, _: Votes) -> "Davidson":
        return self

    def predict(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        at = {name: i for i, name in enumerate(self.systems)}
        worth = np.asarray(self.worth)
        gaps = [worth[at[one]] - worth[at[other]] for one, other in pairs]
        return davidson_chances(np.array(gaps), self.nu)


@dataclass(frozen=True)
class Sizes:
    """A model that notes how many votes it saw, and which; ties get more the more it saw."""

    seen: list[Votes] = field(default_factory=list)
    systems: tuple[str, ...] = ()

    def fit(self, data: Votes) -> Table:
        self.seen.append(data)
        tie = data.size / (data.size + 100)
        rest = (1 - tie) / 2
        names = data.systems
        return Table({(a, b): (rest, tie, rest) for a in names for b in names}, names)


@dataclass(frozen=True)
class Refusing:
    """A model that asks for a number of votes."""

    least: int
    systems: tuple[str, ...] = ()

    def fit(self, data: Votes) -> Table:
        if data.size < self.least:
            raise NotIdentified(f"{data.size} votes are too few", ["pass --prior 1", "ask more"])
        return Table({(a, b): (0.2, 0.6, 0.2) for a in data.systems for b in data.systems})


def davidson_chances(gap: np.ndarray, nu: float = 0.5) -> np.ndarray:
    """(n, 3) chances of left, tie, right."""
    up = np.exp(gap / 2)
    weights = np.stack([up, np.full_like(up, nu), 1 / up], axis=-1)
    return weights / weights.sum(axis=-1, keepdims=True)


@dataclass(frozen=True)
class World:
    """Judges and items with tastes of their own, in Davidson's model.

    Attributes:
        worth: log-worths of the systems.
        judges: J.
        items: I.
        n: votes.
        zipf: loads of judges fall like 1/rank^zipf.
        sd: of tastes of judges and of items, for a system.
        tasks: tasks, each with items of its own.
    """

    worth: tuple[float, ...] = (0.3, 0.1, -0.1, -0.3)
    judges: int = 12
    items: int = 60
    n: int = 1200
    zipf: float = 0.0
    sd: float = 0.0
    tasks: int = 1

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(f"s{i}" for i in range(len(self.worth)))

    def simulate(self, rng: np.random.Generator) -> Votes:
        k, worth = len(self.worth), np.array(self.worth)
        load = 1 / np.arange(1, self.judges + 1) ** self.zipf
        judge = rng.choice(self.judges, self.n, p=load / load.sum())
        item = (self.items * rng.random(self.n) ** 2).astype(np.int64)
        left = rng.integers(k, size=self.n)
        right = (left + rng.integers(1, k, size=self.n)) % k
        own, other = (rng.normal(0, self.sd, (size, k)) for size in (self.judges, self.items))
        taste = worth + own[judge] + other[item]
        rows = np.arange(self.n)
        chances = davidson_chances(taste[rows, left] - taste[rows, right])
        outcome = (rng.random(self.n)[:, None] > chances.cumsum(axis=1)).sum(axis=1).clip(0, 2)
        return Votes(
            tuple(f"t{i}" for i in range(self.tasks)) if self.tasks > 1 else ("",),
            tuple(f"j{i:03}" for i in range(self.judges)),
            tuple(f"i{i:04}" for i in range(self.items)),
            self.systems,
            (item % self.tasks).astype(np.int32),
            *(codes.astype(np.int32) for codes in (judge, item, left, right)),
            outcome.astype(np.int8),
        )


def few_held_out(rows: Sequence[Row], systems: Sequence[str]) -> Votes:
    """Votes of one judge on items of their own, from (left, right, outcome)."""
    at = {name: i for i, name in enumerate(systems)}
    left, right = (np.array([at[row[side]] for row in rows], dtype=np.int32) for side in (0, 1))
    none, own = np.zeros(len(rows), np.int32), np.arange(len(rows), dtype=np.int32)
    items = tuple(f"{i:04}" for i in own)
    outcome = np.array([row[2] for row in rows], dtype=np.int8)
    return Votes(("",), ("j",), items, tuple(systems), none, none, own, left, right, outcome)
