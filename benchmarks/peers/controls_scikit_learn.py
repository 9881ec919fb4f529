"""scikit-learn's logistic regression with three more columns: the arena's style control by rows."""

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from benchmarks.peers import Worths, centred, coded
from benchmarks.peers.scikit_learn import design


def three(path: str) -> Worths:
    """Length, lists and bold type, standardised; a tie is two half-weighted rows."""
    codes = coded.codes(path)
    shown = pl.read_parquet(path, columns=["length_a", "length_b", "lists", "bold"])
    length = shown["length_a"].to_numpy().astype(float) - shown["length_b"].to_numpy()
    own = np.column_stack([length, shown["lists"].to_numpy(), shown["bold"].to_numpy()])
    own = own / own.std(axis=0)
    tie = codes.outcome == coded.TIE
    at = np.concatenate([np.arange(len(tie)), np.flatnonzero(tie)])
    won = np.concatenate([codes.outcome != coded.RIGHT, np.zeros(tie.sum(), dtype=bool)])
    weight = np.where(tie, 0.5, 1.0)[at]
    systems = design(codes.left[at], codes.right[at], len(codes.systems))
    rows = sparse.hstack([systems, sparse.csr_matrix(own[at])], format="csr")
    model = LogisticRegression(
        C=np.inf, fit_intercept=False, solver="lbfgs", tol=1e-8, max_iter=1_000
    )
    found = model.fit(rows, won, sample_weight=weight).coef_[0]
    return centred(codes.systems, found[: len(codes.systems)])
