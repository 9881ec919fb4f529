"""The integer codes that a user builds by hand: Polars reads the labels and casts them to an Enum.

Not a contender; the fastest preparation of rows that we found for libraries that take codes.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

OUTCOMES = ("tie", "model_a", "model_b")
TIE, LEFT, RIGHT = range(3)


@dataclass(frozen=True)
class Codes:
    """One entry per row: `left`, `right` (N,) codes into `systems`, `outcome` (N,) as OUTCOMES."""

    systems: list[str]
    left: NDArray[np.unsignedinteger]
    right: NDArray[np.unsignedinteger]
    outcome: NDArray[np.unsignedinteger]


def codes(path: str) -> Codes:
    """Read the file's three columns as integer codes."""
    rows = pl.read_parquet(path, columns=["model_a", "model_b", "winner"])
    systems = pl.concat([rows["model_a"].unique(), rows["model_b"].unique()]).unique().sort()
    label = pl.Enum(systems)

    def code(column: str, kind: pl.Enum) -> NDArray[np.unsignedinteger]:
        return rows[column].cast(kind).to_physical().to_numpy()

    return Codes(
        systems.to_list(),
        code("model_a", label),
        code("model_b", label),
        code("winner", pl.Enum(OUTCOMES)),
    )
