"""One coefficient of agreement: its value, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

BY_ITEM_ALONE: Final = "no interval where judges are drawn: it has one by item alone"


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement on some judgments.

    Attributes:
        name: as it is asked for and stands in JSON, such as "alpha-interval" or "n-agreement-1".
        title: in tables, such as "Krippendorff's α, interval".
        value: the coefficient; None where it does not exist.
        lower: lower end of its interval; None where there is none.
        upper: upper end.
        units: outputs (or output pairs) that two or more judges judged.
        ratings: judgments on them.
        why: why there is no value, in the user's words; None where there is one.
        notes: what must stand beside it, such as that κ is low since one answer prevails.

    """

    name: str
    title: str
    value: float | None
    lower: float | None = None
    upper: float | None = None
    units: int = 0
    ratings: int = 0
    why: str | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {**vars(self), "notes": list(self.notes)}

    def without_interval(self) -> Coefficient:
        """Leave out an interval that draws items where judges were to be drawn."""
        if self.value is None:
            return self
        return replace(self, lower=None, upper=None, notes=(*self.notes, BY_ITEM_ALONE))
