"""Which analysis should we believe: models of preference compared on held-out judgments.

Hopkins & May (2013), Models of Translation Competitions, ACL: do not argue about rankings, compare
how well the models behind them predict judgments that they have not seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from evenhand.errors import NotIdentified, require_level, require_seed
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out
from evenhand.judgments.grouped import Grouped
from evenhand.judgments.groups import choose_groups, say_pooled
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.vote_digest import digest_votes
from evenhand.judgments.vote_parts import sort_votes, split_tasks, take_task
from evenhand.judgments.votes import Votes
from evenhand.judgments.wrong_kind import require_pairs
from evenhand.ranking.by_model import split_judgments
from evenhand.ranking.held_out_models import Wanted, make_models, say_models
from evenhand.validation.best_set import find_leavers
from evenhand.validation.clusters import find_clusters
from evenhand.validation.comparison_result import ModelComparison
from evenhand.validation.cross_validation import Validated, cross_validate
from evenhand.validation.folds import Plan, plan_folds
from evenhand.validation.training import Models, Progress

LEVEL: Final = 0.95
LEAST: Final = 30
"""Comparisons from which models are compared: three in each of ten folds."""
DIVISION: Final = {
    "both": "judges and items",
    "judge": "judges",
    "item": "items",
    "ranking": "rankings",
    "judgment": "judgments",
}
"""What is new in the votes that are predicted."""


@dataclass(frozen=True, eq=False)
class _Asked:
    """What was asked of a comparison of models."""

    wanted: Wanted
    models: Models
    by: str | None
    folds: int | None
    repeats: int
    level: float
    seed: int
    progress: Progress | None
    pooled: tuple[str, ...]


def compare_models(
    data: Comparisons | Rankings,
    *,
    models: Wanted = "usual",
    by: str | None = None,
    folds: int | None = None,
    repeats: int = 1,
    level: float = LEVEL,
    seed: int = SEED,
    group_by: str | None = None,
    progress: Progress | None = None,
) -> ModelComparison | Grouped[ModelComparison]:
    """Compare models of preference by cross-validation, on votes that they have not seen.

    Args:
        data: comparisons or rankings; several tasks are compared task by task.
        models: "usual", "paper" (the eight of Hopkins & May) or "all", a name, several, or
            name → settings. Samplers run one chain of 200 sweeps.
        by: what is never on both sides: judge, item, both, ranking or judgment; by default both
            where there are five of each, else what the data have.
        folds: blocks; by default ten, or five each way.
        repeats: how often the votes are divided anew.
        level: of intervals and of the set of the best (proportion).
        seed: of divisions, samplers and the bootstrap.
        group_by: a column whose levels are compared apart.
        progress: called with trainings done and to do.

    Returns:
        A comparison; one per group where `group_by` is given, one per task where there are several.

    Raises:
        NotIdentified: no group can be divided, or each holds fewer than 30 comparisons.
        InvalidJudgments: a value in the data that cannot be.
        UnknownColumn: a column that was asked for is not there.
        UnknownOption: a model or setting that does not exist or does not fit.

    >>> import polars as pl
    >>> from evenhand import read
    >>> votes = {"left": ["x", "y"] * 20, "right": ["y", "x"] * 20}
    >>> data = read(pl.DataFrame(votes | {"winner": ["left", "left", "tie", "left"] * 10}))
    >>> found = compare_models(data, models=["uniform", "adjusted-uniform"], folds=4)
    >>> found.order, round(found.scores[1].perplexity, 6)
    (('adjusted-uniform', 'uniform'), 3.0)
    """
    table = open_comparisons(data)
    check_numbers(level, seed)
    made = make_models(models, seed)
    column = choose_groups(table, group_by)
    groups, pooled = _split(table, column), (*say_left_out(data, table), *say_pooled(table, column))
    found: dict[str, ModelComparison] = {}
    refused: dict[str, str] = {}
    for name, votes in groups.items():
        step = _tell(progress, len(found) + len(refused), len(groups))
        try:
            asked = _Asked(models, made, by, folds, repeats, level, seed, step, pooled)
            found[name] = _compare(votes, asked)
        except NotIdentified as refusal:
            refused[name] = str(refusal)
    if not found:
        name, why = next(iter(refused.items()))
        raise NotIdentified(f"{name}: {why}" if name else why)
    if column is None or (group_by is None and len(groups) == 1):
        return next(iter(found.values()))
    return Grouped(found, column, refused)


def open_comparisons(data: Comparisons | Rankings) -> Comparisons:
    """Return a table of comparisons.

    Raises:
        InvalidJudgments: it is none.

    """
    refusal = "models of preference are compared on comparisons or rankings, not on"
    return require_pairs(data, refusal, "compare_processes compares models of scores")


def check_numbers(level: float, seed: int) -> None:
    """Refuse a level or a seed that is none.

    Raises:
        UnknownOption: the level does not lie between 0 and 1, or the seed is negative.

    """
    require_seed(seed)
    require_level(level)


def _split(table: Comparisons, column: str | None) -> dict[str, Votes]:
    """Return the votes of each group, in an order that does not depend on that of the table."""
    if column not in (None, "task"):
        parts = {name: part.votes() for name, part in split_judgments(table, str(column)).items()}
        return {name: part.take(sort_votes(part)) for name, part in parts.items()}
    votes = table.votes()
    votes = votes.take(sort_votes(votes))
    return {task: take_task(votes, rows) for task, rows in split_tasks(votes).items()}


def _tell(progress: Progress | None, before: int, groups: int) -> Progress:
    """Return a way to tell how much of a group is done."""

    def step(done: int, total: int) -> None:
        if progress is not None:
            progress(before * total + done, groups * total)

    return step


def _compare(votes: Votes, asked: _Asked) -> ModelComparison:
    """Cross-validate on the votes of one group.

    Raises:
        NotIdentified: there are too few votes, or they cannot be divided.

    """
    if votes.size < LEAST:
        fault = f"too few comparisons ({votes.size:,}) to tell which model foresees others"
        raise NotIdentified(fault, [f"collect {LEAST} at least"])
    plan = plan_folds(votes, asked.by, asked.folds, asked.repeats, asked.seed)
    found = cross_validate(votes, asked.models, plan, asked.progress)
    clusters = find_clusters(votes, asked.seed)
    losses = np.stack(list(found.losses.values())) if found.losses else np.zeros((0, votes.size))
    names, leavers = tuple(found.losses), find_leavers(losses, clusters, asked.seed)
    pairs = zip(names, leavers.by.tolist(), strict=True)
    return ModelComparison(
        models=names,
        losses=losses,
        held_out=votes,
        refused=found.refused,
        seconds=found.seconds,
        blocks=plan.by,
        folds=max(found.folds),
        repeats=plan.repeats,
        train=found.train,
        set_p=dict(zip(names, leavers.p.tolist(), strict=True)),
        left_behind={name: names[by] for name, by in pairs if by >= 0},
        level=asked.level,
        seed=asked.seed,
        signature=_sign(votes, plan, asked),
        notes=(*_note(votes, plan, found), *asked.pooled, *clusters.notes),
    )


def _note(votes: Votes, plan: Plan, found: Validated) -> tuple[str, ...]:
    """Say what was held out, and what that leaves out."""
    low, high = found.train
    many = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    said = (
        f"predicted votes are of {DIVISION[plan.by]} that the model was not trained on; trained on"
        f" {many} of {votes.size:,} comparisons, {sum(found.folds)} times"
    )
    empty = plan.trainings - sum(found.folds)
    hollow = f"{empty} of {plan.trainings} blocks hold no comparison and are no fold"
    shared = (
        "trainings share votes: intervals are for other held-out votes, not for other training"
        " votes"
    )
    once = (
        "judgments were divided into folds once: another division may move models near the border"
        " of the set of the best (--repeats, in Python repeats=, divides them several times)"
    )
    several = plan.repeats == 1 and len(found.losses) > 1
    return (said, *([hollow] if empty else []), shared, *([once] if several else []))


def _sign(votes: Votes, plan: Plan, asked: _Asked) -> str:
    times = f", {plan.repeats} times" if plan.repeats > 1 else ""
    way = f"{plan.folds}x{plan.folds}" if plan.by == "both" else f"{plan.folds}"
    parts = [
        f"held out by {plan.by}, {way} folds{times}",
        say_models(asked.wanted, asked.models),
        f"level {asked.level:g} seed={asked.seed}",
    ]
    return write_signature(parts, count_answers(votes), digest_votes(votes))


def count_answers(votes: Votes) -> float:
    """Return how many answers votes are of; a ranking is one."""
    return float(votes.size if votes.answer is None else len(np.unique(votes.answer)))
