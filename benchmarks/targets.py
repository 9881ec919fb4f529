"""What Evenhand promises about its speed, checked on the rows of a run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.contenders import PEERS
from benchmarks.run import Row
from benchmarks.startup import Start


@dataclass(frozen=True)
class Target:
    """A column of a contender's row on one file and the value that it may not exceed."""

    n: int
    k: int
    contender: str
    column: str
    limit: float

    def checked(self, row: Row) -> str:
        """One line: met or missed, the value and the limit."""
        value = getattr(row, self.column)
        where = f"N = {self.n:,}, K = {self.k:,}: {self.contender} {self.column}"
        if value is None:
            return f"not measured  {where} at most {self.limit:g} ({row.note})"
        return f"{verdict(value <= self.limit)}  {where} {value:.3g}, at most {self.limit:g}"


TARGETS = (
    Target(10**7, 100, "evenhand", "times_floor", 1.3),
    Target(10**7, 100, "evenhand", "peak_mb", 200),
    Target(10**7, 100, "evenhand-judges", "times_floor", 3),
    Target(10**7, 100, "evenhand-judges", "peak_mb", 500),
    Target(10**6, 1_000, "evenhand", "cpu_s", 0.6),
)
EVALICA_TIMES = 20
HELP_SECONDS = 0.150
RANK_SECONDS = 0.6


def verdict(met: object) -> str:
    """The first word of a line."""
    return "met   " if met else "MISSED"


def lines(rows: Sequence[Row], starts: Sequence[Start]) -> Iterator[str]:
    """One line per target that this run can speak of."""
    found = {(row.n, row.k, row.contender): row for row in rows}
    for target in TARGETS:
        if row := found.get((target.n, target.k, target.contender)):
            yield target.checked(row)
    for evalica in (found.get((10**7, 100, name)) for name in ("evalica", "evalica-by-hand")):
        if evalica and evalica.times_evenhand:
            met = verdict(evalica.times_evenhand >= EVALICA_TIMES)
            yield (
                f"{met}  N = 10,000,000, K = 100: {evalica.contender} takes "
                f"{evalica.times_evenhand:.1f} x Evenhand's CPU, at least {EVALICA_TIMES}"
            )
    peers = [r for r in rows if (r.n, r.k) == (10**6, 1_000) and r.contender in PEERS and r.cpu_s]
    if peers and (ours := found.get((10**6, 1_000, "evenhand"))) and ours.cpu_s:
        yield ahead(ours.cpu_s, peers)
    for start in starts:
        if start.command == "evenhand --help" and start.wall is not None:
            met = verdict(start.wall <= HELP_SECONDS)
            yield f"{met}  {start.command} {start.wall:.3f} s, at most {HELP_SECONDS:g}"
        if start.command.startswith("evenhand rank ") and start.cpu is not None:
            met = verdict(start.cpu <= RANK_SECONDS)
            yield f"{met}  {start.command} {start.cpu:.3f} CPU s, at most {RANK_SECONDS:g}"


def ahead(cpu_s: float, peers: Sequence[Row]) -> str:
    """Whether Evenhand is ahead of the peers that were measured, and who is not behind."""
    faster = [row.contender for row in peers if (row.cpu_s or 0) <= cpu_s]
    who = f"behind {', '.join(faster)}" if faster else f"ahead of all {len(peers)} peers measured"
    return f"{verdict(not faster)}  N = 1,000,000, K = 1,000: evenhand is {who}"
