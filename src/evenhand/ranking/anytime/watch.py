"""A table of votes replayed as it arrived: what was decided when?

With each vote is decided what can be. Nothing rests on the end of the table, so that a longer table
with the same beginning decides all that a shorter one does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption, listing, require_seed
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.wrong_kind import require_pairs
from evenhand.numerics.threads import one_blas_thread
from evenhand.ranking.anytime.arrival import Arrival, arrange_votes
from evenhand.ranking.anytime.board import Board
from evenhand.ranking.anytime.confirmation import confirm_pairs, refuse_too_sure
from evenhand.ranking.anytime.live_board import LiveBoard
from evenhand.ranking.anytime.state import BoardState
from evenhand.ranking.anytime.vote import Vote


@dataclass(frozen=True, eq=False, repr=False)
class Watched:
    """What came of votes that were watched; it is shown as its board.

    Attributes:
        board: what is decided, and who leads now.
        state: the votes, to go on with.

    """

    board: Board
    state: BoardState

    @property
    def signature(self) -> str:
        """What makes the board again."""
        return self.board.signature

    def _repr_html_(self) -> str:
        return self.board._repr_html_()

    def __repr__(self) -> str:
        return repr(self.board)


def watch(
    data: Comparisons | Rankings,
    settings: LiveBoard | None = None,
    *,
    state: BoardState | None = None,
    order: str | None = None,
    systems: Sequence[str] | None = None,
    seed: int | None = None,
) -> Watched:
    """Replay votes in the order in which they were given, and decide with each what can be.

    What some votes decide, the same votes and more decide too. Where judges are known,
    what the votes decide must also be decided now by the rank sets of these judges (`rank`); else
    it is held back.

    Args:
        data: comparisons, or rankings, of which each is one vote; of one task.
        settings: of the board; `LiveBoard()` by default.
        state: a board to go on with, which is changed: the table must begin with the votes that it
            has seen. Its own settings hold.
        order: a column of times or numbers, "rows" for the order of the table, or None for the
            column that tells when answers were given, else when questions were put, and for the
            rows where there is none. With a state take the order of answers: one that comes late
            would else stand before votes that were seen.
        systems: those that take part, where that is known before the first vote; else the first
            votes name them (`LiveBoard.start`). A state has named them.
        seed: of the pair that stands for a ranking; by default that of the state, else 20131.

    Raises:
        InvalidJudgments: several tasks; votes that are not those the state has seen; a bad cell.
        NotIdentified: fewer than two systems.
        UnknownOption: settings, systems or a seed beside a state that has others, or a level that
            the rank sets of known judges cannot show.
        UnknownColumn: no such column.

    """
    table = require_pairs(data, "only comparisons and rankings can be watched, not")
    if len(table.tasks()) > 1:
        raise InvalidJudgments("the table holds several tasks: choose one with task=...")
    state = _begin(settings, state, systems)
    seed = _choose_seed(table, state, seed)
    arrival = arrange_votes(table, order, seed)
    if len(arrival.systems) < 2:
        raise NotIdentified("there is nothing to decide: there are fewer than two systems")
    refuse_too_sure(table, state.settings)
    _replay(state, arrival)
    state.sides_known &= arrival.sides_known
    state.order, state.seed = arrival.order, seed if table.has("ranking") else state.seed
    board = state.show(confirm_pairs(table, state.settings))
    return Watched(
        replace(board, notes=(*say_left_out(data, table), *arrival.notes, *board.notes)), state
    )


def _begin(
    settings: LiveBoard | None, state: BoardState | None, systems: Sequence[str] | None
) -> BoardState:
    """Return the board to go on with, or a new one.

    Raises:
        UnknownOption: settings or systems beside a board that has others.

    """
    if state is None:
        return (settings or LiveBoard()).start([] if systems is None else sorted(systems))
    if settings not in (None, state.settings):
        raise UnknownOption(
            f"this board has settings of its own: {state.settings.says}; leave out other ones, or"
            " begin a new board"
        )
    named = state.systems[: state.founders or 0]
    if systems is not None and sorted(systems) != sorted(named):
        raise UnknownOption(
            f"this board has systems of its own ({listing(named) or 'its first votes name them'}):"
            " leave out --systems, or begin a new board"
        )
    return state


def _choose_seed(table: Comparisons, state: BoardState, seed: int | None) -> int:
    """Return the seed of the pairs that stand for rankings.

    Raises:
        UnknownOption: the board drew them with another one.

    """
    own = SEED if state.seed is None else state.seed
    if seed is None:
        return own
    require_seed(seed)
    if table.has("ranking") and state.seed not in (None, seed):
        raise UnknownOption(
            f"this board drew the pairs that stand for rankings with seed {own}, not {seed}: leave"
            " out --seed, or begin a new board"
        )
    return seed


def _replay(state: BoardState, arrival: Arrival) -> None:
    """Give votes to a board one by one.

    Raises:
        InvalidJudgments: the votes do not begin with those that the board has seen.

    """
    known = state.seen.votes
    other = state.find_difference(arrival.votes)
    if other is not None:
        raise InvalidJudgments(_say_difference(arrival, state, other))
    with one_blas_thread():
        for vote in arrival.votes[known:]:
            state.follow([vote])


def _say_difference(arrival: Arrival, state: BoardState, other: int) -> str:
    """Say where a table parts from the votes that a board has seen."""
    votes, known, ordered = arrival.votes, state.seen.votes, f"ordered by {arrival.order}"
    if state.order not in ("", arrival.order):
        ordered += f" where the board was by {state.order}"
    if other == len(votes):
        return (
            f"the board has seen {known:,} votes, and this table holds the first {other:,} of them:"
            " give it all votes, old ones first, or begin a new board"
        )
    return (
        f"vote {other + 1:,} of this table, {ordered}, is not the one that the board has seen"
        f" there: {_say_vote(votes[other])}. What came later must stand behind the {known:,} votes"
        " that it has seen: order by when answers came in, undo the change, or begin a new board"
    )


def _say_vote(vote: Vote) -> str:
    """Say who preferred what.

    >>> _say_vote(Vote("a", "b", "left", "ann", "item 7"))
    'a against b: left, by ann on item 7'
    """
    whom = f", by {vote.judge}" if vote.judge else ""
    what = f" on {vote.question}" if vote.question else ""
    return f"{vote.left} against {vote.right}: {vote.outcome}{whom}{what}"
