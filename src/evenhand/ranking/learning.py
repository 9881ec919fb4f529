"""How much models of preference learn from more judgments, and how many are enough."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.vote_digest import digest_votes
from evenhand.judgments.votes import Votes
from evenhand.ranking.held_out import LEVEL, check_level, count_answers, open_comparisons
from evenhand.ranking.held_out_models import Wanted, make_models, say_models
from evenhand.validation.learning_curve import Protocol, divide_tasks, trace
from evenhand.validation.learning_result import LearningCurves
from evenhand.validation.split import LEAST, SIZES, TRIALS
from evenhand.validation.training import Progress


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
        progress: called with trainings done and to do.

    Raises:
        NotIdentified: no task has enough comparisons.
        InvalidJudgments: a value in the data that cannot be.
        UnknownColumn: there is no item column.
        UnknownOption: a model or setting that does not exist or does not fit.

    """
    check_level(level)
    protocol = Protocol(tuple(sizes), trials, least, overlap, seed)
    made = make_models(models, seed)
    votes = open_comparisons(data).votes()
    others = None if training is None else open_comparisons(training).votes()
    division = divide_tasks(votes, others, protocol)
    found = trace(division.tasks, made, protocol, progress)
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
        signature=_sign_curves(votes, others, protocol, say_models(models, made)),
        left_out=division.refused,
    )


def _sign_curves(votes: Votes, others: Votes | None, protocol: Protocol, models: str) -> str:
    sizes = "-".join(map(str, (protocol.sizes[0], protocol.sizes[-1])))
    parts = [
        f"learning curves, {len(protocol.sizes)} sizes {sizes}, {protocol.trials} trials, test sets"
        f" of {protocol.least:,} by items with few comparisons",
        models,
    ]
    if others is not None:
        whole = digest_votes(others)[:12]
        parts.append(f"trained on sha256 {whole}, held-out items {protocol.overlap}")
    parts.append(f"seed={protocol.seed}")
    return write_signature(parts, count_answers(votes), digest_votes(votes))
