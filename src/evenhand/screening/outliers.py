"""Judges whom a method puts outside its limits, and the limits.

The limits of Hamon, Mostefa & Arranz (2007, section 3.4) are centre ± k sd over judges: the centre
is the mean of the judges' values, each judge counting once; k is 1. Two things are not in print and
ours: the sd has J − 1 below the line (`ddof=0` gives J), and a judge exactly on a limit is within.
With judges who only differ by chance some are always outside: about a third on two sides, a sixth
on one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from evenhand.errors import UnknownOption

_NEAR: Final = 1e-9
"""A value this near to a limit, beside the distance of limit and centre, is on it."""
_ROUNDING: Final = 1e-12
"""So far may means of equal scores differ, beside the size of the scores."""


@dataclass(frozen=True)
class Outliers:
    """Judges outside the limits of one method under one criterion.

    Attributes:
        method: "mean-score", "mean-agreement" or "easy-items".
        criterion: the criterion; "" where the data have none.
        values: judge → what the method looks at; judges for whom it does not exist are left out.
        centre: mean of the values, each judge once; None where the method has no such limits.
        sd: their standard deviation, or None.
        lower: values below are outside; None if none is too low.
        upper: values above are outside; None if none is too high.
        high: judges above, the farthest first.
        low: judges below, the farthest first.
        why: why the method says nothing, where it does.

    """

    method: str
    criterion: str
    values: Mapping[str, float]
    centre: float | None = None
    sd: float | None = None
    lower: float | None = None
    upper: float | None = None
    high: tuple[str, ...] = ()
    low: tuple[str, ...] = ()
    why: str | None = None

    @property
    def judges(self) -> tuple[str, ...]:
        """All judges outside the limits, sorted by name."""
        return tuple(sorted({*self.high, *self.low}))

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {**vars(self), "values": dict(self.values), "judges": list(self.judges)}


@dataclass(frozen=True)
class Limits:
    """How far from the centre a judge may be.

    Attributes:
        k: standard deviations.
        ddof: what is taken from the number of judges below the line of the sd, 1 or 0.

    """

    k: float = 1.0
    ddof: int = 1

    def __post_init__(self) -> None:
        """Refuse limits that are none.

        Raises:
            UnknownOption: k is not above 0, or ddof neither 0 nor 1.

        """
        if not (np.isfinite(self.k) and self.k > 0):
            raise UnknownOption(f"{self.k:g} sd is no limit: give a number above 0")
        if self.ddof not in (0, 1):
            raise UnknownOption(f"ddof cannot be {self.ddof}: 1 divides by judges − 1, 0 by judges")


def outside_limits(
    method: str,
    criterion: str,
    values: Mapping[str, float],
    limits: Limits,
    *,
    two_sided: bool,
    size: float = 0.0,
) -> Outliers:
    """Find the judges beyond centre ± k sd, or above centre + k sd only.

    Args:
        method: its name.
        criterion: the criterion.
        values: judge → what the method looks at.
        limits: how far from the centre is too far.
        two_sided: whether a value can be too low.
        size: of the scores that the values are made of, for values that are small beside them.

    >>> found = outside_limits("m", "", dict(a=1, b=2, c=2, d=3), Limits(), two_sided=True)
    >>> round(found.sd, 4), found.low, found.high
    (0.8165, ('a',), ('d',))
    """
    if len(values) < 2:
        one = f"one judge ({next(iter(values))})" if values else "no judge"
        return Outliers(
            method, criterion, values, why=f"{one} has a value: a spread needs two judges"
        )
    numbers = np.array(list(values.values()))
    centre, sd = float(numbers.mean()), float(numbers.std(ddof=limits.ddof))
    reach = limits.k * sd
    slack = _NEAR * reach + _ROUNDING * max(size, float(np.abs(numbers).max()))
    ordered = sorted(values, key=lambda judge: (values[judge], judge))
    return Outliers(
        method,
        criterion,
        values,
        centre,
        sd,
        lower=centre - reach if two_sided else None,
        upper=centre + reach,
        high=tuple(j for j in reversed(ordered) if values[j] > centre + reach + slack),
        low=tuple(j for j in ordered if two_sided and values[j] < centre - reach - slack),
    )
