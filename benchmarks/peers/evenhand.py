"""Evenhand itself, as a user calls it: read, tally, fit, covariance, ranking."""

from itertools import pairwise

import evenhand
from benchmarks.peers import Worths, centred

NEIGHBOURS = 100
"""Contrasts asked of the sparse fit: each of the first systems with the next one down."""


def model_intervals(path: str) -> Worths:
    """The ranking with intervals from the model; ties after Davidson."""
    return ranked(path, evenhand.BradleyTerry(ties="davidson"))


def half_win(path: str) -> Worths:
    """The same with ties as half wins: what evalica, scikit-learn and arena-rank estimate."""
    return ranked(path, evenhand.BradleyTerry(ties="half-win"))


def discard(path: str) -> Worths:
    """The same with ties left out: what choix estimates."""
    return ranked(path, evenhand.BradleyTerry(ties="discard"))


def ranked(path: str, model: evenhand.BradleyTerry) -> Worths:
    """Log-worths of a ranking with intervals from the model."""
    ranking = evenhand.rank(evenhand.read(path), model=model, interval="model")
    return centred(ranking.systems, ranking.log_worth)


def judge_intervals(path: str) -> Worths:
    """The ranking with sandwich intervals clustered by judge."""
    ranking = evenhand.rank(evenhand.read(path), interval="sandwich", cluster="judge")
    return centred(ranking.systems, ranking.log_worth)


def neighbours(path: str) -> Worths:
    """The fit without a K x K matrix, and the contrasts of neighbours at the top."""
    fit = evenhand.BradleyTerry(ties="davidson").fit(evenhand.read(path))
    worths = centred(fit.systems, fit.log_worth)
    best_first = sorted(worths, key=worths.__getitem__, reverse=True)
    fit.contrasts(list(pairwise(best_first[: NEIGHBOURS + 1])))
    return worths
