"""How fragile conclusions are: how few votes, judges or items carry each, and which ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

from evenhand.errors import listing
from evenhand.judgments.notebook import InNotebooks
from evenhand.ranking.fragility_removal import Removed
from evenhand.ranking.fragility_search import NO_RANKING

NAMED: Final = 5
"""Most judges or items that are named in a sentence."""
COUNTED: Final = 3
"""Most kinds of votes that are counted in a sentence."""
SMALL: Final = 8
"""Judges, items or rankings up to which all sets of them are tried: at most 254 fits."""
TURNED, OPENED = "turned", "opened"
_PLURAL: Final = {"vote": "votes", "ranking": "rankings", "judge": "judges", "item": "items"}


@dataclass(frozen=True)
class Flip:
    """What carries one conclusion.

    Attributes:
        claim: the conclusion in words.
        how: "turned" (another system is then ahead) or "opened" (it is then no longer decided).
        unit: vote, ranking, judge or item.
        fewest: units without which it no longer stands, an upper bound; None where it stands
            without all that speak for it.
        total: units that there are.
        tried: units that were taken away, where it stands without them.
        foreseen: the number that cumulated influence alone foresees; None where it foresees none.
        left: what is left then: "falls", or "no ranking" where the rest determines none.
        removed: who and what, in the order in which they are taken away. Where an order turns, any
            votes of a kind do as well as others: judge and item are then None.

    """

    claim: str
    how: str
    unit: str
    fewest: int | None
    total: int
    tried: int
    foreseen: int | None
    left: str | None
    removed: tuple[Removed, ...]
    ahead: str | None = None
    behind: str | None = None
    gone: tuple[str, ...] = ()

    @property
    def share(self) -> float | None:
        """Share of all units that carry it (proportion)."""
        return None if self.fewest is None else self.fewest / self.total

    @property
    def exact(self) -> bool:
        """Whether all sets were tried, so that none turns the order with fewer units."""
        return self.how == TURNED and self.unit != "vote" and self.total <= SMALL

    @property
    def says(self) -> str:
        """The finding in a sentence."""
        if self.fewest is None:
            what = _PLURAL[self.unit]
            rest = f"the {self.tried:,} of {self.total:,} {what} that speak for it"
            return f"{self.claim}: {_STANDS[self.how]} without {rest}"
        names = f" ({self.whose})" if self.whose else ""
        return f"{self.claim}: without {self.few} {self.effect}{names}"

    @property
    def few(self) -> str:
        """How many of how many carry it; empty where it stands."""
        what = _PLURAL[self.unit] if self.total > 1 else self.unit
        return "" if self.fewest is None else f"{self.fewest:,} of {self.total:,} {what}"

    @property
    def effect(self) -> str:
        """What becomes of the conclusion without them."""
        if self.left == NO_RANKING:
            gone = listing(self.gone, NAMED)
            return f"nothing is left of {gone}" if gone else "no ranking is left"
        if self.ahead is None:
            return _EFFECT[self.how]
        known = self.claim.startswith(f"{self.behind} is ")
        return f"{self.ahead} is ahead" if known else f"{self.ahead} is ahead of {self.behind}"

    @property
    def whose(self) -> str:
        """Who and what is taken away, in a line; empty where the conclusion stands.

        Of votes their kinds: which judges gave them is beside the point, or chosen by what they
        leave of the agreement between judges, and would read as an accusation.
        """
        if self.unit in ("judge", "item"):
            names = [one.judge if self.unit == "judge" else one.item for one in self.removed]
            return listing([name for name in names if name is not None], NAMED)
        kinds = Counter[tuple[str, int]]()
        for one in self.removed:
            if one.of is not None:
                kinds[one.kind, round(one.of)] += round(one.count)
        return _count(kinds, "any " if self.how == TURNED else "")

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {**asdict(self), "removed": [asdict(one) for one in self.removed], "says": self.says}


_EFFECT: Final[Mapping[str, str]] = {
    TURNED: "another system is ahead",
    OPENED: "it is no longer decided",
}
_STANDS: Final[Mapping[str, str]] = {
    TURNED: "the order stays",
    OPENED: "it stays decided",
}


def _count(kinds: Counter[tuple[str, int]], any_: str) -> str:
    """Write how many of how many votes of each kind, the most first, equal numbers by name.

    >>> _count(Counter({("a over b", 9): 2, ("c over b", 5): 5}), "any ")
    'all 5 c over b, any 2 of 9 a over b'
    """
    order = sorted(kinds.items(), key=lambda one: (-one[1], one[0]))
    said = [
        f"all {count:,} {kind}" if count == of else f"{any_}{count:,} of {of:,} {kind}"
        for (kind, of), count in order
    ]
    return listing(said, COUNTED)


def _say_together(flips: Sequence[Flip]) -> str:
    """Say how few of each unit carry one conclusion."""
    how, said = flips[0].how, []
    effects: dict[str, list[str]] = {}
    for one in flips:
        if one.fewest is not None:
            effects.setdefault(one.effect, []).append(one.few)
    for effect, few in effects.items():
        said.append(f"without {_join(few, 'or')} {effect}")
    most = [f"the {one.tried:,} {_PLURAL[one.unit]}" for one in flips if one.fewest is None]
    if most:
        said.append(f"{_STANDS[how]} without {_join(most, 'and')} that speak for it")
    return f"{flips[0].claim}: {'; '.join(said)}"


def _join(names: Sequence[str], word: str) -> str:
    """Join names with a word before the last.

    >>> _join(["a", "b", "c"], "or")
    'a, b or c'
    """
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


@dataclass(frozen=True, repr=False)
class Fragility(InNotebooks):
    """What carries the conclusions of a ranking.

    Attributes:
        flips: in the order of the claims.
        notes: what could not be asked.
        signature: what made the numbers.

    """

    TABLE: ClassVar = "flips"

    flips: tuple[Flip, ...]
    notes: tuple[str, ...]
    signature: str

    @property
    def conclusions(self) -> tuple[tuple[Flip, ...], ...]:
        """Flips of the same conclusion and outcome together: a unit each."""
        together: dict[tuple[str, str], list[Flip]] = {}
        for one in self.flips:
            together.setdefault((one.claim, one.how), []).append(one)
        return tuple(tuple(own) for own in together.values())

    @property
    def says(self) -> tuple[str, ...]:
        """The findings in sentences, one for each conclusion and outcome."""
        return tuple(_say_together(own) for own in self.conclusions)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            "flips": [flip.to_dict() for flip in self.flips],
            "notes": list(self.notes),
            "signature": self.signature,
        }

    def __str__(self) -> str:
        return "\n".join([*self.says, *self.notes, self.signature])
