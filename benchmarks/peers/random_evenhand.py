"""Evenhand's random judges, as a user calls them: read, tally by judge, fit."""

from collections.abc import Callable

from benchmarks.peers import Answer, centred
from benchmarks.peers.evenhand import comparisons
from evenhand.models.random_judges import RandomJudges


def corrected(path: str) -> Callable[[], Answer]:
    """Laplace's approximation corrected; ties after Davidson."""
    return fit(path, RandomJudges(method="corrected"))


def discard(path: str) -> Callable[[], Answer]:
    """The same with ties left out."""
    return fit(path, RandomJudges(method="corrected", ties="discard"))


def fit(path: str, model: RandomJudges) -> Callable[[], Answer]:
    """Worths and the standard deviation of tastes."""
    found = model.fit(comparisons(path).tally(by=("judge",)))
    also = {"sigma": found.sigma}
    return lambda: Answer(centred(found.systems, found.log_worth) | also, also)
