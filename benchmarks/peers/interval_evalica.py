"""evalica's bootstrap: rows are drawn again and fitted, from Python lists of labels."""

from collections.abc import Callable

import evalica
import numpy as np
import polars as pl

from benchmarks.peers import Answer
from benchmarks.peers.evalica import COLUMNS, WINNERS


def refits_10(path: str) -> Callable[[], Answer]:
    """Ten resamples and their percentiles; its default is 1,000, with BCa."""
    rows = pl.read_parquet(path, columns=COLUMNS)
    winners = [WINNERS[winner] for winner in rows["winner"].to_list()]
    found = evalica.bootstrap(
        evalica.bradley_terry,
        rows["model_a"].to_list(),
        rows["model_b"].to_list(),
        winners,
        n_resamples=10,
        bootstrap_method="percentile",
        random_state=0,
    )

    def look() -> Answer:
        worth = np.log(found.distribution)
        error = worth.sub(worth.mean(axis=1), axis=0).std(axis=0)
        return Answer(error.to_dict(), {"median_se": float(error.median())})

    return look
