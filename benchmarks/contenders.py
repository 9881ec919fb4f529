"""Who is measured, and what each of them estimates. Nothing is imported from the libraries here."""

from dataclasses import dataclass

HAND = "design built by hand"


@dataclass(frozen=True)
class Contender:
    """One line of the table.

    `forms` are functions of `benchmarks.peers.<module>`, all tried, the fastest kept; `ties` is
    the tie rule, by Evenhand's names, under which its worths are compared; `largest` is the
    number of systems above which it is not run, because it holds dense K x K matrices.
    """

    name: str
    module: str
    forms: tuple[str, ...]
    packages: tuple[str, ...]
    ties: str
    gives: str
    smallest: int = 0
    largest: int = 3_000

    @property
    def is_peer(self) -> bool:
        """Whether it is another library, measured after the ones that alternate."""
        return self.module not in {"floor", "newton", "evenhand"}

    def runs_at(self, k: int) -> bool:
        """Whether it is run on `k` systems."""
        return self.smallest <= k <= self.largest


OURS = ("evenhand", "duckdb", "numpy")
GROUPED = ("duckdb", "numpy")
SPARSE = 10_000
"""Systems of the sparse case, where a K x K matrix is out of the question."""

ALL = (
    Contender("floor", "floor", ("group_by",), ("duckdb",), "", "counts", largest=SPARSE),
    Contender("floor+newton", "newton", ("davidson",), GROUPED, "davidson", "worths"),
    Contender("evenhand", "evenhand", ("model_intervals",), OURS, "davidson", "ranking, model SE"),
    Contender(
        "evenhand-judges", "evenhand", ("judge_intervals",), OURS, "davidson", "ranking, judge SE"
    ),
    Contender(
        "evenhand-sparse",
        "evenhand",
        ("neighbours",),
        OURS,
        "davidson",
        "worths, 100 contrasts",
        smallest=SPARSE,
        largest=SPARSE,
    ),
    Contender(
        "evalica",
        "evalica",
        ("polars_strings", "pandas_strings"),
        ("evalica",),
        "half-win",
        "worths",
    ),
    Contender(
        "evalica-by-hand",
        "evalica",
        ("polars_codes", "duckdb_counts"),
        ("evalica", "polars", "duckdb"),
        "half-win",
        f"worths; {HAND}",
    ),
    Contender(
        "evalica-newman",
        "evalica",
        ("newman_counts",),
        ("evalica", "duckdb"),
        "davidson",
        f"worths; {HAND}",
    ),
    Contender(
        "choix",
        "choix",
        ("duckdb_counts", "polars_codes"),
        ("choix", "polars", "duckdb"),
        "discard",
        f"worths; {HAND}",
    ),
    Contender(
        "scikit-learn",
        "scikit_learn",
        ("duckdb_counts", "duckdb_filters", "polars_codes"),
        ("scikit-learn", "polars", "duckdb"),
        "half-win",
        f"worths; {HAND}",
        largest=SPARSE,
    ),
    Contender(
        "statsmodels",
        "statsmodels",
        ("duckdb_counts",),
        ("statsmodels", "duckdb"),
        "half-win",
        f"worths, model SE; {HAND}",
    ),
    Contender(
        "arena-rank",
        "arena_rank",
        ("pandas_strings",),
        ("arena-rank", "jax", "pandas"),
        "half-win",
        "worths, row SE",
    ),
)

NAMES = tuple(contender.name for contender in ALL)
PEERS = tuple(contender.name for contender in ALL if contender.is_peer)


def chosen(peers: tuple[str, ...], k: int) -> list[Contender]:
    """Evenhand and the floors, and those of `peers`, that are run on `k` systems."""
    return [c for c in ALL if c.runs_at(k) and (not c.is_peer or c.name in peers)]
