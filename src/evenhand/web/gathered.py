"""Rows of our tables for the organiser's page: kept between looks, so that each look reads the new.

Comments are left out: nothing here is computed from them, and whoever asks to be forgotten takes
them back. An answer that does not stand any more is dropped at the next look.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from evenhand.web.activity import Activity, Seen, see, sum_up
from evenhand.web.downloads import list_tables
from evenhand.web.store.readable import Readable
from evenhand.web.store.reading import read_numbered, read_persons
from evenhand.web.store.record import Record, read_record
from evenhand.web.store.standing import AT_A_TIME, list_standing

Row = dict[str, Any]
UNREAD: Final = ("ticket",)  # Columns of our tables that nothing is computed from


class Gathered:
    """The answers that stand, as rows."""

    def __init__(self, store: Readable) -> None:
        """Read nothing yet."""
        self.store = store
        self._rows: dict[int, tuple[str, tuple[Row, ...]]] = {}
        self._seen: dict[int, Seen] = {}

    def write(self, folder: Path) -> dict[str, Path]:
        """Write each table that holds a row as CSV; judges are persons."""
        persons = self._refresh()
        columns: dict[str, dict[str, None]] = {name: {} for name in list_tables(self.store)}
        for table, rows in self._rows.values():
            for row in rows:
                columns[table].update(dict.fromkeys(row))
        found = {name: folder / f"{name}.csv" for name, own in columns.items() if own}
        for name, path in found.items():
            self._write(path, [*columns[name]], persons)
        return found

    def list_activity(self) -> tuple[Activity, ...]:
        """Return what each judge did, who answered last first."""
        return sum_up(self._seen[number] for number in self._rows)

    def count_choices(self) -> dict[str, Counter[str]]:
        """Return pass → how its pairs were chosen, and how often; {} without a policy."""
        found: dict[str, Counter[str]] = {}
        for _, rows in self._rows.values():
            for row in rows:
                if "chosen" in row:
                    found.setdefault(row["task"], Counter())[row["chosen"]] += 1
        return found

    def _write(self, path: Path, columns: list[str], persons: Mapping[str, str]) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            for table, rows in self._rows.values():
                if table == path.stem:
                    writer.writerows(
                        {**row, "judge": persons.get(row["judge"], row["judge"])} for row in rows
                    )

    def _refresh(self) -> Mapping[str, str]:
        """Read what is new, drop what stands no more; return who is who.

        Records are read in pieces, and worked on after each piece was read: SQLite cannot shorten
        its write-ahead log while somebody reads.
        """
        with self.store.reading() as connection:
            standing = list_standing(connection)
        fresh = [number for number in standing if number not in self._rows]
        made = {}
        for start in range(0, len(fresh), AT_A_TIME):
            with self.store.reading() as connection:
                lines = read_numbered(connection, fresh[start : start + AT_A_TIME])
            for one in map(read_record, lines):
                made[one.number] = self._make(one)
                self._seen[one.number] = self._see(one)
        with self.store.reading() as connection:
            persons = read_persons(connection)
        known = self._rows | made
        self._rows = {number: known[number] for number in standing}
        self._seen = {number: self._seen[number] for number in standing}
        return persons

    def _see(self, record: Record) -> Seen:
        ticket = record.ticket
        return see(record, "" if ticket is None else self.store.campaign.task(ticket.task).kind)

    def _make(self, record: Record) -> tuple[str, tuple[Row, ...]]:
        """Return the table and the rows of an answer; no rows where it was deleted."""
        ticket, planned = record.ticket, self.store.campaign
        if ticket is None:
            return "", ()
        task = planned.task(ticket.task)
        if record.answer is None:
            return task.table, ()
        shown, source = planned.shown(ticket), planned.item(ticket.item).source
        answer = task.validate(dict(record.answer), shown, source)
        more: Row = {"seconds": record.seconds}
        if planned.design.policy and task.kind == "pair":
            more["chosen"] = ticket.chosen or "design"
        found = ({**row, **more} for row in task.rows(ticket, answer))
        kept = [{name: row[name] for name in row if name not in UNREAD} for row in found]
        return task.table, tuple(kept)
