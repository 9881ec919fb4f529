"""statsmodels' mixed logistic regression, variational Bayes: one sigma for all tastes."""

from collections.abc import Callable

import duckdb
import numpy as np
from scipy import sparse
from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM

from benchmarks.peers import Answer, centred, parquet


def variational(path: str) -> Callable[[], Answer]:
    """Ties are dropped; tastes of a judge for a system are one normal effect each."""
    query = (
        f"""SELECT "left", "right", outcome, judge FROM {parquet(path)} WHERE outcome <> 'tie'"""
    )
    rows = duckdb.execute(query).fetchnumpy()
    systems, side = np.unique(np.concatenate([rows["left"], rows["right"]]), return_inverse=True)
    left, right = np.split(side, 2)
    judges, judge = np.unique(rows["judge"], return_inverse=True)
    n, k = len(left), len(systems)
    at = np.arange(n)
    signs = np.repeat([1.0, -1.0], n)

    def table(columns: np.ndarray, width: int) -> sparse.csr_matrix:
        return sparse.csr_matrix((signs, (np.tile(at, 2), columns)), shape=(n, width))

    worths = table(np.concatenate([left, right]), k).toarray()[:, 1:]
    tastes = table(np.concatenate([judge * k + left, judge * k + right]), len(judges) * k)
    won = (rows["outcome"] == "left").astype(float)
    model = BinomialBayesMixedGLM(won, worths, tastes, np.zeros(tastes.shape[1], dtype=int))
    fit = model.fit_vb()
    sigma = float(np.exp(fit.vcp_mean[0]))
    values = centred(systems.tolist(), np.append(0, fit.fe_mean))
    return lambda: Answer(values | {"sigma": sigma}, {"sigma": sigma})
