"""Rows into a table, a CSV file, and the marked place in a page of documentation."""

import csv
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from importlib import metadata
from itertools import groupby
from pathlib import Path

from benchmarks.contenders import ALL
from benchmarks.run import Row
from benchmarks.startup import Start

BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"
HEADINGS = (
    "contender", "form", "ties", "gives", "CPU s", "wall s", "peak MB", "x floor", "x Evenhand",
    "max diff", "runs",
)  # fmt: skip
TEXT_COLUMNS = 4


def version(package: str) -> str:
    """The installed version of a package."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def file_name() -> str:
    """What a full run is kept as: Evenhand's version, or that only peers were there."""
    ours = version("evenhand")
    return "peers-only.csv" if ours == "not installed" else f"{ours}.csv"


def versions() -> dict[str, str]:
    """Versions of everything that is measured, by package."""
    packages = dict.fromkeys(package for contender in ALL for package in contender.packages)
    return {package: version(package) for package in packages}


def setting(blas_threads: int) -> str:
    """One paragraph: the machine and the versions."""
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    python = f"Python {platform.python_version()}"
    packages = ", ".join(f"{package} {number}" for package, number in versions().items())
    threads = (
        f"{blas_threads} BLAS thread(s) for peers" if blas_threads else "BLAS threads as found"
    )
    return f"{machine}; {python}; {packages}; {threads}."


def case(rows: Sequence[Row]) -> str:
    """The table of one file: the lines that alternate, then the peers, the fastest first."""
    first = rows[0]
    ours = [row for row in rows if row.contender.startswith(("floor", "evenhand"))]
    peers = sorted((row for row in rows if row not in ours), key=lambda row: row.cpu_s or 1e9)
    in_order = [*ours, *peers]
    lines = [cells(row) for row in in_order if row.cpu_s is not None]
    failed = [f"{row.contender} ({row.note})" for row in in_order if row.cpu_s is None]
    missing = f"\nNot measured: {'; '.join(failed)}.\n" if failed else ""
    return f"### N = {first.n:,}, K = {first.k:,}\n\n{aligned(HEADINGS, lines)}\n{missing}"


def cells(row: Row) -> list[str]:
    """One row as text."""
    return [
        row.contender,
        row.form.replace("_", " "),
        row.ties,
        row.gives,
        number(row.cpu_s, ".3f"),
        number(row.wall_s, ".3f"),
        number(row.peak_mb, ".0f"),
        number(row.times_floor, ".2f"),
        number(row.times_evenhand, ".2f"),
        number(row.difference, ".0e"),
        str(row.runs),
    ]


def number(value: float | None, style: str) -> str:
    """A number in a style, or nothing."""
    return "" if value is None else format(value, style)


def start_table(starts: Sequence[Start]) -> str:
    """Cold starts of the command line."""
    lines = [
        [f"`{s.command}` {s.note}".rstrip(), number(s.cpu, ".3f"), number(s.wall, ".3f")]
        for s in starts
    ]
    return f"### Cold start\n\n{aligned(('command', 'CPU s', 'wall s'), lines, text=1)}\n"


def aligned(
    headings: Sequence[str], lines: Sequence[Sequence[str]], text: int = TEXT_COLUMNS
) -> str:
    """A Markdown table whose columns line up in a terminal; numbers to the right."""
    widths = [max(map(len, column)) for column in zip(headings, *lines, strict=True)]

    def line(values: Sequence[str]) -> str:
        padded = [
            value.ljust(width) if i < text else value.rjust(width)
            for i, (value, width) in enumerate(zip(values, widths, strict=True))
        ]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * w if i < text else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
    return "\n".join([line(headings), line(rule), *map(line, lines)])


def report(rows: Sequence[Row], starts: Sequence[Start], blas_threads: int) -> str:
    """Everything that a run found, in Markdown."""
    cases = [case(list(group)) for _, group in groupby(rows, key=lambda row: (row.n, row.k))]
    parts = [setting(blas_threads) + "\n", *cases, *([start_table(starts)] if starts else [])]
    return "\n".join(parts)


def write_csv(path: Path, rows: Iterable[Row]) -> None:
    """All columns of all rows, with the versions of each contender's packages."""
    installed = versions()
    packages = {contender.name: contender.packages for contender in ALL}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*(f.name for f in fields(Row)), "versions"])
        writer.writeheader()
        for row in rows:
            used = " ".join(f"{name}={installed[name]}" for name in packages[row.contender])
            writer.writerow(asdict(row) | {"versions": used})


def write_docs(page: Path, text: str) -> None:
    """Replace what stands between the two marks of a page. Raises `ValueError` without them."""
    before, begin, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{page} lacks the marks {BEGIN} and {END}")
    page.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}")
