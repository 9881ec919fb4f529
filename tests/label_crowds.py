"""Crowds of judges who label units, for tests of models of labels."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
from narwhals import from_native
from numpy.typing import NDArray

from evenhand.data.comparisons import Comparisons
from evenhand.data.ratings import Ratings
from evenhand.models.answers import Answers, sort_answers


class Crowd(NamedTuple):
    """Answers, and what is behind them."""

    answers: Answers
    truth: NDArray[np.int64]  # (U,)
    skill: NDArray[np.float64]  # (J,) competence, or share of right answers


def given(rows: Sequence[tuple[str, str, str]]) -> Answers:
    """Answers from (unit, judge, label)."""
    found = [np.unique(column, return_inverse=True) for column in np.array(rows).T]
    (units, _), (judges, _), (labels, _) = found
    size = (len(units), len(judges), len(labels))
    return coded(np.stack([codes for _, codes in found]), size, units.tolist())


def coded(
    codes: NDArray[np.int64], size: tuple[int, int, int], units: Sequence[str] = ()
) -> Answers:
    """Answers from three rows of codes: unit, judge, label; size is (U, J, C)."""
    unit, judge, label = codes.astype(np.int64)
    labels = tuple(f"c{i}" for i in range(size[2]))
    names = tuple(units) or tuple(f"u{i:05d}" for i in range(size[0]))
    judges = tuple(f"j{i:04d}" for i in range(size[1]))
    columns = {"item": (names, np.arange(size[0]))}
    straight = np.zeros(len(unit), dtype=np.bool_)
    return sort_answers(Answers(judges, labels, labels, columns, unit, judge, label, straight))


def draw_pairs(
    rng: np.random.Generator, size: tuple[int, int], each: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Unit and judge of each answer; `each` different judges a unit."""
    units, judges = size
    drawn = [rng.choice(judges, each, replace=False) for _ in range(units)]
    return np.repeat(np.arange(units), each), np.concatenate(drawn)


def spammers(seed: int, *, size: tuple[int, int, int] = (400, 60, 3), each: int = 5) -> Crowd:
    """Judges who know or spam as in MACE; a sixth of them know next to nothing."""
    rng = np.random.default_rng(seed)
    units, judges, c = size
    truth = rng.integers(0, c, units)
    skill = rng.beta(2, 1, judges)
    skill[: judges // 6] = 0.02
    strategies = rng.dirichlet(np.ones(c), judges).cumsum(axis=1)
    unit, judge = draw_pairs(rng, (units, judges), each)
    spam = (rng.random(len(unit))[:, None] > strategies[judge]).sum(axis=1)
    label = np.where(rng.random(len(unit)) < skill[judge], truth[unit], np.minimum(spam, c - 1))
    return Crowd(coded(np.stack([unit, judge, label]), size), truth, skill)


def tables(seed: int, *, size: tuple[int, int, int] = (600, 12, 3), each: int = 4) -> Crowd:
    """Judges with tables of errors as in Dawid and Skene; every fourth is right by chance only."""
    rng = np.random.default_rng(seed)
    units, judges, c = size
    shares = np.arange(c, 0, -1) / np.arange(c, 0, -1).sum()
    truth = rng.choice(c, units, p=shares)
    right = np.where(np.arange(judges) % 4 == 0, 1 / c, rng.uniform(0.65, 0.95, judges))
    errors = rng.dirichlet(np.full(c, 2.0), (judges, c)) * (1 - np.eye(c))
    errors *= (1 - right[:, None, None]) / errors.sum(axis=2, keepdims=True)
    theta = (errors + right[:, None, None] * np.eye(c)).cumsum(axis=2)
    unit, judge = draw_pairs(rng, (units, judges), each)
    above = rng.random(len(unit))[:, None] > theta[judge, truth[unit]]
    label = np.minimum(above.sum(axis=1), c - 1)
    return Crowd(coded(np.stack([unit, judge, label]), size), truth, right)


def as_votes(rows: Sequence[tuple[str, str, str, str, str]], **roles: list[str]) -> Comparisons:
    """Comparisons from (judge, item, left, right, outcome)."""
    names = ["judge", "item", "left", "right", "outcome"]
    frame = pl.DataFrame(rows, names, orient="row").with_columns(**_columns(roles))
    return Comparisons(from_native(frame))


def as_ratings(rows: Sequence[tuple[str, str, str, float]], **roles: list[str]) -> Ratings:
    """Ratings from (judge, item, system, score)."""
    frame = pl.DataFrame(rows, ["judge", "item", "system", "score"], orient="row")
    return Ratings(from_native(frame.with_columns(**_columns(roles))))


def _columns(roles: dict[str, list[str]]) -> dict[str, pl.Series]:
    return {name: pl.Series(values) for name, values in roles.items()}


def as_crowd_kit(answers: Answers) -> pd.DataFrame:
    """The same answers as crowd-kit takes them."""
    names = answers.columns["item"][0]
    return pd.DataFrame(
        {
            "task": [names[u] for u in answers.unit],
            "worker": [answers.judges[j] for j in answers.judge],
            "label": [answers.labels[c] for c in answers.label],
        }
    )
