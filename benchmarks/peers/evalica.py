"""evalica: estimates by Newman's iterations, no standard errors.

Three contenders: Bradley-Terry (a tie is half a win for each) given the labels as the file has
them, which is what its documentation shows; the same given codes or counts that the user has
prepared by hand; and `newman`, whose ties are Davidson's (Newman 2023, section 5), given counts.
"""

from collections.abc import Callable
from typing import Any

import duckdb
import evalica
import numpy as np
import pandas as pd
import polars as pl

from benchmarks.peers import Worths, centred, coded, floor, parquet

COLUMNS = ["model_a", "model_b", "winner"]
WINNERS = {
    "model_a": evalica.Winner.X,
    "model_b": evalica.Winner.Y,
    "tie": evalica.Winner.Draw,
}
WINNER_BY_CODE = np.array([WINNERS[outcome] for outcome in coded.OUTCOMES], dtype=object)


def polars_strings(path: str) -> Worths:
    """Label columns read by Polars, as lists."""
    rows = pl.read_parquet(path, columns=COLUMNS)
    winners = [WINNERS[winner] for winner in rows["winner"].to_list()]
    result = evalica.bradley_terry(rows["model_a"].to_list(), rows["model_b"].to_list(), winners)
    return logged(result.scores)


def pandas_strings(path: str) -> Worths:
    """Label columns read by pandas, as Series: the way of evalica's README."""
    rows = pd.read_parquet(path, columns=COLUMNS)
    winners = rows["winner"].map(WINNERS)
    return logged(evalica.bradley_terry(rows["model_a"], rows["model_b"], winners).scores)


def polars_codes(path: str) -> Worths:
    """Integer codes prepared by hand with Polars."""
    rows = coded.codes(path)
    winners = WINNER_BY_CODE[rows.outcome].tolist()
    index = pd.RangeIndex(len(rows.systems))
    scores = evalica.bradley_terry(rows.left, rows.right, winners, index=index).scores.sort_index()
    return centred(rows.systems, np.log(scores.to_numpy()))


def duckdb_counts(path: str) -> Worths:
    """Counts prepared by hand with a GROUP BY, passed as weights."""
    return weighted(path, evalica.bradley_terry)


def newman_counts(path: str) -> Worths:
    """The tie model on the same counts."""
    return weighted(path, evalica.newman)


def weighted(path: str, method: Callable[..., Any]) -> Worths:
    """Log-worths by one of evalica's methods from the counts of a GROUP BY."""
    cells = duckdb.execute(floor.GROUP_BY.format(parquet(path))).fetchnumpy()
    winners = [WINNERS[winner] for winner in cells["winner"]]
    left, right = cells["model_a"].tolist(), cells["model_b"].tolist()
    return logged(method(left, right, winners, weights=cells["n"].astype(float)).scores)


def logged(scores: "pd.Series[float]") -> Worths:
    """Worths on the log scale."""
    return centred(scores.index, np.log(scores.to_numpy()))
