"""Each conclusion with the fewest votes, judges and items that carry it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.ranking.fragility_case import Case
from evenhand.ranking.fragility_links import queue_links, queue_sets
from evenhand.ranking.fragility_pull import pull_votes
from evenhand.ranking.fragility_removal import Queue, queue_clusters, queue_votes
from evenhand.ranking.fragility_result import OPENED, TURNED, Flip, Fragility
from evenhand.ranking.fragility_search import (
    FALLS,
    HOLDS,
    NO_RANKING,
    Claim,
    find_fewest,
    find_gone,
    is_decided,
    name_ahead,
    stands,
)
from evenhand.ranking.rank_sets import FEW

Array = NDArray[np.float64]
RIVALS: Final = 3
"""Pairs across a border that are pulled at, the nearest first."""
MOST: Final = 200_000
"""Comparisons up to which it is asked what leaves a pair undecided: each step is a ranking."""


def examine(
    case: Case, claims: Sequence[Claim], outcomes: Sequence[str] = (TURNED, OPENED)
) -> Fragility:
    """Find what carries each claim.

    Args:
        case: judgments with their ranking.
        claims: conclusions that the ranking draws.
        outcomes: what may become of them that is asked about, of "turned" and "opened".

    """
    notes: list[str] = []
    units, flips = case.units, []
    if case.tally.squares is not None:
        units = tuple(unit for unit in units if unit in ("judge", "item"))
        notes.append("importance weights count no votes: none are taken away one by one")
    large = case.tally.n_comparisons > MOST and OPENED in outcomes
    if large:
        notes.append(f"above {MOST:,} comparisons it is not asked what leaves a pair undecided")
    for claim in claims:
        if TURNED in outcomes:
            flips += [find_flip(case, claim, unit, TURNED) for unit in units]
        if large or OPENED not in outcomes or not _is_decided(case, claim):
            continue
        if is_decided(claim, case.tally, case.settings) == HOLDS:
            flips += [find_flip(case, claim, unit, OPENED) for unit in units]
        else:
            notes.append(f"{claim.name}: decided so narrowly that other random signs leave it open")
    return Fragility(tuple(flips), tuple(notes), case.signature)


def _is_decided(case: Case, claim: Claim) -> bool:
    rows, columns = claim.across(case.ranking.systems)
    sets = case.ranking.rank_sets
    return sets is not None and bool((sets.decided[rows, columns] > 0).all())


def find_flip(case: Case, claim: Claim, unit: str, how: str) -> Flip:
    """Find the fewest units of one kind without which a claim no longer stands.

    The pairs across the border that need least are each pulled at, and those who alone link the
    systems are taken away; the smallest set is kept.

    Args:
        case: judgments with their ranking.
        claim: what is claimed.
        unit: vote, ranking, judge or item.
        how: "turned" or "opened".

    """
    contrasts, needed = nearest_pairs(case, claim, how)
    queues = make_queues(case, unit, contrasts, how)
    found = [
        _search(case, claim, how, (queue, queue.foresee(need)))
        for queue, need in zip(queues, needed.tolist(), strict=True)
    ]
    best = min(found, key=_size)
    if unit == "vote":
        return best
    pulls = case.pull(unit, contrasts[:1])[0]
    links = queue_links(case, unit, claim, how, pulls)
    enough = links.most if how == TURNED else links.most - int(FEW) + 1
    if enough < _size(best):
        other = _search(case, claim, how, (links, None), start=max(enough, 1))
        best = min(best, other, key=_size)
    return _try_all(case, claim, pulls, best) if how == TURNED else best


def _try_all(case: Case, claim: Claim, pulls: Array, best: Flip) -> Flip:
    """Return the smallest set that puts another system ahead where units are few, else the best."""
    for queue in queue_sets(case, best.unit, pulls, _size(best)):
        if stands(claim, queue.leave(queue.most, told_apart=False), case.settings) == FALLS:
            return _search(case, claim, TURNED, (queue, None), start=queue.most)
    return best


def _size(flip: Flip) -> int:
    return flip.total + 1 if flip.fewest is None else flip.fewest


def make_queues(case: Case, unit: str, contrasts: Array, how: str) -> list[Queue]:
    """Put units in order, for each contrast.

    Whether an order turns round depends on how many votes of each kind are left and not on whose
    they are: such votes are told apart by kind alone. Whether it is decided depends on both.

    Args:
        case: judgments with their ranking.
        unit: vote, ranking, judge or item.
        contrasts: (Q, K) weights of the systems' log-worths.
        how: "turned" or "opened".

    """
    if unit != "vote":
        own = case.pull(unit, contrasts)
        return [queue_clusters(case.tally, unit, one) for one in own]
    sided, tally = case.settings.model.order_effect, case.tally
    if how == TURNED:
        tally = tally.pool() if sided else tally.pool().fold()
    pulls = pull_votes(case.fit, tally, contrasts)
    effects = pulls if how == TURNED else weigh_votes(case, pulls, contrasts)
    return [
        queue_votes(tally, pull, effect, sided=sided)
        for pull, effect in zip(pulls, effects, strict=True)
    ]


def weigh_votes(case: Case, pulls: Array, contrasts: Array) -> Array:
    """Return (Q, C, 3): by what share t = d/s falls without one vote, to first order.

    Without a vote of pull e the difference is d − e. The variance s² is the sum of squares of what
    judges (or items) add, a; that of the vote's own judge falls to a − e: t loses
    e/d − e Σ a / s². Among votes that pull alike those go first whose judge and item speak least
    for the difference: judges then agree less.

    Args:
        case: judgments with their ranking.
        pulls: (Q, C, 3) of single votes.
        contrasts: (Q, K) weights of the systems' log-worths.

    """
    sets = case.ranking.rank_sets
    added = np.zeros(pulls.shape[:2])
    ways = () if sets is None else sets.ways
    for name, factor in case.tally.factors.items():
        if name in ways:
            own = case.pull(name, contrasts)
            added += own[:, factor.codes]
    gap = contrasts @ case.fit.log_worth
    stderr = _errors(case)[contrasts.argmax(axis=1), contrasts.argmin(axis=1)]
    return np.asarray(pulls * (1 / gap[:, None] - added / stderr[:, None] ** 2)[:, :, None])


def nearest_pairs(case: Case, claim: Claim, how: str) -> tuple[Array, Array]:
    """Return the pairs across a border that need least, and how far each has to fall.

    Args:
        case: judgments with their ranking.
        claim: what is claimed.
        how: "turned" (the difference falls to zero) or "opened" (to where it is not decided).

    Returns:
        (Q, K) weights of log-worths, and (Q,) log-odds.

    """
    rows, columns = claim.across(case.fit.systems)
    need = (case.fit.log_worth[rows] - case.fit.log_worth[columns]).ravel()
    stderr = _errors(case)[rows, columns].ravel()
    sets = case.ranking.rank_sets
    if how == OPENED and sets is not None and sets.critical:
        need = np.maximum(need - min(sets.critical) * stderr, 0.0)
    chosen = np.argsort(need / stderr, kind="stable")[:RIVALS]
    first, second = np.divmod(chosen, columns.size)
    contrasts = np.zeros((len(chosen), len(case.fit.systems)))
    order = np.arange(len(chosen))
    contrasts[order, rows.ravel()[first]] = 1.0
    contrasts[order, columns.ravel()[second]] = -1.0
    return contrasts, need[chosen]


def _errors(case: Case) -> Array:
    """Return (K, K) standard errors of differences, as the ranking has them, else the model's."""
    board = case.ranking
    if board.pair_stderr is not None:
        place = {name: i for i, name in enumerate(board.systems)}
        order = [place[name] for name in case.fit.systems]
        return np.asarray(board.pair_stderr[np.ix_(order, order)])
    own = case.fit.worth_vcov
    spread = np.diag(own)[:, None] + np.diag(own) - 2 * own
    return np.sqrt(np.maximum(spread, 0.0))


def _search(
    case: Case, claim: Claim, how: str, pull: tuple[Queue, int | None], start: int | None = None
) -> Flip:
    """Search along one queue, from the number that is foreseen or another."""
    queue, foreseen = pull
    ask, apart = (stands, False) if how == TURNED else (is_decided, True)

    def verdict(number: int) -> str:
        return ask(claim, queue.leave(number, told_apart=apart), case.settings)

    most = min(queue.most, queue.total - 1)
    found = None if most < 1 else find_fewest(verdict, start or foreseen or most, most)
    fewest, left = (None, None) if found is None else found
    rest = None if fewest is None else queue.leave(fewest, told_apart=False)
    passed = None
    if rest is not None and how == TURNED:
        passed = name_ahead(claim, rest, case.settings)
    return Flip(
        claim=claim.name,
        how=how,
        unit=queue.unit,
        fewest=fewest,
        total=queue.total,
        tried=max(most, 0),
        foreseen=foreseen,
        left=left,
        removed=() if fewest is None else queue.listing(fewest),
        ahead=None if passed is None else passed[0],
        behind=None if passed is None else passed[1],
        gone=() if rest is None or left != NO_RANKING else find_gone(claim, rest),
    )
