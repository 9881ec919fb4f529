"""One result for each group of judgments, such as a task, and why some groups have none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from evenhand.errors import InvalidJudgments, name_near
from evenhand.judgments.notebook import draw_groups, draw_result


class Part(Protocol):
    """What a group can hold."""

    TABLE: ClassVar[str]

    def records(self) -> list[dict[str, Any]]:
        """Return rows with plain values."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        ...


Held = TypeVar("Held", bound=Part)


@dataclass(frozen=True, eq=False, repr=False)
class Grouped(Generic[Held]):
    """Results by group."""

    groups: Mapping[str, Held]  # name → result
    by: str  # the column that tells the groups apart
    # name → why, for groups of which nothing can be said
    refused: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Held:
        if name not in self.groups:
            raise InvalidJudgments(f"no {self.by} '{name}'.{name_near(name, tuple(self.groups))}")
        return self.groups[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of all results, with the group first."""
        return [
            {self.by: name, **row} for name, one in self.groups.items() for row in one.records()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of grouped results."""
        return {
            "groups": {name: one.to_dict() for name, one in self.groups.items()},
            "refused": dict(self.refused),
        }

    def _repr_html_(self) -> str:
        shown = {name: draw_result(one, one.TABLE) for name, one in self.groups.items()}
        refused = {name: f"nothing known: {why}" for name, why in self.refused.items()}
        return draw_groups(self.by, shown, refused)

    def __repr__(self) -> str:
        parts = [f"{self.by} {name}\n{one}" for name, one in self.groups.items()]
        parts += [f"{self.by} {name}\nnothing known: {why}" for name, why in self.refused.items()]
        return "\n\n".join(parts)
