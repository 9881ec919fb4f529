"""One contender in a process of its own: imports first, then a fit for every line of input.

``python -m benchmarks.worker MODULE FORM``; each line on stdin is the path of a Parquet file,
each answer one line of JSON. A fit that fails ends the process with its traceback.
"""

import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from benchmarks.peers import Worths


def peak_mb() -> float:
    """Peak resident memory of this process in MB.

    Linux keeps in `ru_maxrss` the peak of the process that forked this one, so the status file
    goes first.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024**2 if sys.platform == "darwin" else 1024)


def timed(form: Callable[[str], Worths], path: str) -> dict[str, Any]:
    """One fit: CPU seconds (user and system, all threads), wall seconds, peak MB, worths."""
    wall, cpu = time.perf_counter(), time.process_time()
    worths = form(path)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {"cpu": cpu, "wall": wall, "peak": peak_mb(), "worths": worths}


def private_stdout() -> TextIO:
    """The real stdout, with everything that a library prints sent to stderr instead."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def main(module: str, form: str) -> None:
    """Import the contender, say so, and answer until the input ends."""
    answers = private_stdout()
    fit = getattr(importlib.import_module(f"benchmarks.peers.{module}"), form)
    print(json.dumps({"imported": peak_mb()}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(timed(fit, line.rstrip("\n"))), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
