"""What agreement costs at a million ratings, beside its peers.

Two files: two judges on every output; five of whom a fifth of the scores is missing. CPU seconds
count from the path of the file, so that peers pay for making their input: one score of each judge
for each output, counted; *unchecked* they count all rows and never look at who gave them.
"""

from functools import partial
from pathlib import Path

import duckdb
import numpy as np

from benchmarks import data
from benchmarks.contenders import OURS, Contender, FileCase, Suite

RATINGS, SYSTEMS, JUDGES, RECIPE = 1_000_000, 20, 1_000, 2
ONCE, ALL = ("duckdb_once", "polars_once"), ("duckdb_all", "polars_all")
LIKE = ("agreement_evenhand.default",)
CONTENDERS = (
    Contender("floor", "floor", "agreement_floor", ("by_output",), "counts by output", ("duckdb",)),
    Contender(
        "floor, one column", "floor", "agreement_floor", ("one_column",), "counts", ("duckdb",)
    ),
    Contender(
        "evenhand",
        "ours",
        "agreement_evenhand",
        ("default",),
        "12 coefficients, 1,000 resamples, least reliable items",
        OURS,
    ),
    *(
        Contender(
            f"{module}{unchecked}",
            "peer",
            f"agreement_{module}",
            forms,
            gives,
            (module, "duckdb", "polars"),
            LIKE,
            (number,),
        )
        for module, gives, number in (
            ("krippendorff", "interval α", "alpha-interval"),
            ("statsmodels", "Fleiss' κ", "fleiss"),
        )
        for unchecked, forms in (("", ONCE), (", unchecked", ALL))
    ),
)
LABELLED = """
    SELECT format('annotator-{:08d}', judge) AS judge, format('item-{:09d}', item) AS item,
           format('system-{:05d}-instruct', system) AS system, score
    FROM codes
"""


def parquet(folder: Path, judges: int, missing: float) -> Path:
    """The file of a million ratings in `folder`, made if it is not there."""
    path = folder / f"ratings-n{RATINGS}-j{judges}-m{missing:g}-v{RECIPE}.parquet"
    return data.make_once(path, lambda file: write(file, judges, missing))


def write(path: Path, judges: int, missing: float) -> None:
    """Write ratings of outputs by judges; a share of them is missing."""
    rng = np.random.default_rng(1)
    outputs = round(RATINGS / judges / (1 - missing))
    output = np.repeat(np.arange(outputs), judges)
    n = len(output)
    turn = np.tile(np.arange(judges), outputs) * (JUDGES // judges)
    start = np.repeat(rng.integers(0, JUDGES, outputs), judges)
    felt = np.repeat(rng.normal(3, 1, outputs), judges) + rng.normal(0, 0.8, n)
    columns = {
        "judge": (start + turn + rng.integers(0, JUDGES // judges, n)) % JUDGES,
        "item": output // SYSTEMS,
        "system": output % SYSTEMS,
        "score": np.clip(np.round(felt), 1, 5).astype(np.int64),
    }
    kept = rng.permutation(n)[: round(n * (1 - missing))]
    codes = {name: values[kept] for name, values in columns.items()}  # noqa: F841  read by name below
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({LABELLED}) TO {data.quoted(path)} (FORMAT parquet)")


def case(judges: int, missing: float, name: str) -> FileCase:
    """All contenders on ratings of outputs by some judges."""
    make = partial(parquet, judges=judges, missing=missing)
    return FileCase(f"judges per output: {name}", make, CONTENDERS)


CASES = (case(2, 0.0, "2"), case(5, 0.2, "up to 5, 20 % missing"))
SUITE = Suite("agreement", "agreement of a million ratings", CASES, CASES[:1])
