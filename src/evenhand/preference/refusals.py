"""What is said when an estimate does not exist: what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from evenhand.errors import listing
from evenhand.numerics.graph import Graph, IntArray
from evenhand.preference.board import Board
from evenhand.preference.cells import Counts

Refusal = tuple[str, Sequence[str]] | tuple[str, Sequence[str], Sequence[str]]
"""A fault, what may be done about it, and systems to leave out: what `NotIdentified` takes."""
_SHOWN: Final = 4
_WORTHS: Final = "worths are not identified"
_TIES: Final = "the tie parameter has no finite estimate"
_ORDER: Final = "the order effect has no finite estimate"
_KEEP_TIES: Final = "keep the ties (--ties half-win)"
_BOTH_ORDERS: Final = "show each pair in both orders"
_NO_ORDER: Final = "leave out --order-effect"
NEVER: Final = "never compared"
"""What systems were that no comparison joins."""


def no_comparisons(board: Board) -> Refusal:
    """Say that nothing was compared."""
    return f"{_WORTHS}: there is no comparison among {len(board.systems):,} systems", ()


def only_ties(board: Board) -> Refusal:
    """Say that nothing is left without the ties."""
    ties = _count(board.ties.sum())
    fault = f"{_WORTHS}: every comparison is a tie ({ties}), and ties are discarded"
    return fault, ["collect comparisons with a preference"]


def never_seen(board: Board, systems: IntArray) -> Refusal:
    """Say that no group has seen some systems, given by their codes."""
    names = [board.systems[system] for system in systems.tolist()]
    remedies = ["collect comparisons", _drop(names)]
    return f"{_WORTHS}: {_alone(names, NEVER)}", remedies, _spare(board, names)


def apart(board: Board, component: IntArray, how: str) -> Refusal:
    """Say that the systems of one group fall into parts.

    Args:
        board: the group.
        component: part of each node, at least two parts.
        how: "never compared" or "only ever tied" with those of the other parts.

    """
    parts = [board.names(np.flatnonzero(component == part)) for part in range(component.max() + 1)]
    singles = _single(parts)
    remedy = "collect comparisons to join them" if how == NEVER else _KEEP_TIES
    odd = singles if len(parts) - len(singles) <= 1 else []
    leave = _drop(odd) if odd else "rank them apart"
    fault = say_apart(parts, how)
    remedies = [remedy, leave, *_prior(board)]
    return f"{_WORTHS}{_where(board)}: {fault}", remedies, _spare(board, odd)


def say_apart(parts: Sequence[Sequence[str]], how: str) -> str:
    """Say that systems fall into parts.

    Args:
        parts: names of the systems of each part, at least two parts.
        how: what they were with each other, such as "never compared".

    >>> say_apart([["A", "B"], ["C", "D"]], "never compared")
    'A, B were never compared with C, D'
    >>> say_apart([["A", "B"], ["C"]], "never compared")
    '"C" was never compared with any other system'
    """
    singles = _single(parts)
    return _alone(singles, how) if len(parts) - len(singles) <= 1 else _parted(parts, how)


def _single(parts: Sequence[Sequence[str]]) -> list[str]:
    """Return the names of systems that are a part by themselves."""
    return [part[0] for part in parts if len(part) == 1]


def one_way(board: Board, graph: Graph, component: IntArray, *, ties_help: bool) -> Refusal:
    """Say that preferences lead only one way between some systems of one group.

    Args:
        board: the group.
        graph: steps from the preferred to the other, and along ties that count.
        component: strong component of each node, at least two.
        ties_help: whether ties, now discarded, would lead back.

    """
    ends = component[graph.source], component[graph.target]
    across = ends[0] != ends[1]
    every = np.arange(component.max() + 1)
    unbeaten = np.setdiff1d(every, ends[1][across])
    hopeless = np.setdiff1d(every, ends[0][across])
    fault, odd = _always(board, component, unbeaten, hopeless)
    if not fault:
        fault = _no_chain(board, component, unbeaten, hopeless)
    leave = [_drop(odd)] if odd else []
    remedies = ["collect comparisons that may contradict this", *[_KEEP_TIES] * ties_help, *leave]
    return f"{_WORTHS}{_where(board)}: {fault}", [*remedies, *_prior(board)], _spare(board, odd)


def ties_run_away(board: Board, place: IntArray) -> Refusal:
    """Say that the tie parameter and the worths grow together.

    Args:
        board: all groups.
        place: whole numbers, one or more apart for a preference and at most one for a tie.

    """
    if not (board.wins.any() or board.losses.any()):
        return f"{_TIES}: every comparison is a tie ({_count(board.ties.sum())})", [
            "collect comparisons with a preference",
            "use --ties half-win, under which all systems are equal",
        ]
    chain = "inside every group" if board.groups else f"down {_chain(board, -place, ' > ')}"
    return (
        f"{_TIES}, nor have the worths: every preference goes one way {chain} and ties only join"
        " neighbours, no comparison contradicts it"
    ), ["collect more comparisons", "use --ties half-win or none", *_prior(board)]


def ties_run_away_with_order() -> Refusal:
    """Say that only tie parameter, order effect and worths together can grow for ever."""
    return (
        "the tie parameter and the order effect have no finite estimates together: with some order"
        " effect every preference goes one way and ties only join neighbours"
    ), [_BOTH_ORDERS, _NO_ORDER, "use --ties half-win or none"]


def order_is_fixed(board: Board, place: IntArray) -> Refusal:
    """Say that the order in which systems are shown never varies.

    Args:
        board: all groups.
        place: whole numbers; the system shown second always stands one above the first.

    """
    if board.groups:
        fault = "every group saw its systems in one fixed order"
    else:
        fault = f"systems are always shown in the order {_chain(board, place, ', then ')}"
    remedies = ["show pairs in both orders", _NO_ORDER]
    return f"the order effect cannot be told from the worths: {fault}", remedies


def order_runs_away(position: str) -> Refusal:
    """Say that an endless order effect explains every preference; position: first or second."""
    return (
        f"{_ORDER}: an endless advantage of being shown {position}, with a ranking of the systems,"
        " explains every preference"
    ), [_BOTH_ORDERS, "collect more comparisons", _NO_ORDER]


def _always(
    board: Board, component: IntArray, unbeaten: IntArray, hopeless: IntArray
) -> tuple[str, list[str]]:
    """Say which single systems only ever won or only ever lost, if any, and return their names."""
    size = np.bincount(component)
    winners = np.flatnonzero(np.isin(component, unbeaten[size[unbeaten] == 1]))
    losers = np.flatnonzero(np.isin(component, hopeless[size[hopeless] == 1]))
    if component.max() == 1 and winners.size:
        losers = losers[:0]  # of two parts one description is enough
    top, bottom = board.names(winners), board.names(losers)
    faults = []
    if top:
        faults.append(f"nobody preferred anything to {_names(top)} {_none_of(board, winners)}")
    if bottom:
        never = f"{_names(bottom)} {_was(bottom)} never preferred to anything"
        faults.append(f"{never} {_none_of(board, losers)}")
    return " and ".join(faults), top + bottom


def _no_chain(board: Board, component: IntArray, unbeaten: IntArray, hopeless: IntArray) -> str:
    """Name the smallest part that nothing outside was ever preferred to, or the other way round."""
    terminal = np.concatenate((unbeaten, hopeless))
    smallest = terminal[np.argmin(np.bincount(component)[terminal])]
    inside = component == smallest
    part = listing(board.names(np.flatnonzero(inside)), _SHOWN)
    rest = listing(board.names(np.flatnonzero(~inside)), _SHOWN)
    between = _untied(board)[inside[board.left] != inside[board.right]].sum()
    start, end = (rest, part) if smallest in unbeaten else (part, rest)
    return (
        f"no chain of preferences leads from {start} to {end}"
        f" (0 of {_count(between)} comparisons between them)"
    )


def _none_of(board: Board, nodes: IntArray) -> str:
    """Write the number of preferences that some systems took part in, all of which went one way."""
    rows = np.isin(board.left, nodes) | np.isin(board.right, nodes)
    return f"(0 of {_count(_untied(board)[rows].sum())})"


def _untied(board: Board) -> Counts:
    return board.wins + board.losses


def _alone(names: Sequence[str], how: str) -> str:
    others = "any other system" if how == NEVER else "other systems"
    return f"{_names(names)} {_was(names)} {how} with {others}"


def _was(names: Sequence[str]) -> str:
    return "was" if len(names) == 1 else "were"


def _parted(parts: Sequence[Sequence[str]], how: str) -> str:
    shown = [listing(part, _SHOWN) for part in parts[:_SHOWN]]
    if len(parts) == 2:
        return f"{shown[0]} were {how} with {shown[1]}"
    if len(parts) > _SHOWN:
        shown.append(f"{len(parts) - _SHOWN:,} more")
    return f"{len(parts):,} groups of systems were {how} with each other: {' | '.join(shown)}"


def _chain(board: Board, place: IntArray, link: str) -> str:
    """Name the systems by ascending place, those of one place together."""
    places = np.unique(place)
    shown = [listing(board.names(np.flatnonzero(place == one)), _SHOWN) for one in places[:_SHOWN]]
    if places.size > _SHOWN:
        shown.append(f"{places.size - _SHOWN:,} more")
    return link.join(shown)


def _names(names: Sequence[str]) -> str:
    """Quote one name; list several."""
    return f'"{names[0]}"' if len(names) == 1 else listing(names, _SHOWN)


def _drop(names: Sequence[str]) -> str:
    return f"leave {'it' if len(names) == 1 else 'them'} out"


def _spare(board: Board, names: Sequence[str]) -> Sequence[str]:
    """Return systems that can be left out so that others are still compared; else none."""
    return names if len(board.systems) > len(names) + 1 else ()


def _where(board: Board) -> str:
    return f' in group "{board.groups[int(board.group[0])]}"' if board.groups else ""


def _prior(board: Board) -> list[str]:
    return [*["merge groups"] * bool(board.groups), "pass --prior 1"]


def _count(number: float) -> str:
    """Write a count: whole numbers with thousands apart, weights to six digits."""
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.6g}"
