"""The model in NumPyro: NUTS on abilities and qualities, what judges perceive integrated out."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
from jax.scipy.stats import norm
from numpyro import distributions, infer

from benchmarks.peers import Answer
from benchmarks.peers.irt_draws import (
    ABILITY_SD,
    BURN_IN,
    CHAINS,
    ITEM_SD,
    NOISE_SD,
    RADIUS,
    SWEEPS,
    Draws,
    look_at,
    outputs,
)


def default(path: str) -> Callable[[], Answer]:
    """The chains of the bench."""
    return look_at(run(path, CHAINS, SWEEPS, BURN_IN))


def run(path: str, chains: int, sweeps: int, burn_in: int) -> Draws:
    """Fit a file; burn-in is NumPyro's warm-up."""
    systems, author, pairs, outcome = outputs(path)
    signs = jnp.array(outcome)

    def model() -> None:
        ability = numpyro.sample("ability", distributions.Normal(0, ABILITY_SD).expand([K]))
        raw = numpyro.sample("raw", distributions.Normal(0, 1).expand([len(author)]))
        quality = ability[author] + ITEM_SD * raw
        gap = (quality[pairs[:, 0]] - quality[pairs[:, 1]]) / (NOISE_SD * 2**0.5)
        edge = RADIUS / (NOISE_SD * 2**0.5)
        decided = norm.logcdf(signs * gap - edge)
        neither = jnp.log(norm.cdf(edge - gap) - norm.cdf(-edge - gap))
        numpyro.factor("answers", jnp.where(signs == 0, neither, decided).sum())

    K = len(systems)
    own = {"num_warmup": burn_in, "num_samples": sweeps - burn_in, "num_chains": chains}
    sampler = infer.MCMC(infer.NUTS(model), chain_method="sequential", progress_bar=False, **own)
    sampler.run(jax.random.PRNGKey(0))
    return systems, np.asarray(sampler.get_samples(group_by_chain=True)["ability"], dtype=float)
