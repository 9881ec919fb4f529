"""Votes as they arrive: single ones, a table of them in their order, and what each judge says.

What is decided from votes that chose the next pairs is valid only in their own order. A ranking of
n outputs is one answer: its pairs are correlated, so that one of them, drawn at random, is its
vote. It stands where its first row stands; where rows have times of their own, it was asked with
the first of them and answered with the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b, sha256
from math import log1p
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import find_answered
from evenhand.data.engine import ANSWER, PLACE
from evenhand.data.labels import OUTCOMES
from evenhand.data.source import AnnotationColumn, number_rows
from evenhand.data.texts import say as say_of_columns
from evenhand.data.votes import Votes
from evenhand.errors import InvalidJudgments, sentence_hint, suggest
from evenhand.ranking.texts import say_of_boards as say
from evenhand.render.document import Finding

ROWS: Final = "rows"  # The order of the table's own rows
FIRST: Final = "evenhand_first"
LAST: Final = "evenhand_last"
ROW_OFFSET: Final = 10**12  # More rows than a table has: numbers then sort as text
# Judges for and against s that are supposed before the first one
PRIOR_FOR, PRIOR_AGAINST = 5.0, 0.5

Rows = NDArray[np.intp]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Vote:
    """A vote."""

    left: str  # system whose output was shown first
    right: str  # the other
    outcome: str  # "left", "tie" or "right"
    judge: str = ""  # who voted; "" where nobody knows
    question: str = ""  # what was asked; a second answer to it revises; "" if unknown

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            hint = sentence_hint(suggest(self.outcome, OUTCOMES))
            raise InvalidJudgments(
                f"the outcome of a vote cannot be '{self.outcome}': left | tie | right{hint}"
            )
        if not self.left or not self.right:
            raise InvalidJudgments(f"a vote is on a system without a name: {self}")
        if self.left == self.right:
            raise InvalidJudgments(f"'{self.left}' stands on both sides of a vote")

    @property
    def key(self) -> str | None:
        """What a revision has in common with what it revises; None where that is not known."""
        if not (self.judge and self.question):
            return None
        parts = (self.judge, self.question, *sorted((self.left, self.right)))
        return blake2b("\x1f".join(parts).encode(), digest_size=8).hexdigest()


def chain_digests(before: str, votes: Iterable[Vote]) -> Iterator[str]:
    """Return the SHA-256 of all votes up to each: chains part at the first vote that differs."""
    for vote in votes:
        parts = (before, vote.left, vote.right, vote.outcome, vote.judge, vote.question)
        before = sha256("\x1f".join(parts).encode()).hexdigest()
        yield before


@dataclass(frozen=True, eq=False)
class Arrival:
    votes: tuple[Vote, ...]  # the votes
    systems: tuple[str, ...]  # names of all systems, sorted
    order: str  # what they are ordered by: a column, or "rows"
    sides_known: bool  # whether left really stood first
    notes: tuple[str, ...]  # what must be said of order and choice
    span: tuple[float, float] | None = None  # first and last moment; None in the order of rows


def arrange_votes(data: Comparisons, order: str | None, seed: int) -> Arrival:
    if not order:
        order = find_answered(data.columns)
    if order is None or order == ROWS:
        votes = _gather_rankings(data).votes()
    else:
        times = AnnotationColumn(data.require(order), task="which tells the order")
        gathered = _gather_rankings(data, times.column)
        annotations = {**gathered.source.annotations, "shown_at": times}
        votes = replace(gathered, source=replace(gathered.source, annotations=annotations)).votes()
    timed = order != ROWS and votes.moment is not None
    by, span, notes = ROWS, None, []
    if timed and votes.moment is not None:
        by = order or data.source.find_annotations(data.columns)["shown_at"].column
        if missing := int(np.isnan(votes.moment).sum()):
            raise InvalidJudgments(
                f"column '{by}' tells no time for {missing:,} of {votes.size:,} judgments: fill it,"
                " or take the order of the rows (--order rows)"
            )
        if votes.size:
            span = (float(votes.moment.min()), float(votes.moment.max()))
    else:
        frame = data.frame if data.rankings is None else data.rankings.frame
        in_order = isinstance(frame, nw.DataFrame) or frame.implementation.is_duckdb()
        if data.has("ranking") and not in_order:
            notes.append(say("no-order-of-rows"))
        elif order != ROWS:
            notes.append(say("no-times"))
    rows = _sort(votes, timed=timed, at_start=order is None)
    if votes.answer is not None:  # one row of each answer, whatever it says
        owner = votes.answer[rows]
        begins = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
        sizes = np.diff(np.r_[begins, len(owner)])
        luck = np.random.Generator(np.random.PCG64(seed)).random(len(begins))
        if votes.judges != ("",) and votes.items != ("",) and votes.row is None:
            # a second answer to one question draws the pair of the first, which it revises
            asked: dict[tuple[int, bytes], int] = {}
            pairs = np.split(votes.pair[rows], begins[1:])
            answers = zip(votes.judge[rows[begins]].tolist(), pairs, strict=True)
            luck = luck[[asked.setdefault((j, p.tobytes()), i) for i, (j, p) in enumerate(answers)]]
        rows = np.asarray(rows[begins + (luck * sizes).astype(np.intp)], dtype=np.intp)
        notes.append(say("one-pair-of-each", seed=seed, n=votes.size - len(rows)))
    noted = [_name_order(note, by) for note in votes.notes]
    return Arrival(
        _name_votes(votes, rows), votes.systems, by, votes.positions_known, (*noted, *notes), span
    )


def _gather_rankings(data: Comparisons, time: str | None = None) -> Comparisons:
    """Call each ranking by the number of its first row, so that their names stand in that order."""
    # The rows of an expanded table have no order of their own, and names of rankings tell none. All
    # rows of a ranking have the last of their times: then it was answered.
    if not data.has("ranking"):
        return data
    key = [name for name in ("task", "ranking") if data.has(name)]
    whole = data.frame if data.rankings is None else data.rankings.frame
    number = (nw.col(ANSWER).cast(nw.Int64) + ROW_OFFSET).alias(FIRST)
    ends = [nw.col(FIRST).min()]
    if data.rankings is None or time not in whole.columns or time in key:
        time = None
    if time is not None:
        ends.append(nw.col(time).max().alias(LAST))
    gathered = number_rows(whole, ANSWER).with_columns(number).group_by(*key).agg(*ends)
    frame = data.frame.join(gathered, on=key, how="left")  # type: ignore[arg-type]
    if time is not None:
        frame = frame.with_columns(nw.col(LAST).alias(time)).drop(LAST)
    place = nw.col(FIRST).alias(PLACE)
    named = frame.with_columns(place, ranking=nw.col(FIRST).cast(nw.String)).drop(FIRST)
    return replace(data, frame=named)


def _sort(votes: Votes, *, timed: bool, at_start: bool) -> Rows:
    """Return the rows by time, those of one moment as they stand, those of an answer together."""
    # Answers are numbered by their first rows; pairs of one answer stand by the systems' names.
    moment = votes.moment if timed and votes.moment is not None else np.zeros(votes.size)
    if votes.answer is None:
        return np.asarray(np.argsort(moment, kind="stable"), dtype=np.intp)
    if timed:  # a ranking whose rows have times of their own would else fall apart
        whole = np.full(int(votes.answer.max(initial=-1)) + 1, np.inf if at_start else -np.inf)
        (np.minimum if at_start else np.maximum).at(whole, votes.answer, moment)
        moment = whole[votes.answer]
    low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    return np.asarray(np.lexsort((votes.outcome, high, low, votes.answer, moment)), dtype=np.intp)


def _name_votes(votes: Votes, rows: Rows) -> tuple[Vote, ...]:
    """Return votes with names; what was asked is the item, under its criterion."""
    # A row that stands for several votes is several first answers, which nobody can tell apart: the
    # first of them alone has a question, unless they revise what another row said.
    source = None if votes.row is None else votes.row.tolist()
    has_items = votes.items != ("",)
    answered: dict[str, int] = {}
    named = []
    for row in rows.tolist():
        question = votes.items[votes.item[row]] if has_items else ""
        if has_items and votes.criterion is not None:
            question = f"{question} · {votes.criteria[votes.criterion[row]]}"
        vote = Vote(
            votes.systems[votes.left[row]],
            votes.systems[votes.right[row]],
            OUTCOMES[votes.outcome[row]],
            votes.judges[votes.judge[row]],
            question,
        )
        key = None if source is None else vote.key
        if source is not None and key is not None:
            copy = answered.get(key) == source[row]
            answered.setdefault(key, source[row])
            vote = replace(vote, question="") if copy else vote
        named.append(vote)
    return tuple(named)


class JudgeSigns:
    """What judges, one vote each, say of pairs: a column that judges with tastes cannot fool."""

    # The first b votes of a judge are a batch, closed when it is full; X_g = ±1 is the sign of the
    # judge's net preference between s and t in it, 0 where there is none, and
    #     E_st = Π_g (1 + κ_g X_g),   κ_g = max(0, 2 (W + 5) / (W + L + 5.5) − 1),
    # W and L being the judges before who preferred s and t. It is a supermartingale wherever a
    # judge's net preference for s over t is symmetric or negative, given the judges before: tastes,
    # items that only one judge sees and votes that are correlated inside a judge do no harm. That
    # needs judges who come from one population, b that is fixed in advance, and inside a batch
    # pairs that are not chosen by this judge's own answers. Later votes of a judge do not count.
    # With all judges of one mind it takes a little more than log2(K(K − 1)/α) of them. κ is ours.

    def __init__(self, size: int) -> None:
        self.size = size
        self.closed: set[str] = set()
        self._open: dict[str, tuple[int, dict[Pair, int]]] = {}
        self._evidence: dict[Pair, tuple[float, int, int]] = {}

    def observe(self, judge: str, ends: Pair, preferred: int) -> None:
        # preferred: 1 for the first of two systems, −1 for the second, 0 for neither
        if judge in self.closed:
            return
        votes, net = self._open.get(judge, (0, {}))
        net[ends] = net.get(ends, 0) + preferred
        net[ends[::-1]] = net.get(ends[::-1], 0) - preferred
        self._open[judge] = (votes + 1, net)
        if votes + 1 < self.size:
            return
        del self._open[judge]
        self.closed.add(judge)
        for pair, lead in net.items():
            if lead:
                value, won, lost = self._evidence.get(pair, (0.0, 0, 0))
                value += log1p(_stake(won, lost) * (1 if lead > 0 else -1))
                self._evidence[pair] = (value, won + (lead > 0), lost + (lead < 0))

    def reached(self, least: float) -> list[Pair]:
        """Return the pairs, better and worse, whose log E is at least so much (nats)."""
        return sorted(pair for pair, (value, _, _) in self._evidence.items() if value >= least)

    def log_value(self, one: int, other: int) -> float:
        return self._evidence.get((one, other), (0.0, 0, 0))[0]

    def to_dict(self) -> dict[str, Any]:
        batches = {
            judge: [votes, [[*ends, lead] for ends, lead in net.items()]]
            for judge, (votes, net) in self._open.items()
        }
        evidence = [[*ends, *values] for ends, values in self._evidence.items()]
        closed = sorted(self.closed)
        return {"size": self.size, "closed": closed, "open": batches, "evidence": evidence}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> JudgeSigns:
        signs = cls(int(saved["size"]))
        signs.closed = {str(judge) for judge in saved["closed"]}
        for judge, (votes, net) in saved["open"].items():
            signs._open[judge] = (int(votes), {(int(s), int(t)): int(n) for s, t, n in net})
        for s, t, value, won, lost in saved["evidence"]:
            signs._evidence[int(s), int(t)] = (float(value), int(won), int(lost))
        return signs


def count_needed(least: float) -> int:
    """Return how many judges of one mind it takes to reach log E (nats)."""
    value, judges = 0.0, 0
    while value < least:
        value += log1p(_stake(judges, 0))
        judges += 1
    return judges


def _stake(won: int, lost: int) -> float:
    return max(0.0, 2 * (won + PRIOR_FOR) / (won + lost + PRIOR_FOR + PRIOR_AGAINST) - 1)


def _name_order(note: str, by: str) -> str:
    """Return a note, in which the column that votes are ordered by is called so, and no time."""
    if not isinstance(note, Finding) or note.code != "beside":
        return note
    columns = [f"order={by}" if one == f"shown_at={by}" else one for one in note.values["columns"]]
    return say_of_columns(note.code, note.severity, columns=columns)
