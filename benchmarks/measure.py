"""Runs contenders in their processes, with a time limit, and keeps the fastest of their runs."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmarks.contenders import Contender
from benchmarks.peers import Worths

ROOT = Path(__file__).resolve().parents[1]
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class Failed(RuntimeError):
    """A contender could not be measured; the message says why, for the table."""


@dataclass(frozen=True)
class Limits:
    """How long to go on.

    `repeat` runs, but no further run of a peer once `budget` CPU seconds are used, and no run
    over `seconds` of wall time. Peers get `blas_threads` threads for linear algebra (0: as they
    find it), because CPU seconds would charge them for threads that wait; Evenhand and the
    floors are left as a user finds them.
    """

    repeat: int = 5
    budget: float = 10.0
    seconds: float = 180.0
    blas_threads: int = 1


@dataclass
class Timing:
    """What the runs of one form have shown so far: seconds per run, memory in MB."""

    form: str
    imported: float
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    peak: float = 0.0
    worths: Worths = field(default_factory=dict)

    def add(self, answer: dict[str, Any]) -> None:
        """Take one answer of the worker."""
        self.cpu.append(answer["cpu"])
        self.wall.append(answer["wall"])
        self.peak = max(self.peak, answer["peak"])
        self.worths = answer["worths"]


class Worker:
    """A contender's process. Raises `Failed` if it cannot import, fails or takes too long."""

    def __init__(self, contender: Contender, form: str, limits: Limits) -> None:
        self.limits = limits
        self.late = False
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  closed with the worker
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "benchmarks.worker", contender.module, form],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            cwd=ROOT,
            env=environment(limits.blas_threads if contender.is_peer else 0),
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
        """Fit once more and return the timing so far."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{path.resolve()}\n")
        self.process.stdin.flush()
        self.timing.add(self.answer())
        return self.timing

    def answer(self) -> dict[str, Any]:
        """The worker's next line, or `Failed` with its last word."""
        assert self.process.stdout is not None
        clock = threading.Timer(self.limits.seconds, self.stop)
        clock.start()
        line = self.process.stdout.readline()
        clock.cancel()
        if line:
            return dict(json.loads(line))
        raise Failed(f"over {self.limits.seconds:g} s" if self.late else self.last_word())

    def stop(self) -> None:
        """End a run that takes too long."""
        self.late = True
        self.process.kill()

    def last_word(self) -> str:
        """The exception that ended the worker, on one line and without its module."""
        self.process.wait()
        self.errors.seek(0)
        after = self.errors.read().rpartition("Traceback (most recent call last):\n")[2]
        unindented = [line for line in after.splitlines() if line[:1].strip()]
        if not unindented:
            return f"ended with {self.process.returncode}"
        kind, colon, message = unindented[0].partition(": ")
        return f"{kind.rpartition('.')[2]}{colon}{message}"

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()
        self.errors.close()


def environment(blas_threads: int) -> dict[str, str]:
    """This process's environment, with the linear algebra held to some threads if asked."""
    capped = dict.fromkeys(THREAD_VARIABLES, str(blas_threads)) if blas_threads else {}
    return os.environ | capped


def fastest(contender: Contender, path: Path, limits: Limits) -> Timing:
    """Try every form, then repeat the fastest one. Raises `Failed` if no form works."""
    best: Worker | None = None
    reasons: list[str] = []
    for form in contender.forms:
        try:
            worker = tried(contender, form, path, limits)
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
    with best:
        while len(best.timing.cpu) < limits.repeat and sum(best.timing.cpu) < limits.budget:
            best.run(path)
    return best.timing


def tried(contender: Contender, form: str, path: Path, limits: Limits) -> Worker:
    """A worker that has run once, or twice if that was quick: the first run warms caches."""
    worker = Worker(contender, form, limits)
    try:
        if worker.run(path).cpu[0] < min(1.0, limits.budget) and limits.repeat > 1:
            worker.run(path)
    except Failed:
        worker.close()
        raise
    return worker


def alternating(
    contenders: list[Contender], path: Path, limits: Limits
) -> dict[str, Timing | Failed]:
    """Run the contenders in turn, `repeat` rounds, so that a busy minute falls on all of them."""
    outcome: dict[str, Timing | Failed] = {}
    workers: dict[str, Worker] = {}
    for contender in contenders:
        try:
            workers[contender.name] = Worker(contender, contender.forms[0], limits)
        except Failed as failure:
            outcome[contender.name] = failure
    for _ in range(limits.repeat):
        for name, worker in list(workers.items()):
            try:
                outcome[name] = worker.run(path)
            except Failed as failure:
                outcome[name] = failure
                workers.pop(name).close()
    for worker in workers.values():
        worker.close()
    return outcome
