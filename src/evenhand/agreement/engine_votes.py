"""Which rows of comparisons on an engine are votes that count, found out without fetching them.

Two queries tell what there is: which systems; which words for outcomes, and kinds. Then a vote is
an answer about a pair of systems, whichever stood left: +1 for the one that is first by name, 0 for
neither, −1 for the other. The rules are those of who reads row by row; what is odd is left to that
reading, which says what it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.engine_codes import PairNames, check_names
from evenhand.agreement.engine_pairs import ODD, find_systems, name_answers
from evenhand.agreement.engine_rows import (
    KIND,
    NeedsRows,
    Targets,
    add_kind,
    add_places,
    check_beside,
    clear_moments,
    count_left,
    note_rows,
    tell_rows,
)
from evenhand.agreement.exact_sums import check_exact
from evenhand.agreement.preference_units import ANSWERS, FORCED
from evenhand.judgments.aside_reading import AsideColumns, find_aside_columns
from evenhand.judgments.checks import Weighing, is_name, read_weights
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.counting import name_levels
from evenhand.judgments.engine import (
    COUNT,
    Columns,
    Frame,
    fetch_columns,
)
from evenhand.judgments.labels import read_outcome
from evenhand.judgments.portable import mark
from evenhand.judgments.rating_rows import CONTROL, REPEAT, TARGET
from evenhand.judgments.row_order import restore_places
from evenhand.judgments.scale import Scale
from evenhand.judgments.vote_reading import note_names

LABELS: Final = ("task", "judge", "item", "criterion")
_ANSWERS, _VOTES = "evenhand_answers", "evenhand_votes"
_SAME: Final = "evenhand_same"
_MEANT: Final = {"left": 1, "tie": 0, "right": -1}
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Answers:
    """What is known of the votes as a whole.

    Attributes:
        scales: task → the answers that can be given; of all tasks under "". Tasks of controls
            and repeats alone have none.
        known: whether left really stood first.
        ranked: task → whether several rows are one answer; of all tasks under "".
        tasks: of all rows, sorted; those without targets among them.
        copied: whether some row stands for several votes.

    """

    scales: Mapping[str, Scale]
    known: bool
    ranked: Mapping[str, bool]
    tasks: tuple[str, ...]
    copied: bool


@dataclass(frozen=True, eq=False)
class FoundVotes:
    """Votes where they lie.

    Attributes:
        every: all rows, controls among them, by which labels are numbered.
        votes: those that are no controls; repeats are among them.
        targets: those that are neither.
        answers: what is known of them as a whole.

    """

    every: Targets
    votes: Targets
    targets: Targets
    answers: Answers


def find_votes(data: Comparisons) -> FoundVotes:
    """Find the votes that count.

    Args:
        data: comparisons, or rankings that were expanded into them.

    Raises:
        NeedsRows: something that is only known row by row.
        InvalidJudgments: labels that are fractions, times or nested values, weights that cannot be.

    """
    weighing = read_weights(_place_pairs(data))
    keys = [*(name for name in LABELS if data.has(name)), "left", "right", "outcome"]
    table, placed = add_places(weighing.frame)
    frame = name_levels(data, keys, table)
    beside = find_aside_columns(data.source, frame, scores=False)
    timed = check_beside(data, frame, beside.asides)
    frame = add_kind(beside.add_to(frame), beside.asides)
    groups = _count_answers(data, frame, weighing)
    meaning, kinds = _read_outcomes(data, groups), tell_rows(groups[KIND])
    means = np.array([kinds[text] for text in groups[KIND].tolist()])
    scales = _choose_scales(groups, means, meaning)
    answers = _find_answers(data, groups, scales, weighing.frame)
    every = replace(
        _find_every(data, frame, groups, meaning, answers.scales[""]),
        left=count_left({**groups, COUNT: groups[_VOTES]}, means),
        timed=timed,
        placed=placed,
        weight=weighing.column,
        apart=len(answers.tasks) > 1,
        notes=_write_notes(data, groups, frame, (beside, weighing)),
    )
    every = replace(every, frame=clear_moments(every.frame)) if timed else every
    votes, own = (
        _keep(every, [text for text, kind in kinds.items() if kind in kept], len(kinds))
        for kept in ((TARGET, REPEAT), (TARGET,))
    )
    return FoundVotes(every, votes, own, answers)


def _count_answers(data: Comparisons, frame: Frame, weighing: Weighing) -> Columns:
    """Count rows and votes by task, outcome and kind, and rows of one system on both sides."""
    names = [*(["task"] if data.has("task") else []), "outcome", KIND]
    votes = nw.len() if weighing.column is None else nw.col(weighing.column).sum()
    frame = frame.with_columns(mark(nw.col("left") == nw.col("right")).alias(_SAME))
    sums = nw.len().alias(COUNT), votes.alias(_VOTES), nw.col(_SAME).sum()
    found = fetch_columns(frame.group_by(*names).agg(*sums))
    check_exact([found[_VOTES]], "votes")
    return found


def _place_pairs(data: Comparisons) -> Comparisons:
    """Say where pairs of rankings stood, where the engine tells first answers by it."""
    return restore_places(data) if data.frame.implementation.is_duckdb() else data


def _find_answers(
    data: Comparisons, groups: Columns, scales: Mapping[str, Scale], frame: Frame
) -> Answers:
    return Answers(
        scales=scales,
        known=data.positions_known,
        ranked=_find_ranked(data, frame),
        tasks=tuple(sorted(set(groups["task"].tolist()))) if "task" in groups else (),
        copied=bool((groups[_VOTES] > groups[COUNT]).any()),
    )


def _find_every(
    data: Comparisons,
    frame: Frame,
    groups: Columns,
    meaning: Mapping[str, int],
    scale: Scale,
) -> Targets:
    """Return all rows as answers about pairs of systems."""
    systems = find_systems(frame)
    named = name_answers(data, frame, systems, meaning)
    points = np.array(scale.points)
    return Targets(
        frame=named,
        connection=data.source.connection,
        labels=(*(name for name in LABELS if data.has(name)), "system"),
        points=points,
        checked=points,
        left={},
        rows=int(groups[_VOTES].sum()),
        timed=False,
        notes=(),
        numbered={"system": PairNames(systems)},
        distances=False,
    )


def _keep(every: Targets, kinds: Sequence[str], of: int) -> Targets:
    """Keep the rows of some kinds."""
    if len(kinds) == of:
        return every
    return replace(every, frame=every.frame.filter(nw.col(KIND).is_in(sorted(kinds))))


def _read_outcomes(data: Comparisons, groups: Columns) -> dict[str, int]:
    """Return what each word for an outcome means: 1 for left, 0 for a tie, −1 for right.

    Raises:
        NeedsRows: there are no rows, or some that cannot be.

    """
    names = set(groups["outcome"].tolist())
    found = {name: read_outcome(name, data.outcome_labels) for name in names if is_name(name)}
    if not names or groups[_SAME].any() or len(found) < len(names) or None in found.values():
        raise NeedsRows(ODD)
    return {name: _MEANT[one] for name, one in found.items() if one is not None}


def _choose_scales(
    groups: Columns, means: Integers, meaning: Mapping[str, int]
) -> dict[str, Scale]:
    """Return the answers that can be given in every task, and in all: ties if one occurs.

    Raises:
        NeedsRows: there are controls and repeats alone.

    """
    ties = np.array([meaning[one] == 0 for one in groups["outcome"].tolist()])
    tasks = groups["task"] if "task" in groups else np.full(len(ties), "", dtype=object)
    scales = {}
    for name in ("", *sorted(set(tasks.tolist()) - {""})):
        own = tasks == name if name else np.ones(len(ties), dtype=np.bool_)
        targets = (means[own] == TARGET).any()
        if not name and not targets:
            raise NeedsRows("rows that are all controls or repeats are refused as they are read")
        if targets:
            scales[name] = ANSWERS if (ties & own & (means != CONTROL)).any() else FORCED
    return scales


def _find_ranked(data: Comparisons, frame: Frame) -> dict[str, bool]:
    """Say of every task whether several rows are one answer, such as a ranking.

    Raises:
        NeedsRows: an answer that has no name, or an odd one.

    """
    if not data.has("ranking"):
        return {}
    tasks = ["task"] if data.has("task") else []
    frame = name_levels(data, [*tasks, "ranking"], frame).select(*tasks, "ranking")
    check_names(frame, "ranking")
    answers = frame.group_by(*tasks, "ranking").agg(nw.len().alias(COUNT))
    sums = nw.col(COUNT).sum(), nw.len().alias(_ANSWERS)
    found = fetch_columns(answers.group_by(*tasks).agg(*sums) if tasks else answers.select(*sums))
    several = found[_ANSWERS].astype(np.int64) < found[COUNT].astype(np.int64)
    own = zip(found["task"].tolist(), several.tolist(), strict=True) if tasks else ()
    return {**dict(own), "": bool(several.any())}


def _write_notes(
    data: Comparisons, groups: Columns, frame: Frame, read: tuple[AsideColumns, Weighing]
) -> tuple[str, ...]:
    """Say of rows what the reading row by row says."""
    (beside, weighing), rows = read, int(groups[COUNT].sum())
    said = (f"rows of weight 0 are left out: {weighing.zero:,}",) if weighing.zero else ()
    return (*note_names(beside.asides), *note_rows((rows, 0), groups, data, frame), *said)
