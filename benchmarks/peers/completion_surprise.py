"""scikit-surprise: factors with intercepts by stochastic gradients, or intercepts alone."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from surprise import SVD, BaselineOnly, Dataset, Reader

from benchmarks.peers import Answer
from benchmarks.peers.completion_asked import look_at, rows


def svd(path: str) -> Callable[[], Answer]:
    """Its best known algorithm, with 20 factors; no intervals."""
    return fit(path, SVD(n_factors=20, random_state=0))


def baseline(path: str) -> Callable[[], Answer]:
    """Intercepts of judges and outputs by alternating least squares."""
    return fit(path, BaselineOnly(verbose=False))


def fit(path: str, model: Any) -> Callable[[], Answer]:
    """Fit to all ratings that are seen."""
    judges, outputs, score = rows(path)
    frame = pd.DataFrame({"judge": judges, "output": outputs, "score": score})
    scale = Reader(rating_scale=(float(score.min()), float(score.max())))
    model.fit(Dataset.load_from_df(frame, scale).build_full_trainset())

    def predict(judges: Sequence[str], outputs: Sequence[str]) -> NDArray[np.float64]:
        found = [model.predict(*one, clip=False).est for one in zip(judges, outputs, strict=True)]
        return np.array(found)

    return look_at(path, predict)
