"""How cost grows: one of N (judgments), K (systems) and J (judges) at a time.

The others stay at N = 1,000,000, K = 100 and 1,000 judges. `benchmarks.slopes` fits lines to the
logarithms.
"""

from functools import partial

from benchmarks import data
from benchmarks.contenders import OURS, Contender, FileCase, Suite
from benchmarks.suites import fit, intervals

N, K, J = 10**6, 100, data.JUDGES
RANK_SETS = Contender(
    "evenhand, rank sets by judge",
    "ours",
    "interval_evenhand",
    ("rank_sets",),
    "simultaneous rank sets",
    OURS,
)
CONTENDERS = (*intervals.FLOORS, fit.WORTHS, fit.MODEL, fit.JUDGES, RANK_SETS)


def case(axis: str, n: int = N, k: int = K, judges: int = J) -> FileCase:
    """Floors and Evenhand at one size along an axis."""
    size = {"N": n, "K": k, "J": judges}[axis]
    make = partial(data.parquet, n=n, k=k, judges=judges)
    return FileCase(f"{axis} = {size:,}", make, CONTENDERS)


BY_N = tuple(case("N", n=n) for n in (10**5, 3 * 10**5, 10**6, 3 * 10**6, 10**7))
BY_K = tuple(case("K", k=k) for k in (10, 30, 100, 300, 1_000, 3_000))
BY_J = tuple(case("J", judges=judges) for judges in (10, 100, 1_000, 10_000, 100_000))
SUITE = Suite(
    "growth",
    "how cost grows with judgments, systems, judges",
    (*BY_N, *BY_K, *BY_J),
    (case("N", n=10**4), case("N", n=10**5)),
)
