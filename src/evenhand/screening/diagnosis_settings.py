"""Everything that changes the numbers of a diagnosis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from evenhand.errors import UnknownOption, end, suggest
from evenhand.judgments.scale import Scale
from evenhand.judgments.signature import exactly
from evenhand.screening import easy_items, mean_agreement, mean_score
from evenhand.screening.easy_items import Easy, EasyRule
from evenhand.screening.outliers import Limits
from evenhand.screening.removal import Choice

METHODS: Final = (mean_score.NAME, mean_agreement.NAME, easy_items.NAME)


@dataclass(frozen=True)
class Settings:
    """Everything that changes the numbers of a diagnosis.

    Attributes:
        limits: how far from the centre a judge may be.
        reading: of the mean score, "mean" or "gap".
        rule: when easy items are missed.
        easy: outputs known to be good.
        choice: whom the chosen removal removes.
        version: which of a judge's scores of one output counts.
        references: human references among the systems.
        input_type: the column of input types, or None.
        scale: the declared scale, or None for what is seen.
        merge: points that are merged, in words; "" where none are.

    """

    limits: Limits = field(default_factory=Limits)
    reading: str = "mean"
    rule: EasyRule = field(default_factory=EasyRule)
    easy: Easy = ()
    choice: Choice = field(default_factory=lambda: Choice(METHODS))
    version: str = "first"
    references: tuple[str, ...] = ()
    input_type: str | None = None
    scale: Scale | None = None
    merge: str = ""

    def words(self) -> list[str]:
        """Return the settings for the signature."""
        return [
            f"k={exactly(float(self.limits.k))} ddof={self.limits.ddof} reading={self.reading}",
            f"easy miss={exactly(float(self.rule.miss))} share={exactly(float(self.rule.share))}"
            f" least={self.rule.least}{self._easy_list()}",
            f"remove {self.choice}",
            f"version={self.version}",
            *([f"input={self.input_type}"] if self.input_type else []),
            *([f"references={', '.join(self.references)}"] if self.references else []),
            *([f"scale {_write_scale(self.scale)}"] if self.scale else []),
            *([f"merge {self.merge}"] if self.merge else []),
        ]

    def _easy_list(self) -> str:
        """Return how many outputs are listed as easy, with a digest of the list; "" without one."""
        if not self.easy:
            return ""
        named = sorted("\x1f".join([one] if isinstance(one, str) else one) for one in self.easy)
        digest = sha256("\x1e".join(named).encode()).hexdigest()
        return f" listed={len(named)} ({digest[:12]})"


def refuse_bare_text(lists: Mapping[str, object]) -> None:
    """Refuse a text where a list of names is wanted: its letters are no names.

    Args:
        lists: name of the setting → its value.

    Raises:
        UnknownOption: names the setting.

    """
    for name, value in lists.items():
        if isinstance(value, str):
            raise UnknownOption(f"{name} is a list of names: write ['{value}'] for one")


def refuse_unknown_references(references: Sequence[str], systems: Sequence[str]) -> None:
    """Refuse references that are none of the systems.

    Raises:
        UnknownOption: names the first, and the nearest system.

    """
    for name in references:
        if name not in systems:
            hint = end(suggest(name, systems))
            raise UnknownOption(f"reference '{name}' is none of the systems{hint}")


def _write_scale(scale: Scale) -> str:
    """Write a scale with all of its points."""
    if scale.points is None or len(scale.points) == scale.high - scale.low + 1:
        return str(scale)
    return ",".join(f"{point:g}" for point in scale.points)
