"""Which analysis should we believe: models of preference compared on held-out judgments.

Hopkins & May (2013), Models of Translation Competitions, ACL: do not argue about rankings, compare
how well the models behind them predict judgments that they have not seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import carries_excluded, require_pairs, say_left_out
from evenhand.data.groups import choose_groups, say_pooled
from evenhand.data.rankings import Rankings
from evenhand.data.results import Grouped, write_signature
from evenhand.data.votes import (
    PreferenceModel,
    Votes,
    digest_votes,
    sort_votes,
    split_tasks,
    take_task,
)
from evenhand.errors import (
    NotIdentified,
    UnknownOption,
    require_level,
    require_option,
    require_seed,
)
from evenhand.models.registry import MODELS, find_model
from evenhand.ranking.by_model import split_judgments
from evenhand.ranking.cross_validation import (
    Leavers,
    ModelComparison,
    Plan,
    Validated,
    cross_validate,
    find_leavers,
    plan_folds,
)
from evenhand.ranking.learning_curves import LearningCurves, Protocol, divide_tasks, trace
from evenhand.ranking.predictions import (
    MIN_HELD_OUT,
    SIZES,
    TRIALS,
    Models,
    Progress,
    find_clusters,
)
from evenhand.ranking.sides import REMEDY, find_one_sided_votes
from evenhand.ranking.texts import INSEPARABLE, say
from evenhand.render.findings import Finding

# Which models are compared on held-out judgments, by name or with settings of one's own.
#
# Samplers run as in the paper, one chain of 200 sweeps, 50 of them burn-in: they are trained
# hundreds of times, and predictions are averaged over votes.

# The eight models of Hopkins & May (2013)
PAPER_MODELS: Final = (
    *("uniform", "adjusted-uniform", "independent-pairs", "asymmetric-students"),
    *("arithmetic-students", "geometric-students", "irt-gaussian", "irt-categorical"),
)
USUAL_MODELS: Final = (*PAPER_MODELS, "bradley-terry", "bradley-terry-prior", "plackett-luce")
# What stands for several models
SETS: Final[Mapping[str, tuple[str, ...]]] = {
    "paper": PAPER_MODELS,
    "usual": USUAL_MODELS,
    "all": tuple(MODELS),
}

Wanted: TypeAlias = str | Sequence[str] | Mapping[str, Any]


def make_models(wanted: Wanted, seed: int) -> dict[str, PreferenceModel]:
    if isinstance(wanted, Mapping):
        models: dict[str, PreferenceModel] = dict(wanted)
        for name, model in models.items():
            if not callable(getattr(model, "fit", None)):
                raise UnknownOption(
                    f"model '{name}' cannot be {model!r}: it is settings with a fit, such as"
                    " BradleyTerry(prior=1)"
                )
    else:
        names = [wanted] if isinstance(wanted, str) else list(wanted)
        for name in names:
            require_option("model", name, (*SETS, *MODELS))
        models = {}
        for name in dict.fromkeys(each for some in names for each in SETS.get(some, (some,))):
            entry = find_model(name)
            kind = entry.load()
            models[name] = kind.paper(seed) if hasattr(kind, "paper") else entry.make()
    if not models:
        raise UnknownOption(f"no model is named: choose of {' | '.join((*SETS, *MODELS))}")
    return models


def say_models(wanted: Wanted, models: Mapping[str, PreferenceModel]) -> str:
    """Return the models for a signature: by name, with settings where they are no usual ones."""
    if isinstance(wanted, Mapping):
        return ", ".join(f"{name}={model!r}" for name, model in models.items())
    drawn = [name for name, model in models.items() if hasattr(type(model), "paper")]
    light = " (one chain of 200 sweeps, 50 burn-in)" if drawn else ""
    return ", ".join([*(name for name in models if name not in drawn), *drawn]) + light


LEVEL: Final = 0.95
MIN_JUDGMENTS: Final = 30  # Comparisons from which models are compared: three in each of ten folds
# How many times the level a p of the set of the best is, at most, to be near its border
NEAR_BORDER: Final = 3.0


@carries_excluded("controls")
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
    require_seed(seed)
    require_level(level)
    made = make_models(models, seed)
    column = choose_groups(table, group_by)
    groups = _split(table, column)
    compared: dict[str, ModelComparison] = {}
    refused: dict[str, str] = {}
    for name, votes in groups.items():

        def step(done: int, total: int, before: int = len(compared) + len(refused)) -> None:
            if progress is not None:
                progress(before * total + done, len(groups) * total)

        try:
            compared[name] = _compare(
                votes,
                made,
                named=say_models(models, made),
                by=by,
                folds=folds,
                repeats=repeats,
                level=level,
                seed=seed,
                progress=step,
                notes=(*say_left_out(data, table), *say_pooled(table, column)),
            )
        except NotIdentified as refusal:
            refused[name] = str(refusal)
    if not compared:
        name, why = next(iter(refused.items()))
        raise NotIdentified(f"{name}: {why}" if name else why)
    if column is None or (group_by is None and len(groups) == 1):
        return next(iter(compared.values()))
    return Grouped(compared, column, refused)


def open_comparisons(data: Comparisons | Rankings) -> Comparisons:
    refusal = "models of preference are compared on comparisons or rankings, not on"
    return require_pairs(data, refusal, "compare_processes compares models of scores")


def _split(table: Comparisons, column: str | None) -> dict[str, Votes]:
    """Return the votes of each group, in an order that does not depend on that of the table."""
    if column not in (None, "task"):
        parts = {name: part.votes() for name, part in split_judgments(table, str(column)).items()}
        return {name: part.take(sort_votes(part)) for name, part in parts.items()}
    votes = table.votes()
    votes = votes.take(sort_votes(votes))
    return {task: take_task(votes, rows) for task, rows in split_tasks(votes).items()}


def _compare(
    votes: Votes,
    models: Models,
    *,
    named: str,
    by: str | None,
    folds: int | None,
    repeats: int,
    level: float,
    seed: int,
    progress: Progress,
    notes: tuple[str, ...],
) -> ModelComparison:
    if votes.size < MIN_JUDGMENTS:
        fault = f"too few comparisons ({votes.size:,}) to tell which model predicts others"
        raise NotIdentified(fault, [f"collect {MIN_JUDGMENTS} at least"])
    plan = plan_folds(votes, by, folds, repeats, seed)
    sides = find_one_sided_votes(votes)
    blind = {
        name: f"{INSEPARABLE}; {REMEDY}"
        for name, model in models.items()
        if getattr(model, "order_effect", False) and not sides.separable
    }
    able = {name: model for name, model in models.items() if name not in blind}
    validated = cross_validate(votes, able, plan, progress)
    clusters = find_clusters(votes, seed)
    losses = (
        np.stack(list(validated.losses.values())) if validated.losses else np.zeros((0, votes.size))
    )
    names, leavers = tuple(validated.losses), find_leavers(losses, clusters, seed)
    times = f", {repeats} times" if repeats > 1 else ""
    blocks = f"{plan.folds}x{plan.folds}" if plan.by == "both" else f"{plan.folds}"
    parts = [f"held out by {plan.by}, {blocks} folds{times}", named, f"level {level:g} seed={seed}"]
    pairs = zip(names, leavers.by.tolist(), strict=True)
    return ModelComparison(
        models=names,
        losses=losses,
        held_out=votes,
        refused={**validated.refused, **blind},
        seconds={**validated.seconds, **dict.fromkeys(blind, 0.0)},
        blocks=plan.by,
        folds=max(validated.folds),
        repeats=plan.repeats,
        train=validated.train,
        set_p=dict(zip(names, leavers.p.tolist(), strict=True)),
        left_behind={name: names[other] for name, other in pairs if other >= 0},
        level=level,
        seed=seed,
        signature=write_signature(parts, count_answers(votes), digest_votes(votes)),
        notes=(
            *_note(votes, plan, validated, leavers, level),
            *sides.notes,
            *notes,
            *clusters.notes,
        ),
    )


def _note(
    votes: Votes, plan: Plan, validated: Validated, leavers: Leavers, level: float
) -> tuple[Finding, ...]:
    low, high = validated.train
    many = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    trainings = sum(validated.folds)
    findings = [say("training", "info", times=trainings, many=many, of=votes.size)]
    empty = plan.trainings - trainings
    if empty:
        findings.append(say("empty-blocks", "info", empty=empty, blocks=plan.trainings))
    findings.append(say("shared-training", "info"))
    if plan.repeats == 1 and len(validated.losses) > 1:
        # another division matters where some model is near the border of the set of the best
        near = np.abs(np.log(leavers.p / (1 - level))) < np.log(NEAR_BORDER)
        findings.append(say("one-division", "note" if near.any() else "info"))
    if plan.by == "judgment":
        findings.append(say("blocks-judgment"))
    return tuple(findings)


def count_answers(votes: Votes) -> float:
    """Return how many answers votes are of; a ranking is one."""
    return float(votes.size if votes.answer is None else len(np.unique(votes.answer)))


@carries_excluded("controls")
def trace_learning(
    data: Comparisons | Rankings,
    *,
    training: Comparisons | Rankings | None = None,
    models: Wanted = "usual",
    sizes: Sequence[int] = SIZES,
    trials: int = TRIALS,
    least: int = MIN_HELD_OUT,
    overlap: str = "keep",
    level: float = LEVEL,
    seed: int = SEED,
    transfer: tuple[str, str] | None = None,
    progress: Progress | None = None,
) -> LearningCurves:
    """Trace perplexity on held-out votes by training size, as Hopkins & May (2013) did.

    Args:
        data: comparisons or rankings with an item column, of one task or several.
        training: other judgments to train on, such as a crowd's where `data` are experts'; the
            rest of `data` by default.
        models: "usual", "paper" (the eight of Hopkins & May) or "all", a name, several, or
            name → settings. Samplers run one chain of 200 sweeps.
        sizes: training sizes, ascending; a smaller training set is taken whole.
        trials: random subsets of each size.
        least: held-out comparisons of a task, at least.
        overlap: with `training`: "keep" its judgments on held-out items, as in the paper, or
            "drop" them.
        level: of intervals (proportion).
        seed: of subsets and samplers.
        transfer: what to call the judgments trained on and those tested on, such as
            ("group=crowd", "group=expert").
        progress: called with trainings done and to do.

    Raises:
        NotIdentified: no task has enough comparisons.
        InvalidJudgments: a value in the data that cannot be.
        UnknownColumn: there is no item column.
        UnknownOption: a model or setting that does not exist or does not fit.

    """
    require_seed(seed)
    require_level(level)
    protocol = Protocol(tuple(sizes), trials, least, overlap, seed)
    made = make_models(models, seed)
    votes = open_comparisons(data).votes()
    others = None if training is None else open_comparisons(training).votes()
    division = divide_tasks(votes, others, protocol)
    traced = trace(division.tasks, made, protocol, progress)
    tasks = [task.test_set.task for task in division.tasks]
    parts = [
        f"learning curves, size{'s' * (len(sizes) > 1)} {' '.join(map(str, sizes))},"
        f" {trials} trial{'s' * (trials > 1)}",
        f"held out {least:,} or more of items with few comparisons",
        *([f"task{'s' * (len(tasks) > 1)} {', '.join(tasks)}"] if any(tasks) else []),
        say_models(models, made),
        *([f"trained on {transfer[0]}, tested on {transfer[1]}"] if transfer else []),
    ]
    if others is not None:
        parts.append(f"trained on votes {digest_votes(others)[:12]}, held-out items {overlap}")
    parts.append(f"level {level:g} seed={seed}")
    return LearningCurves(
        models=tuple(made),
        sizes=protocol.sizes,
        losses=traced.losses,
        deviations=traced.deviations,
        held_out=division.held_out,
        test_sets=tuple(one.test_set for one in division.tasks),
        refusals=traced.refusals,
        seconds=traced.seconds,
        level=level,
        seed=seed,
        signature=write_signature(parts, count_answers(votes), digest_votes(votes)),
        left_out=division.refused,
        transfer=transfer,
    )
