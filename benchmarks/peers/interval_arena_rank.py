"""arena-rank's intervals: its sandwich by row, and its refits of multinomial resamples."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.utils.data_utils import PairDataset

from benchmarks.peers import Answer
from benchmarks.peers.arena_rank import ELO


def sandwich(path: str) -> Callable[[], Answer]:
    """Its default."""
    return errors(path, ci_method="sandwich")


def refits_999(path: str) -> Callable[[], Answer]:
    """999 resamples in as many processes as there are cores."""
    return errors(path, ci_method="bootstrap", num_bootstrap=999)


def errors(path: str, **how: Any) -> Callable[[], Answer]:
    """Standard errors of its ratings in logits, looked at when the clock has stopped."""
    rows = pd.read_parquet(path, columns=["model_a", "model_b", "winner"])
    data = PairDataset.from_pandas(rows)
    result = BradleyTerry(n_competitors=len(data.competitors)).compute_ratings_and_cis(data, **how)

    def look() -> Answer:
        error = np.sqrt(np.asarray(result["variances"])) / ELO
        return Answer(
            dict(zip(map(str, result["competitors"]), error.tolist(), strict=True)),
            {"median_se": float(np.median(error))},
        )

    return look
