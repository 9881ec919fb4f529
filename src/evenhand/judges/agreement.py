"""Do judges agree? `measure_agreement` answers for ratings, comparisons and rankings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import carries_excluded
from evenhand.data.engine import ANSWER, require_open
from evenhand.data.query_log import say_why
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import CONTROL, RatingRows, Scale, require_scale
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
from evenhand.judges.engine_preferences import CountedVotes, count_preferences, tabulate_vote_counts
from evenhand.judges.engine_units import Counted, count_ratings, tabulate_counts
from evenhand.judges.tabulation import (
    Request,
    choose_kappas,
    narrow_scale,
    tabulate_ratings,
    tabulate_votes,
)
from evenhand.judges.units import Units, find_units
from evenhand.numerics.cluster_means import number_groups

Part = TypeVar("Part")
LEVEL: Final = 0.95
# Labels that units have of their own; other columns are read as factors
_LABELS: Final = ("task", "criterion", "system", "item")
INFLATED: Final = (
    "outputs that several systems share are counted for each of them, so that one answer is many,"
    " and ties of one output too: agreement is inflated; take names as they are"
)


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
            A criterion that the data do not have is left out.
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
        return _tabulate_counted(counted, request)
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
                f" {len(first):,}: outputs cannot be told apart by it; look at each value by"
                f" itself, as in --where \"{name} = '...'\""
            )
    return _tabulate(units, rows, request)


def _tabulate_counted(counted: Counted, request: Request) -> AgreementTable | GroupedAgreement:
    """Make one table of what an engine counted, or one for each task unless tasks are parts."""
    tasks, codes = counted.counts.codes("task")
    if len(tasks) == 1 or "task" in request.by:
        return tabulate_counts(counted, request)
    notes = tuple(map(_of_all_tasks, counted.notes))
    parts = {
        name: replace(counted, counts=counted.counts.narrow(codes == i), notes=notes)
        for i, name in enumerate(tasks)
    }
    names = {id(part): name for name, part in parts.items()}
    return _by_task(parts, lambda part: tabulate_counts(part, request, names[id(part)]))


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
    kappas, beside = choose_kappas(request)
    counted = count_preferences(pairs, beside, kappas)
    if isinstance(counted, CountedVotes):
        sums = replace(counted.counted, notes=(*counted.counted.notes, *notes))
        counts, tasks = replace(counted, counted=sums), counted.answers.tasks
        if len(tasks) <= 1 or "task" in by:
            return tabulate_vote_counts(counts, request)
        names = {name: name for name in tasks}
        return _by_task(names, lambda name: tabulate_vote_counts(counts, request, name))
    with say_why(counted.why):
        votes = pairs.votes()
    votes = replace(votes, notes=(*votes.notes, *notes))
    if len(votes.tasks) == 1 or "task" in by:
        return tabulate_votes(votes, request)
    parts = {name: votes.take(votes.task == i) for i, name in enumerate(votes.tasks)}
    return _by_task(parts, lambda part: tabulate_votes(part, request))


def _tabulate(
    units: Units, rows: RatingRows, request: Request
) -> AgreementTable | GroupedAgreement:
    tasks, codes = units.labels("task")
    if len(tasks) == 1 or "task" in request.by:
        return tabulate_ratings(units, rows, request)
    rows = replace(rows, notes=tuple(map(_of_all_tasks, rows.notes)))
    units = replace(units, rows=replace(units.rows, notes=rows.notes))

    def tabulate(task: int) -> AgreementTable:
        narrowed = narrow_scale(units, codes == task)
        return tabulate_ratings(narrowed, rows.take(rows.task == task), request)

    return _by_task({name: i for i, name in enumerate(tasks)}, tabulate)


def _of_all_tasks(note: str) -> str:
    """Say that rows without a score were counted in all tasks, where that is said of one."""
    return f"in all tasks together {note}" if note.startswith("rows without a score") else note


def _by_task(
    parts: Mapping[str, Part], tabulate: Callable[[Part], AgreementTable]
) -> GroupedAgreement:
    groups: dict[str, AgreementTable] = {}
    refused: dict[str, str] = {}
    for name, part in parts.items():
        try:
            groups[name] = tabulate(part)
        except NotIdentified as refusal:
            refused[name] = str(refusal)
    if not groups:
        raise NotIdentified("; ".join(f"task {name}: {why}" for name, why in refused.items()))
    return GroupedAgreement(groups, "task", refused)
