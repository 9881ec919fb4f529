"""How much models of preference learn from more judgments, and how many are enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.vote_digest import digest_votes
from evenhand.judgments.votes import Votes
from evenhand.ranking.held_out import LEVEL, check_numbers, count_answers, open_comparisons
from evenhand.ranking.held_out_models import Wanted, make_models, say_models
from evenhand.validation.learning_curve import Material, Protocol, divide_tasks, trace
from evenhand.validation.learning_result import LearningCurves
from evenhand.validation.split import LEAST, SIZES, TRIALS
from evenhand.validation.training import Progress


@dataclass(frozen=True, eq=False)
class _Signed:
    """What the signature of curves tells."""

    tasks: Sequence[Material]
    others: Votes | None
    protocol: Protocol
    models: str
    level: float
    told: str


def trace_learning(
    data: Comparisons | Rankings,
    *,
    training: Comparisons | Rankings | None = None,
    models: Wanted = "usual",
    sizes: Sequence[int] = SIZES,
    trials: int = TRIALS,
    least: int = LEAST,
    overlap: str = "keep",
    level: float = LEVEL,
    seed: int = SEED,
    told: str = "",
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
        told: which judgments these are, in words for the signature, such as "trained on
            group=crowd, tested on group=expert".
        progress: called with trainings done and to do.

    Raises:
        NotIdentified: no task has enough comparisons.
        InvalidJudgments: a value in the data that cannot be.
        UnknownColumn: there is no item column.
        UnknownOption: a model or setting that does not exist or does not fit.

    """
    check_numbers(level, seed)
    protocol = Protocol(tuple(sizes), trials, least, overlap, seed)
    made = make_models(models, seed)
    votes = open_comparisons(data).votes()
    others = None if training is None else open_comparisons(training).votes()
    division = divide_tasks(votes, others, protocol)
    found = trace(division.tasks, made, protocol, progress)
    signed = _Signed(division.tasks, others, protocol, say_models(models, made), level, told)
    return LearningCurves(
        models=tuple(made),
        sizes=protocol.sizes,
        losses=found.losses,
        deviations=found.deviations,
        held_out=division.held_out,
        test_sets=tuple(one.said for one in division.tasks),
        refusals=found.refusals,
        seconds=found.seconds,
        level=level,
        seed=seed,
        signature=_sign_curves(votes, signed),
        left_out=division.refused,
    )


def _sign_curves(votes: Votes, signed: _Signed) -> str:
    """Return the line that reproduces the curves."""
    protocol, names = signed.protocol, [one.said.task for one in signed.tasks]
    sizes, trials = protocol.sizes, protocol.trials
    parts = [
        f"learning curves, size{'s' * (len(sizes) > 1)} {' '.join(map(str, sizes))},"
        f" {trials} trial{'s' * (trials > 1)}",
        f"held out {protocol.least:,} or more of items with few comparisons",
        *([f"task{'s' * (len(names) > 1)} {', '.join(names)}"] if any(names) else []),
        signed.models,
        *([signed.told] if signed.told else []),
    ]
    if signed.others is not None:
        whole = digest_votes(signed.others)[:12]
        parts.append(f"trained on votes {whole}, held-out items {protocol.overlap}")
    parts.append(f"level {signed.level:g} seed={protocol.seed}")
    return write_signature(parts, count_answers(votes), digest_votes(votes))
