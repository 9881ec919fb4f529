"""Evenhand's statistics of metrics on arrays."""

import numpy as np

from benchmarks.peers import Values
from evenhand.metrics import statistics
from evenhand.metrics.comparison import Differences, Study
from evenhand.metrics.statistics import Steps


def read(path: str) -> tuple[np.ndarray, np.ndarray]:
    """Scores of people and of metrics."""
    with np.load(path) as file:
        return file["people"], file["metrics"]


def spa(path: str) -> Values:
    """Soft pairwise accuracy, by the authors' rule."""
    people, metrics = read(path)
    flips = statistics.flip_items(people.shape[1], np.random.default_rng(4))
    p = [statistics.flip_test(one, flips, whole=True)[0] for one in (people, metrics[0])]
    return {"spa": round(float(statistics.soft_accuracy(*p)), 2)}


def ties(path: str) -> Values:
    """Accuracy with the best limit of ties, from all pairs."""
    people, metrics = read(path)
    pairs = statistics.pair_segments(people, "item")
    flat = metrics[0].ravel()
    best, epsilon = statistics.calibrate(pairs, flat[pairs.first] - flat[pairs.second])
    return {"acc": best, "epsilon": epsilon}


def tests(path: str) -> Values:
    """All pairs of metrics, by every statistic and test that metrics have."""
    people, metrics = read(path)
    fold = statistics.assign_folds(np.arange(people.shape[1]))
    names = ("spa", "acc-eq", "pa", "system-pearson")
    gold, scores = Steps.count(people[None]), Steps.count(metrics)
    study = Study(gold, scores, fold, names, "item", whole=False, seed=1)
    measured = study.measure(gold, scores)
    found = {}
    for test in ("perm-sys", "perm-both", "boot-both", "williams"):
        for name in names:
            if name == "pa" and test != "perm-sys":
                continue
            differences = study.compare(name, test, measured)
            if isinstance(differences, Differences):
                found[f"{test} {name}"] = float(differences.p.mean())
    return found
