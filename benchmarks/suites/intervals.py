"""How sure: intervals by the model, by judges, by refits, and rank sets, on one file."""

from functools import partial

from benchmarks import data
from benchmarks.contenders import OURS, Contender, FileCase, Suite
from benchmarks.suites.fit import FLOOR, HAND, SPARSE

SE = "standard errors"
RANK_SETS = "simultaneous rank sets, all claims at once"


def ours(name: str, form: str, gives: str, like: str = "") -> Contender:
    """A way in which Evenhand says how sure it is."""
    known = (like,) if like else ()
    return Contender(f"evenhand, {name}", "ours", "interval_evenhand", (form,), gives, OURS, known)


def peer(name: str, module: str, forms: tuple[str, ...], gives: str, like: str) -> Contender:
    """A peer that gives intervals; `like` is the form of ours that estimates the same."""
    package = "evalica" if module.endswith("evalica") else name.split(",", maxsplit=1)[0]
    packages = (package, "jax") if package == "arena-rank" else (package, "duckdb")
    if package == "multinomial refits":
        packages = ("scipy", "duckdb")
    return Contender(name, "peer", module, forms, gives, packages, (f"interval_evenhand.{like}",))


MODEL = ours("model", "model", f"model {SE}")
BY_ROW = ours("sandwich by judgment", "sandwich", f"sandwich {SE}", "interval_evenhand.model")
EVENHAND = (
    MODEL,
    BY_ROW,
    ours("sandwich by judge", "sandwich_judge", f"clustered {SE}"),
    ours("rank sets by judge", "rank_sets", RANK_SETS),
    ours("rank sets by judge and item", "rank_sets_both", RANK_SETS),
    ours("999 refits by judgment", "refits", "bootstrap intervals", "interval_evenhand.model"),
    ours("999 refits by judge", "refits_judge", "bootstrap intervals, clustered"),
)
STATSMODELS = peer(
    "statsmodels", "interval_statsmodels", ("duckdb_counts",), f"model {SE}; {HAND}", "half_win"
)
ARENA = peer(
    "arena-rank", "interval_arena_rank", ("sandwich",), f"sandwich {SE}", "half_win_sandwich"
)
REFITS = (
    peer(
        "multinomial refits, 999",
        "interval_multinomial",
        ("refits_999",),
        f"bootstrap intervals, FastChat's way; {HAND}",
        "half_win_refits",
    ),
    peer(
        "arena-rank, 999 refits",
        "interval_arena_rank",
        ("refits_999",),
        "bootstrap intervals",
        "half_win_refits",
    ),
    peer(
        "evalica, 10 refits",
        "interval_evalica",
        ("refits_10",),
        "bootstrap intervals of 10 resamples",
        "half_win_refits",
    ),
)
FLOORS = (
    FLOOR,
    Contender("floor by judge", "floor", "floor", ("by_judge",), "counts by judge", ("duckdb",)),
)


def case(n: int, k: int, contenders: tuple[Contender, ...]) -> FileCase:
    """Contenders on `n` judgments of `k` systems by 1,000 judges."""
    return FileCase(f"N = {n:,}, K = {k:,}", partial(data.parquet, n=n, k=k), contenders)


SUITE = Suite(
    "intervals",
    "intervals by the model, by judges, by 999 refits, and rank sets",
    (
        case(10**6, 100, (*FLOORS, *EVENHAND, STATSMODELS, ARENA, *REFITS)),
        case(10**7, 100, (*FLOORS, *EVENHAND, STATSMODELS, ARENA, *REFITS[:1])),
        case(10**6, 1_000, (*FLOORS, *EVENHAND[:4], STATSMODELS, ARENA)),
        case(
            10**6,
            SPARSE,
            (
                *FLOORS[:1],
                ours("neighbours", "neighbours", "100 contrasts with standard errors"),
                STATSMODELS,
                ARENA,
            ),
        ),
    ),
    (case(10**5, 20, (*FLOORS, *EVENHAND, STATSMODELS, REFITS[0])),),
)
