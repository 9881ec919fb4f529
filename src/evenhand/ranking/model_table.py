"""Which model: nested and rival models of the same judgments in one table (Dras 2015, section 5).

Each model adds one thing to an earlier one, so that one test answers one question: do systems
differ, are ties needed, does order matter, do judges differ? Rival laws of ties are no special
cases of each other; AIC and BIC compare them.

When not to use it: likelihood-ratio tests, AIC and BIC take judgments for independent. Where judges
give many answers each they find too much (INFERENCE A10); then the cluster-robust Wald test beside
them decides. Half-wins and discarded ties are not in the table: their likelihoods are of other
outcomes, which no number here compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from evenhand.errors import InvalidJudgments, NotConverged, NotIdentified, UnknownOption
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out
from evenhand.judgments.groups import choose_groups, say_pooled, tally_groups
from evenhand.judgments.levels import count_levels
from evenhand.judgments.names import take_names
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.wrong_kind import require_pairs
from evenhand.preference.bradley_terry import BradleyTerry
from evenhand.preference.summary import cautions
from evenhand.ranking.model_rows import ModelTable
from evenhand.ranking.model_steps import (
    Counts,
    start,
    step_covariate,
    step_judges,
    step_order,
    step_ties,
)
from evenhand.ranking.ways import count_ways

PANEL: Final = 12
"""Most judges who are given worths of their own unasked."""


def tabulate_models(
    data: Comparisons | Rankings, *, covariates: Sequence[str] | None = None
) -> ModelTable:
    """Fit nested and rival models and test the steps between them.

    Args:
        data: comparisons or rankings, of one task.
        covariates: judge (or item) covariates whose levels may have worths of their own; by default
            the judges themselves where there are 2 to 12.

    Raises:
        NotIdentified: not even the worths are determined; says what to collect.
        InvalidJudgments: a value in the data that cannot be.
        UnknownColumn: a covariate that is not there.
        UnknownOption: importance weights.

    >>> from evenhand import datasets, read
    >>> import polars as pl
    >>> one = datasets.load("dras2015_table1")
    >>> data = read(pl.DataFrame(one.rows, schema=list(one.columns), orient="row"))
    >>> for question in tabulate_models(data).questions:
    ...     print(f"{question.lr.statistic:.2f} on {question.lr.df}: {question.answer}")
    670.82 on 3: systems differ
    190.49 on 1: ties need a parameter
    0.24 on 1: no sign that order matters
    173.41 on 9: worths differ by judge
    5.95 on 3: no sign that the share of ties differs by judge
    """
    refusal = "models of preference are fitted to comparisons or rankings, not to"
    table = require_pairs(data, refusal, "estimate_components says what differs in scores")
    groups = count_models(table, covariates=covariates)
    if len(groups) > 1:
        raise InvalidJudgments(
            f"{table.source.name} has {len(groups)} tasks: choose one, data.select_task('...')"
        )
    found = tabulate_counts(next(iter(groups.values())))
    return replace(found, notes=(*say_left_out(data, table), *found.notes))


def count_models(
    table: Comparisons, *, covariates: Sequence[str] | None = None, group_by: str | None = None
) -> dict[str, Counts]:
    """Count judgments in the ways that the table needs, by group; all under "" without groups.

    Args:
        table: comparisons.
        covariates: as for `tabulate_models`.
        group_by: a column whose levels are kept apart; the task by default.

    Raises:
        UnknownColumn: a covariate that is not there.
        UnknownOption: a covariate that tells groups apart, or importance weights.
        InvalidJudgments: a value in the data that cannot be.

    """
    if table.weights == "importance":
        raise UnknownOption(
            "importance weights have no likelihood, so that models cannot be compared by one: take"
            " weights for counts of judgments, or leave them out"
        )
    by = choose_groups(table, group_by)
    named = _choose_covariates(table, by, covariates)
    ways, notes = count_ways(table, by, named), say_pooled(table, by)
    judges = tally_groups(table, by, ("judge",)) if table.has("judge") and by != "judge" else {}
    return {
        name: Counts(whole, ways.get(name, {}), judges.get(name), notes)
        for name, whole in tally_groups(table, by, named).items()
    }


def _choose_covariates(
    table: Comparisons, by: str | None, asked: Sequence[str] | None
) -> tuple[str, ...]:
    """Return the covariates that were asked for, else the judges where they are few."""
    if asked is None:
        loads = count_levels(table, "judge") if table.has("judge") and by != "judge" else None
        return ("judge",) if loads is not None and 2 <= len(loads) <= PANEL else ()
    named = tuple(table.require(name) for name in take_names(asked))
    if by in named:
        own = table.source.named(by) if by is not None else ""
        raise UnknownOption(f"column '{own}' tells groups apart: it cannot be a covariate too")
    return named


def tabulate_counts(counts: Counts) -> ModelTable:
    """Fit and compare the models of judgments that are counted.

    Raises:
        NotIdentified: not even the worths are determined.
        NotConverged: their fit did not settle.

    """
    try:
        base = BradleyTerry().fit(counts.whole)
    except (NotIdentified, NotConverged) as refusal:
        raise refusal.without_options() from None
    steps = [
        start(base, counts),
        *([step_ties(base, counts)] if base.likelihood.law.free else []),
        step_order(base, counts),
        *(step_covariate(base, counts, name) for name in counts.whole.factors),
        step_judges(base, counts),
    ]
    return ModelTable(
        rows=tuple(row for step in steps for row in step.rows),
        questions=tuple(question for step in steps for question in step.questions),
        refused={name: why for step in steps for name, why in step.refused.items()},
        notes=tuple(dict.fromkeys([*counts.notes, *base.notes, *cautions(base)])),
        tally=counts.whole,
    )
