"""One contender in a process of its own: imports first, then a run for every line of input.

``python -m benchmarks.worker MODULE FORM SECONDS``; each line on stdin is the path of a file, each
answer one line of JSON. A run that fails ends the process with its traceback.
"""

import importlib
import json
import math
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from benchmarks.peers import Answer, Form

MEMORY = 14 * 2**30
"""Bytes that a process may hold."""


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


def cpu_seconds() -> float:
    """User and system time of all threads, and of processes that were started and have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def timed(form: Form, path: str) -> dict[str, Any]:
    """One run: CPU seconds, wall seconds, peak MB, and what was computed."""
    wall, cpu = time.perf_counter(), cpu_seconds()
    found = form(path)
    cpu, wall, peak = cpu_seconds() - cpu, time.perf_counter() - wall, peak_mb()
    answer = found() if callable(found) else Answer(found)
    return {"cpu": cpu, "wall": wall, "peak": peak, "values": answer.values, "also": answer.also}


def limit_memory() -> None:
    """Let what asks for too much memory fail with an error, not take the machine down."""
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def private_stdout() -> TextIO:
    """The real stdout, with everything that a library prints sent to stderr instead."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def limit_cpu(seconds: float) -> None:
    """End this process once it has used so many CPU seconds more."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + seconds), most))


def main(module: str, form: str, seconds: str) -> None:
    """Import the contender, say so, and answer until the input ends."""
    answers = private_stdout()
    limit_memory()
    run = getattr(importlib.import_module(f"benchmarks.peers.{module}"), form)
    print(json.dumps({"imported": peak_mb()}), file=answers, flush=True)
    for line in sys.stdin:
        limit_cpu(float(seconds))
        print(json.dumps(timed(run, line.rstrip("\n"))), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
