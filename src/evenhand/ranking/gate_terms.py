"""What a gate asks, as it is given or as a plan states it before votes are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import inf, log
from pathlib import Path
from typing import Any, Final

from evenhand.data.tally import take_names
from evenhand.errors import UnknownOption, listing, require_option
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.plans import parse_plan, read_plan

# A tie is half a win, so that a distance is one of shares of comparisons won. Under a law of ties
# the margin depends on how often they occur, and judges who tie more or less than others make it
# uncertain in a way that no error of the distance shows
SHARES: Final = BradleyTerry(ties="half-win")


@dataclass(frozen=True)
class Asked:
    """What a gate asks, whoever states it."""

    new: tuple[str, ...]
    old: str
    margin: float
    alpha: float = 0.05
    anytime: bool = False
    group_by: str | None = None
    criterion: str | None = None
    better: str | None = None
    cluster: str | None = None

    @classmethod
    def take(cls, given: Mapping[str, Any], plan: str | Path | None = None) -> Asked:
        """Check what was given, or what a plan states; None is not given.

        Raises:
            UnknownOption: something lacks, or cannot be.

        """
        stated = {name: value for name, value in given.items() if value is not None}
        for name, what in NEEDED.items():
            if name not in stated and plan is not None:
                raise UnknownOption(f"'{plan}' does not state {name}, {what}: add it")
            if name not in stated:
                raise UnknownOption(f"say {what}: --{name}, in Python {name}=")
        for name in ("margin", "alpha"):
            value = stated.get(name, 0.05)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise UnknownOption(f"{name} cannot be {value!r}: it is a number")
        asked = cls(**{**stated, "new": take_names(stated["new"])})
        if not asked.margin >= 0 or asked.margin == inf:
            raise UnknownOption(f"margin cannot be {asked.margin:g}: it is 0 or more")
        if not 0 < asked.alpha < 0.5:
            raise UnknownOption(f"alpha cannot be {asked.alpha:g}: it lies between 0 and .5")
        _check_names(asked.new, asked.old)
        if asked.better is not None:
            require_option("better", asked.better, ("higher", "lower"))
        return asked


def find_delta(margin: float) -> float:
    """Return δ, the distance in log-worth of a system that wins ½ − margin of comparisons.

    Raises:
        UnknownOption: no system wins so few.

    >>> round(find_delta(0.05), 4)
    0.2007
    """
    if margin >= 0.5:
        raise UnknownOption(
            f"margin cannot be {margin:g}: of comparisons it is below .5, as .05 for a system that"
            " may win 45 %"
        )
    return log((0.5 + margin) / (0.5 - margin))


NEEDED: Final = {
    "new": "which system is new",
    "old": "which system it may replace",
    "margin": "how much worse it may be",
}
KINDS: Final[Mapping[str, tuple[type, ...]]] = {  # what a plan may state
    **{one.name: (str,) for one in fields(Asked)},
    "new": (str, list),
    "margin": (int, float),
    "alpha": (int, float),
    "anytime": (bool,),
}


def _check_names(new: Sequence[str], old: str) -> None:
    for one in (*new, old):
        if not isinstance(one, str):
            raise UnknownOption(f"{one!r} names no system: names are texts, as 'B'")
    if not new:
        raise UnknownOption("new names no system: name one, as new = 'B'")
    if old in new:
        raise UnknownOption(f"{old} cannot replace itself: name another system as new")
    if len({*new}) < len(new):
        raise UnknownOption("a system is named as new twice: once will do")


def read_gate_plan(path: str | Path) -> tuple[dict[str, Any], str]:
    """Return what a plan states, and the SHA-256 of its file; raises as `read_plan`."""
    return _name_new(*read_plan(path, "gate", KINDS))


def parse_gate_plan(content: bytes) -> tuple[dict[str, Any], str]:
    """Return what a registered plan states, and its SHA-256."""
    return _name_new(*parse_plan(content, "plan", "gate", KINDS))


def _name_new(stated: dict[str, Any], digest: str) -> tuple[dict[str, Any], str]:
    if "new" in stated:
        stated["new"] = take_names(stated["new"])
    return stated, digest


def describe_plan(stated: Mapping[str, Any]) -> str:
    """Say what a registered plan asks.

    >>> describe_plan({"new": "B", "old": "A", "margin": 0.05})
    'B may replace A if it passes a gate with margin 0.05 and α 0.05, decided once, at the end'
    """
    asked = Asked.take(stated)
    when = "decided at every look" if asked.anytime else "decided once, at the end"
    return (
        f"{listing(asked.new)} may replace {asked.old} if it passes a gate with margin"
        f" {asked.margin:g} and α {asked.alpha:g}, {when}"
    )


def sign_asked(asked: Asked, digest: str | None) -> list[str]:
    of = f"gate {' '.join(asked.new)} against {asked.old}, margin {asked.margin:g}"
    settings = [of, f"alpha {asked.alpha:g}", *["anytime"] * asked.anytime]
    return settings + [f"plan {digest}"] * (digest is not None)


def say_margin(asked: Asked, *, rates: bool) -> str:
    points = f"{asked.margin:g} point{'s' * (asked.margin != 1)}"
    unit = f"{100 * asked.margin:g} % of comparisons" if rates else points
    looks = ", however often one looks" if asked.anytime else ""
    return f"Margin {unit}; α = {asked.alpha:g}{looks}."
