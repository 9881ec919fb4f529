"""The JSON contract: what a report is made of as plain values."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from evenhand.report.document import Check, Part, Section, Table


def describe_part(part: Part) -> dict[str, Any]:
    """Return all that is said of one task as plain values."""
    return {
        "name": part.name,
        "answer": list(part.answer),
        "signature": part.signature,
        "lights": [_describe_check(check) for check in part.lights],
        "sections": [describe_section(section) for section in part.sections],
    }


def _describe_check(check: Check) -> dict[str, Any]:
    """Return a check as plain values; its faults stand in the answer."""
    return {name: value for name, value in asdict(check).items() if name != "faults"}


def describe_section(section: Section) -> dict[str, Any]:
    """Return a section as plain values; of a figure what is drawn, not how."""
    return {
        "name": section.name,
        "title": section.title,
        "not_run": section.not_run,
        "says": list(section.says),
        "checks": [_describe_check(check) for check in section.checks],
        "figures": [
            {
                "name": one.name,
                "title": one.title,
                "alt": one.alt,
                "datasets": {name: list(map(dict, rows)) for name, rows in one.datasets.items()},
            }
            for one in section.figures
        ],
        "tables": [_describe_table(table) for table in section.tables],
        "blocks": [asdict(block) for block in section.blocks],
        "notes": list(section.notes),
        "command": section.command,
    }


def _describe_table(table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "caption": table.caption,
        "columns": [asdict(column) for column in table.columns],
        "rows": [dict(row) for row in table.rows],
        "lines": list(table.lines),
    }
