"""What the Gaussian item-response model costs.

One file: 160 rankings of five of 15 systems, so 1,600 comparisons of 800 outputs, drawn from the
model. Each contender draws 4 chains of 1,000 sweeps, of which 200 are burn-in. Beside CPU seconds
stand the effective number of draws of the system that has fewest, that number by CPU second, and
the largest split R-hat.
"""

from pathlib import Path

import duckdb
import numpy as np

from benchmarks import data
from benchmarks.contenders import OURS, Contender, FileCase, Suite

SYSTEMS, RANKINGS, EACH, RECIPE = 15, 160, 5, 1
LIKE = ("irt_evenhand.default",)
CONTENDERS = (
    Contender("floor", "floor", "irt_floor", ("group_by",), "counts", ("duckdb",)),
    Contender(
        "evenhand",
        "ours",
        "irt_evenhand",
        ("default",),
        "draws, abilities and qualities as one",
        OURS,
    ),
    Contender(
        "plain Gibbs",
        "peer",
        "irt_plain",
        ("default",),
        "draws, one variable after the other",
        (),
        LIKE,
    ),
    Contender(
        "numpyro", "peer", "irt_numpyro", ("default",), "draws by NUTS", ("numpyro", "jax"), LIKE
    ),
)


def parquet(folder: Path) -> Path:
    """The file in `folder`, made if it is not there."""
    path = folder / f"outputs-k{SYSTEMS}-n{RANKINGS * EACH * (EACH - 1) // 2}-v{RECIPE}.parquet"
    return data.make_once(path, write)


def write(path: Path) -> None:
    """Write the comparisons of all rankings."""
    rng = np.random.default_rng(1)
    ability = rng.normal(size=SYSTEMS) / 2
    rows = []
    for item in range(RANKINGS):
        shown = rng.choice(SYSTEMS, EACH, replace=False)
        quality = rng.normal(ability[shown], 0.5)
        for i in range(EACH):
            for j in range(i):
                gap = quality[i] - quality[j] + rng.normal(0, 2**0.5)
                said = "tie" if abs(gap) < 0.4 else "left" if gap > 0 else "right"
                left, right = (f"system-{shown[at]:02d}" for at in (i, j))
                rows.append((left, right, said, f"item-{item:03d}"))
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE t ("left" TEXT, "right" TEXT, outcome TEXT, item TEXT)')
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        connection.execute(f"COPY t TO {data.quoted(path)} (FORMAT parquet)")


CASES = (FileCase("1,600 comparisons of 800 outputs, 4 chains of 1,000", parquet, CONTENDERS),)
SUITE = Suite(
    "item-response",
    "the Gaussian item-response model",
    CASES,
    (FileCase(CASES[0].name, parquet, CONTENDERS[:2]),),
)
