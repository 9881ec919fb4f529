"""What ratings decide: a sentence or two for each criterion, in words that need no statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from evenhand.errors import NotIdentified
from evenhand.ranking.score_board import ScoreBoard
from evenhand.report.answer import NAMED, join_names

if TYPE_CHECKING:
    from evenhand.report.study import Study

MOST: Final = 4
"""Most criteria that are answered one by one on the first screen."""


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
    """Say which systems may be the best under a criterion, references aside.

    Args:
        board: systems by mean score.
        criterion: its name; "" where there is one without a name.

    """
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
        names = join_names(systems) if len(systems) <= NAMED else f"the {len(systems)} systems"
        if (board.decided[np.ix_(ranked, ranked)] == 0).all():
            return _begin(f"{names} cannot be told apart{about}.")
        return _begin(f"{names} may each be the best{about}: no one leads all others.")
    if len(first) > NAMED:
        return (
            f"{len(first)} of {len(systems)} systems may each be the best{about},"
            f" {systems[0]} by its mean score; no other can be."
        )
    together = "may each be the best" if len(first) > 1 else "is the best"
    return f"{join_names(first)} {together}{about}; no other can be."


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
    """Begin a sentence with a capital where it begins with an article."""
    return f"T{sentence[1:]}" if sentence.startswith("the ") else sentence


def say_references(board: ScoreBoard, criterion: str = "") -> list[str]:
    """Say where each human reference stands: which systems are shown to be below or above it."""
    about = f" for {criterion}" if criterion else ""
    ranked, said = np.flatnonzero(board.ranked), []
    for at in np.flatnonzero(~board.ranked).tolist():
        against = board.decided[at][ranked]
        better = [board.systems[place] for place in ranked[against < 0].tolist()]
        above = join_names(better) if better else "none"
        verb = "are" if len(better) > 1 else "is"
        worse = f"{int((against > 0).sum())}" if (against > 0).any() else "none"
        said.append(
            f"{board.systems[at]}, a human reference, is shown to be better{about} than {worse} of"
            f" the {len(ranked)} systems; {above} {verb} shown to be better than it."
        )
    return said
