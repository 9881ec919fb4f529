"""The command line from a cold start: CPU seconds of the whole process, by the kernel's count.

Every start finds its modules compiled, as an installed package has them, in a folder that goes with
the benchmark: an environment that keeps Python from writing bytecode would else be measured.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FLOOR = "python -c 'import numpy, duckdb'"
"""What a command that reads a file cannot do without."""


@dataclass(frozen=True)
class Start:
    """The fastest of some starts of one command, in seconds; `note` says why there is none."""

    command: str
    cpu: float | None
    wall: float | None
    note: str = ""
    runs: int = 0


def commands(small_csv: Path) -> dict[str, list[str]]:
    """An empty Python, what every command needs, and some verbs on a small CSV."""
    program = evenhand()
    return {
        FLOOR: [sys.executable, "-c", "import numpy, duckdb"],
        "python -c pass": [sys.executable, "-c", "pass"],
        "python -c 'import evenhand'": [sys.executable, "-c", "import evenhand"],
        "evenhand --help": [*program, "--help"],
        **{
            f"evenhand {verb} {small_csv.name}": [*program, verb, str(small_csv)]
            for verb in ("rank", "inspect", "judges")
        },
    }


def compiled(folder: str) -> dict[str, str]:
    """The environment, with bytecode written to a folder and read from there."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": folder}


def evenhand() -> list[str]:
    """The installed command beside this Python, or the module where it is not installed."""
    beside = shutil.which("evenhand", path=str(Path(sys.executable).parent))
    return [beside] if beside else [sys.executable, "-m", "evenhand"]


def started(name: str, command: list[str], repeat: int) -> Start:
    """The fastest of `repeat` starts, after one that warms the disk and compiles."""
    with tempfile.TemporaryDirectory() as folder:
        return fastest(name, command, repeat, compiled(folder))


def fastest(name: str, command: list[str], repeat: int, environment: Mapping[str, str]) -> Start:
    """The fastest of `repeat` starts after the first, in some environment."""
    runs = []
    for _ in range(repeat + 1):
        wall = time.perf_counter()
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
        ) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            return Start(name, None, None, f"(exit {process.returncode})")
        runs.append((usage.ru_utime + usage.ru_stime, time.perf_counter() - wall))
    cpu, wall = (min(seconds) for seconds in zip(*runs[1:], strict=True))
    return Start(name, cpu, wall, runs=len(runs) - 1)
