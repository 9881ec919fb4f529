"""Scores of people and of metrics from arrays, and metrics compared on them."""

import numpy as np

from evenhand import meta_evaluate


def table(scores, name="score"):
    """Columns of (K, S) scores of systems on items, or of (J, K, S) ones of judges."""
    place = np.indices(scores.shape).reshape(scores.ndim, -1)
    judges = {"judge": [f"j{j}" for j in place[0]]} if scores.ndim > 2 else {}
    cells = {"system": [f"s{k}" for k in place[-2]], "item": place[-1].tolist()}
    return {**judges, **cells, name: [float(one) for one in scores.ravel()]}


def tabulate(metrics):
    """A column for each metric, from name → (K, S)."""
    columns = {}
    for name, one in metrics.items():
        columns |= table(one, name)
    return columns


def compare(people, metrics, **settings):
    """Compare metrics, name → (K, S), with people's scores, or a table of what they said."""
    gold = people if isinstance(people, dict) else table(people)
    return meta_evaluate(gold, tabulate(metrics), **settings)
