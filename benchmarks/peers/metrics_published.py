"""SPA and tie calibration as mt-metrics-eval has them, written out: pair by pair, ε by ε."""

import numpy as np

from benchmarks.peers import Values


def spa(path: str) -> Values:
    """P of each pair from 1,000 permutations of its two systems' scores (pce.py)."""
    with np.load(path) as file:
        both = file["people"], file["metrics"][0]
    p = [[], []]
    for at, scores in enumerate(both):
        rng = np.random.default_rng(4)
        k, segments = scores.shape
        signs = 1 - 2 * rng.integers(0, 2, (1000, segments), dtype=np.int8).astype(np.float32)
        for i in range(k):
            for j in range(i + 1, k):
                apart = (scores[i] - scores[j]).astype(np.float32)
                p[at].append(float(((signs @ apart) >= apart.sum()).mean()))
    return {"spa": round(1 - float(np.abs(np.subtract(*p)).mean()), 2)}


def ties(path: str) -> Values:
    """Accuracy at every distinct ε of the differences, from one sort (tau_optimization.py)."""
    with np.load(path) as file:
        people, metric = file["people"], file["metrics"][0]
    k, segments = people.shape
    found = []
    for segment in range(segments):
        for i in range(k):
            for j in range(i + 1, k):
                gold = np.sign(people[i, segment] - people[j, segment])
                apart = metric[i, segment] - metric[j, segment]
                found.append((abs(apart), gold == 0, np.sign(apart) == gold))
    found.sort(key=lambda one: one[0])
    right = sum(one[2] for one in found)
    best, epsilon = right, 0.0
    for distance, tied, agreed in found:
        right += int(tied) - int(agreed)
        if right > best:
            best, epsilon = right, distance
    return {"acc": best / len(found), "epsilon": float(epsilon)}
