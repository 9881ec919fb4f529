"""The design answer (D-study): how sure a campaign of J judges and I items would be.

Ratings: J judges in all, k of them score each output, and those who score an item score the outputs
of all systems on it. Severity, difficulty and judge x item then cancel, and

    Var(ȳ_s − ȳ_t) = 2σ²(judge x system)/J + 2σ²(item x system)/I + 2σ²(residual)/(k I)
    relative error δ² = ½ Var,   absolute error Δ² = δ² + σ²(judge)/J + σ²(item)/I + σ²(judge x
    item)/(k I),   generalizability σ_s²/(σ_s² + δ²),   dependability σ_s²/(σ_s² + Δ²)

Comparisons: with v the variance that one comparison in all would leave, and n for each judge,
Var(θ̂_s − θ̂_t) = 2σ_J²/J + 2σ_I²/I + v/(J n), on the scale of pooled log-worths.

What the data cannot tell apart is counted as the part that falls most slowly. Source: Brennan
(2001), Generalizability Theory, Springer, chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any, Final

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judgments.components import (
    ITEM,
    ITEM_SYSTEM,
    JUDGE,
    JUDGE_ITEM,
    JUDGE_SYSTEM,
    RESIDUAL,
    SYSTEM,
)
from evenhand.screening.variance.result import VarianceComponents

JUDGES: Final = (2, 3, 5, 10, 20, 50)
ITEMS: Final = (25, 50, 100, 200, 500)
"""What the table shows, beside the design that was judged."""
MOST: Final = 1_000
"""Most judges that are looked at."""
MOST_ITEMS: Final = 100_000
FEWEST_ITEMS: Final = 2
"""Fewest that are planned: of one judge, or one item, nothing follows for others."""
COMPLETE: Final = 0.8
"""Share of outputs that each judge scored from which a design counts as complete."""


@dataclass(frozen=True)
class Plan:
    """What a design would give.

    Attributes:
        judges: J.
        items: I.
        each: judges per output (ratings), or comparisons per judge.
        judgments: scores or comparisons in all.
        stderr: standard error of a difference of two systems.
        reliability: generalizability coefficient, for which only differences count; None where
            systems have no variance of their own.
        dependability: the same for scores as such, severity and difficulty counting as error; None
            for comparisons.

    """

    judges: int
    items: int
    each: float
    judgments: float
    stderr: float
    reliability: float | None
    dependability: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return dict(vars(self))


@dataclass(frozen=True)
class Answer:
    """How many judges and items a wish needs.

    Attributes:
        wish: the standard error that is wanted.
        best: the design that reaches it with the fewest pairs of judge and item (ratings), or the
            fewest comparisons and then items; None where none does.
        least: judges, two or more, below which it cannot be reached, whatever the items.
        items_matter: False for comparisons that show no item x system, which says nothing of how
            few items are enough: no fewer are planned than were judged.

    """

    wish: float
    best: Plan | None
    least: int
    items_matter: bool = True


def plan_design(
    found: VarianceComponents, judges: int, items: int, each: float | None = None
) -> Plan:
    """Say how sure a design would be.

    Args:
        found: variance components.
        judges: J, one or more.
        items: I.
        each: judges per output, by default as many as there were (all, where judges scored most
            outputs); for comparisons the comparisons of each judge.

    Raises:
        NotIdentified: there is one system, or systems cannot be told from judges or items.
        UnknownOption: fewer than one judge, item, or judgment of each.

    """
    if min(judges, items, 1 if each is None else each) < 1:
        raise UnknownOption("a design has at least one judge, one item and one judgment of each")
    _refuse(found)
    chosen = min(each, judges) if each is not None and _rated(found) else each
    many = usual_each(found, judges) if chosen is None else chosen
    variance = _vary(found, judges, items, many)
    system = found.find(SYSTEM)
    between = system.variance / found.growth if system is not None else 0.0
    absolute = variance / 2 + _vary_level(found, judges, items, many)
    return Plan(
        judges,
        items,
        many,
        many * (items * found.observed.systems if _rated(found) else judges),
        sqrt(variance),
        between / (between + variance / 2) if between > 0 else None,
        between / (between + absolute) if between > 0 and _rated(found) else None,
    )


def usual_each(found: VarianceComponents, judges: int) -> float:
    """Return how many judgments of each output (of each judge) are planned unasked."""
    seen = found.observed
    if not _rated(found):
        return seen.each
    if seen.each >= COMPLETE * seen.judges:
        return judges
    return min(max(round(seen.each), 1), judges)


def tabulate_designs(found: VarianceComponents, each: float | None = None) -> list[list[Plan]]:
    """Return a table of designs, a row for each number of judges, a column for each of items."""
    seen = found.observed
    rows, columns = _with(JUDGES, seen.judges), _with(ITEMS, seen.items)
    return [[plan_design(found, judges, items, each) for items in columns] for judges in rows]


def find_design(
    found: VarianceComponents,
    *,
    stderr: float | None = None,
    reliability: float | None = None,
    each: float | None = None,
) -> Answer:
    """Say how many judges and items a wanted standard error or reliability needs.

    Args:
        found: variance components.
        stderr: of a difference of two systems, in the unit of the components; or
        reliability: generalizability coefficient, between 0 and 1.
        each: judges per output, or comparisons per judge, as in `plan_design`.

    Raises:
        UnknownOption: not one of both, or a value that cannot be.
        NotIdentified: systems have no variance that reliability could be of.

    """
    wish = _read_wish(found, stderr, reliability)
    _refuse(found)
    best: tuple[float, int, int] | None = None
    least = 0
    for judges in range(2, MOST + 1):  # of one judge nothing follows for others
        items = _least_items(found, judges, each, wish)
        if items is None:
            continue
        least = least or judges
        cost = _cost(found, judges, items, each)
        if best is None or (cost, items) < best[:2]:
            best = (cost, items, judges)
        if _cost(found, judges, FEWEST_ITEMS, each) > best[0]:
            break
    plan = None if best is None else plan_design(found, best[2], best[1], each)
    return Answer(wish, plan, least, _rated(found) or _least_planned(found) == FEWEST_ITEMS)


def _cost(found: VarianceComponents, judges: int, items: int, each: float | None) -> float:
    """Return what is kept small: pairs of judge and item, or comparisons."""
    return judges * items if _rated(found) else plan_design(found, judges, items, each).judgments


def _least_planned(found: VarianceComponents) -> int:
    """Return the fewest items that are planned; as many as were judged where 0 says nothing."""
    own = found.find(ITEM_SYSTEM)
    if _rated(found) or (own is not None and own.sd > 0):
        return FEWEST_ITEMS
    return max(found.observed.items, FEWEST_ITEMS)


def _read_wish(found: VarianceComponents, stderr: float | None, reliability: float | None) -> float:
    """Return the standard error that is wanted."""
    if (stderr is None) == (reliability is None):
        raise UnknownOption("give one of both: a standard error, or a reliability")
    if stderr is not None:
        if stderr <= 0:
            raise UnknownOption(f"a standard error of {stderr:g} cannot be: it is above 0")
        return stderr
    if reliability is None or not 0 < reliability < 1:
        raise UnknownOption(f"a reliability of {reliability} cannot be: it lies between 0 and 1")
    system = found.find(SYSTEM)
    if system is None or system.variance == 0:
        raise NotIdentified(
            "reliability is the share of differences that is due to systems, and these judgments"
            " show none between systems",
            ["ask for a standard error instead (--stderr)"],
        )
    return sqrt(2 * system.variance / found.growth * (1 - reliability) / reliability)


def _least_items(
    found: VarianceComponents, judges: int, each: float | None, wish: float
) -> int | None:
    """Return the fewest items with which so many judges reach a standard error."""
    fixed = plan_design(found, judges, MOST_ITEMS, each).stderr ** 2
    if fixed > wish**2:
        return None
    one = plan_design(found, judges, 1, each).stderr ** 2
    by_items = (one - fixed) / (1 - 1 / MOST_ITEMS)  # variance is a + b/I
    rest = wish**2 - (fixed - by_items / MOST_ITEMS)
    return max(_least_planned(found), ceil(by_items / rest - 1e-9)) if rest > 0 else None


def _vary(found: VarianceComponents, judges: int, items: int, each: float) -> float:
    """Return the variance of a difference of two systems."""
    chance = 0.0 if found.per_vote is None else found.per_vote / (judges * each)
    shares = _shares(found, judges, items, each)
    kept = sum(one.variance * _slowest(one.name, one.carries, shares) for one in found.components)
    return kept / found.growth + chance


def _shares(found: VarianceComponents, judges: int, items: int, each: float) -> dict[str, float]:
    """Return how far a variance of each source goes into a difference of two systems."""
    item = found.find(ITEM)
    nested = item is not None and ITEM_SYSTEM in item.carries
    output = 2 / (each * items)
    return {
        JUDGE_SYSTEM: 2 / judges,
        ITEM_SYSTEM: 2 / items,
        RESIDUAL: output,
        JUDGE_ITEM: output if nested else 0.0,  # where each item had one system: judge x output
    }


def _slowest(name: str, carries: Sequence[str], shares: dict[str, float]) -> float:
    """Return the largest share of a source and of those that cannot be told from it."""
    if name == RESIDUAL:
        return shares[RESIDUAL]
    return 0.0 if name == SYSTEM else max(shares.get(one, 0.0) for one in (name, *carries))


def _vary_level(found: VarianceComponents, judges: int, items: int, each: float) -> float:
    """Return what severity and difficulty add to the variance of one system's mean."""
    divisors = {JUDGE: judges, ITEM: items, JUDGE_ITEM: each * items}
    return sum(
        one.variance / divisors[one.name] for one in found.components if one.name in divisors
    )


def _refuse(found: VarianceComponents) -> None:
    if not found.parts:
        raise NotIdentified(
            f"no design can be planned from these judgments: {_say_why(found)}",
            ["collect judgments of several systems by the same judges on the same items"],
        )


def _say_why(found: VarianceComponents) -> str:
    """Say what keeps a design from being planned."""
    if found.per_vote is None and all(one.sd == 0 for one in found.components):
        return "all scores are equal"
    return found.reasons[0] if found.reasons else "there is one system"


def _rated(found: VarianceComponents) -> bool:
    return found.per_vote is None


def _with(grid: Sequence[int], seen: int) -> list[int]:
    return sorted({*grid, seen})
