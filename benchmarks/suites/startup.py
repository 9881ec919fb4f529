"""The command line from a cold start, beside Python importing numpy and DuckDB."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import data
from benchmarks.contenders import OURS, Suite
from benchmarks.limits import Limits
from benchmarks.row import Row, version
from benchmarks.startup import FLOOR, commands, started


@dataclass(frozen=True)
class StartCase:
    """Commands, each a process from its start to its end."""

    name: str

    def measure(self, suite: str, folder: Path, limits: Limits) -> Iterator[Row]:
        """Start every command some times."""
        floor = None
        for command, words in commands(data.csv(folder)).items():
            start = started(command, words, limits.repeat)
            if command == FLOOR:
                floor = start.cpu
            role = "ours" if "evenhand" in command else "floor"
            yield Row(
                version("evenhand"),
                suite,
                self.name,
                role,
                command,
                gives="a whole process",
                runs=start.runs,
                cpu_s=start.cpu,
                wall_s=start.wall,
                times_floor=start.cpu / floor if start.cpu and floor else None,
                note=start.note,
                versions=" ".join(f"{one}={version(one)}" for one in OURS),
            )


CASES = (StartCase("a cold start"),)
SUITE = Suite("startup", "the command line from a cold start", CASES, CASES)
