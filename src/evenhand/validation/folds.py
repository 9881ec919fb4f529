"""Cross-validation that never asks of a judge, or an item, what it was trained on.

By judge and item at once (both) a fold's test votes are those of one block of judges on one block
of items; it is trained on votes of neither. Blocks are of about equal load. An answer that is
several votes, a ranking, is never split.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownColumn, UnknownOption, require_option
from evenhand.judgments.votes import Votes
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.grouping import number_groups
from evenhand.validation.clusters import number_answers

Rows = NDArray[np.intp]
Integers = NDArray[np.int64]
BLOCKS: Final = ("judge", "item", "both", "ranking", "judgment")
FOLDS: Final = 10
FOLDS_EACH_WAY: Final = 5
FEW: Final = 5
"""Fewest judges, and items, for which both are blocks by default."""


@dataclass(frozen=True, eq=False)
class Fold:
    """One training.

    Attributes:
        train: rows that are trained on.
        test: rows that are predicted.

    """

    train: Rows
    test: Rows


@dataclass(frozen=True)
class Plan:
    """How votes are to be divided.

    Attributes:
        by: judge, item, both, ranking or judgment.
        folds: blocks, each way if there are two.
        repeats: how often they are divided anew.
        seed: of the divisions.

    """

    by: str
    folds: int
    repeats: int = 1
    seed: int = 0

    @property
    def trainings(self) -> int:
        """Trainings of a model."""
        return self.repeats * (self.folds**2 if self.by == "both" else self.folds)


def plan_folds(votes: Votes, by: str | None, folds: int | None, repeats: int, seed: int) -> Plan:
    """Settle how votes are divided: as asked, else so that judges and items are new where known.

    Args:
        votes: of one task.
        by: what is never on both sides; None for both judges and items if there are at least five
            of each, else whichever the votes have.
        folds: blocks; None for ten, or five each way. At most as many as there are units.
        repeats: how often the votes are divided anew.
        seed: of the divisions.

    Raises:
        UnknownColumn: the votes do not know what was asked for.
        UnknownOption: too few folds or repeats, or no such blocks.
        NotIdentified: there are not two blocks.

    """
    if by is not None:
        require_option("by", by, BLOCKS)
    if repeats < 1:
        raise UnknownOption(f"repeats cannot be {repeats}: 1 is the least")
    if folds is not None and folds < 2:
        raise UnknownOption(f"folds cannot be {folds}: 2 is the least")
    chosen = by or _choose(votes)
    wanted = folds or (FOLDS_EACH_WAY if chosen == "both" else FOLDS)
    units = {name: _count_units(votes, name) for name in _sides(chosen)}
    for name, count in units.items():
        if count < 2:
            raise NotIdentified(
                f"there is one {name} only, and to be held out it takes two: hold out by something"
                " else"
            )
    return Plan(chosen, min(wanted, *units.values()), repeats, seed)


def _choose(votes: Votes) -> str:
    """Return the blocks that show most: of new judges and new items, where there are several."""
    judges, items = (len(np.unique(codes)) for codes in (votes.judge, votes.item))
    if judges >= FEW and items >= FEW:
        return "both"
    if max(judges, items) < FEW:
        return "judgment" if votes.answer is None else "ranking"
    return "judge" if judges >= FEW else "item"


def _sides(by: str) -> tuple[str, ...]:
    return ("judge", "item") if by == "both" else (by,)


def _count_units(votes: Votes, name: str) -> int:
    """Return how many judges, items or answers there are.

    Raises:
        UnknownColumn: the votes do not know.

    """
    return int(_units(votes, name).max()) + 1


def _units(votes: Votes, name: str) -> Integers:
    """Return the unit of each vote: judges or items that share an answer are one.

    Raises:
        UnknownColumn: the votes do not know.

    """
    answers = number_answers(votes)
    if name == "judgment" or (name == "ranking" and votes.answer is not None):
        return answers
    if name == "ranking" or getattr(votes, f"{name}s") == ("",):
        raise UnknownColumn(
            f"there is no {name} column to hold out by: map one (--column {name}=NAME), or choose"
            f" another of {' | '.join(BLOCKS)}"
        )
    codes = number_groups(getattr(votes, name))
    if votes.answer is None:
        return codes
    size = int(codes.max()) + 1
    graph = Graph(size + int(answers.max()) + 1, codes, size + answers)
    return number_groups(weak_components(graph)[codes])


def make_folds(votes: Votes, plan: Plan) -> Iterator[tuple[int, Fold]]:
    """Divide votes, repeat after repeat; yields the repeat, from 0, with every fold.

    Args:
        votes: of one task, in an order that does not depend on that of the table.
        plan: how.

    Raises:
        UnknownColumn: the votes do not know what they are to be divided by.

    """
    sides = [_units(votes, name) for name in _sides(plan.by)]
    for repeat in range(plan.repeats):
        blocks = [
            _block(units, plan.folds, [plan.seed, repeat, side]) for side, units in enumerate(sides)
        ]
        for fold in np.ndindex(*[plan.folds] * len(sides)):
            held = [block == own for block, own in zip(blocks, fold, strict=True)]
            test, train = np.logical_and.reduce(held), ~np.logical_or.reduce(held)
            if test.any():
                yield repeat, Fold(np.flatnonzero(train), np.flatnonzero(test))


def _block(units: Integers, folds: int, entropy: list[int]) -> Integers:
    """Return the block of each vote: by chance one each of the heaviest units, then the next."""
    loads = np.bincount(units)
    rng = np.random.Generator(np.random.PCG64(entropy))
    chance = rng.permutation(len(loads))
    order = chance[np.argsort(-loads[chance], kind="stable")]
    turns = -(-len(loads) // folds)
    places = rng.permuted(np.tile(np.arange(folds), (turns, 1)), axis=1).reshape(-1)
    block = np.empty(len(loads), dtype=np.int64)
    block[order] = places[: len(loads)]
    return block[units]
