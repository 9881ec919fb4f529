"""gpboost: tastes for each system as random slopes of judges, each with a variance of its own."""

from collections.abc import Callable

import duckdb
import gpboost
import numpy as np

from benchmarks.peers import Answer, centred, parquet


def laplace(path: str) -> Callable[[], Answer]:
    """Ties are dropped; Laplace's approximation. `sigma` is the root of the mean variance."""
    query = (
        f"""SELECT "left", "right", outcome, judge FROM {parquet(path)} WHERE outcome <> 'tie'"""
    )
    rows = duckdb.execute(query).fetchnumpy()
    systems, side = np.unique(np.concatenate([rows["left"], rows["right"]]), return_inverse=True)
    left, right = np.split(side, 2)
    at, k = np.arange(len(left)), len(systems)
    signs = np.zeros((len(left), k))
    signs[at, left], signs[at, right] = 1.0, -1.0
    model = gpboost.GPModel(
        likelihood="bernoulli_logit",
        group_data=rows["judge"].astype(str)[:, None],
        group_rand_coef_data=signs,
        ind_effect_group_rand_coef=[1] * k,
        drop_intercept_group_rand_effect=[True],
    )
    model.fit(y=(rows["outcome"] == "left").astype(float), X=signs[:, 1:])
    sigma = float(np.sqrt(np.mean(np.asarray(model.get_cov_pars()).ravel()[:k])))
    values = centred(systems.tolist(), np.append(0, np.asarray(model.get_coef()).ravel()[: k - 1]))
    return lambda: Answer(values | {"sigma": sigma}, {"sigma": sigma})
