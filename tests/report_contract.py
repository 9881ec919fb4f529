"""The JSON contract of a report as a JSON schema, written from docs/report.md."""

from __future__ import annotations

from typing import Any

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
VALUE = {"type": ["string", "number", "boolean", "null"]}


def _object(**fields: Any) -> dict[str, Any]:
    """These fields, all of them and no others."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _list(of: Any) -> dict[str, Any]:
    return {"type": "array", "items": of}


ROWS = _list({"type": "object", "additionalProperties": VALUE})
COLUMN = _object(key=TEXT, title=TEXT, kind=TEXT, says=TEXT)
CHECK = _object(
    name=TEXT,
    asks=TEXT,
    state={"enum": ["passed", "failed", "warning", "cannot tell", "not run"]},
    says=TEXT,
    recommendation=TEXT,
    p={"type": ["number", "null"]},
)
FIGURE = _object(
    name=TEXT, title=TEXT, alt=TEXT, datasets={"type": "object", "additionalProperties": ROWS}
)
TABLE = _object(
    name=TEXT,
    caption=TEXT,
    columns={**_list(COLUMN), "minItems": 1},
    rows=ROWS,
    lines=_list({"type": "integer"}),
)
SECTION = _object(
    name=TEXT,
    title=TEXT,
    not_run=TEXT,
    says=TEXTS,
    checks=_list(CHECK),
    figures=_list(FIGURE),
    tables=_list(TABLE),
    blocks=_list(_object(name=TEXT, title=TEXT, text=TEXT)),
    notes=TEXTS,
    command=TEXT,
)
PART = _object(
    name=TEXT,
    answer=TEXTS,
    signature=TEXT,
    key_checks=_list(CHECK),
    sections={**_list(SECTION), "minItems": 1},
)
CONTRACT = _object(
    title=TEXT,
    contract={"const": 1},
    version=TEXT,
    command={**TEXT, "pattern": "^evenhand report "},
    log_head=TEXT,
    log_check=TEXT,
    notes=TEXTS,
    excluded={"type": "array"},
    warnings={"type": "array"},
    overview={"anyOf": [{"type": "null"}, SECTION]},
    parts={**_list(PART), "minItems": 1},
)
