"""One ranking under each reasonable choice, and which conclusions survive all of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Final

from evenhand.errors import listing
from evenhand.judgments.notebook import InNotebooks

NAMED: Final = 5
"""Most conclusions that are named in a sentence."""
DEFAULT: Final = "default"
ASKED: Final = "as asked"
ONLY: Final = "the only ranking there is"
Pair = tuple[str, str]


@dataclass(frozen=True)
class Choice:
    """One way to rank.

    Attributes:
        name: what differs from the default, in words.
        systems: best first; empty where it gives no ranking.
        rank: place of each; those of systems that are level are the same.
        rank_lower: best place of each that decided pairs leave.
        rank_upper: worst place.
        decided: (better, worse) of every decided pair.
        refused: why there is no ranking, or None.

    """

    name: str
    systems: tuple[str, ...]
    rank: tuple[int, ...]
    rank_lower: tuple[int, ...]
    rank_upper: tuple[int, ...]
    decided: tuple[Pair, ...]
    refused: str | None = None

    @property
    def first(self) -> tuple[str, ...]:
        """Who leads: several where they are level."""
        return tuple(
            name
            for name, place in zip(self.systems, self.rank, strict=True)
            if place == self.rank[0]
        )


@dataclass(frozen=True)
class Conclusion:
    """Something that some choice decides.

    Attributes:
        better: the system that is better.
        worse: the other.
        by_default: whether the first of the rankings decides it.
        under: choices that decide it.
        open: choices that leave the pair open.
        against: choices that decide the opposite.

    """

    better: str
    worse: str
    by_default: bool
    under: tuple[str, ...]
    open: tuple[str, ...]
    against: tuple[str, ...]

    @property
    def survives(self) -> bool:
        """Whether every choice that gives a ranking decides it."""
        return not self.open and not self.against

    @property
    def name(self) -> str:
        """The conclusion in words."""
        return f"{self.better} over {self.worse}"


@dataclass(frozen=True, repr=False)
class Sensitivity(InNotebooks):
    """The default ranking beside those by other reasonable choices.

    Attributes:
        choices: the default first, or the ranking that was asked for.
        level: of rank sets under each (proportion).
        notes: choices that the data do not offer, and why.
        signature: of the default.
        decides: whether choices also say which pairs they decide; else there are orders alone.

    """

    TABLE: ClassVar = "conclusions"

    choices: tuple[Choice, ...]
    level: float
    notes: tuple[str, ...]
    signature: str
    decides: bool = True

    @property
    def ranked(self) -> tuple[Choice, ...]:
        """Choices that give a ranking."""
        return tuple(one for one in self.choices if one.refused is None)

    @cached_property
    def conclusions(self) -> tuple[Conclusion, ...]:
        """Everything that any choice decides, in the order of the default board."""
        place = {name: i for i, name in enumerate(self.choices[0].systems)}
        sets = {one.name: set(one.decided) for one in self.ranked}
        pairs = {pair for own in sets.values() for pair in own}
        most = len(place)
        order = sorted(
            pairs, key=lambda pair: (place.get(pair[0], most), place.get(pair[1], most), pair)
        )
        return tuple(self._conclude(better, worse, sets) for better, worse in order)

    def _conclude(self, better: str, worse: str, sets: dict[str, set[Pair]]) -> Conclusion:
        under = tuple(name for name, own in sets.items() if (better, worse) in own)
        against = tuple(name for name, own in sets.items() if (worse, better) in own)
        rest = tuple(name for name in sets if name not in (*under, *against))
        return Conclusion(better, worse, self.choices[0].name in under, under, rest, against)

    def changes(self, choice: Choice) -> tuple[str, ...]:
        """Return what is otherwise than in the first ranking: order first, then decided pairs.

        Args:
            choice: one of the choices that give a ranking.

        """
        turned = _turn(self.choices[0], choice)
        decided = []
        for one in self.conclusions:
            if one.by_default == (choice.name in one.under):
                continue
            if not one.by_default:
                decided.append(f"{one.name} decided")
            elif choice.name not in one.against:  # else the opposite says so
                decided.append(f"{one.name} open")
        return (*turned, *decided)

    @property
    def survivors(self) -> tuple[Conclusion, ...]:
        """What every choice decides."""
        return tuple(one for one in self.conclusions if one.survives)

    @property
    def leaders(self) -> tuple[str, ...]:
        """Who leads under some choice, alone or level with others; the default's first."""
        return tuple(dict.fromkeys(name for one in self.ranked for name in one.first))

    @property
    def says(self) -> tuple[str, ...]:
        """The finding in sentences."""
        if not self.decides:
            return (self._say_leader(),)
        default = [one for one in self.conclusions if one.by_default]
        lost = [one for one in default if not one.survives]
        several = f"all {len(self.ranked)} rankings" if len(self.ranked) > 1 else ONLY
        said = [self._say_leader()]
        if not default:
            usual = self.choices[0].name == DEFAULT
            first = "the default" if usual else "the ranking that was asked for"
            said.append(f"{first} decides no pair, so that none can be lost")
        else:
            kept = len(default) - len(lost)
            said.append(f"{kept} of {len(default)} decided pairs survive {several}")
        said += [_say_lost(one) for one in lost[:NAMED]]
        if len(lost) > NAMED:
            said.append(f"{len(lost) - NAMED} more pairs do not survive")
        return tuple(said)

    def _say_leader(self) -> str:
        own = self.ranked[0].first
        other = [one for one in self.ranked if one.first != own]
        leads = f"{listing(own)} {'leads' if len(own) == 1 else 'lead, level,'}"
        if len(self.ranked) == 1:
            return f"{leads} in {ONLY}"
        if not other:
            return f"{leads} in all {len(self.ranked)} rankings"
        others = dict.fromkeys(" level with ".join(one.first) for one in other)
        comma = "," if len(own) == 1 else ""
        under = listing([one.name for one in other])
        return f"{leads}{comma} yet not under {under}: {listing([*others])}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            "choices": [asdict(one) for one in self.choices],
            "conclusions": [{**asdict(one), "survives": one.survives} for one in self.conclusions],
            "leaders": list(self.leaders),
            "decides": self.decides,
            "level": self.level,
            "says": list(self.says),
            "notes": list(self.notes),
            "signature": self.signature,
        }

    def __str__(self) -> str:
        rows = [
            f"{one.name}: {one.refused or ', '.join(one.systems)}"
            + (f" ({len(one.decided)} pairs decided)" if one.refused is None else "")
            for one in self.choices
        ]
        return "\n".join([*rows, *self.says, *self.notes, self.signature])


def _say_lost(one: Conclusion) -> str:
    if one.against:
        return f"{one.name} is turned round under {listing(one.against)}"
    return f"{one.name} stays open under {listing(one.open)}"


def _turn(usual: Choice, choice: Choice) -> list[str]:
    """Return who is ahead of whom, or level, otherwise than usual."""
    before, after = (dict(zip(one.systems, one.rank, strict=True)) for one in (usual, choice))
    said = []
    for one, other in combinations([name for name in usual.systems if name in after], 2):
        level = before[one] == before[other]
        if after[one] > after[other]:
            said.append(f"{other} ahead of {one}")
        elif after[one] == after[other] and not level:
            said.append(f"{one} and {other} level")
        elif after[one] < after[other] and level:
            said.append(f"{one} ahead of {other}")
    return said
