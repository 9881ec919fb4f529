"""Why pairs are open, in words: what most of them rest on, or what binds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from evenhand.ranking.rank_sets import FEW, RankSets

if TYPE_CHECKING:
    from evenhand.ranking.ranking import Ranking

FEW_CLUSTERS: Final = 20.0
"""Effective judges or items below which a reader should know how many there are."""
SHARE: Final = 0.5
"""Part of the board's effective judges below which pairs are said to have a number of their own."""
ALONE, THIN, JUDGMENTS = "alone", "thin", "judgments"
BINDING: Final = ("judge", "item", JUDGMENTS)
Pairs = Sequence[tuple[int, int]]
BETWEEN: Final = ("the", "pairs between them")
OWN: Final = ("its", "open pairs")


def say_why(ranking: Ranking, pairs: Pairs, asked: str, whose: tuple[str, str]) -> str:
    """Say what keeps most of some open pairs open, and how many may not be decided at all.

    Those that may not be decided come first where they are as many as those of any other cause.

    Args:
        ranking: the ranking.
        pairs: open pairs, by places on the board.
        asked: what the data do not tell: "which" or "more".
        whose: how the pairs are called, BETWEEN or OWN.

    """
    sets = ranking.rank_sets
    if sets is None or not pairs:
        return f"these data do not tell {asked}"
    causes: dict[str, list[tuple[int, int]]] = {}
    for pair in pairs:
        causes.setdefault(name_cause(sets, pair), []).append(pair)
    barred = {one: causes.pop(one) for one in (ALONE, THIN) if one in causes}
    bars = say_barred(sets, barred, len(pairs), whose) if barred else ""
    bound = {one: causes[one] for one in BINDING if one in causes}
    cause = max(bound, key=lambda one: len(bound[one]), default="")
    if not cause or sum(map(len, barred.values())) >= len(bound[cause]):
        return bars
    if cause == JUDGMENTS:
        answers = f"{ranking.n_judgments:,.0f} {ranking.answers}"
        said = f"{answers}{_say_few(sets)} do not tell {asked}"
    else:
        said = _say_bound(ranking, sets, cause, bound[cause])
        said = said or f"{cause}s differ too much to tell {asked}"
    return f"{said}, and {bars}" if bars else said


def name_cause(sets: RankSets, pair: tuple[int, int]) -> str:
    """Name why a pair is open: "alone", "thin", "judge", "item" or "judgments"."""
    if sets.resting[pair]:
        return ALONE
    if sets.effective[pair] < FEW:
        return THIN
    way = -1 if sets.limits is None else int(sets.limits.way[pair])
    return sets.ways[way] if way >= 0 and sets.ways[way] in ("judge", "item") else JUDGMENTS


def say_barred(sets: RankSets, barred: Mapping[str, Pairs], of: int, whose: tuple[str, str]) -> str:
    """Say how many pairs may not be decided, and on what they rest.

    Args:
        sets: the rank sets.
        barred: "alone", "thin" → pairs.
        of: how many pairs are open.
        whose: how they are called.

    """
    article, noun = whose
    if of == 1:
        ((cause, pairs),) = barred.items()
        return f"{article} {noun.replace('pairs', 'pair')} rests {_say_on(sets, cause, pairs)}"
    said: list[str] = []
    for cause, pairs in barred.items():
        n = len(pairs)
        rest = f"{'rests' if n == 1 else 'rest'} {_say_on(sets, cause, pairs)}"
        many = "all" if n == of else str(n)
        said.append(f"{n} {rest}" if said else f"{many} of {article} {of} {noun} {rest}")
    return " and ".join(said)


def _say_on(sets: RankSets, cause: str, pairs: Pairs) -> str:
    """Say on what pairs rest that may not be decided, naming the ways by which they do so."""
    ways = name_ways(sets, pairs, (cause,))
    if cause == ALONE:
        return f"on one {' or '.join(ways)} alone"
    return f"on fewer than {FEW:.0f} effective {' or '.join(f'{way}s' for way in ways)}"


def name_ways(sets: RankSets, pairs: Pairs, causes: Sequence[str] = (ALONE, THIN)) -> list[str]:
    """Name the ways of clustering by which pairs may not be decided.

    Args:
        sets: the rank sets.
        pairs: that may not be decided.
        causes: "alone", "thin" or both.

    """
    if sets.limits is None:
        return list(sets.ways)
    of = {ALONE: sets.limits.alone, THIN: sets.limits.thin}
    marks = [of[cause] for cause in causes]
    return [
        way
        for place, way in enumerate(sets.ways)
        if any(own[place][pair] for own in marks for pair in pairs)
    ]


def _say_few(sets: RankSets) -> str:
    """Say by how many judges and on how many items answers are, where these are few."""
    if sets.limits is None:
        return ""
    of_board = dict(zip(sets.ways, sets.limits.effective, strict=False))
    return "".join(
        f" {how} {of_board[way]:.0f} effective {way}s"
        for way, how in (("judge", "by"), ("item", "on"))
        if of_board.get(way, FEW_CLUSTERS) < FEW_CLUSTERS
    )


def _say_bound(ranking: Ranking, sets: RankSets, cause: str, pairs: Pairs) -> str:
    """Say how many judges or items there are where they are few; else nothing."""
    if sets.limits is None:
        return ""
    number, own = float(np.median([sets.limits.clusters[pair] for pair in pairs])), ""
    of_board = ranking.effective_judges if cause == "judge" else None
    if of_board is not None and number >= SHARE * of_board:
        number = of_board
    elif of_board is not None:
        own = " of these systems"
    if number >= FEW_CLUSTERS:
        return ""
    return f"with {number:.0f} effective {cause}s{own} nothing more can be said"
