"""A server under load beside pearmut: CPU seconds are those of the server for one judgment.

`wall_s` is one over the judgments per second; `p95_ms` from when an answer is due to the next item.
``python -m benchmarks.web`` has more options, and keeps more columns.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contenders import Suite
from benchmarks.limits import Limits
from benchmarks.measure import Failed
from benchmarks.row import Row, version
from benchmarks.web import process
from benchmarks.web.measured import ACKNOWLEDGED, Plan, measure
from benchmarks.web.measured import Row as Seen
from benchmarks.web.peer import VERSION, install_pearmut
from benchmarks.web.table import best
from benchmarks.web.work import Work

ROLES = {"bare": "floor", "evenhand": "ours", "pearmut": "peer"}
PER_ITEM, RATE = 10, 300.0


@dataclass(frozen=True)
class WebCase:
    """Judges played against servers."""

    items: int
    judges: int
    seconds: float

    @property
    def name(self) -> str:
        """How large the campaign is."""
        return f"{self.items:,} items x {self.judges:,} judges"

    def measure(self, suite: str, folder: Path, limits: Limits) -> Iterator[Row]:
        """Two rounds, of which the best counts; rows by phase."""
        start = (version("evenhand"), suite, self.name)
        if not process.PROC.joinpath("self/stat").exists():
            note = "CPU and memory of servers are read from /proc, as on Linux"
            yield Row(*start, "ours", "evenhand", note=note)
            return
        pearmut, why = None, ""
        if limits.takes("pearmut"):
            try:
                pearmut = install_pearmut(folder)
            except Failed as fault:
                why = str(fault)
        plan = Plan(self.seconds, RATE, pearmut)
        work = Work(self.items, self.judges, min(PER_ITEM, self.judges))
        rounds = range(1, min(limits.repeat, 2) + 1)
        seen = best([row for number in rounds for row in measure(work, plan, number)])
        for row in seen:
            if row.contender in ROLES:
                yield shown(row, start, seen)
        if why:
            yield Row(*start, "peer", "pearmut", note=why)


def shown(row: Seen, start: tuple[str, str, str], seen: list[Seen]) -> Row:
    """A row of the same columns as all others."""
    phase = "at 300/s" if row.phase == "open" else "without a pause"
    cpu = None if row.cpu_ms is None else row.cpu_ms / 1000
    numbers = {"per_s": row.per_s, "p50_ms": row.p50_ms, "p95_ms": row.p95_ms, "load": row.load}
    package = "pearmut" if row.contender == "pearmut" else "evenhand"
    return Row(
        *start,
        ROLES[row.contender],
        f"{row.contender}, {phase}",
        gives=ACKNOWLEDGED[row.contender],
        runs=row.round,
        cpu_s=cpu,
        wall_s=1 / row.per_s if row.per_s else None,
        peak_mb=row.peak_mb,
        times_floor=times(row, seen, "bare"),
        times_peer=times(row, seen, "pearmut"),
        also=" ".join(f"{name}={value:.5g}" for name, value in numbers.items() if value),
        note="" if cpu else row.note,
        versions=f"{package}={VERSION if package == 'pearmut' else version(package)}",
    )


def times(row: Seen, seen: list[Seen], other: str) -> float | None:
    """CPU of a judgment as a multiple of another server's in the same phase."""
    found = [one.cpu_ms for one in seen if (one.contender, one.phase) == (other, row.phase)]
    return row.cpu_ms / found[0] if row.cpu_ms and found and found[0] else None


SUITE = Suite(
    "web",
    "a server under load",
    (WebCase(2_000, 50, 6.0), WebCase(20_000, 500, 6.0)),
    (WebCase(60, 6, 1.0),),
)
