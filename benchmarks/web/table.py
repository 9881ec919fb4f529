"""Rows as a table, as CSV, and what was promised beside what was reached."""

import csv
import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from benchmarks.row import version
from benchmarks.table import aligned, number
from benchmarks.targets import verdict
from benchmarks.web.measured import Row
from benchmarks.web.peer import VERSION

HEADINGS = (
    "contender", "phase", "judgments/s", "p50 ms", "p95 ms", "p99 ms", "unanswered",
    "CPU ms each", "x bare", "judges' CPU", "peak MB", "launch s", "start s", "load",
)  # fmt: skip
PER_S, P95_MS, GROWTH = 300, 50, 1.3
PACKAGES = ("evenhand", "starlette", "uvicorn", "uvloop", "httptools", "sqlalchemy")


def setting() -> str:
    """The machine and the versions, in one line."""
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    ours = ", ".join(f"{one} {version(one)}" for one in PACKAGES)
    return f"{machine}; Python {platform.python_version()}; {ours}, pearmut {VERSION}."


def case(rows: Sequence[Row]) -> str:
    """The table of one size."""
    first = rows[0]
    lines = [_cells(row, rows) for row in rows if row.per_s is not None]
    missing = [f"{row.contender} ({row.note})" for row in rows if row.per_s is None]
    after = f"\nNot measured: {'; '.join(missing)}.\n" if missing else ""
    heading = f"### {first.items:,} items, {first.judges:,} judges"
    return f"{heading}\n\n{aligned(HEADINGS, lines, (0, 1))}\n{after}"


def best(rows: Sequence[Row]) -> list[Row]:
    """Of several rounds the best of each contender: most judgments, or shortest times."""
    found: dict[tuple[int, int, str, str], Row] = {}
    for row in rows:
        key = (row.items, row.judges, row.contender, row.phase)
        if key not in found or _is_better(row, found[key]):
            found[key] = row
    return list(found.values())


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """What was promised, met or missed, and how far ahead of the peer we are."""
    known = {(row.items, row.judges, row.contender, row.phase): row for row in rows}
    sizes = list(dict.fromkeys((row.items, row.judges) for row in rows))
    for size in sizes:
        where = f"{size[0]:,} items x {size[1]:,} judges"
        for ours in ("evenhand", "evenhand-postgres"):
            yield from _promises(f"{where}, {ours}", *_phases(known, size, ours))
        own, peer = (_phases(known, size, one)[1] for one in ("evenhand", "pearmut"))
        if own and peer and own.per_s and peer.per_s and own.cpu_ms and peer.cpu_ms:
            told = f"{own.per_s / peer.per_s:.1f} x the judgments/s of pearmut"
            cpu = f"{peer.cpu_ms / own.cpu_ms:.1f} x the CPU for each"
            yield f"ratio   {where}: {told}, which takes {cpu}"
    grown = [_phases(known, size, "evenhand")[0] for size in (sizes[0], sizes[-1])]
    small, large = (row.cpu_ms if row else None for row in grown)
    if len(sizes) > 1 and small and large:
        told = f"CPU per judgment is {large / small:.2f} x as much at the largest size"
        yield f"{verdict(large / small <= GROWTH)}  {told}, at most {GROWTH}"


def _phases(
    known: dict[tuple[int, int, str, str], Row], size: tuple[int, int], contender: str
) -> tuple[Row | None, Row | None]:
    """The rows of a contender: with judgments offered, and without a pause."""
    return known.get((*size, contender, "open")), known.get((*size, contender, "closed"))


def _promises(where: str, offered: Row | None, closed: Row | None) -> Iterator[str]:
    if closed and closed.per_s is not None:
        told = (
            f"{where}: {closed.per_s:,.0f} judgments/s, at least {PER_S} (load {closed.load:.1f})"
        )
        yield f"{verdict(closed.per_s >= PER_S)}  {told}"
    if offered and offered.p95_ms is not None and offered.offered:
        told = f"{where}: p95 {offered.p95_ms:.1f} ms at {offered.offered:g}/s offered"
        met = verdict(offered.p95_ms < P95_MS)
        yield f"{met}  {told}, less than {P95_MS} (load {offered.load:.1f})"


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """All columns of all rounds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {name: _short(value) for name, value in asdict(row).items()} for row in rows
        )


def _cells(row: Row, rows: Sequence[Row]) -> list[str]:
    bare = next((one for one in rows if (one.contender, one.phase) == ("bare", row.phase)), None)
    ratio = row.cpu_ms / bare.cpu_ms if bare and bare.cpu_ms and row.cpu_ms else None
    return [
        row.contender,
        f"{row.phase} {row.offered:g}/s" if row.offered else row.phase,
        number(row.per_s, ",.0f"),
        number(row.p50_ms, ".1f"),
        number(row.p95_ms, ".1f"),
        number(row.p99_ms, ".1f"),
        number(row.unanswered, ",d"),
        number(row.cpu_ms, ".2f"),
        number(ratio, ".1f"),
        number(row.client_share, ".0%"),
        number(row.peak_mb, ".0f"),
        number(row.launch_s, ".1f"),
        number(row.start_s, ".1f"),
        number(row.load, ".1f"),
    ]


def _is_better(row: Row, other: Row) -> bool:
    """Say whether a round went better than another one."""
    if row.per_s is None or other.per_s is None:
        return row.per_s is not None
    if row.phase == "open":
        return (row.p95_ms or 1e9) < (other.p95_ms or 1e9)
    return row.per_s > other.per_s


def _short(value: object) -> object:
    return round(value, 3) if isinstance(value, float) else value
