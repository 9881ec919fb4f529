"""What contenders of the bench of completion are compared by: the error of what they predict."""

from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import Answer, parquet

Predict = Callable[[Sequence[str], Sequence[str]], NDArray[np.float64]]
"""Takes judges and outputs, and gives a rating for each."""


def rows(path: str) -> tuple[list[str], list[str], NDArray[np.float64]]:
    """Judges, outputs and scores of a file."""
    query = f"SELECT judge, item, score FROM {parquet(path)}"
    found = duckdb.execute(query).fetchnumpy()
    return found["judge"].tolist(), found["item"].tolist(), np.asarray(found["score"], dtype=float)


def look_at(path: str, predict: Predict) -> Callable[[], Answer]:
    """The root of the mean squared error on what was asked."""

    def look() -> Answer:
        place = Path(path)
        judges, outputs, score = rows(str(place.with_name(f"{place.stem}-asked.parquet")))
        error = float(np.sqrt(np.mean((predict(judges, outputs) - score) ** 2)))
        return Answer({"rmse": error}, {"rmse": error})

    return look
