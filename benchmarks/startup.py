"""The command line from a cold start: CPU seconds of the whole process, by the kernel's count."""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Start:
    """The fastest of some starts of one command, in seconds; `note` says why there is none."""

    command: str
    cpu: float | None
    wall: float | None
    note: str = ""


def starts(small_csv: Path, repeat: int) -> list[Start]:
    """Start an empty Python, ``evenhand --help`` and ``evenhand rank`` on a small CSV."""
    program = evenhand()
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "evenhand --help": [*program, "--help"],
        f"evenhand rank {small_csv.name}": [*program, "rank", str(small_csv)],
    }
    return [started(name, command, repeat) for name, command in commands.items()]


def evenhand() -> list[str]:
    """The installed command beside this Python, or the module where it is not installed."""
    beside = shutil.which("evenhand", path=str(Path(sys.executable).parent))
    return [beside] if beside else [sys.executable, "-m", "evenhand"]


def started(name: str, command: list[str], repeat: int) -> Start:
    """The fastest of `repeat` starts, after one that warms the disk."""
    runs = []
    for _ in range(repeat + 1):
        wall = time.perf_counter()
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            return Start(name, None, None, f"(exit {process.returncode})")
        runs.append((usage.ru_utime + usage.ru_stime, time.perf_counter() - wall))
    return Start(name, *(min(seconds) for seconds in zip(*runs[1:], strict=True)))
