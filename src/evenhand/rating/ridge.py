"""Ridge regression of ratings on judges and features: the plain rival of a process.

    y = m + a_judge + Σ_p w_p x_p + Σ_l b_l,level + ε

with Σ ε² + λ (|a|² + |w|² + |b|²) as small as can be.

All judges share w and b: they differ in severity alone. λ is the one of a grid that is best by
generalised cross-validation.

Source: Golub, Heath & Wahba (1979), Technometrics 21:215-223.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.rating.coregion import Asked

Array = NDArray[np.float64]

WEIGHTS: Final = tuple(10.0**power for power in np.arange(-3.0, 4.01, 0.5))
"""λ that are tried; columns are of about unit spread."""


@dataclass(frozen=True, eq=False)
class Ridge:
    """A fit.

    Attributes:
        mean: m.
        weights: (p,) of judges, numbers and levels.
        sizes: how many judges, and how many levels of each label, have a column.
        penalty: λ.

    """

    mean: float
    weights: Array
    sizes: tuple[int, ...]
    penalty: float

    def predict(self, asked: Asked) -> Array:
        """Return (n,) predictions; a level that was not seen adds nothing."""
        return self.mean + spread_columns(asked, self.sizes) @ self.weights


def fit_ridge(asked: Asked, y: Array) -> Ridge:
    """Fit, with λ by generalised cross-validation.

    Args:
        asked: n rows.
        y: (n,) ratings.

    """
    codes = [asked.judge, *asked.points.labels.T]
    sizes = tuple(int(code.max()) + 1 for code in codes)
    mean, x = float(y.mean()), spread_columns(asked, sizes)
    u, d, vt = np.linalg.svd(x, full_matrices=False)
    along = u.T @ (y - mean)
    rest = float((y - mean) @ (y - mean) - along @ along)
    scores = []
    for penalty in WEIGHTS:
        shrunk = penalty / (d**2 + penalty)
        lost = rest + float(((shrunk * along) ** 2).sum())
        free = len(y) - 1 - float((1.0 - shrunk).sum())
        scores.append(lost / max(free, 1e-9) ** 2)
    best = WEIGHTS[int(np.argmin(scores))]
    return Ridge(mean, vt.T @ (d / (d**2 + best) * along), sizes, best)


def spread_columns(asked: Asked, sizes: tuple[int, ...]) -> Array:
    """Return the (n, p) columns of judges, numbers and levels.

    Args:
        asked: n rows.
        sizes: columns of judges, and of each label; a code beyond has none.

    """
    judges, *levels = (
        (code[:, None] == np.arange(size)).astype(np.float64)
        for code, size in zip([asked.judge, *asked.points.labels.T], sizes, strict=True)
    )
    return np.hstack([judges, asked.points.numbers, *levels])
