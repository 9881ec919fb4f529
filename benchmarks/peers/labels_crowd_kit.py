"""crowd-kit's labels, from a frame of pandas."""

from collections import Counter
from collections.abc import Callable

import pandas as pd
from crowdkit.aggregation import MACE, DawidSkene

from benchmarks.peers import Answer

COLUMNS = {"item": "task", "judge": "worker", "score": "label"}


def mace(path: str) -> Callable[[], Answer]:
    """Ten starts of fifty iterations, its default."""
    model = MACE().fit(frame(path))
    return lambda: Answer(shares(model.labels_), {"steps": 50})


def dawid_skene(path: str) -> Callable[[], Answer]:
    """To its own end."""
    model = DawidSkene(n_iter=100).fit(frame(path))
    return lambda: Answer(shares(model.labels_), {"steps": len(model.loss_history_)})


def frame(path: str) -> pd.DataFrame:
    """The answers under the names that it asks for."""
    return pd.read_parquet(path).rename(columns=COLUMNS)


def shares(labels: "pd.Series[object]") -> dict[str, float]:
    """The share of the units with each label."""
    counted = Counter(str(label) for label in labels)
    return {label: n / counted.total() for label, n in sorted(counted.items())}
