"""Reads tests/golden/*.json: expected numbers from independent software and published tables.

A file holds `{title, software, entries}`; an entry holds `{id, definition, input, expected,
tolerance, obtained_by, ...}`. Use `golden` (also a fixture of that name) for one entry, `entries`
to parametrize a test over a file.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class Golden:
    """One entry: what goes in, what must come out, how near, and who says so."""

    id: str
    definition: str
    input: Any
    expected: Any
    tolerance: Any
    source: str


def entries(file: str) -> tuple[Golden, ...]:
    """All entries of tests/golden/<file>.json, in the file's order."""
    path = FOLDER / f"{file}.json"
    if not path.exists():
        known = ", ".join(sorted(other.stem for other in FOLDER.glob("*.json"))) or "none"
        raise LookupError(f"no golden file {path.name}; there are: {known}")
    content = json.loads(path.read_text(encoding="utf-8"))
    return tuple(_entry(raw) for raw in content["entries"])


def golden(file: str, entry: str) -> Golden:
    """One entry by its id, as in `golden("01_llbt_single_pair", "ModPref")`."""
    found = {one.id: one for one in entries(file)}
    if entry not in found:
        raise LookupError(f"no entry '{entry}' in golden file {file}; there are: {sorted(found)}")
    return found[entry]


def _entry(raw: dict[str, Any]) -> Golden:
    return Golden(
        id=raw["id"],
        definition=raw["definition"],
        input=raw["input"],
        expected=raw["expected"],
        tolerance=raw.get("tolerance"),
        source=raw.get("obtained_by", ""),
    )
