"""What every suite gives: rows of the same columns."""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"


def version(package: str) -> str:
    """The installed version of a package."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


@dataclass(frozen=True)
class Row:
    """One contender in one case of a suite.

    Attributes:
        version: of Evenhand.
        suite: what is measured.
        case: on what.
        role: floor, ours or peer.
        contender: who.
        form: the way of calling it that was fastest.
        gives: what it answers with.
        runs: how many; the fastest counts.
        cpu_s: CPU seconds, user and system, all threads; None where `note` says why there are none.
        cpu_median_s: the median over the runs.
        wall_s: seconds that passed.
        peak_mb: largest resident memory of the process, its libraries in it.
        times_floor: CPU seconds as a multiple of the first floor's.
        times_peer: as a multiple of the fastest peer's.
        difference: the largest absolute difference from the numbers of `reference`.
        reference: whom its numbers are compared with.
        also: other numbers, as name=value with blanks between.
        note: why there is no number.
        versions: of the packages it rests on.

    """

    version: str
    suite: str
    case: str
    role: str
    contender: str
    form: str = ""
    gives: str = ""
    runs: int = 0
    cpu_s: float | None = None
    cpu_median_s: float | None = None
    wall_s: float | None = None
    peak_mb: float | None = None
    times_floor: float | None = None
    times_peer: float | None = None
    difference: float | None = None
    reference: str = ""
    also: str = ""
    note: str = ""
    versions: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What a row is found by."""
        return self.suite, self.case, self.contender

    def extra(self, name: str) -> float:
        """One of the other numbers. Raises `KeyError` where there is none of that name."""
        return {key: float(value) for key, value in (one.split("=") for one in self.also.split())}[
            name
        ]


def kept_tables(folder: Path) -> list[Path]:
    """The tables of versions in a folder, 0.9.0 before 0.10.0."""
    return sorted((one for one in folder.glob("*.csv") if is_version(one)), key=number_version)


def is_version(path: Path) -> bool:
    """Say whether a table is named after a version."""
    return re.fullmatch(r"\d+(\.\d+)*", path.stem) is not None


def number_version(path: Path) -> list[int]:
    """The numbers of the version that a table is named after."""
    return [int(part) for part in path.stem.split(".")]


NUMBERS = ("cpu_s", "cpu_median_s", "wall_s", "peak_mb", "times_floor", "times_peer", "difference")


def read_rows(path: Path) -> list[Row]:
    """The rows of a CSV file.

    Raises:
        ValueError: columns are not those of rows.

    """
    with path.open(newline="", encoding="utf-8") as file:
        table = csv.DictReader(file)
        if table.fieldnames != [field.name for field in fields(Row)]:
            raise ValueError(f"{path} is no table of `python -m benchmarks`: other columns")
        return [_parse(line) for line in table]


def _parse(line: dict[str, str]) -> Row:
    text = {name: value for name, value in line.items() if name not in {*NUMBERS, "runs"}}
    numbers = {name: float(line[name]) if line[name] else None for name in NUMBERS}
    return Row(**text, runs=int(line["runs"]), **numbers)  # type: ignore[arg-type]


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows; numbers with four digits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        table.writeheader()
        for row in rows:
            line = asdict(row)
            table.writerow({name: _short(value) for name, value in line.items()})


def _short(value: object) -> object:
    return f"{value:.4g}" if isinstance(value, float) else value


def replace_cases(kept: Sequence[Row], new: Sequence[Row]) -> list[Row]:
    """The rows of a table with those cases replaced that were measured again."""
    cases = {(row.suite, row.case) for row in new}
    rest = [row for row in kept if (row.suite, row.case) not in cases]
    return [*rest, *new]
