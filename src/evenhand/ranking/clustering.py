"""Which judgments hang together, and so what an interval is about (INFERENCE B6).

Answers of one judge, or on one item, are not independent. Where judges and items are known both
are clusters; where a column has one value, or a value of its own for every answer, it clusters
nothing; and with fewer than five effective judges nothing can be said of judges at large: the
statement is then about these judges, with items or answers as clusters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from evenhand.errors import UnknownColumn, UnknownOption, require_option
from evenhand.judgments.tally import Factor

OPTIONS: Final = ("judgment", "judge", "item", "ranking", "judge+item")
FEW_JUDGES: Final = 5
SOME_JUDGES: Final = 8
FEW_ITEMS: Final = 5
ENOUGH_ITEMS: Final = 10


@dataclass(frozen=True)
class Clustering:
    """The chosen clusters.

    Attributes:
        ways: factors of the tally that cluster; empty for single judgments.
        headline: what the reader must know first, such as "about these 3 judges only".
        notes: why a column was passed over.

    """

    ways: tuple[str, ...]
    headline: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The clusters in one word."""
        return "+".join(self.ways) or "judgment"


def wanted_factors(requested: str | None, present: set[str]) -> tuple[str, ...]:
    """Return the factors that a tally must tell apart to decide on clusters.

    Raises:
        UnknownOption: no such clustering.
        UnknownColumn: a column that was asked for is not there.

    """
    if requested is None:
        ways = tuple(name for name in ("judge", "item") if name in present)
        return ways or tuple(name for name in ("ranking",) if name in present)
    require_option("cluster", requested, OPTIONS)
    if requested == "judgment":
        return ("ranking",) if "ranking" in present else ()
    ways = tuple(requested.split("+"))
    missing = [name for name in ways if name not in present]
    if missing:
        raise UnknownColumn(
            f"cannot cluster by {requested}: there is no {missing[0]} column. Map one"
            f" (--column {missing[0]}=NAME), or cluster by something else"
        )
    return ways


def choose_clustering(
    requested: str | None, factors: Mapping[str, Factor], answers: float
) -> Clustering:
    """Decide what the clusters are.

    Args:
        requested: what the user asked for, or None for the default.
        factors: the candidates, with their loads.
        answers: number of judgments.

    Raises:
        UnknownOption: clusters were asked for that do not exist in these data.

    """
    if requested is not None:
        return _take_requested(requested, factors)
    notes: list[str] = []
    ways = [name for name in factors if _clusters(name, factors[name], answers, notes)]
    judges = factors.get("judge")
    if judges is not None and 0 < judges.effective < FEW_JUDGES:
        return _condition_on_judges(judges, ways, factors, notes)
    if judges is not None and "judge" in ways and judges.effective < SOME_JUDGES:
        notes.append(
            f"{judges.effective:.0f} effective judges: intervals are wide;"
            f" {SOME_JUDGES} or more would narrow them"
        )
    if "item" in ways and len(factors["item"].labels) < FEW_ITEMS and "judge" in ways:
        ways.remove("item")
        notes.append(f"fewer than {FEW_ITEMS} items: judges alone are clusters")
    if judges is None:
        notes.append("no judge column: intervals assume independent judgments")
    return Clustering(tuple(ways), None, tuple(notes))


def _clusters(name: str, factor: Factor, answers: float, notes: list[str]) -> bool:
    """Say whether a column clusters anything, and note why where it does not."""
    if len(factor.labels) == 1 and name != "judge":
        notes.append(f"one {name} only: no clustering by {name}")
        return False
    if len(factor.labels) == 1:
        return False
    if len(factor.labels) >= answers:
        notes.append(f"every judgment has a {name} of its own: no clustering by {name}")
        return False
    return True


def _condition_on_judges(
    judges: Factor, ways: list[str], factors: Mapping[str, Factor], notes: list[str]
) -> Clustering:
    """Fewer than five effective judges: speak of these judges alone."""
    count = len(judges.labels)
    effective = "" if count < FEW_JUDGES else f" ({judges.effective:.1f} effective)"
    headline = (
        "about this judge only" if count == 1 else f"about these {count} judges only{effective}"
    )
    items = factors.get("item")
    if items is not None and "item" in ways and len(items.labels) >= ENOUGH_ITEMS:
        return Clustering(("item",), headline, tuple(notes))
    others = tuple(name for name in ways if name == "ranking")
    return Clustering(others, headline, tuple(notes))


def _take_requested(requested: str, factors: Mapping[str, Factor]) -> Clustering:
    for name, factor in factors.items():
        if len(factor.labels) < 2:
            raise UnknownOption(
                f"cannot cluster by {requested}: there is only one {name}"
                f" ('{factor.labels[0]}'); use --cluster judgment or --interval model"
            )
    notes: list[str] = []
    judges = factors.get("judge")
    if judges is not None and judges.effective < FEW_JUDGES:
        notes.append(
            f"only {judges.effective:.1f} effective judges: intervals by judge are unreliable"
        )
    return Clustering(tuple(factors), None, tuple(notes))
