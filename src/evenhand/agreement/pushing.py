"""Whether an engine counts what agreement needs, or rows must be fetched; and then why.

Coefficients that know of a unit no more than how often each score was given are made of counts:
n-agreement, Fleiss' κ, Krippendorff's α, Gwet's coefficients and their like. Who answered whom only
rows say, and which answer came first where neither times nor the order of a table tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from evenhand.agreement.between import CHEAP, list_between
from evenhand.agreement.bootstrap import FEWEST, MOST
from evenhand.agreement.coincidences import TABLED
from evenhand.agreement.count_table import Counted, Key
from evenhand.agreement.counts import Counts
from evenhand.agreement.engine_codes import Coded, code_targets
from evenhand.agreement.engine_doubtful import list_doubtful_items
from evenhand.agreement.engine_rows import NeedsRows, Targets, find_targets
from evenhand.agreement.engine_units import (
    ItemSums,
    count_items,
    count_judges,
    count_units,
    fetch_clusters,
    find_judges,
    read_counts,
    sum_items,
)
from evenhand.agreement.tabulation import Request
from evenhand.agreement.units import Points, read_points
from evenhand.errors import InvalidJudgments
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import one_thread
from evenhand.judgments.rating_reading import LABELS, count_scored
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.scale import Scale

FEW: Final = 200_000
"""Rows up to which an engine is asked for each."""
FEW_OF_FILES: Final = 3_000_000
"""Rows of files up to which each is read: they are here."""
_SELF: Final = "intra"


@dataclass(frozen=True)
class Rows:
    """Each row must be read.

    Attributes:
        why: what asks for it; "" where rows are few, or in memory.
        missing: rows without a score, where they have been counted.

    """

    why: str = ""
    missing: int | None = None


def count_ratings(data: Ratings, request: Request, scale: Scale | None) -> Counted | Rows:
    """Let the engine count what was asked for.

    Args:
        data: ratings.
        request: what was asked for, `by` by the names of the table.
        scale: the declared scale, if one is.

    Raises:
        InvalidJudgments: a score that cannot be.

    """
    if not data.has("item") or not data.has("judge") or not hasattr(data.frame, "collect"):
        return Rows()
    scored, missing = count_scored(data)
    if scored <= find_few(data):
        return Rows(missing=missing)
    try:
        check_request(request)
        with one_thread(data.source.connection):
            return _count(data, request, scale, (scored, missing))
    except NeedsRows as why:
        return Rows(str(why), missing)


def find_few(data: Ratings | Comparisons) -> int:
    """Return the rows up to which each is asked for."""
    return FEW_OF_FILES if data.frame.implementation.is_duckdb() else FEW


def check_request(request: Request) -> None:
    """Refuse what is not made of counts.

    Raises:
        NeedsRows: says what was asked for.

    """
    between = {"all", _SELF, *list_between()}
    did = "scored" if request.kind == "ratings" else "judged"
    asked = [
        name
        for name in request.coefficients
        if name in between or name.startswith("n-agreement-pair")
    ]
    if asked:
        raise NeedsRows(f"who {did} with whom is known row by row: {', '.join(asked)}")
    if request.cluster != "item":
        raise NeedsRows(f"to draw {request.cluster}s again, who {did} what must be known")
    told = [name for name in request.by if name in ("item", "judge")]
    if told:
        raise NeedsRows(f"levels of '{told[0]}' are too many to be counted apart")


def _count(
    data: Ratings, request: Request, scale: Scale | None, counted: tuple[int, int]
) -> Counted:
    factors = [name for name in request.by if name not in LABELS]
    targets = find_targets(data, factors, counted)
    seen = _read_scale(targets, scale)
    with code_targets(targets) as scores:

        def check(counts: Counts) -> None:
            _check_counts(counts, request, targets)
            if factors and counts.size != count_units(scores, _without(scores.keys, factors)):
                raise NeedsRows("outputs cannot be told apart by what differs among their judges")

        return count_scores(scores, request, seen, check)


def count_scores(
    scores: Coded,
    request: Request,
    seen: Points,
    check: Callable[[Counts], None] | None = None,
) -> Counted:
    """Let the engine count units and judges of every part.

    Args:
        scores: with numbers for labels.
        request: what was asked for.
        seen: all scores that can be given.
        check: raises where the counts show that rows are needed.

    """
    targets = scores.targets
    own = [name for name in ("task", "criterion") if name in targets.labels]
    with sum_items(scores, tuple(dict.fromkeys([*own, *request.by]))) as sums:
        counts = read_counts(fetch_clusters(sums, request.seed), sums, seen)
        if check is not None:
            check(counts)
        parts = list_parts(counts, request.by, apart=targets.apart)
        sizes = np.unique(counts.judges[counts.several]).tolist()
        doubtful = [list_doubtful_items(sums, by, sizes) for by in parts if sizes]
        items = _count_few(sums, counts, parts)
    judges, scorers = _find_judges(scores, counts, parts)
    return Counted(
        counts=counts,
        judges=judges,
        scorers=scorers,
        doubtful={key: own for one in doubtful for key, own in one.items()},
        left=targets.left,
        items=items,
        notes=targets.notes,
    )


def _without(keys: Sequence[str], factors: Sequence[str]) -> list[str]:
    return [name for name in keys if name not in factors]


def _read_scale(targets: Targets, scale: Scale | None) -> Points:
    """Return the points of the scale that was declared, or those seen."""
    try:
        if scale is not None:
            scale.check(targets.checked)
        seen = read_points(targets.points, scale)
    except InvalidJudgments:
        raise NeedsRows("scores that are not on the scale are counted and named") from None
    if len(seen.points) > TABLED:
        raise NeedsRows(f"the scale has more than {TABLED} points")
    return seen


def _check_counts(counts: Counts, request: Request, targets: Targets) -> None:
    """Refuse what is shown unasked and needs each row."""
    if "default" not in request.coefficients:
        return
    repeats, _ = targets.left[""]
    if repeats or counts.again.any():
        raise NeedsRows("judges answered again: how they agree with themselves is shown unasked")
    tasks, codes = counts.codes("task")
    apart = np.zeros_like(codes) if "task" in request.by else codes
    if any(counts.take(apart == at).pairs <= CHEAP for at in range(len(tasks)) if at in apart):
        raise NeedsRows(
            f"up to {CHEAP:,} pairs of judges of one output, coefficients between judges are shown"
            " unasked"
        )


def list_parts(counts: Counts, by: Sequence[str], *, apart: bool = False) -> list[tuple[str, ...]]:
    """Return the columns by which parts are made, for each depth.

    Args:
        counts: what was counted.
        by: columns whose levels are parts.
        apart: whether tasks are looked at apart though one alone was counted.

    """
    bound = _list_tasks(counts, by, apart=apart)
    alone = len(by) > 0 and len(counts.codes(by[0])[0]) == 1
    depths = [at for at in range(len(by) + 1) if not (at == 1 and alone)]
    return [(*bound, *by[:at]) for at in depths]


def _list_tasks(counts: Counts, by: Sequence[str], *, apart: bool) -> tuple[str, ...]:
    several = (apart or len(counts.codes("task")[0]) > 1) and "task" not in by
    return ("task",) if several else ()


def _count_few(sums: ItemSums, counts: Counts, parts: Sequence[tuple[str, ...]]) -> dict[Key, int]:
    """Count the items of all parts where items were put together and some part has few clusters."""
    if sums.items <= MOST["item"]:
        return {}
    few: dict[Key, int] = {}
    for by in parts:
        key = np.column_stack([counts.cluster, *(counts.codes(name)[1] for name in by)])
        clusters = np.unique(key, axis=0)[:, 1:]
        _, sizes = np.unique(clusters, axis=0, return_counts=True) if by else (None, [len(key)])
        if min(sizes) < FEWEST:
            few |= count_items(sums, by)
    return few


def _find_judges(
    scores: Coded, counts: Counts, parts: Sequence[tuple[str, ...]]
) -> tuple[dict[Key, int], dict[str, int]]:
    """Count judges of every part, and all who scored, by task."""
    bound = tuple(name for name in parts[0] if name == "task")
    levels = tuple(dict.fromkeys(name for by in parts for name in by))
    judges: dict[Key, int] = {}
    with find_judges(scores, levels, alone=bool(counts.alone)) as held:
        for by in parts:
            judges |= count_judges(held, by, scores)
    scorers = judges
    if counts.alone:
        scorers = count_judges(scores.frame([*bound, "judge"]), bound, scores)
    named = {key[0][1] if key else "": scorers[key] for key in scorers if len(key) == len(bound)}
    return judges, named
