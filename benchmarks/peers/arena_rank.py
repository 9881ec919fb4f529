"""arena-rank: the arena's own package, L-BFGS in JAX; a tie is half a win; sandwich by row."""

import math

import pandas as pd
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.utils.data_utils import PairDataset

from benchmarks.peers import Worths, centred

ELO = 400 / math.log(10)
"""Points of arena-rank's scale in one logit."""


def pandas_strings(path: str) -> Worths:
    """Label columns read by pandas, as its documentation shows."""
    rows = pd.read_parquet(path, columns=["model_a", "model_b", "winner"])
    data = PairDataset.from_pandas(rows)
    result = BradleyTerry(n_competitors=len(data.competitors)).compute_ratings_and_cis(data)
    return centred(result["competitors"], [float(rating) / ELO for rating in result["ratings"]])
