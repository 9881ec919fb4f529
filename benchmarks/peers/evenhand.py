"""Evenhand itself, as a user calls it: read, tally, fit, covariance, ranking."""

from itertools import pairwise

from benchmarks.peers import Worths, centred
from evenhand import BradleyTerry, Comparisons, Ranking, rank, read

NEIGHBOURS = 100
"""Contrasts asked of the sparse fit: each of the first systems with the next one down."""


def model_intervals(path: str) -> Worths:
    """The ranking with intervals from the model; ties after Davidson."""
    return by_model(path, BradleyTerry(ties="davidson"))


def half_win(path: str) -> Worths:
    """The same with ties as half wins: what evalica, scikit-learn and arena-rank estimate."""
    return by_model(path, BradleyTerry(ties="half-win"))


def discard(path: str) -> Worths:
    """The same with ties left out: what choix estimates."""
    return by_model(path, BradleyTerry(ties="discard"))


def by_model(path: str, model: BradleyTerry) -> Worths:
    """Log-worths of a ranking with intervals from the model."""
    return log_worths(rank(comparisons(path), model=model, interval="model"))


def judge_intervals(path: str) -> Worths:
    """The ranking with sandwich intervals clustered by judge."""
    return log_worths(rank(comparisons(path), interval="sandwich", cluster="judge"))


def worths(path: str) -> Worths:
    """The fit alone, from which intervals and contrasts are asked later."""
    fit = BradleyTerry(ties="davidson").fit(comparisons(path))
    return centred(fit.systems, fit.log_worth)


def neighbours(path: str) -> Worths:
    """The fit without a K x K matrix, and the contrasts of neighbours at the top."""
    fit = BradleyTerry(ties="davidson").fit(comparisons(path))
    found = centred(fit.systems, fit.log_worth)
    best_first = sorted(found, key=found.__getitem__, reverse=True)
    fit.contrasts(list(pairwise(best_first[: NEIGHBOURS + 1])))
    return found


def comparisons(path: str) -> Comparisons:
    """The file as comparisons, which is what all files of this bench are."""
    data = read(path)
    assert isinstance(data, Comparisons)
    return data


def log_worths(ranking: object) -> Worths:
    """Centred log-worths of a ranking of one task."""
    assert isinstance(ranking, Ranking)
    return centred(ranking.systems, ranking.log_worth)
