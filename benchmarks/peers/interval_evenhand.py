"""Evenhand's ways to say how sure it is, as a user calls them; what is compared are errors."""

from collections.abc import Callable

import numpy as np

from benchmarks.peers import Answer
from benchmarks.peers.evenhand import comparisons, neighbours
from evenhand import BradleyTerry, Ranking, rank

Found = Callable[[], Answer]
__all__ = ["neighbours"]


def model(path: str) -> Found:
    """From the model: judgments are independent."""
    return ranked(path, "davidson", "model", None)


def half_win(path: str) -> Found:
    """The same with ties as half wins."""
    return ranked(path, "half-win", "model", None)


def sandwich(path: str) -> Found:
    """From the spread of single judgments."""
    return ranked(path, "davidson", "sandwich", "judgment")


def half_win_sandwich(path: str) -> Found:
    """The same with ties as half wins: what arena-rank estimates."""
    return ranked(path, "half-win", "sandwich", "judgment")


def sandwich_judge(path: str) -> Found:
    """From the spread of judges."""
    return ranked(path, "davidson", "sandwich", "judge")


def rank_sets(path: str) -> Found:
    """Simultaneous, by judge."""
    return ranked(path, "davidson", "rank-sets", "judge")


def rank_sets_both(path: str) -> Found:
    """Simultaneous, by judge and item: what the command line does with a file that names both."""
    return ranked(path, "davidson", "rank-sets", "judge+item")


def refits(path: str) -> Found:
    """999 resamples of judgments."""
    return ranked(path, "davidson", "bootstrap", "judgment")


def refits_judge(path: str) -> Found:
    """999 resamples of judges."""
    return ranked(path, "davidson", "bootstrap", "judge")


def half_win_refits(path: str) -> Found:
    """999 resamples of judgments with ties as half wins: what FastChat and evalica estimate."""
    return ranked(path, "half-win", "bootstrap", "judgment")


def ranked(path: str, ties: str, interval: str, cluster: str | None) -> Found:
    """A ranking; standard errors are looked at when the clock has stopped."""
    spec = BradleyTerry(ties=ties)  # type: ignore[arg-type]
    found = rank(comparisons(path), model=spec, interval=interval, cluster=cluster)
    assert isinstance(found, Ranking)

    def look() -> Answer:
        assert found.stderr is not None
        values = dict(zip(found.systems, found.stderr.tolist(), strict=True))
        return Answer(values, {"median_se": float(np.median(found.stderr))})

    return look
