"""One fit, from a Parquet file with string labels to the worths."""

from functools import partial

from benchmarks import data
from benchmarks.contenders import OURS, Contender, FileCase, Suite

HAND = "design built by hand"
GROUPED = ("duckdb", "numpy")
HALF_WIN = ("evenhand.half_win", "newton.half_win")
DISCARD = ("evenhand.discard", "newton.discard")
DAVIDSON = ("newton.davidson",)
MANY, SPARSE = 1_000, 10_000
"""Systems from which worths alone are measured too; from which no K x K matrix is made by us."""

FLOOR = Contender("floor", "floor", "floor", ("group_by",), "counts", ("duckdb",))
NEWTON = Contender(
    "floor+newton",
    "floor",
    "newton",
    ("davidson",),
    "worths",
    GROUPED,
    ("evenhand.model_intervals",),
)
MODEL = Contender(
    "evenhand", "ours", "evenhand", ("model_intervals",), "ranking, model SE", OURS, DAVIDSON
)
JUDGES = Contender(
    "evenhand-judges", "ours", "evenhand", ("judge_intervals",), "ranking, judge SE", OURS, DAVIDSON
)
NEIGHBOURS = Contender(
    "evenhand-sparse", "ours", "evenhand", ("neighbours",), "worths, 100 contrasts", OURS
)
WORTHS = Contender("evenhand-worths", "ours", "evenhand", ("worths",), "worths", OURS, DAVIDSON)
PEERS = (
    Contender(
        "evalica",
        "peer",
        "evalica",
        ("polars_strings", "pandas_strings"),
        "worths",
        ("evalica",),
        HALF_WIN,
    ),
    Contender(
        "evalica-by-hand",
        "peer",
        "evalica",
        ("polars_codes", "duckdb_counts"),
        f"worths; {HAND}",
        ("evalica", "polars", "duckdb"),
        HALF_WIN,
    ),
    Contender(
        "evalica-newman",
        "peer",
        "evalica",
        ("newman_counts",),
        f"worths; {HAND}",
        ("evalica", "duckdb"),
        ("evenhand.model_intervals", *DAVIDSON),
    ),
    Contender(
        "choix",
        "peer",
        "choix",
        ("duckdb_counts", "polars_codes"),
        f"worths; {HAND}",
        ("choix", "polars", "duckdb"),
        DISCARD,
    ),
    Contender(
        "scikit-learn",
        "peer",
        "scikit_learn",
        ("duckdb_counts", "duckdb_filters", "polars_codes"),
        f"worths; {HAND}",
        ("scikit-learn", "polars", "duckdb"),
        HALF_WIN,
    ),
    Contender(
        "statsmodels",
        "peer",
        "statsmodels",
        ("duckdb_counts",),
        f"worths, model SE; {HAND}",
        ("statsmodels", "duckdb"),
        HALF_WIN,
    ),
    Contender(
        "arena-rank",
        "peer",
        "arena_rank",
        ("pandas_strings",),
        "worths, row SE",
        ("arena-rank", "jax", "pandas"),
        HALF_WIN,
    ),
)


def case(n: int, k: int) -> FileCase:
    """All contenders on `n` judgments of `k` systems."""
    many = (WORTHS,) if k >= MANY else ()
    ours = (NEWTON, *many, NEIGHBOURS) if k >= SPARSE else (NEWTON, *many, MODEL, JUDGES)
    make = partial(data.parquet, n=n, k=k)
    return FileCase(f"N = {n:,}, K = {k:,}", make, (FLOOR, *ours, *PEERS))


FULL = tuple(case(n, k) for n in (10**5, 10**6, 10**7) for k in (20, 100, 1_000))
SUITE = Suite(
    "fit",
    "a fit from a file with string labels to the worths",
    (*FULL, case(10**6, SPARSE)),
    (case(10**5, 20), case(10**5, 100)),
)
