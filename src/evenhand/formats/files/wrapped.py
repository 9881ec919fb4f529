"""JSON Lines that were put into one object, under the name of their campaign."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from evenhand.errors import UnknownFormat
from evenhand.formats.files.head import Head
from evenhand.judgments.engine import quote

if TYPE_CHECKING:
    import duckdb

_NAME: Final = r'"((?:[^"\\]|\\.)*)"\s*:\s*\['
# Campaigns without annotations may stand before the first one that has some
_WRAPPED: Final = re.compile(rf"\s*\{{\s*(?:{_NAME}\s*\]\s*,\s*)*{_NAME}\s*\{{")
_KEYS: Final = ("annotation", "item", "user_id", "item_i", "actions")
CAMPAIGN: Final = "campaign_id"


def is_wrapped(head: Head) -> bool:
    """Say whether a file is Pearmut's download: campaigns by name, each a list of annotations."""
    found = _WRAPPED.match(head.text)
    if found is None or set(found.groups()) & set(_KEYS):
        return False
    return all(f'"{key}"' in head.text for key in ("annotation", "user_id"))


def open_wrapped(connection: duckdb.DuckDBPyConnection, head: Head) -> duckdb.DuckDBPyRelation:
    """Return a relation over the lines of a download, every value as text."""
    if head.compression != "none":
        raise UnknownFormat(f"{head.path} is a packed download: unpack it first")
    try:
        campaigns = json.loads(head.path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError):
        raise UnknownFormat(f"{head.path} is not whole JSON: it is damaged or cut off") from None
    lines = list(_unwrap(campaigns, head))
    names = dict.fromkeys([CAMPAIGN, *_KEYS, *(key for line in lines for key in line)])
    columns = ", ".join(f"{quote(key)}: 'VARCHAR'" for key in names)
    with TemporaryDirectory(prefix="evenhand-") as folder:
        path = Path(folder) / "lines.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        connection.execute(
            f"create or replace temp table evenhand_wrapped as select * from"
            f" read_json({quote(str(path))}, format = 'newline_delimited',"
            f" columns = {{{columns}}}, maximum_object_size = {max(1 << 24, path.stat().st_size)})"
        )
    return connection.table("evenhand_wrapped")


def _unwrap(campaigns: Any, head: Head) -> Iterator[dict[str, Any]]:
    """Yield the lines of every campaign, with its name."""
    for name, given in campaigns.items():
        if not isinstance(given, list) or not all(isinstance(line, dict) for line in given):
            raise UnknownFormat(f"campaign '{name}' of {head.path} is no list of annotations")
        yield from ({**line, CAMPAIGN: name} for line in given)
