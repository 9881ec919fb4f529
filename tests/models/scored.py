"""Ratings for tests: from tables, and simulated; and a likelihood written out without any trick."""

from collections.abc import Mapping

import numpy as np

from evenhand.data.rating_rows import RatingRows
from evenhand.models.rating_components import Term, make_terms


def rows_of(judge, item, system, score) -> RatingRows:
    """Ratings from codes and scores."""
    codes = [np.asarray(one, dtype=np.int32).ravel() for one in (judge, item, system)]
    judges, items, systems = (
        tuple(f"{letter}{i:03d}" for i in range(int(one.max()) + 1))
        for letter, one in zip("jis", codes, strict=True)
    )
    score = np.asarray(score, dtype=np.float64).ravel()
    none = np.zeros(len(score), dtype=np.int32)
    return RatingRows(("",), judges, items, systems, ("",), none, *codes, none, score)


def simulate(seed: int, sds: Mapping[str, float], *, n: int = 300, sizes=(6, 15, 4)) -> RatingRows:
    """An unbalanced crossed design: judges, items and systems of each score at random."""
    rng = np.random.Generator(np.random.PCG64(seed))
    codes = [rng.integers(0, size, n) for size in sizes]
    rows = rows_of(*codes, np.zeros(n))
    score = 50 + rng.normal(0, sds.get("residual", 1.0), n)
    for term in make_terms(rows):
        score += rng.normal(0, sds.get(term.name, 0.0), term.size)[term.codes]
    return rows_of(*codes, score)


def indicator(term: Term) -> np.ndarray:
    """(n, q) which score is at which level."""
    return np.eye(term.size)[term.codes]


def dense_loglik(score, fixed, terms, variances) -> float:
    """The restricted log-likelihood by the matrix V of all scores."""
    x = indicator(fixed)
    v = variances[-1] * np.eye(len(score))
    for term, variance in zip(terms, variances[:-1], strict=True):
        z = indicator(term)
        v += variance * z @ z.T
    inverse = np.linalg.inv(v)
    inner = x.T @ inverse @ x
    beta = np.linalg.solve(inner, x.T @ inverse @ score)
    left = score - x @ beta
    df = len(score) - x.shape[1]
    return -0.5 * (
        np.linalg.slogdet(v)[1]
        + np.linalg.slogdet(inner)[1]
        + left @ inverse @ left
        + df * np.log(2 * np.pi)
    )
