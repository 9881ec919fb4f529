"""Evenhand's Gaussian item-response model, as a user calls it."""

from benchmarks.peers.irt_draws import Draws
from evenhand import IRTGaussian, read


def run(path: str, chains: int, sweeps: int, burn_in: int) -> Draws:
    """Fit a file; abilities about their mean after burn-in."""
    fit = IRTGaussian(chains=chains, sweeps=sweeps, burn_in=burn_in).fit(read(path))
    return fit.systems, fit.draws.abilities
