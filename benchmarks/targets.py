"""What Evenhand promises about its speed, checked on the rows of a run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.row import Row

BIG, MANY, SPARSE = (
    "N = 10,000,000, K = 100",
    "N = 1,000,000, K = 1,000",
    "N = 1,000,000, K = 10,000",
)
MILLION = "N = 1,000,000, K = 100"
OUTPUTS = "1,600 comparisons of 800 outputs, 4 chains of 1,000"
CROWD = "100,000 judges, 20 systems, 2,000,000 answers"
START = "a cold start"
SPA = "SPA, 1 metrics, 14 systems, 1,300 segments"
TIES = "ties, 1 metrics, 14 systems, 1,300 segments"
METRIC_TESTS = "tests, 30 metrics, 14 systems, 1,300 segments"
RATINGS = "1,000,000 ratings, 50 systems, 200 judges, 5,000 items"


@dataclass(frozen=True)
class Target:
    """A column of a contender's row in one case and the value that it may not exceed."""

    suite: str
    case: str
    contender: str
    column: str
    limit: float

    def checked(self, row: Row) -> str:
        """One line: met or missed, the value and the limit."""
        value = getattr(row, self.column)
        where = f"{self.suite}, {self.case}: {self.contender} {self.column}"
        if value is None:
            return f"not measured  {where} at most {self.limit:g} ({row.note})"
        return f"{verdict(value <= self.limit)}  {where} {value:.3g}, at most {self.limit:g}"


TARGETS = (
    Target("fit", BIG, "evenhand", "times_floor", 1.3),
    Target("fit", BIG, "evenhand", "peak_mb", 200),
    Target("fit", BIG, "evenhand-judges", "times_floor", 3),
    Target("fit", BIG, "evenhand-judges", "peak_mb", 500),
    Target("fit", MANY, "evenhand", "cpu_s", 0.6),
    Target("intervals", BIG, "evenhand, rank sets by judge", "times_floor", 3),
    Target("intervals", MILLION, "evenhand, 999 refits by judgment", "cpu_s", 1.5),
    Target("intervals", MILLION, "evenhand, 999 refits by judge", "cpu_s", 1.5),
    Target("item-response", OUTPUTS, "evenhand", "cpu_s", 2),
    Target("random-judges", CROWD, "evenhand", "cpu_s", 30),
    Target("random-judges", CROWD, "evenhand", "peak_mb", 2_048),
    Target("ratings", RATINGS, "evenhand", "cpu_s", 3),
    Target("ratings", RATINGS, "evenhand", "peak_mb", 500),
    Target("metrics", SPA, "evenhand", "cpu_s", 0.06),
    Target("metrics", TIES, "evenhand", "cpu_s", 0.2),
    Target("metrics", METRIC_TESTS, "evenhand", "cpu_s", 5),
    Target("startup", START, "evenhand --help", "wall_s", 0.15),
    Target("startup", START, "evenhand rank judgments-n200-k5-v1.csv", "cpu_s", 0.6),
)  # fmt: skip
WORTHS = "evenhand-worths"
ERRORS = ("SE", "standard errors")
"""How it is said of a contender that it gives errors."""
AHEAD = (
    ("fit", MANY, "evenhand"),
    ("fit", SPARSE, "evenhand-sparse"),
    ("fit", MANY, WORTHS),
    ("fit", SPARSE, WORTHS),
    ("intervals", MANY, "evenhand, model"),
    ("intervals", SPARSE, "evenhand, neighbours"),
)
"""Where Evenhand is to be ahead of every peer that answers with as much."""
EVALICA_TIMES = 20


def verdict(met: object) -> str:
    """The first word of a line."""
    return "met   " if met else "MISSED"


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """One line per target that this run can speak of."""
    found = {row.key: row for row in rows}
    for target in TARGETS:
        if row := found.get((target.suite, target.case, target.contender)):
            yield target.checked(row)
    ours, evalica = (found.get(("fit", BIG, name)) for name in ("evenhand", "evalica"))
    if ours and evalica and ours.cpu_s and evalica.cpu_s:
        times = evalica.cpu_s / ours.cpu_s
        met = verdict(times >= EVALICA_TIMES)
        told = f"evalica takes {times:.1f} x Evenhand's CPU, at least {EVALICA_TIMES}"
        yield f"{met}  fit, {BIG}: {told}"
    for suite, case, name in AHEAD:
        peers = [row for row in rows if (row.suite, row.case, row.role) == (suite, case, "peer")]
        peers = [
            row for row in peers if name == WORTHS or any(word in row.gives for word in ERRORS)
        ]
        own = found.get((suite, case, name))
        if own and own.cpu_s and any(row.cpu_s for row in peers):
            yield f"{ahead(own.cpu_s, [row for row in peers if row.cpu_s], (suite, case, name))}"


def ahead(cpu_s: float, peers: Sequence[Row], where: tuple[str, str, str]) -> str:
    """Whether Evenhand is ahead of the peers that were measured, and who is not behind."""
    faster = [row.contender for row in peers if (row.cpu_s or 0) <= cpu_s]
    who = f"behind {', '.join(faster)}" if faster else f"ahead of all {len(peers)} peers measured"
    suite, case, name = where
    return f"{verdict(not faster)}  {suite}, {case}: {name} is {who}"
