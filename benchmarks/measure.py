"""Runs contenders in their processes, in turn, with a time limit."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmarks.contenders import Contender
from benchmarks.limits import Limits
from benchmarks.peers import Values
from benchmarks.row import ROOT

WORKER = (sys.executable, "-W", "ignore", "-m", "benchmarks.worker")
PATIENCE = 5
"""Wall time of a run as a multiple of the CPU time it may take: the machine may be busy."""
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class Failed(RuntimeError):
    """A contender could not be measured; the message says why, for the table."""


@dataclass
class Timing:
    """What the runs of one form have shown so far: seconds per run, memory in MB."""

    form: str
    imported: float
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    peak: float = 0.0
    values: Values = field(default_factory=dict)
    also: Values = field(default_factory=dict)

    def add(self, answer: dict[str, Any]) -> None:
        """Take one answer of the worker."""
        self.cpu.append(answer["cpu"])
        self.wall.append(answer["wall"])
        self.peak = max(self.peak, answer["peak"])
        self.values, self.also = answer["values"], answer["also"]


class Worker:
    """A contender's process. Raises `Failed` if it cannot import, fails or takes too long."""

    def __init__(self, contender: Contender, form: str, limits: Limits) -> None:
        self.limits = limits
        self.late = False
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  closed with the worker
        self.process = subprocess.Popen(
            [*WORKER, contender.module, form, str(limits.seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            cwd=ROOT,
            env=environment(limits.blas_threads if contender.role == "peer" else 0),
            start_new_session=True,
        )
        try:
            self.timing = Timing(form, self.answer()["imported"])
        except Failed:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def run(self, path: Path) -> Timing:
        """Run once more and return the timing so far."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{path.resolve()}\n")
        self.process.stdin.flush()
        self.timing.add(self.answer())
        return self.timing

    def answer(self) -> dict[str, Any]:
        """The worker's next line, or `Failed` with its last word."""
        assert self.process.stdout is not None
        clock = threading.Timer(PATIENCE * self.limits.seconds, self.stop)
        clock.start()
        line = self.process.stdout.readline()
        clock.cancel()
        if line:
            return dict(json.loads(line))
        late = self.process.wait() == -signal.SIGXCPU or self.late
        raise Failed(f"over {self.limits.seconds:g} s" if late else self.last_word())

    def stop(self) -> None:
        """End a run that takes too long."""
        self.late = True
        self.kill()

    def kill(self) -> None:
        """End the process and those that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def last_word(self) -> str:
        """The exception that ended the worker, on one line and without its module."""
        self.errors.seek(0)
        after = self.errors.read().rpartition("Traceback (most recent call last):\n")[2]
        unindented = [line for line in after.splitlines() if line[:1].strip()]
        if not unindented:
            return f"ended with {self.process.returncode}"
        kind, colon, message = unindented[0].partition(": ")
        return f"{kind.rpartition('.')[2]}{colon}{message}"

    @property
    def is_open(self) -> bool:
        """Whether it can run once more."""
        return not self.errors.closed

    def close(self) -> None:
        """End the process."""
        if not self.is_open:
            return
        self.kill()
        self.process.communicate()
        self.errors.close()


def environment(blas_threads: int) -> dict[str, str]:
    """This process's environment, with the linear algebra held to some threads if asked."""
    capped = dict.fromkeys(THREAD_VARIABLES, str(blas_threads)) if blas_threads else {}
    return os.environ | capped


Found = dict[str, Timing | Failed]


def in_turn(contenders: Sequence[Contender], path: Path, limits: Limits) -> Found:
    """Run contenders in turn, `repeat` rounds, so that a busy minute falls on all of them.

    One that has used its budget is not run again, and gives its memory back.
    """
    found: Found = {}
    workers: dict[str, Worker] = {}
    for contender in contenders:
        try:
            worker = choose_form(contender, path, limits)
        except Failed as failure:
            found[contender.name] = failure
            continue
        found[contender.name] = worker.timing
        keep_or_close(contender.name, worker, workers)
    while workers:
        for name, worker in list(workers.items()):
            try:
                worker.run(path)
            except Failed as failure:
                found[name] = failure
                worker.close()
            keep_or_close(name, worker, workers)
    return found


def keep_or_close(name: str, worker: Worker, workers: dict[str, Worker]) -> None:
    """Keep a worker that is to run again among the workers; close any other."""
    limits, spent = worker.limits, worker.timing.cpu
    if worker.is_open and len(spent) < limits.repeat and sum(spent) < limits.budget:
        workers[name] = worker
    else:
        workers.pop(name, None)
        worker.close()


def choose_form(contender: Contender, path: Path, limits: Limits) -> Worker:
    """A worker of the fastest form, which has run. Raises `Failed` if no form works."""
    best: Worker | None = None
    reasons: list[str] = []
    for form in contender.forms:
        try:
            worker = try_form(contender, form, path, limits)
        except Failed as failure:
            reasons.append(str(failure))
            continue
        loser: Worker | None = worker
        if best is None or min(worker.timing.cpu) < min(best.timing.cpu):
            best, loser = worker, best
        if loser is not None:
            loser.close()
    if best is None:
        raise Failed("; ".join(dict.fromkeys(reasons)))
    return best


def try_form(contender: Contender, form: str, path: Path, limits: Limits) -> Worker:
    """A worker that has run once, or twice if there are rivals: the first run warms caches."""
    worker = Worker(contender, form, limits)
    rivals = len(contender.forms) > 1 and limits.repeat > 1
    try:
        if worker.run(path).cpu[0] < min(1.0, limits.budget) and rivals:
            worker.run(path)
    except Failed:
        worker.close()
        raise
    return worker
