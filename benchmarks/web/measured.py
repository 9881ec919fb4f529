"""Plays the judges against each server in turn, and keeps what was seen as rows."""

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import Failed
from benchmarks.row import ROOT
from benchmarks.web import disk, process
from benchmarks.web.judges import Found, Job
from benchmarks.web.servers import (
    Served,
    serve_bare,
    serve_evenhand,
    serve_pearmut,
    serve_postgres,
)
from benchmarks.web.work import Work

ACKNOWLEDGED = {
    "append": "a row is on the disk (fsync)",
    "commit": "a row is on the disk (SQLite, synchronous=FULL)",
    "bare": "nothing is stored",
    "evenhand": "the commit is on the disk (SQLite, synchronous=FULL)",
    "evenhand-postgres": "the commit is on the disk (PostgreSQL, synchronous_commit=on)",
    "pearmut": "handed to the system, not synced: lost with the machine's power",
}
"""What a contender has done when it says that an answer is stored."""
WARM = 4.0
"""Seconds of half the load before anything is counted: modules are imported, caches filled."""


@dataclass(frozen=True)
class Row:
    """One contender in one phase.

    `p50_ms` to `p99_ms` are from when an answer is due to the next item. `cpu_ms` is the server's
    user and system time per judgment, all threads; `client_share` how much of a core the judges
    took. `load` is the machine's load average when the phase began.
    """

    items: int
    judges: int
    contender: str
    phase: str
    offered: float | None = None
    round: int = 1
    seconds: float | None = None
    judgments: int | None = None
    per_s: float | None = None
    p50_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    unanswered: int | None = None
    cpu_ms: float | None = None
    client_share: float | None = None
    peak_mb: float | None = None
    launch_s: float | None = None
    start_s: float | None = None
    load: float | None = None
    acknowledged: str = ""
    note: str = ""


Way = Callable[[Path, Work], AbstractContextManager[Served]]


@dataclass(frozen=True)
class Plan:
    """What to play: seconds of each phase, judgments/s offered, and against whom."""

    seconds: float
    rate: float
    pearmut: Path | None = None
    postgres: str = ""

    def ways(self) -> dict[str, Way]:
        """The servers, in the order in which they are measured."""
        found: dict[str, Way] = {"bare": serve_bare, "evenhand": serve_evenhand}
        if self.postgres:
            found["evenhand-postgres"] = partial(serve_postgres, server=self.postgres)
        if self.pearmut is not None:
            found["pearmut"] = partial(serve_pearmut, program=self.pearmut)
        return found


def measure(work: Work, plan: Plan, number: int = 1) -> Iterator[Row]:
    """Yield the rows of one round over the contenders: the disk, the bare server, the others."""
    with TemporaryDirectory(prefix="bench-web-", dir=_make(ROOT / ".bench")) as name:
        floors = {"append": disk.append_rows, "commit": disk.commit_rows}
        for contender, form in floors.items():
            start = replace(_blank(work, contender, "one by one"), round=number)
            times = form(Path(name), min(plan.seconds, 3.0))
            yield _fill(start, Found(len(times), sum(times) / 1000, 0, 0, 0, times))
        for contender, way in plan.ways().items():
            folder = _make(Path(name) / contender)
            for row in _measure_server(work, plan, contender, partial(way, folder, work)):
                yield replace(row, round=number)


def _measure_server(
    work: Work,
    plan: Plan,
    contender: str,
    way: Callable[[], AbstractContextManager[Served]],
) -> Iterator[Row]:
    """Yield both phases of a server; where it fails, a row that says why."""
    phases = {"open": plan.rate, "closed": 0.0}
    try:
        with way() as served:
            pids = process.family(served.pid)
            play(served, min(plan.seconds, WARM), plan.rate / 2, pids)
            for phase, rate in phases.items():
                row = _blank(work, contender, phase)
                found = play(served, plan.seconds, rate, pids)
                yield replace(
                    _fill(row, found),
                    offered=rate or None,
                    cpu_ms=_over(found.server_cpu_s * 1000, found.judgments),
                    client_share=found.client_cpu_s / found.seconds,
                    peak_mb=process.peak_mb(pids),
                    launch_s=served.launch_s,
                    start_s=served.start_s,
                    note="no work was left" if found.out_of_work else "",
                )
    except Failed as fault:
        yield replace(_blank(work, contender, "closed"), note=str(fault))


def play(served: Served, seconds: float, rate: float, pids: list[int]) -> Found:
    """Let a process of its own play the judges.

    Raises:
        Failed: the server refused something.

    """
    job = Job(served.port, served.talk, served.judges, seconds, rate, tuple(pids))
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.web.judges"],
        input=json.dumps(asdict(job)),
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    if ran.returncode:
        raise Failed(ran.stderr.strip().splitlines()[-1])
    return Found(**json.loads(ran.stdout))


def _blank(work: Work, contender: str, phase: str) -> Row:
    told = ACKNOWLEDGED[contender]
    load = process.load()
    return Row(work.items, work.judges, contender, phase, load=load, acknowledged=told)


def _fill(row: Row, found: Found) -> Row:
    """Return a row with rates and times."""
    cuts = statistics.quantiles(found.times, n=100) if len(found.times) > 1 else [None] * 99
    return replace(
        row,
        seconds=found.seconds,
        judgments=found.judgments,
        per_s=found.judgments / found.seconds,
        p50_ms=cuts[49],
        p95_ms=cuts[94],
        p99_ms=cuts[98],
        unanswered=found.unanswered,
    )


def _over(part: float, whole: int) -> float | None:
    return part / whole if whole else None


def _make(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
