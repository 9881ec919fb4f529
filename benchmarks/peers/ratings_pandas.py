"""z-scores with pandas, as scripts of WMT do: by judge, then means of outputs, then of systems."""

import pandas as pd

from benchmarks.peers import Values, centred


def z(path: str) -> Values:
    """Means of standardised scores, without errors."""
    rows = pd.read_parquet(path)
    score = rows.groupby("judge")["score"]
    rows["z"] = (rows["score"] - score.transform("mean")) / score.transform("std")
    outputs = rows.groupby(["system", "item"])["z"].mean()
    means = outputs.groupby("system").mean()
    return centred(means.index.tolist(), means.tolist())
