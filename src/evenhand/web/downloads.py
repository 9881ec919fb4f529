"""What an organiser takes home: our tables as CSV, the log as JSON Lines, the campaign as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain, islice
from typing import Any, Final

from evenhand.web.pass_rows import list_pass
from evenhand.web.store.readable import Readable

TABLES: Final = ("comparisons", "rankings", "ratings")
# Ratings with marked errors alone, beside the texts in which they were marked
SPANS: Final = "spans"
TYPES: Final = {
    ".csv": "text/csv; charset=utf-8",
    ".tsv": "text/tab-separated-values; charset=utf-8",
    ".jsonl": "application/jsonl; charset=utf-8",
    ".json": "application/json",
}
AT_A_TIME: Final = 500  # Rows that are sent together
# Columns of ratings that passes without marked errors do not have
MARKED: Final = ("errors", "spans")
FREE_TEXT: Final = ("comment",)  # Columns that hold what a judge wrote and nothing reads back
# Header of every file: the end of the log when it was begun, which a table cannot hold
HEAD: Final = "Evenhand-Head"
# How a cell begins that a spreadsheet runs
FORMULA: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def list_tables(store: Readable) -> list[str]:
    """Return the tables that a campaign fills."""
    filled = {task.table for task in store.campaign.tasks}
    return [one for one in TABLES if one in filled]


def list_downloads(store: Readable) -> list[str]:
    """Return the names of our tables, as files."""
    marks = any(task.kind == "spans" for task in store.campaign.tasks)
    return [f"{one}.csv" for one in (*list_tables(store), *([SPANS] if marks else []))]


def list_files(store: Readable) -> list[str]:
    """Return the names of all files that `open_download` knows."""
    return [*list_downloads(store), "log.jsonl", "head.json", "campaign.json"]


def open_download(store: Readable, name: str) -> Iterator[bytes] | None:
    """Return a file piece by piece; None where there is none of the name."""
    if name == "log.jsonl":
        return (f"{line.write()}\n".encode() for line in store.lines())
    if name == "head.json":
        told = {"campaign": store.campaign.name, "digest": store.campaign.digest}
        told |= {"head": str(store.head()), "at": datetime.now(UTC).isoformat(timespec="seconds")}
        return iter([json.dumps(told, ensure_ascii=False).encode(), b"\n"])
    if name == "campaign.json":
        return iter([store.campaign.canonical, b"\n"])
    if name not in list_downloads(store):
        return None
    table = name.removesuffix(".csv")
    marking = [task for task in store.campaign.tasks if task.kind == "spans"]
    if table == SPANS:
        return _write_rows(chain.from_iterable(list_pass(store, task) for task in marking), ())
    return _write_rows(store.rows(table), MARKED if table == "ratings" and marking else ())


def _write_rows(rows: Iterator[dict[str, Any]], more: tuple[str, ...]) -> Iterator[bytes]:
    """Write rows as CSV; an empty table is an empty file."""
    columns: dict[str, None] = {}
    while chunk := list(islice(rows, AT_A_TIME)):
        text = io.StringIO()
        if not columns:
            columns = dict.fromkeys((*chunk[0], *more))
            csv.writer(text, lineterminator="\n").writerow(columns)
        writer = csv.DictWriter(text, [*columns], lineterminator="\n")
        writer.writerows(map(_defuse, chunk))
        yield text.getvalue().encode()


def _defuse(row: dict[str, Any]) -> dict[str, Any]:
    """Put an apostrophe before what a judge wrote where a spreadsheet would run it.

    Labels stay as they are: they are read back, and the organiser wrote them.

    >>> _defuse({"system": "=A", "comment": "=1+1"}), _defuse({"comment": "1 = 1"})
    ({'system': '=A', 'comment': "'=1+1"}, {'comment': '1 = 1'})
    """
    odd = {name: f"'{row[name]}" for name in FREE_TEXT if _runs(row.get(name))}
    return {**row, **odd} if odd else row


def _runs(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith(FORMULA)
