"""Rows of one pass, with the texts that were judged and without comments."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from evenhand.design.tasks import ScaledTask, Task
from evenhand.web.store.readable import Readable

Row = dict[str, Any]
# Columns of our tables that stay here
HIDDEN: Final = ("login", "comment", "ticket", "at", "answered_at", "errors")


def list_pass(store: Readable, task: Task) -> Iterator[Row]:
    """Yield the rows of a pass; judges are persons, by pseudonym."""
    column = "criterion" if isinstance(task, ScaledTask) else "task"
    name = task.criterion if isinstance(task, ScaledTask) else task.name
    for row in store.rows(task.table):
        if row[column] == name:
            yield _add_texts(store, row)


def _add_texts(store: Readable, row: Row) -> Row:
    """Return a row with its texts; `shown_at` is when the answer was begun."""
    item = store.campaign.item(row["item"])
    began = row["at"] / 1000 - (row["seconds"] or 0)
    found = {name: value for name, value in row.items() if name not in HIDDEN}
    found |= {"shown_at": f"{began:.3f}", "document": item.document, "source": item.source}
    if "score" in row:
        found["output"] = item.outputs[row["system"]]
    return found


def write_rows(rows: Iterable[Row], path: Path) -> int:
    """Write rows as CSV, those columns alone in which something stands; return how many there are.

    A column that is empty in all rows says nothing, and would be taken for one that was asked for.
    """
    held = list(rows)
    columns = dict.fromkeys(name for row in held for name in row if row[name] not in ("", None))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*columns], extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(held)
    return len(held)
