"""What ratings decide: a sentence or two for each criterion, in words that need no statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified
from evenhand.ranking.score_board import ScoreBoard
from evenhand.report.answer import NAMED, join_names

if TYPE_CHECKING:
    from evenhand.report.study import Study

MOST: Final = 4  # Most criteria that are answered one by one on the first screen


def find_answer_of_ratings(study: Study) -> tuple[tuple[str, ...], str]:
    """Return what ratings decide, and the line that reproduces it."""
    try:
        boards = study.rated.boards
    except NotIdentified as refusal:
        return (f"No ranking: {refusal.fault}. What can be said is of the judges.",), ""
    said = [say_board(board, name) for name, board in list(boards.items())[:MOST]]
    if len(boards) > MOST:
        said.append(f"{len(boards) - MOST} more criteria stand below.")
    limits = dict.fromkeys(board.headline for board in boards.values() if board.headline)
    said += [f"This is {limit}." for limit in limits]
    return tuple(said), " ; ".join(board.signature for board in boards.values())


def say_board(board: ScoreBoard, criterion: str = "") -> str:
    """Say which systems may be the best under a criterion, references aside."""
    about = f" for {criterion}" if criterion else ""
    ranked = np.flatnonzero(board.ranked)
    systems = [board.systems[at] for at in ranked.tolist()]
    lower, upper = board.rank_lower[ranked], board.rank_upper[ranked]
    if len(systems) == 1:
        return f"{systems[0]} is the only system{about} beside human references."
    first = [name for name, low in zip(systems, lower.tolist(), strict=True) if low == 1]
    if upper[0] == 1:
        return f"{systems[0]} is the best of {len(systems)} systems{about}{_say_rest(board)}."
    if len(first) == len(systems):
        return _begin(_say_open(board, about))
    if len(first) > NAMED:
        return (
            f"{len(first)} of {len(systems)} systems may each be the best{about},"
            f" {systems[0]} by its mean score; no other can be."
        )
    together = "may each be the best" if len(first) > 1 else "is the best"
    return f"{join_names(first)} {together}{about}; no other can be."


def _say_open(board: ScoreBoard, about: str) -> str:
    """Say that any of the systems may be the best, and whether that could be otherwise."""
    ranked = np.flatnonzero(board.ranked)
    systems = [board.systems[at] for at in ranked.tolist()]
    names = join_names(systems) if len(systems) <= NAMED else f"the {len(systems)} systems"
    if not np.isfinite(board.upper[ranked]).any():
        return (
            f"it is open which of {names} is the best{about}: nothing shows how far other scores"
            " would differ from these."
        )
    if (board.decided[np.ix_(ranked, ranked)] == 0).all():
        return f"{names} cannot be told apart{about}."
    return f"{names} may each be the best{about}: no one leads all others."


def _say_rest(board: ScoreBoard) -> str:
    """Say who comes behind the best, where it is two systems or more."""
    ranked = np.flatnonzero(board.ranked)[1:]
    if len(ranked) < 2:
        return ""
    second = ranked[board.rank_lower[ranked] == 2]
    names = [board.systems[at] for at in second.tolist()]
    if len(names) == 1:
        return f"; {names[0]} comes second"
    if not board.decided[np.ix_(second, second)].any():
        return f"; {_count_or_name(names)} cannot be told apart"
    return f"; {_count_or_name(names)} may each be second"


def _count_or_name(names: list[str]) -> str:
    return join_names(names) if len(names) <= NAMED else f"{len(names)} others"


def _begin(sentence: str) -> str:
    """Begin a sentence with a capital where it does not begin with a name."""
    words = sentence.startswith(("the ", "it is open "))
    return f"{sentence[0].upper()}{sentence[1:]}" if words else sentence


def say_references(board: ScoreBoard, criterion: str = "") -> list[str]:
    """Say where each human reference stands: which systems are shown to be below or above it."""
    about = f" for {criterion}" if criterion else ""
    ranked, said = np.flatnonzero(board.ranked), []
    for at in np.flatnonzero(~board.ranked).tolist():
        against = board.decided[at][ranked]
        better = [board.systems[place] for place in ranked[against < 0].tolist()]
        above = join_names(better) if better else "none"
        verb = "are" if len(better) > 1 else "is"
        said.append(
            f"{board.systems[at]}, a human reference, is shown to be better{about} than"
            f" {_say_worse(board, against > 0)}; {above} {verb} shown to be better than it."
        )
    return said


def _say_worse(board: ScoreBoard, below: NDArray[np.bool_]) -> str:
    """Say how many of the ranked systems stand below a reference, or name the only one."""
    worse = f"{int(below.sum())}" if below.any() else "none"
    if len(below) > 1:
        return f"{worse} of the {len(below)} systems"
    (only,) = np.flatnonzero(board.ranked).tolist()
    return board.systems[only] if below.any() else "no system"
