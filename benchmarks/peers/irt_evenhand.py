"""Evenhand's Gaussian item-response model, as a user calls it."""

from collections.abc import Callable

from benchmarks.peers import Answer
from benchmarks.peers.evenhand import comparisons
from benchmarks.peers.irt_draws import BURN_IN, CHAINS, SWEEPS, Draws, look_at
from evenhand import IRTGaussian


def default(path: str) -> Callable[[], Answer]:
    """The chains of the bench."""
    return look_at(run(path, CHAINS, SWEEPS, BURN_IN))


def run(path: str, chains: int, sweeps: int, burn_in: int) -> Draws:
    """Fit a file; abilities about their mean after burn-in."""
    fit = IRTGaussian(chains=chains, sweeps=sweeps, burn_in=burn_in).fit(comparisons(path))
    return fit.systems, fit.drawn
