"""A plan: a TOML file that states how something is decided, before votes are known.

Its SHA-256 is published then, and the file is held against it after.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from hashlib import sha256
from math import inf, log
from pathlib import Path
from typing import Any, Final

from evenhand.data.exclusions import Exclusion
from evenhand.data.tally import take_names
from evenhand.errors import (
    EvenhandError,
    InvalidJudgments,
    MissingFile,
    UnknownFormat,
    UnknownOption,
    listing,
    require_option,
    sentence_hint,
    suggest,
)
from evenhand.models.bradley_terry import BradleyTerry

# Codes of exclusions that somebody chose; a plan cannot state them
CHOSEN: Final = ("where", "task", "judges", "systems")
Kinds = Mapping[str, tuple[type, ...]]  # what a plan may state → types of its values


def read_plan(
    path: str | Path, of: str, kinds: Kinds, content: bytes | None = None
) -> tuple[dict[str, Any], str]:
    """Return what a plan of a gate or a board states, and the SHA-256 of its file.

    content: that of the file, where it is known, such as that of a registered plan.
    """
    try:
        content = Path(path).read_bytes() if content is None else content
    except FileNotFoundError:
        raise MissingFile(f"there is no file '{path}'") from None
    try:
        stated = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        bare = re.search(rb"=\s*[+-]?(\.\d+)", content)
        hint = f": write 0{bare[1].decode()} for {bare[1].decode()}" if bare else ""
        raise UnknownFormat(f"'{path}' is not valid TOML: {error}{hint}") from None
    for name, value in stated.items():
        if name not in kinds:
            keys = [*kinds]
            hint = sentence_hint(suggest(name, keys)) or f": there are {listing(keys, len(keys))}"
            raise UnknownOption(f"'{path}': a {of} has no setting '{name}'{hint}")
        number = isinstance(value, bool) and bool not in kinds[name]  # to Python True is 1
        if number or not isinstance(value, kinds[name]):
            quoted = isinstance(value, str) and is_number(value)
            hint = f": take the quotes away, {name} = {value}" if quoted else ""
            raise UnknownOption(f"'{path}': {name} cannot be {value!r}{hint}")
    return stated, sha256(content).hexdigest()


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@contextmanager
def naming_plan(plan: str | Path | None, *kinds: type[EvenhandError]) -> Iterator[None]:
    """Name the file of a plan in refusals of some kinds, which are of what it states."""
    try:
        yield
    except kinds as fault:
        if plan is None or str(fault).startswith(f"'{plan}'"):
            raise
        raise type(fault)(f"'{plan}': {fault}") from None


def require_digest(plan: str | Path | None, digest: str, published: str | None) -> None:
    """Refuse a plan whose SHA-256 is not the one that was published, where one was."""
    if published is None:
        return
    if plan is None:
        raise UnknownOption("a SHA-256 is that of a plan: name it (--plan FILE, in Python plan=)")
    if not re.fullmatch("[0-9a-fA-F]{64}", published):
        raise UnknownOption(
            f"'{published}' is no SHA-256, which has 64 digits of 0-9 and a-f: copy all of it"
        )
    if published.lower() != digest:
        raise InvalidJudgments(
            f"'{plan}' has SHA-256 {digest}, and {published} was published: it was changed"
        )


def join_plan(given: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a plan; what is given beside it must be the same."""
    for name, value in given.items():
        if value is not None and value != stated.get(name):
            says = f"says {stated[name]!r}" if name in stated else "does not state it"
            raise UnknownOption(f"{name} is {value!r}, and the plan {says}: leave it out")
    return dict(stated)


def list_chosen(excluded: Sequence[Exclusion]) -> list[str]:
    """Return what somebody excluded by conditions or names, in words."""
    return [one.clause for one in excluded if one.code in CHOSEN]


# What a gate asks, as it is given or as a plan states it.

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
        """Check what was given, or what a plan states; None is not given."""
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
        for one in (*asked.new, asked.old):
            if not isinstance(one, str):
                raise UnknownOption(f"{one!r} names no system: names are texts, as 'B'")
        if not asked.new:
            raise UnknownOption("new names no system: name one, as new = 'B'")
        if asked.old in asked.new:
            raise UnknownOption(f"{asked.old} cannot replace itself: name another system as new")
        if len({*asked.new}) < len(asked.new):
            raise UnknownOption("a system is named as new twice: once will do")
        if asked.better is not None:
            require_option("better", asked.better, ("higher", "lower"))
        return asked


def find_delta(margin: float) -> float:
    """Return δ, the distance in log-worth of a system that wins ½ − margin of comparisons.

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


def read_gate_plan(
    path: str | Path = "plan", content: bytes | None = None
) -> tuple[dict[str, Any], str]:
    """Return what the plan of a gate states, and its SHA-256, as `read_plan` does."""
    stated, digest = read_plan(path, "gate", KINDS, content)
    return stated | ({"new": take_names(stated["new"])} if "new" in stated else {}), digest


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
