"""What a verb found, in every form that it can be asked for, group by group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import click

from evenhand.cli.refusals import kept_excluded
from evenhand.render.document import Document
from evenhand.render.findings import Finding, describe_findings, take_findings
from evenhand.render.latex import comment, label_groups, render_latex
from evenhand.render.text import cut, label


def group_title(name: str, columns: int) -> list[str]:
    return ["", click.style(f"{cut(name, columns - 2)} ".ljust(columns, "─"), bold=True)]


def part_groups(result: Any) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """Return results by group, one without a name where there are no groups, and the refused."""
    from evenhand.data.results import Grouped

    return (result.groups, result.refused) if isinstance(result, Grouped) else ({"": result}, {})


ALL: Final = "all groups"  # Heading of what is true of each of several groups
BESIDE: Final = "side by side"  # Heading of what shows all groups


@dataclass(frozen=True, eq=False)
class VerbResult:
    groups: Mapping[str, Any]  # results by group; one without a name where there are no groups
    refused: Mapping[str, str]  # why some groups have none
    read: Sequence[str]  # what was understood of the files, and what was excluded
    columns: tuple[str, ...] = ()  # more columns of the table, as `document` takes them
    side_by_side: Document | None = None  # the groups in one table, which people read after each
    exit_code: int = 0  # of the command
    advice: tuple[Finding, ...] = ()  # what may be done besides, of all groups

    def __post_init__(self) -> None:
        """Let every part carry what was excluded from the judgments that the command read."""
        excluded = kept_excluded()
        if excluded:
            from evenhand.data.exclusions import note_groups

            object.__setattr__(self, "groups", note_groups(self.groups, excluded, once=True))

    @property
    def grouped(self) -> bool:
        return "" not in self.groups

    @cached_property
    def _read(self) -> tuple[Finding, ...]:
        return tuple(
            one
            if one.severity == "warning"
            else Finding(one.code or "read", one, "info", one.values)
            for one in take_findings(self.read)
        )

    @cached_property
    def documents(self) -> dict[str, Document]:
        """The document of each group, without what is said of all of them."""
        return {
            name: replace(one, findings=tuple(f for f in one.findings if f not in self._common))
            for name, one in self._complete.items()
        }

    @cached_property
    def _common(self) -> tuple[Finding, ...]:
        """What each of several groups says in the same words, such as facts of the whole file."""
        first, *others = self._complete.values() or [Document()]
        if not others:
            return ()
        return tuple(f for f in first.shown if all(f in one.findings for one in others))

    @cached_property
    def _complete(self) -> dict[str, Document]:
        """The document of each group, with what a reader must know of the files."""
        read = []
        for one in self._read:
            layout, columns = one.values.get("layout"), one.values.get("columns")
            if one.values.get("renamed", True):  # behind the label that says that it was read
                text = f"{layout}: {columns}" if layout and columns else one
                severity = "warning" if one.severity == "warning" else "read"
                read.append(Finding(one.code, text, severity, one.values))
        documents = {name: one.document(*self.columns) for name, one in self.groups.items()}
        return {
            name: replace(one, findings=(*read, *own, *self.advice))
            for name, one in documents.items()
            for own in [[f for f in one.findings if f not in self.read]]
        }

    def text(self, columns: int) -> str:
        from evenhand.render.text import render_text

        if not self.grouped:
            return render_text(self.documents[""], columns)
        lines: list[str] = []
        for name, document in self.documents.items():
            lines += [*group_title(name, columns), render_text(document, columns).rstrip("\n")]
        for name, why in self.refused.items():
            lines += [*group_title(name, columns), label("error", why, columns, colour="red")]
        for name, one in self._further:
            lines += [*group_title(name, columns), render_text(one, columns).strip("\n")]
        return "\n".join(lines[1:]) + "\n"

    def contract(self) -> dict[str, Any]:
        parts = {name: one.to_dict(*self.columns) for name, one in self.groups.items()}
        read, advice = describe_findings(self._read), describe_findings(self.advice)
        if self.grouped:
            found: dict[str, Any] = {"groups": parts, "refused": dict(self.refused)}
            if self.side_by_side is not None:
                found["side_by_side"] = self.side_by_side.records if len(self.groups) > 1 else []
            return {**found, "findings": [*read, *advice]}
        findings = parts[""].get("findings", [])
        said = {one["text"] for one in findings}
        read = [one for one in read if one["text"] not in said]
        return {**parts[""], "findings": [*read, *findings, *advice]}

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of each document, their group first if there are groups."""
        return [
            {**({"group": name} if self.grouped else {}), **row}
            for name, document in self.documents.items()
            for row in document.records
        ]

    def latex(self) -> str:
        labels = label_groups(self.documents)
        parts = {
            name: render_latex(one, name, labels[name]) for name, one in self.documents.items()
        }
        parts |= {name: comment([f"error: {why}"]) for name, why in self.refused.items()}
        further = [(name, render_latex(one, name)) for name, one in self._further]
        return self._join(parts, further, lambda name: comment([name]))

    def markdown(self) -> str:
        from evenhand.render.markup import escape, render_markdown

        parts = {name: render_markdown(one) for name, one in self.documents.items()}
        parts |= {name: f"\n**error** {escape(why)}\n" for name, why in self.refused.items()}
        further = [(name, render_markdown(one)) for name, one in self._further]
        return self._join(parts, further, lambda name: f"## {escape(name)}\n")

    @property
    def _further(self) -> list[tuple[str, Document]]:
        """What is of all groups, where there are several; beside the parts, not one of them."""
        further = [(ALL, Document(findings=self._common))] if self._common else []
        one = self.side_by_side
        return [*further, *([(BESIDE, one)] if one is not None and len(self.groups) > 1 else [])]

    def _join(
        self,
        parts: Mapping[str, str],
        further: Sequence[tuple[str, str]],
        head: Callable[[str], str],
    ) -> str:
        named = [*parts.items(), *further]
        return "\n".join((head(name) if name else "") + part for name, part in named)

    def remarks(self) -> list[str]:
        sentences = [
            f"{name}: {one}" if name else one
            for name, document in self.documents.items()
            for one in (
                *document.answer,
                *([document.basis] if document.basis else []),
                *(one for one in document.shown if one.severity != "read"),  # said once
            )
        ]
        common = [one for one in self._common if one.severity != "read"]
        return [*sentences, *common, *(f"{name}: {why}" for name, why in self.refused.items())]
