"""Evenhand's rankings with controls; what is compared are log-worths."""

from benchmarks.peers import Worths
from benchmarks.peers.evenhand import comparisons, log_worths
from evenhand import BradleyTerry, rank

CONTROLS = ("length=length_a,length_b", "lists", "bold")


def none(path: str) -> Worths:
    """No control."""
    return log_worths(rank(comparisons(path)))


def one(path: str) -> Worths:
    """Length."""
    return log_worths(rank(comparisons(path), controls=CONTROLS[:1]))


def three(path: str) -> Worths:
    """Length, lists and bold type."""
    return log_worths(rank(comparisons(path), controls=CONTROLS))


def half_win(path: str) -> Worths:
    """The same with ties as half wins and errors of the model: what scikit-learn estimates."""
    model = BradleyTerry(ties="half-win", controls=CONTROLS)
    return log_worths(rank(comparisons(path), model=model, interval="model"))
