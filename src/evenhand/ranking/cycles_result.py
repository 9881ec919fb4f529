"""Whether preferences go round in circles more than noise makes them, which ones, and whose."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from evenhand.errors import listing
from evenhand.judgments.notebook import InNotebooks
from evenhand.preference.coefficients import format_p
from evenhand.ranking.cycles_pairs import Deviation


@dataclass(frozen=True)
class Contribution:
    """What one judge or item adds to a circle.

    Attributes:
        name: of the judge or item.
        share: of the circle's excess (proportion; all of them sum to one, some are below zero).
        votes: its decisive votes on the three pairs.

    """

    name: str
    share: float
    votes: float


@dataclass(frozen=True)
class Cycle:
    """Three systems of which each is preferred to the next more often than worths explain.

    Attributes:
        systems: in the order of preference, the last preferred to the first; the first by name
            begins.
        won: share of decisive votes for each against the next (proportion).
        excess: log-odds round the circle that no worths explain, to first order.
        z: the same over its spread in worlds without circles.
        p: adjusted for all circles of three.
        judges: what judges add, the most first; empty where they are not known.
        items: likewise items.

    """

    systems: tuple[str, str, str]
    won: tuple[float, float, float]
    excess: float
    z: float
    p: float
    judges: tuple[Contribution, ...]
    items: tuple[Contribution, ...]

    @property
    def closed(self) -> bool:
        """Whether each is in fact preferred to the next, by more than half of the votes."""
        return min(self.won) > 0.5

    @property
    def says(self) -> str:
        """The circle in a sentence."""
        names = (*self.systems, self.systems[0])
        wins = [
            f"{names[i]} over {names[i + 1]} in {100 * share:.0f} %"
            for i, share in enumerate(self.won)
        ]
        kind = "circle" if self.closed else "no circle of majorities, yet more than worths explain"
        return f"{kind}: {listing(wins)} (p {format_p(self.p)} over all circles of three)"


@dataclass(frozen=True, repr=False)
class Cycles(InNotebooks):
    """How well worths alone describe preferences.

    Attributes:
        statistic: T, Pearson's X² over pairs.
        df: pairs less free worths.
        noise: mean of T in worlds without circles.
        p: share of such worlds with a T as large; of several ways of clustering the largest.
        share: of the variance of log-odds that goes round in circles, noise subtracted
            (proportion).
        ways: what clusters; empty where votes count one by one.
        order_effect: whether an advantage of the output shown first stood beside worths.
        worlds: worlds that were drawn.
        level: at which cycles are called real (proportion).
        cycles: the strongest circles of three that are more than noise.
        deviations: the pairs that worths describe worst, more than noise or not.
        headline: what must be known first, such as "about these 3 judges only".
        notes: what else should be known.
        signature: what made the numbers.

    """

    TABLE: ClassVar = "cycles"

    statistic: float
    df: int
    noise: float
    p: float | None
    share: float
    ways: tuple[str, ...]
    order_effect: bool
    worlds: int
    level: float
    cycles: tuple[Cycle, ...]
    deviations: tuple[Deviation, ...]
    headline: str | None
    notes: tuple[str, ...]
    signature: str

    @property
    def real(self) -> bool:
        """Whether there is more than noise."""
        return self.p is not None and self.p <= 1 - self.level

    @property
    def says(self) -> tuple[str, ...]:
        """The finding in sentences."""
        if self.p is None:
            return ("no cycles can be seen: compared pairs leave none open",)
        about = f"{self.headline}: " if self.headline else ""
        by = f"by {' and '.join(self.ways)}" if self.ways else "votes taken for independent"
        found = (
            f"X² {self.statistic:.1f} on {self.df} df, {self.noise:.1f} from noise alone,"
            f" p {format_p(self.p)} ({by})"
        )
        if not self.real:
            return (f"{about}no sign of cycles: worths describe the preferences; {found}",)
        share = "less than 1 %" if self.share < 0.01 else f"{100 * self.share:.0f} %"
        first = f"{about}cycles: {share} of the variance of log-odds goes round; {found}"
        none = () if self.cycles else ("no single circle of three stands out",)
        return (first, *none, *(one.says for one in self.cycles))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            **asdict(self),
            "ways": list(self.ways),
            "notes": list(self.notes),
            "real": self.real,
            "says": list(self.says),
            "deviations": [asdict(one) for one in self.deviations],
            "cycles": [
                {**asdict(one), "closed": one.closed, "says": one.says} for one in self.cycles
            ],
        }

    def __str__(self) -> str:
        return "\n".join([*self.says, *self.notes, self.signature])
