"""Do judges agree? `measure_agreement` answers for ratings, comparisons and rankings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import carries_excluded
from evenhand.data.engine import ANSWER, require_open
from evenhand.data.exclusions import note_excluded
from evenhand.data.groups import split_table
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import CONTROL, RatingRows, Scale, require_scale
from evenhand.data.ratings import Ratings
from evenhand.data.row_reading import code_ratings
from evenhand.data.slips import find_slips
from evenhand.data.tables import count_scored
from evenhand.data.tally import take_names
from evenhand.data.votes import Votes
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
from evenhand.judges.self_agreement import drop_pasted
from evenhand.judges.tabulation import Request, tabulate_ratings, tabulate_votes
from evenhand.judges.texts import say
from evenhand.judges.units import Coefficient, find_units
from evenhand.numerics.cluster_means import number_groups
from evenhand.render.findings import Finding, take_findings

Part = TypeVar("Part", RatingRows, Votes)
LEVEL: Final = 0.95
# Labels that units have of their own; other columns are read as factors
_LABELS: Final = ("task", "criterion", "system", "item")
# Most ratings, which are held as codes: of so many agreement takes about 6 GB
MAX_RATINGS: Final = 50_000_000
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
    group_by: str | None = None,
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
        group_by: a column whose levels are measured apart, each as a table of its own: such as the
            group of judges, who then agree or not among themselves.

    Returns:
        A table; one per level where `group_by` is given, else one per task where there are several
        and `by` does not name them.

    Raises:
        InvalidJudgments: no judges or no items are named, a score is not on the declared scale,
            there are more than 50 million ratings, or another value in the data that cannot be.
        NotIdentified: nothing was judged by two judges, in no group.
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
    if not isinstance(data, Ratings | Comparisons | Rankings):
        raise InvalidJudgments(
            "agreement is measured of ratings, comparisons and rankings, not of"
            f" {type(data).__name__}: open them with evenhand.read"
        )
    require_open(data.frame, data.source.name)
    if isinstance(data, Ratings):
        measure = partial(_measure_ratings, request, require_scale(scale), group_by)
        return _mind_slips(data, measure)
    if scale is not None:
        raise UnknownOption("preferences have no scale: leave it out")
    return _mind_slips(data, partial(_measure_preferences, request, group_by))


def _mind_slips(
    data: Ratings | Comparisons | Rankings,
    measure: Callable[[Any], AgreementTable | GroupedAgreement],
) -> AgreementTable | GroupedAgreement:
    """Warn of slips of the hand, in the first of several tables; drop rows pasted twice."""
    result = measure(data)
    tables = result.groups if isinstance(result, GroupedAgreement) else {"": result}
    notes = [one for table in tables.values() for one in take_findings(table.notes)]
    slips = find_slips(data, pasted=not {"again", "repeats"}.isdisjoint(one.code for one in notes))
    if not slips:
        return result
    identical = [one.values["rows"] for one in slips if one.code == "identical-rows"]
    without, pasted = drop_pasted(data) if identical else (data, ())
    if pasted:
        result = note_excluded(measure(without), pasted)
    tables = dict(result.groups if isinstance(result, GroupedAgreement) else {"": result})
    if identical and not pasted:
        beside = say("perhaps-pasted", "warning", n=identical[0])

        def note_again(one: Coefficient) -> Coefficient:
            own = one.value is not None and "intra" in one.name.split("-")
            return replace(one, notes=(*one.notes, beside)) if own else one

        for name, table in tables.items():
            parts = tuple(
                replace(part, coefficients=tuple(map(note_again, part.coefficients)))
                for part in table.parts
            )
            tables[name] = replace(table, parts=parts)
    name = next(iter(tables))
    tables[name] = replace(tables[name], notes=(*slips, *tables[name].notes))
    return replace(result, groups=tables) if isinstance(result, GroupedAgreement) else tables[name]


def _measure_ratings(
    request: Request, scale: Scale | None, group_by: str | None, data: Ratings
) -> AgreementTable | GroupedAgreement:
    without = request.by == ("criterion",) and not data.has("criterion")
    by = () if without else tuple(data.require(name) for name in request.by)
    request = replace(request, by=by)
    column = None if group_by is None else data.require(group_by)
    scored, missing = count_scored(data)
    if scored > MAX_RATINGS:
        raise InvalidJudgments(
            f"agreement is measured of up to {MAX_RATINGS:,} ratings, and {data.source.name} has"
            f" {scored:,}: choose a task, a criterion or some items with --where"
        )
    factors = [name for name in by if name not in _LABELS]
    apart = [] if column is None or column in (*_LABELS, "judge") else [column]
    rows = code_ratings(data, factors=[*factors, *apart], missing=missing)
    if scale is not None and rows.kind is not None:
        scale.check(rows.score[rows.kind != CONTROL])  # what is asked again is on it as well
    if column is None and len(rows.tasks) > 1 and "task" not in by:
        column = "task"

    def tabulate(part: RatingRows) -> AgreementTable:
        units = find_units(part, scale)
        output = number_groups(units.rows.unit)
        for name in factors:  # outputs cannot be told apart by what differs among their judgments
            _, codes = units.rows.labels(name)
            first = np.zeros(int(output.max(initial=-1)) + 1, dtype=np.int64)
            first[output[::-1]] = codes[::-1]
            mixed = np.unique(output[codes != first[output]])
            if len(mixed):
                raise UnknownOption(
                    f"'{name}' differs among the judges of one output, for {len(mixed):,} of"
                    f" {len(first):,}: outputs cannot be distinguished by it; look at each value by"
                    f" itself: --group-by {name}"
                )
        return tabulate_ratings(units, part, request)

    if column is None:
        return tabulate(rows)
    parts = {name: part for (name,), part in rows.split([column]).items()}
    return _tabulate_groups(parts, column, tabulate, pooled="task" not in by)


def _measure_preferences(
    request: Request, group_by: str | None, data: Comparisons | Rankings
) -> AgreementTable | GroupedAgreement:
    by = tuple(name for name in request.by if name != "criterion" or data.has("criterion"))
    for name in by:
        if name not in ("task", "criterion", "system"):
            raise UnknownOption(
                "agreement of preferences is looked at by task, by criterion or by system (pairs"
                f" of systems), not by '{name}'; look at each value by itself: --group-by {name}"
            )
    if isinstance(data, Rankings):
        pairs, kind, inflated = data.comparisons(), "rankings", data.merged
    else:
        pairs, kind, inflated = data, "comparisons", data.has(ANSWER)
    request = replace(request, by=by, kind=kind)
    inflation = (INFLATED,) if inflated else ()

    def tabulate(votes: Votes) -> AgreementTable:
        return tabulate_votes(replace(votes, notes=(*votes.notes, *inflation)), request)

    if group_by is not None:
        column = pairs.require(group_by)
        parts = {name: part.votes() for name, part in split_table(pairs, column).items()}
        return _tabulate_groups(parts, column, tabulate, pooled="task" not in by)
    votes = pairs.votes()
    if len(votes.tasks) <= 1 or "task" in by:
        return tabulate(votes)
    parts = {name: votes.take(votes.task == code) for code, name in enumerate(votes.tasks)}
    return _tabulate_groups(parts, "task", tabulate)


def _tabulate_groups(
    parts: Mapping[str, Part],
    by: str,
    tabulate: Callable[[Part], AgreementTable],
    *,
    pooled: bool = False,
) -> GroupedAgreement:
    """Make a table of each group; what is known of none is refused."""
    groups: dict[str, AgreementTable] = {}
    refused: dict[str, str] = {}
    together = "tasks" if by == "task" else "groups"
    for name, part in parts.items():
        notes: list[str] = [  # rows without a score were counted in all groups
            Finding(one.code, f"In all {together} together, {one}", "info", one.values)
            if one.code == "no-score"
            else one
            for one in take_findings(part.notes)
        ]
        if pooled and (n := len(np.unique(part.task))) > 1:
            notes.append(say("tasks-pooled", n=n))
        try:
            groups[name] = tabulate(replace(part, notes=tuple(notes)))
        except NotIdentified as refusal:
            refused[name] = str(refusal)
    if not groups:
        raise NotIdentified("; ".join(f"{by} {name}: {why}" for name, why in refused.items()))
    return GroupedAgreement(groups, by, refused)
