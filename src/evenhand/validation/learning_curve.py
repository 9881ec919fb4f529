"""Perplexity by training size, after the protocol of Hopkins & May (2013), section 8.

For every task, training size and trial a random subset of the training votes is drawn, every model
is trained on it and predicts the task's held-out votes. All models see the same subsets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judgments.vote_parts import recode_systems, sort_votes, split_tasks, take_task
from evenhand.judgments.votes import Votes
from evenhand.numerics.threads import one_blas_thread
from evenhand.validation.learning_parts import Refusal, TestSet
from evenhand.validation.perplexity import average
from evenhand.validation.split import LEAST, SIZES, TRIALS, Rows, draw_subset, hold_out_rare_items
from evenhand.validation.training import Models, Progress, Trained, train

Array = NDArray[np.float64]
OVERLAPS: Final = ("keep", "drop")


@dataclass(frozen=True)
class Protocol:
    """What is trained on what.

    Attributes:
        sizes: training sizes, ascending.
        trials: random subsets of each.
        least: held-out comparisons of a task, at least.
        overlap: where training votes are of other judges: "keep" those on held-out items, as the
            paper does, or "drop" them.
        seed: of the subsets.

    """

    sizes: tuple[int, ...] = SIZES
    trials: int = TRIALS
    least: int = LEAST
    overlap: str = "keep"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be.

        Raises:
            UnknownOption: names the setting and what it may be.

        """
        if not self.sizes or min(self.sizes) < 1 or list(self.sizes) != sorted(set(self.sizes)):
            raise UnknownOption(
                f"sizes cannot be {list(self.sizes)}: they are whole numbers from 1, ascending"
            )
        for name, value in (("trials", self.trials), ("least", self.least)):
            if value < 1:
                raise UnknownOption(f"{name} cannot be {value}: 1 is the least")
        if self.overlap not in OVERLAPS:
            raise UnknownOption(f"overlap cannot be '{self.overlap}': choose keep | drop")


class Material(NamedTuple):
    """One task: how it was divided, its rows that are held out, and both parts.

    Both parts name the same systems.
    """

    said: TestSet
    rows: Rows
    test: Votes
    train: Votes


@dataclass(frozen=True, eq=False)
class Division:
    """All tasks, divided.

    Attributes:
        tasks: those that could be.
        held_out: their held-out votes, task after task.
        refused: task → why it could not.

    """

    tasks: tuple[Material, ...]
    held_out: Votes
    refused: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Traced:
    """What came of all trainings.

    Attributes:
        losses: (M, T, S, R) mean losses (bits); NaN where refused.
        deviations: (M, S, n) how much higher the perplexity would be, were all of the task's
            held-out votes like this one; zero where a trial was refused.
        refusals: what was refused.
        seconds: model → CPU seconds.

    """

    losses: Array
    deviations: Array
    refusals: tuple[Refusal, ...]
    seconds: Mapping[str, float]


def divide_tasks(votes: Votes, training: Votes | None, protocol: Protocol) -> Division:
    """Divide every task into held-out votes and votes to train on.

    Args:
        votes: the votes that the test sets are of, and the training sets too unless `training`.
        training: other votes to train on, such as those of a crowd; or None.
        protocol: how.

    Raises:
        NotIdentified: no task can be divided.
        UnknownColumn: the votes do not say which item they are on.

    """
    votes = votes.take(sort_votes(votes))
    training = None if training is None else training.take(sort_votes(training))
    others = {} if training is None else split_tasks(training)
    found: list[Material] = []
    refused: dict[str, str] = {}
    for task, rows in split_tasks(votes).items():
        own, other = take_task(votes, rows), None
        if training is not None and task not in others:
            refused[task] = "there is nothing to train on"
            continue
        if training is not None:
            other = take_task(training, others[task])
        try:
            found.append(_divide(task, own, other, protocol, rows))
        except NotIdentified as refusal:
            refused[task] = str(refusal)
    if not found:
        task, why = next(iter(refused.items()))
        raise NotIdentified(f"{task}: {why}" if task else why)
    held_out = votes.take(np.concatenate([one.rows for one in found]))
    return Division(tuple(found), held_out, refused)


def _divide(
    task: str, votes: Votes, others: Votes | None, protocol: Protocol, rows: Rows
) -> Material:
    """Divide one task, or hold out of it and train on other votes.

    Raises:
        NotIdentified: there are too few votes.
        UnknownColumn: the votes do not say which item they are on.

    """
    split = hold_out_rare_items(votes, protocol.least)
    test, held = votes.take(split.test), rows[split.test]
    items = len(np.unique(test.item))
    if others is None:
        rest = votes.take(split.train)
        return Material(TestSet(task, split.most, items, test.size, rest.size), held, test, rest)
    names = {votes.items[i] for i in np.unique(test.item).tolist()}
    on_held = np.array([item in names for item in others.items])[others.item]
    if protocol.overlap == "drop":
        others, on_held = others.take(~on_held), on_held[:0]
    if not others.size:
        raise NotIdentified("all votes that could be trained on are on held-out items")
    systems = sorted({*votes.systems, *others.systems})
    said = TestSet(task, split.most, items, test.size, others.size, int(on_held.sum()))
    return Material(said, held, recode_systems(test, systems), recode_systems(others, systems))


def trace(
    tasks: Sequence[Material], models: Models, protocol: Protocol, progress: Progress | None = None
) -> Traced:
    """Train every model on every subset of every task.

    Args:
        tasks: the tasks.
        models: name → model.
        protocol: sizes, trials and the seed.
        progress: called with trainings done and to do.

    """
    each = len(protocol.sizes) * protocol.trials * len(models)
    parts: list[Traced] = []
    with one_blas_thread():
        for one in tasks:
            before = len(parts) * each
            parts.append(_trace_task(one, models, protocol, _tell(progress, before, each, tasks)))
    return Traced(
        losses=np.concatenate([part.losses for part in parts], axis=1),
        deviations=np.concatenate([part.deviations for part in parts], axis=2),
        refusals=tuple(one for part in parts for one in part.refusals),
        seconds={name: sum(part.seconds[name] for part in parts) for name in models},
    )


def _tell(
    progress: Progress | None, before: int, each: int, tasks: Sequence[Material]
) -> Callable[[int], None]:
    """Return a way to tell how many trainings of a task are done."""

    def step(done: int) -> None:
        if progress is not None:
            progress(before + done, each * len(tasks))

    return step


def _trace_task(
    one: Material, models: Models, protocol: Protocol, step: Callable[[int], None]
) -> Traced:
    """Train every model on every subset of a task."""
    names = list(models)
    losses = np.full((len(names), 1, len(protocol.sizes), protocol.trials), np.nan)
    deviations = np.zeros((len(names), len(protocol.sizes), one.test.size))
    refusals: list[Refusal] = []
    seconds = dict.fromkeys(models, 0.0)
    for done, (m, s, r, found) in enumerate(_train_all(one, models, protocol)):
        seconds[names[m]] += found.seconds
        if found.losses is None:
            at = one.said.task, protocol.sizes[s], r + 1
            refusals.append(Refusal(names[m], *at, found.why))
        else:
            losses[m, 0, s, r] = mean = average(found.losses)
            deviations[m, s] += np.log(2) * np.exp2(mean) * (found.losses - mean) / protocol.trials
        step(done + 1)
    deviations[np.isnan(losses).any(axis=(1, 3))] = 0.0
    return Traced(losses, deviations, tuple(refusals), seconds)


def _train_all(
    one: Material, models: Models, protocol: Protocol
) -> Iterator[tuple[int, int, int, Trained]]:
    """Yield model, size and trial, with what came of it; the whole set is trained on once."""
    rows, whole = np.arange(one.train.size), dict[int, Trained]()
    stream = int.from_bytes(sha256(one.said.task.encode()).digest()[:8])
    for s, size in enumerate(protocol.sizes):
        for r in range(protocol.trials):
            subset = draw_subset(rows, size, protocol.seed, (stream, size, r))
            votes = one.train.take(subset) if len(subset) < len(rows) else None
            for m, model in enumerate(models.values()):
                if votes is not None:
                    yield m, s, r, train(model, votes, one.test)
                    continue
                yield (
                    m,
                    s,
                    r,
                    whole.get(m) or whole.setdefault(m, train(model, one.train, one.test)),
                )
                whole[m] = replace(whole[m], seconds=0.0)
