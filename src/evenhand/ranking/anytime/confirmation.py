"""What the rank sets of these judges decide now, where judges are known.

Rank sets need worths that exist. A system that no vote contradicts has none, and would leave all
others without any; so where the whole has no worths, each strongly connected part of the systems is
ranked by itself, from the votes inside it, and the level is shared by the parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import narwhals as nw
import numpy as np

from evenhand.errors import NotConverged, NotIdentified, UnknownOption, listing
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.numerics.graph import Graph, strong_components, weak_components
from evenhand.ranking.anytime.live_board import LiveBoard

Confirmed = tuple[str, str]
"""Names of two systems, the better one first."""

OPEN: Final = "the rank sets of these judges do not confirm them now"
APART: Final = "no vote speaks against them, and rank sets need votes both ways"
THESE_JUDGES: Final = (
    "these judges are too few to stand for others: what is decided is about them alone, and other"
    " judges may decide otherwise"
)


@dataclass(frozen=True)
class Confirmation:
    """What rank sets decide, and why they say nothing of other pairs.

    Attributes:
        pairs: names of systems, better and worse.
        silent: two names → why no rank set holds both; other pairs are open.
        notes: what must be said.
        method: how rank sets were made; "" where there are none.

    """

    pairs: frozenset[Confirmed] = frozenset()
    silent: Mapping[frozenset[str], str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    method: str = ""

    def explain(self, better: str, worse: str) -> str | None:
        """Say why a pair is not confirmed; None where it is."""
        if (better, worse) in self.pairs:
            return None
        return self.silent.get(frozenset((better, worse)), OPEN)


def refuse_too_sure(table: Comparisons, settings: LiveBoard) -> None:
    """Refuse a level that rank sets cannot show.

    Raises:
        UnknownOption: says what they can.

    """
    from evenhand.ranking.settings import MOST_SURE

    if table.has("judge") and settings.level > MOST_SURE:
        raise UnknownOption(
            f"level {settings.level:g} is more than the rank sets of known judges can show"
            f" ({MOST_SURE:g}), and they must confirm what is decided: ask for a lower level"
        )


def confirm_pairs(table: Comparisons, settings: LiveBoard) -> Confirmation | None:
    """Return the pairs that the rank sets of these judges decide now.

    None where judges are not known: then nobody has to confirm.

    Args:
        table: all votes so far.
        settings: of the board; its ties and its level hold for rank sets too.

    Raises:
        UnknownOption: a level that rank sets cannot show.

    """
    if not table.has("judge"):
        return None
    refuse_too_sure(table, settings)
    whole = _rank(table, settings, 1)
    if not isinstance(whole, str):
        return whole
    parts = _find_parts(table, settings)
    if len(parts) < 2:
        why = f"there are no rank sets: {whole}"
        systems = parts[0] if parts else ()
        return Confirmation(
            silent=_silence(systems, why), notes=(f"nothing is confirmed: {whole}",)
        )
    return _rank_parts(table, settings, parts)


def _rank(table: Comparisons, settings: LiveBoard, parts: int) -> Confirmation | str:
    """Return what rank sets decide with a share of the level, or why there are none."""
    from evenhand.preference.bradley_terry import BradleyTerry
    from evenhand.ranking.rank import rank
    from evenhand.ranking.ranking import Ranking
    from evenhand.ranking.settings import MOST_SURE
    from evenhand.ranking.simultaneous import say_worlds

    level = settings.level if parts == 1 else 1 - settings.alpha / parts
    if level > MOST_SURE:
        return f"{parts} groups share a level of which rank sets show {MOST_SURE:g} at most"
    model = BradleyTerry(ties=settings.ties)
    try:
        found = rank(table, model=model, level=level, seed=SEED)
        if _passes_over_judges(found):
            found = rank(table, model=model, level=level, seed=SEED, cluster="judge")
    except (NotIdentified, NotConverged) as refusal:
        return str(refusal.without_options())
    if not isinstance(found, Ranking) or found.rank_sets is None:
        return "so many systems have none"
    decided = found.rank_sets.to_dict(found.systems)["decided"]
    alone = () if "judge" in found.rank_sets.ways else (THESE_JUDGES,)
    pairs = frozenset((better, worse) for better, worse in decided)
    by = " and ".join(found.rank_sets.ways) or "judgment"
    method = f"rank sets by {by}, {say_worlds(found.rank_sets)}, seed={SEED}"
    return Confirmation(pairs, notes=alone, method=method)


def _passes_over_judges(found: object) -> bool:
    """Tell whether rank sets are of these judges only although there are enough to differ.

    Asked for, clusters of so few leave pairs open instead: nothing then confirms what the votes
    of five judges with tastes decide.
    """
    from evenhand.ranking.rank_sets import FEW
    from evenhand.ranking.ranking import Ranking

    if not isinstance(found, Ranking) or found.rank_sets is None or found.n_judges is None:
        return False
    return "judge" not in found.rank_sets.ways and found.n_judges >= FEW


def _find_parts(table: Comparisons, settings: LiveBoard) -> list[tuple[str, ...]]:
    """Return the names of systems in each strongly connected part; a tie joins both ways."""
    tally = table.tally()
    won, tied, lost = (tally.counts > 0).T
    tied &= settings.ties == "davidson"
    down, up = won | tied, lost | tied
    source = np.concatenate([tally.left[down], tally.right[up]]).astype(np.intp)
    target = np.concatenate([tally.right[down], tally.left[up]]).astype(np.intp)
    part = strong_components(Graph(len(tally.systems), source, target))
    names = np.array(tally.systems, dtype=object)
    return [tuple(names[part == one]) for one in range(int(part.max(initial=-1)) + 1)]


def _rank_parts(
    table: Comparisons, settings: LiveBoard, parts: list[tuple[str, ...]]
) -> Confirmation:
    """Rank each part by itself; no rank set holds systems of two of them."""
    several = [part for part in parts if len(part) > 1]
    silent = _silence([name for part in parts for name in part], APART)
    notes = [f"{_say_parts(table, len(parts))}: {_list_parts(several)}"]
    pairs: set[Confirmed] = set()
    method = ""
    for part in several:
        inside = nw.col("left").is_in(list(part)) & nw.col("right").is_in(list(part))
        found = _rank(table.where(inside), settings, len(several))
        if isinstance(found, str):
            silent |= _silence(part, f"there are no rank sets: {found}")
            continue
        silent = {two: why for two, why in silent.items() if not two <= set(part)}
        pairs, method = pairs | found.pairs, method or found.method
        notes += [note for note in found.notes if note not in notes]
    said = f"{method} of each of {len(several)} groups" if method else ""
    return Confirmation(frozenset(pairs), silent, tuple(notes if several else ()), said)


def _say_parts(table: Comparisons, parts: int) -> str:
    """Say what parts the groups that are ranked by themselves."""
    tally = table.tally()
    graph = Graph(len(tally.systems), tally.left.astype(np.intp), tally.right.astype(np.intp))
    if int(weak_components(graph).max()) + 1 == parts:
        return "these groups were never compared with each other, and each is ranked by itself"
    return "votes go both ways only inside these groups, each of which is ranked by itself"


def _list_parts(parts: list[tuple[str, ...]]) -> str:
    return "; ".join(listing(part, 8) for part in parts)


def _silence(systems: tuple[str, ...] | list[str], why: str) -> dict[frozenset[str], str]:
    return {frozenset(two): why for two in combinations(systems, 2)}
