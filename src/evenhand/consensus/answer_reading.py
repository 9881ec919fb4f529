"""Labels by judge and unit are read from comparisons, rankings or ratings."""

from __future__ import annotations

from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.consensus.answers import FIRST, SECOND, Answers, Codes, Column, sort_answers
from evenhand.errors import InvalidJudgments, UnknownColumn, listing, require_option
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.levels import split_table
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.rating_rows import CONTROL, RatingRows
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.votes import TIE, Votes

MOST: Final = 20
"""Most scores of a scale that are taken for labels."""
TIES: Final = ("keep", "discard")

Judgments = Comparisons | Rankings | Ratings
Rows = TypeVar("Rows", RatingRows, Votes)


def code_answers(data: Judgments | Answers, *, ties: str = "keep") -> Answers:
    """Read labels by judge and unit.

    Of comparisons and rankings a unit is a pair of outputs of one item and its labels are the two
    systems and, where it occurs, a tie; of ratings it is an output under a criterion, and its
    labels are the scores that occur. Controls are left out and counted. Answers that were read
    already are returned as they are.

    Args:
        data: judgments that name judges, and items where they compare.
        ties: keep | discard; whether a tie is a label, of comparisons and rankings.

    Raises:
        UnknownColumn: no judge, or comparisons without items.
        InvalidJudgments: more different scores than can be labels, or nothing to read.
        UnknownOption: `ties` is neither.

    """
    require_option("ties", ties, TIES)
    if isinstance(data, Answers):
        return data
    if isinstance(data, Ratings):
        _require(data, "judge")
        return answers_of_ratings(data.rows(), of_items=data.has("item"))
    table = data.comparisons() if isinstance(data, Rankings) else data
    _require(table, "judge")
    _require(table, "item")
    return answers_of_votes(table.votes(), ties=ties)


def code_groups(
    data: Judgments, group_by: str | None, *, ties: str = "keep", together: bool = False
) -> dict[str, Answers]:
    """Read labels of each task apart, or of each value of a column; all under "" else.

    Args:
        data: judgments.
        group_by: a column, or None for tasks.
        ties: keep | discard.
        together: whether tasks are pooled where no column is asked for.

    Raises:
        UnknownColumn: no such column, and as for `code_answers`.
        InvalidJudgments: as for `code_answers`.

    """
    table = data.comparisons() if isinstance(data, Rankings) else data
    by = table.require(group_by) if group_by is not None else "task"
    if group_by is None and (together or not table.has("task")):
        return {"": code_answers(table, ties=ties)}
    if isinstance(table, Comparisons) and by != "task":
        parts = split_table(table, by)
        return {name: code_answers(part, ties=ties) for name, part in parts.items()}
    if isinstance(table, Ratings) and by not in ("task", "item", "system", "criterion", "judge"):
        _require(table, "judge")
        groups = table.rows(factors=[by]).split([by])
        of_items = table.has("item")
        return {key: answers_of_ratings(own, of_items=of_items) for (key,), own in groups.items()}
    return code_answers(table, ties=ties).split(by)


def _require(data: Comparisons | Ratings, role: str) -> None:
    """Refuse a table that does not say who answered, or what.

    Raises:
        UnknownColumn: the role is not there.

    """
    if not data.has(role):
        why = {"judge": "labels are weighed by who gave them", "item": "labels are of items"}
        raise UnknownColumn(
            f"{data.source.name} names no {role}s, and {why[role]}: say which column is the {role}"
            f" (--column {role}=NAME, in Python columns={{'{role}': 'NAME'}})"
        )


def _leave_out_controls(rows: Rows) -> tuple[Rows, list[str]]:
    """Return the judgments that ask something, and what is to be noted of them."""
    kind = rows.kind
    if kind is None or not (kind == CONTROL).any():
        return rows, list(rows.notes)
    controls = int((kind == CONTROL).sum())
    said = f"{controls:,} judgments of controls are left out"
    return rows.take(kind != CONTROL), [*rows.notes, said]


def answers_of_votes(votes: Votes, *, ties: str = "keep") -> Answers:
    """Read votes: the systems of a unit stand in the order of their names.

    Args:
        votes: comparisons row by row.
        ties: keep | discard.

    Raises:
        InvalidJudgments: nothing is left.

    """
    votes, notes = _leave_out_controls(votes)
    if ties == "discard":
        tied = votes.outcome == TIE
        notes += [f"{tied.sum():,} ties are left out"] if tied.any() else []
        votes = votes.take(~tied)
    if not votes.size:
        raise InvalidJudgments("no votes are left: nothing to label")
    if votes.answer is not None and len(np.unique(votes.answer)) < votes.size:
        notes.append("pairs of one ranking are taken as independent answers, which they are not")
    if not votes.positions_known:
        notes.append("which output stood first is not known: half of the pairs are turned")
    columns, unit = _number_pairs(votes)
    swapped = votes.left > votes.right
    label = np.where(swapped, 2 - votes.outcome, votes.outcome).astype(np.int64)
    tied = bool((votes.outcome == TIE).any())
    return sort_answers(
        Answers(
            judges=votes.judges,
            labels=(FIRST, "tie", SECOND) if tied else (FIRST, SECOND),
            spoken=_speak(votes, tied=tied),
            columns=columns,
            unit=unit,
            judge=votes.judge.astype(np.int64),
            label=label if tied else label // 2,
            swapped=swapped if votes.positions_known else _toss(votes.pair),
            notes=tuple(notes),
        )
    )


def _toss(pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Turn half of the pairs, by their numbers, where nobody knows how they were shown.

    Else "first by name" would be what judges who know press, wherever systems are named in the
    order of their quality, and would pass for spamming.
    """
    with np.errstate(over="ignore"):  # multiplication modulo 2**64 mixes the bits
        mixed = (pairs.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(63)).astype(np.bool_)


def _number_pairs(votes: Votes) -> tuple[dict[str, Column], Codes]:
    """Return what tells pairs of outputs apart, and the (n,) number of each vote's pair."""
    k = len(votes.systems)
    pairs, first, unit = np.unique(votes.pair, return_index=True, return_inverse=True)
    columns = {
        "task": (votes.tasks, votes.task[first].astype(np.int64)),
        "item": (votes.items, pairs // (k * k)),
        FIRST: (votes.systems, pairs // k % k),
        SECOND: (votes.systems, pairs % k),
    }
    if votes.tasks == ("",):
        del columns["task"]
    return columns, unit.reshape(-1).astype(np.int64)


def _speak(votes: Votes, *, tied: bool) -> tuple[str, ...]:
    """Return the labels as judges saw them, as far as that is known."""
    ends = ("left", "right") if votes.positions_known else (FIRST, SECOND)
    return (ends[0], "tie", ends[1]) if tied else ends


def answers_of_ratings(rows: RatingRows, *, of_items: bool = True) -> Answers:
    """Read ratings on a small scale: its scores are labels without an order.

    Args:
        rows: scores row by row.
        of_items: whether outputs are of items; else each system is one.

    Raises:
        InvalidJudgments: more than 20 different scores, or none.

    """
    rows, notes = _leave_out_controls(rows)
    if not rows.size:
        raise InvalidJudgments("no scores are left: nothing to label")
    points, label = np.unique(rows.score, return_inverse=True)
    if len(points) > MOST:
        raise InvalidJudgments(
            f"{len(points):,} different scores ({listing([f'{one:g}' for one in points], 4)}) are"
            f" no labels: there can be {MOST}; merge scores to a few grades first"
        )
    if not of_items:
        notes.append("no column says which item, so each system is one output")
    columns, unit = _number_outputs(rows)
    names = tuple(f"{one:g}" for one in points.tolist())
    return sort_answers(
        Answers(
            judges=rows.judges,
            labels=names,
            spoken=names,
            columns=columns,
            unit=unit,
            judge=rows.judge.astype(np.int64),
            label=label.reshape(-1).astype(np.int64),
            swapped=np.zeros(rows.size, dtype=np.bool_),
            notes=tuple(notes),
        )
    )


def _number_outputs(rows: RatingRows) -> tuple[dict[str, Column], Codes]:
    """Return what tells outputs under criteria apart, and the (n,) number of each score's."""
    _, first, unit = np.unique(rows.unit, return_index=True, return_inverse=True)
    known = {name: rows.labels(name) for name in ("task", "item", "system", "criterion")}
    columns = {
        name: (own, codes[first].astype(np.int64))
        for name, (own, codes) in known.items()
        if own != ("",)
    }
    return columns, unit.reshape(-1).astype(np.int64)
