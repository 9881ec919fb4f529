"""Do judges agree? `measure_agreement` answers for ratings, comparisons and rankings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import carries_excluded
from evenhand.data.engine import ANSWER, require_open
from evenhand.data.query_log import say_why
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import CONTROL, Scale, require_scale
from evenhand.data.ratings import Ratings
from evenhand.data.row_reading import code_ratings
from evenhand.data.tally import take_names
from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
    require_level,
    require_option,
    require_seed,
)
from evenhand.judges.agreement_intervals import CLUSTERS
from evenhand.judges.agreement_table import AgreementTable, GroupedAgreement
from evenhand.judges.engine_counts import count_ratings
from evenhand.judges.tabulation import (
    Counted,
    Request,
    tabulate_ratings,
    tabulate_scores,
    tabulate_votes,
)
from evenhand.judges.texts import say
from evenhand.judges.units import find_units
from evenhand.numerics.cluster_means import number_groups
from evenhand.render.findings import Finding, take_findings

Part = TypeVar("Part")
LEVEL: Final = 0.95
# Labels that units have of their own; other columns are read as factors
_LABELS: Final = ("task", "criterion", "system", "item")
INFLATED: Final = say("inflated", "warning")


@carries_excluded("controls", "repeats")
def measure_agreement(
    data: Ratings | Comparisons | Rankings,
    *,
    by: Sequence[str] = ("criterion",),
    coefficients: str | Sequence[str] = "default",
    scale: Scale | str | None = None,
    level: float = LEVEL,
    cluster: str = "item",
    seed: int = SEED,
) -> AgreementTable | GroupedAgreement:
    """Measure how far judges agree, on all judgments and on parts of them.

    Args:
        data: ratings; or comparisons or rankings, where output pairs are what is judged.
        by: columns whose levels are looked at apart: criterion, system, task, or any other column,
            such as the input type. Levels of several are crossed, and added up from the last one.
            A criterion that the data do not have is excluded.
        coefficients: names or families, "default" or "all".
        scale: the declared scale of ratings, such as "1-5"; by default the scores that occur.
        level: nominal level of intervals (proportion).
        cluster: what is drawn again for intervals: "item" or "judge".
        seed: of everything random; it stands in the signature.

    Returns:
        A table; one per task where there are several and `by` does not name them.

    Raises:
        InvalidJudgments: no judges or no items are named, a score is not on the declared scale, or
            another value in the data that cannot be.
        NotIdentified: nothing was judged by two judges, in no task.
        UnknownOption: a coefficient or setting that does not exist or does not fit.
        UnknownColumn: a column that was asked for is not there.

    >>> import polars as pl
    >>> from evenhand import read
    >>> scores = {"judge": ["a", "b"] * 3, "item": ["1", "1", "2", "2", "3", "3"]}
    >>> table = pl.DataFrame(scores | {"system": ["s"] * 6, "score": [4, 4, 2, 3, 5, 5]})
    >>> found = measure_agreement(read(table), scale="1-5")
    >>> round(found.whole["n-agreement-0"].value, 3), round(found.whole["fleiss"].value, 3)
    (0.667, 0.538)

    """
    require_option("cluster", cluster, CLUSTERS)
    require_level(level)
    require_seed(seed)
    names = take_names(coefficients)
    if not names:
        raise UnknownOption('no coefficient is asked for: name some, or "default" or "all"')
    request = Request(take_names(by), names, level, cluster, seed)
    if isinstance(data, Ratings):
        return _measure_ratings(data, request, scale)
    if not isinstance(data, Comparisons | Rankings):
        raise InvalidJudgments(
            "agreement is measured of ratings, comparisons and rankings, not of"
            f" {type(data).__name__}: open them with evenhand.read"
        )
    if scale is not None:
        raise UnknownOption("preferences have no scale: leave it out")
    require_open(data.frame, data.source.name)
    return _measure_preferences(data, request)


def _measure_ratings(
    data: Ratings, request: Request, scale: Scale | str | None
) -> AgreementTable | GroupedAgreement:
    require_open(data.frame, data.source.name)
    without = request.by == ("criterion",) and not data.has("criterion")
    by = () if without else tuple(data.require(name) for name in request.by)
    request, scale = replace(request, by=by), require_scale(scale)
    counted = count_ratings(data, request, scale)
    if isinstance(counted, Counted):
        tasks = counted.counts.labels("task")[0]
        return _tabulate(
            tasks,
            request,
            counted.notes,
            lambda task, notes: tabulate_scores(replace(counted.of(task), notes=notes), request),
        )
    factors = [name for name in by if name not in _LABELS]
    with say_why(counted.why):
        rows = code_ratings(data, factors=factors, missing=counted.missing)
    if scale is not None and rows.kind is not None:
        scale.check(rows.score[rows.kind != CONTROL])  # what is asked again is on it as well
    units = find_units(rows, scale)
    targets = rows.targets()
    output = number_groups(targets.unit)
    for name in factors:  # outputs cannot be told apart by what differs among their judgments
        _, codes = targets.labels(name)
        first = np.zeros(int(output.max(initial=-1)) + 1, dtype=np.int64)
        first[output[::-1]] = codes[::-1]
        mixed = np.unique(output[codes != first[output]])
        if len(mixed):
            raise UnknownOption(
                f"'{name}' differs among the judges of one output, for {len(mixed):,} of"
                f" {len(first):,}: outputs cannot be distinguished by it; look at each value by"
                f" itself, as in --where \"{name} = '...'\""
            )
    tasks, codes = units.labels("task")

    def tabulate(task: str, notes: tuple[str, ...]) -> AgreementTable:
        part, part_units = replace(rows, notes=notes), units
        if task:
            part_units = units.narrow(codes == tasks.index(task))
            part = part.take(rows.task == tasks.index(task))
        part_units = replace(part_units, rows=replace(part_units.rows, notes=notes))
        return tabulate_ratings(part_units, part, request)

    return _tabulate(tasks, request, rows.notes, tabulate)


def _measure_preferences(
    data: Comparisons | Rankings, request: Request
) -> AgreementTable | GroupedAgreement:
    by = tuple(name for name in request.by if name != "criterion" or data.has("criterion"))
    for name in by:
        if name not in ("task", "criterion", "system"):
            raise UnknownOption(
                "agreement of preferences is looked at by task, by criterion or by system (pairs"
                f" of systems), not by '{name}'; look at each value by itself, as in --where"
                f" \"{name} = '...'\""
            )
    if isinstance(data, Rankings):
        pairs, kind, inflated = data.comparisons(), "rankings", data.merged
    else:
        pairs, kind, inflated = data, "comparisons", data.has(ANSWER)
    notes = (INFLATED,) if inflated else ()
    request = replace(request, by=by, kind=kind)
    votes = pairs.votes()
    votes = replace(votes, notes=(*votes.notes, *notes))

    def tabulate(task: str, _: tuple[str, ...]) -> AgreementTable:
        part = votes.take(votes.task == votes.tasks.index(task)) if task else votes
        return tabulate_votes(part, request)

    return _tabulate(votes.tasks, request, (), tabulate)


def _tabulate(
    tasks: Sequence[str],
    request: Request,
    notes: tuple[str, ...],
    tabulate: Callable[[str, tuple[str, ...]], AgreementTable],
) -> AgreementTable | GroupedAgreement:
    """Make one table, or one for each task unless tasks are parts."""
    if len(tasks) <= 1 or "task" in request.by:
        return tabulate("", notes)
    # rows without a score were counted in all tasks
    notes = tuple(
        Finding(one.code, f"In all tasks together, {one}", "info", one.values)
        if one.code == "no-score"
        else one
        for one in take_findings(notes)
    )
    groups: dict[str, AgreementTable] = {}
    refused: dict[str, str] = {}
    for name in tasks:
        try:
            groups[name] = tabulate(name, notes)
        except NotIdentified as refusal:
            refused[name] = str(refusal)
    if not groups:
        raise NotIdentified("; ".join(f"task {name}: {why}" for name, why in refused.items()))
    return GroupedAgreement(groups, "task", refused)
