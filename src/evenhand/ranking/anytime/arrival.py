"""Votes of a table in the order in which they were given.

What is decided from votes that chose the next pairs is valid only in their own order. A ranking of
n outputs is one answer: its pairs hang together, so that one of them, drawn at random, is its vote.
It stands where its first row stands; where rows have times of their own, it was asked with the
first of them and answered with the last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments
from evenhand.formats.roles import fold
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import ANSWER
from evenhand.judgments.labels import OUTCOMES
from evenhand.judgments.row_order import PLACE
from evenhand.judgments.source import Aside, number_rows
from evenhand.judgments.votes import Votes
from evenhand.ranking.anytime.vote import Vote

ROWS: Final = "rows"
"""The order of the table's own rows."""
ANSWERED: Final = (
    *("answered_at", "submitted_at", "submit_time", "submission_time", "judged_at", "voted_at"),
    *("completed_at", "finished_at", "ended_at"),
)
"""Columns that tell when an answer came in, the first that is there: votes come in that order."""
NO_TIMES: Final = (
    "no column tells when judgments were given: they are taken in the order of their rows"
)
NO_ROWS: Final = (
    "this table keeps no order of its rows: rankings are taken sorted by all their columns; open"
    " the file itself for the order in which they stand"
)
FIRST: Final = "evenhand_first"
LAST: Final = "evenhand_last"
WIDE: Final = 10**12
"""Added to numbers of rows, so that they sort as text; more rows than a table has."""
Rows = NDArray[np.intp]
Moments = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Arrival:
    """Votes in their order.

    Attributes:
        votes: the votes.
        systems: names of all systems, sorted.
        order: what they are ordered by: a column, or "rows".
        sides_known: whether left really stood first.
        notes: what must be said of order and choice.
        span: the first and the last moment; None where there is no vote, or rows tell the order.

    """

    votes: tuple[Vote, ...]
    systems: tuple[str, ...]
    order: str
    sides_known: bool
    notes: tuple[str, ...]
    span: tuple[float, float] | None = None


def arrange_votes(data: Comparisons, order: str | None, seed: int) -> Arrival:
    """Read votes in the order in which they were given.

    Args:
        data: comparisons, or rankings that were expanded into them, of one task.
        order: a column of times or numbers, "rows" for the order of the table, or None for the
            column that tells when answers were given, else when questions were put, and for the
            rows where there is none.
        seed: of the pair that stands for a ranking.

    Raises:
        UnknownColumn: no such column.
        InvalidJudgments: rows without a time; values that are none.

    """
    order = order or _find_answered(data)
    votes = _read_votes(data, order)
    timed = order != ROWS and votes.moment is not None
    by = (order or _name_time(data)) if timed else ROWS
    if timed:
        _check_times(votes, by)
    notes = [] if timed else _note_rows(data, order)
    rows = _sort(votes, _time_answers(votes, asked=order is None) if timed else None)
    if votes.answer is not None:
        rows = _choose(votes, rows, seed)
        notes.append(
            f"a ranking is one answer: one of its pairs, drawn at random (seed {seed}), is its"
            f" vote; {votes.size - len(rows):,} others are left out"
        )
    known = votes.positions_known
    told = [note.replace(f"shown_at={by}", f"order={by}") for note in votes.notes]
    span = None
    if timed and votes.moment is not None and votes.size:
        span = (float(votes.moment.min()), float(votes.moment.max()))
    return Arrival(_write(votes, rows), votes.systems, by, known, (*told, *notes), span)


def _read_votes(data: Comparisons, order: str | None) -> Votes:
    """Read the votes; a column of times that cannot be read is called what it is here.

    Raises:
        InvalidJudgments: a bad cell.

    """
    try:
        return _name_by_rows(_order_by(_end_rankings(data, order), order)).votes()
    except InvalidJudgments as fault:
        if order is None or order == ROWS:
            raise
        said = str(fault).replace(", taken as shown_at,", ", which tells the order,")
        raise InvalidJudgments(said) from None


def _note_rows(data: Comparisons, order: str | None) -> list[str]:
    """Say that rows tell the order, or that nothing does."""
    frame = data.frame if data.rankings is None else data.rankings.frame
    kept = isinstance(frame, nw.DataFrame) or frame.implementation.is_duckdb()
    if data.has("ranking") and not kept:
        return [NO_ROWS]
    return [] if order == ROWS else [NO_TIMES]


def _find_answered(data: Comparisons) -> str | None:
    """Return the column that tells when answers came in, or None."""
    columns = {fold(name): name for name in reversed(data.columns)}
    found = (columns[fold(name)] for name in ANSWERED if fold(name) in columns)
    return next(found, None)


def _order_by(data: Comparisons, order: str | None) -> Comparisons:
    """Take a column for the times at which votes were given."""
    if order is None or order == ROWS:
        return data
    column = data.require(order)
    asides = {**data.source.asides, "shown_at": Aside(column)}
    return replace(data, source=replace(data.source, asides=asides))


def _end_rankings(data: Comparisons, order: str | None) -> Comparisons:
    """Give all rows of a ranking the last of their times: then it was answered."""
    if order in (None, ROWS) or data.rankings is None or not data.has("ranking"):
        return data
    column = data.require(str(order))
    key = [name for name in ("task", "ranking") if data.has(name)]
    if column not in data.rankings.frame.columns or column in key:
        return data
    last = data.rankings.frame.group_by(*key).agg(nw.col(column).max().alias(LAST))
    frame = data.frame.join(last, on=key, how="left")  # type: ignore[arg-type]
    return replace(data, frame=frame.with_columns(nw.col(LAST).alias(column)).drop(LAST))


def _name_by_rows(data: Comparisons) -> Comparisons:
    """Call each ranking by the number of its first row, so that their names stand in that order.

    The rows of an expanded table have no order of their own, and names of rankings tell none.
    """
    if not data.has("ranking"):
        return data
    key = [name for name in ("task", "ranking") if data.has(name)]
    whole = data.frame if data.rankings is None else data.rankings.frame
    numbered = number_rows(whole, ANSWER).with_columns(
        (nw.col(ANSWER).cast(nw.Int64) + WIDE).alias(FIRST)
    )
    first = numbered.group_by(*key).agg(nw.col(FIRST).min())
    frame = data.frame.join(first, on=key, how="left")  # type: ignore[arg-type]
    place = nw.col(FIRST).alias(PLACE)
    named = frame.with_columns(place, ranking=nw.col(FIRST).cast(nw.String)).drop(FIRST)
    return replace(data, frame=named)


def _name_time(data: Comparisons) -> str:
    """Return the column that tells when judgments were given."""
    return data.source.find_asides(data.columns)["shown_at"].column


def _check_times(votes: Votes, by: str) -> None:
    """Refuse rows without a time.

    Raises:
        InvalidJudgments: counts them.

    """
    missing = 0 if votes.moment is None else int(np.isnan(votes.moment).sum())
    if missing:
        raise InvalidJudgments(
            f"column '{by}' tells no time for {missing:,} of {votes.size:,} judgments: fill it, or"
            " take the order of the rows (--order rows)"
        )


def _time_answers(votes: Votes, *, asked: bool) -> Moments | None:
    """Return when the whole answer that each row belongs to was asked for, or given.

    A ranking whose rows have times of their own would else fall apart into several votes.
    """
    if votes.moment is None or votes.answer is None:
        return votes.moment
    whole = np.full(int(votes.answer.max(initial=-1)) + 1, np.inf if asked else -np.inf)
    (np.minimum if asked else np.maximum).at(whole, votes.answer, votes.moment)
    return np.asarray(whole[votes.answer])


def _sort(votes: Votes, moments: Moments | None) -> Rows:
    """Return the rows by time, those of one moment as they stand, those of an answer together.

    Answers are numbered by their first rows; pairs of one answer stand by the systems' names.
    """
    moment = np.zeros(votes.size) if moments is None else moments
    if votes.answer is None:
        return np.asarray(np.argsort(moment, kind="stable"), dtype=np.intp)
    low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    return np.asarray(np.lexsort((votes.outcome, high, low, votes.answer, moment)), dtype=np.intp)


def _choose(votes: Votes, rows: Rows, seed: int) -> Rows:
    """Return one row of each answer, whatever it says."""
    owner = np.zeros(votes.size, np.int32) if votes.answer is None else votes.answer[rows]
    begins = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    sizes = np.diff(np.r_[begins, len(owner)])
    luck = np.random.Generator(np.random.PCG64(seed)).random(len(begins))
    return np.asarray(rows[begins + (luck * sizes).astype(np.intp)], dtype=np.intp)


def _write(votes: Votes, rows: Rows) -> tuple[Vote, ...]:
    """Return votes with names; what was asked is the item, under its criterion.

    A row that stands for several votes is several first answers, which nobody can tell apart: the
    first of them alone has a question, unless they revise what another row said.
    """
    source = None if votes.row is None else votes.row.tolist()
    asked = votes.items != ("",)
    answered: dict[str, int] = {}
    found = []
    for row in rows.tolist():
        vote = Vote(
            votes.systems[votes.left[row]],
            votes.systems[votes.right[row]],
            OUTCOMES[votes.outcome[row]],
            votes.judges[votes.judge[row]],
            _ask(votes, row) if asked else "",
        )
        key = None if source is None else vote.key
        if source is not None and key is not None:
            copy = answered.get(key) == source[row]
            answered.setdefault(key, source[row])
            vote = replace(vote, question="") if copy else vote
        found.append(vote)
    return tuple(found)


def _ask(votes: Votes, row: int) -> str:
    """Return what was asked in a row."""
    item: str = votes.items[votes.item[row]]
    if votes.criterion is None:
        return item
    return f"{item} · {votes.criteria[votes.criterion[row]]}"
