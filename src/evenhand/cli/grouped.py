"""A result with one part for each group, laid out alike under every verb."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import click

from evenhand.cli.kept import kept_excluded
from evenhand.cli.terminal import label
from evenhand.cli.words import block
from evenhand.report.signs import visible

Part = TypeVar("Part")


def group_title(name: str, columns: int) -> list[str]:
    """Return the lines above a group."""
    return ["", click.style(f"{visible(name)} ".ljust(columns, "─"), bold=True)]


@dataclass(frozen=True, eq=False)
class GroupedResult(ABC, Generic[Part]):
    """What a verb found in each group, in every form it can be asked for."""

    groups: Mapping[str, Part]  # parts by group; one without a name where there are no groups
    refused: Mapping[str, str]  # why some groups have none
    read: Sequence[str]  # what was understood of the files, and what was left out
    cautions: Sequence[str] = ()  # what speaks against the numbers of all groups

    lacking: ClassVar[str] = "has no result"  # What is said of a refused group, before the reason

    def __post_init__(self) -> None:
        """Let every part carry what was excluded from the judgments that the command read."""
        excluded = kept_excluded()
        if excluded:
            from evenhand.judgments.exclusions import note_groups

            object.__setattr__(self, "groups", note_groups(self.groups, excluded, once=True))

    @abstractmethod
    def draw(self, part: Part, columns: int) -> list[str]:
        """Return the lines of a part for people, its counts first."""

    @abstractmethod
    def describe(self, part: Part) -> dict[str, Any]:
        """Return the JSON of a part, with its `notes`."""

    @abstractmethod
    def rows(self, part: Part) -> list[dict[str, Any]]:
        """Return the CSV of a part, all rows with the same keys."""

    @abstractmethod
    def tabulate(self, name: str, part: Part) -> str:
        """Return the LaTeX of a part."""

    @abstractmethod
    def say(self, part: Part) -> Sequence[str]:
        """Return what must stand beside the numbers of a part."""

    @property
    def grouped(self) -> bool:
        """Whether there are groups."""
        return "" not in self.groups

    def text(self, columns: int) -> str:
        """Return all parts for people."""
        lines = block("read", self.read, columns)
        cautions = [label("note", one, columns, colour="yellow") for one in self.cautions]
        if not self.grouped:
            counts, *drawn = self.draw(self.groups[""], columns)
            return "\n".join([*lines, counts, *cautions, *drawn]) + "\n"
        lines += cautions
        for name, part in self.groups.items():
            lines += [*group_title(name, columns), *self.draw(part, columns)]
        for name, why in self.refused.items():
            lines += [*group_title(name, columns), label("error", why, columns, colour="red")]
        return "\n".join(lines) + "\n"

    def contract(self) -> dict[str, Any]:
        """Return the JSON of a part, or of groups."""
        parts = {name: self.describe(part) for name, part in self.groups.items()}
        notes = [*self.read, *self.cautions]
        if self.grouped:
            return {"groups": parts, "refused": dict(self.refused), "notes": notes}
        return {**parts[""], "notes": [*notes, *parts[""]["notes"]]}

    def records(self) -> list[dict[str, Any]]:
        """Return all rows, their group first if there are groups."""
        return [
            {**({"group": name} if self.grouped else {}), **row}
            for name, part in self.groups.items()
            for row in self.rows(part)
        ]

    def latex(self) -> str:
        """Return one table for each group."""
        return "\n".join(self.tabulate(name, part) for name, part in self.groups.items())

    def remarks(self) -> list[str]:
        """Return what must stand beside the numbers."""
        said = [
            f"{name}: {remark}" if name else remark
            for name, part in self.groups.items()
            for remark in self.say(part)
        ]
        return [
            *self.cautions,
            *said,
            *(f"{name} {self.lacking}: {why}" for name, why in self.refused.items()),
        ]
