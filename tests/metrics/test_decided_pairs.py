"""Adjusted p and the doubt of judges, against enumeration and scipy."""

import re
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from metrics.arrays import compare, table

K, S, J = 6, 10, 4


def draw(seed, *noise):
    rng = np.random.default_rng(seed)
    people = rng.normal(size=(K, 1)) + rng.normal(size=(K, S))
    return people, {f"m{at}": people + sd * rng.normal(size=(K, S)) for at, sd in enumerate(noise)}


def pearson(people, metric):
    return stats.pearsonr(people.mean(axis=1), metric.mean(axis=1)).statistic


def test_p_of_several_pairs_is_that_of_the_largest_by_steps():
    people, metrics = draw(3, 0.3, 2.0, 4.0)
    found = compare(people, metrics, statistics=["system-pearson"])
    z = [(one - one.mean()) / one.mean(axis=1).std() for one in metrics.values()]
    pairs = [*combinations(range(3), 2)]

    def differ(swap):
        rows = np.array(swap)[:, None]
        turned = [(np.where(rows, z[b], z[a]), np.where(rows, z[a], z[b])) for a, b in pairs]
        return [pearson(people, other) - pearson(people, one) for one, other in turned]

    swaps = np.array([differ(swap) for swap in product((0, 1), repeat=K)])
    chance = np.round(np.abs(swaps) / swaps[1:].std(axis=0), 9)  # the first is the data
    expected, last = {}, 0.0
    for q in np.argsort(-chance[0]):
        left = chance[:, chance[0] <= chance[0, q]].max(axis=1)
        last = max(last, np.mean(left >= chance[0, q]))
        expected[frozenset(f"m{m}" for m in pairs[q])] = last
    assert {frozenset((one.first, one.second)): one.p_adjusted for one in found.pairs} == (
        pytest.approx(expected)
    )


def test_by_preferences_swaps_of_systems_are_enumerated():
    rng = np.random.default_rng(5)
    people, metrics = draw(5, 0.5, 3.0)
    left = rng.integers(0, K, 90)
    right, item = (left + rng.integers(1, K, 90)) % K, rng.integers(0, S, 90)
    votes = {
        "item": item.tolist(),
        "left": [f"s{k}" for k in left],
        "right": [f"s{k}" for k in right],
        "outcome": np.where(people[left, item] > people[right, item], "left", "right").tolist(),
    }
    found = compare(votes, metrics, statistics=["preference"])
    assert found.epsilon.tolist() == [0, 0]  # nobody called a tie
    cells = [np.concatenate([one[left, item], one[right, item]]) for one in metrics.values()]
    z = [
        (one - cell.mean()) / cell.std() for one, cell in zip(metrics.values(), cells, strict=True)
    ]
    order = np.sign(people[left, item] - people[right, item])

    def share(scores):
        return np.mean(np.sign(scores[left, item] - scores[right, item]) == order)

    swaps = []
    for swap in product((0, 1), repeat=K):
        rows = np.array(swap)[:, None]
        swaps.append(share(np.where(rows, z[1], z[0])) - share(np.where(rows, z[0], z[1])))
    (pair,) = found.pairs
    assert pair.difference == pytest.approx(swaps[0])
    assert pair.p == pytest.approx(np.mean(np.abs(swaps) >= abs(swaps[0]) - 1e-9))


def test_a_difference_that_rests_on_one_judge_is_not_decided():
    people, metrics = draw(8, 0.5, 3.0)
    judged = np.stack([people + 4 * metrics["m0"], *[people + metrics["m1"] / 2] * (J - 1)])
    found = compare(judged, metrics, statistics=["system-pearson"])
    (pair,) = found.pairs
    gaps = [
        pearson(rest, metrics[pair.first]) - pearson(rest, metrics[pair.second])
        for rest in (np.delete(judged, j, axis=0).mean(axis=0) for j in range(J))
    ]
    error = np.sqrt((J - 1) * np.var(gaps))  # the jackknife's
    assert pair.judge_stderr == pytest.approx(error)
    assert pair.p_adjusted < 0.05
    assert pair.difference < stats.t.ppf(0.975, J - 1) * error
    assert not pair.decided
    assert found.cluster == (1, 1)


def test_judges_without_whom_items_are_lost_are_taken_as_given():
    """One judge an output: without a judge nearly all items lack an output, which says nothing."""
    people, metrics = draw(9, 0.5, 3.0)
    judges = np.random.default_rng(9).integers(0, 3, people.size)
    alone = {**table(people), "judge": [f"j{one}" for one in judges]}
    found = compare(alone, metrics, statistics=["spa"])
    assert found.judge_stderr is None
    (note,) = [one for one in found.notes if one.code == "judges-as-given"]
    assert re.search(r"without one of them SPA would rest on \d of 10 items", str(note))
    assert note in str(found).replace("\n       ", " ")
    assert "± judges" not in str(found)
    of_means = compare(alone, metrics, statistics=["system-pearson"])
    assert (of_means.judge_stderr > 0).all()
    by_item = {**table(people), "judge": [f"j{s % 5}" for _ in range(K) for s in range(S)]}
    assert (compare(by_item, metrics, statistics=["spa"]).judge_stderr > 0).all()


def test_noise_is_not_said_to_order_systems_against_people():
    people, metrics = draw(10, 0.5)
    noise = np.random.default_rng(4).normal(size=people.shape)
    turned = {**metrics, "noise": noise, "against": -metrics["m0"]}
    r = pearson(people, noise)
    assert -((K - 1) ** -0.5) < r < 0
    found = compare(people, turned)
    (note,) = [one for one in found.notes if one.code == "against"]
    assert note.values["metrics"] == ["against"]


def test_no_judge_is_in_both_halves():
    """Two judges, one in the other's opposite order on each item."""
    people, metrics = draw(8, 1.0)
    judged = np.stack([people, -2 * people])
    found = compare(judged, metrics, statistics=["segment-pearson"])
    assert found.ceiling == {"segment-pearson": pytest.approx(-1)}


def test_what_correlations_and_items_leave_out_is_said():
    people, metrics = draw(11, 0.5, 2.0)
    metrics["m0"][:, :3] = 0.0
    found = compare(people, metrics, statistics=["segment-pearson"])
    (note,) = [one for one in found.notes if one.code == "constant-groups"]
    assert "no value in 3 of 10 groups, where all scores of people, or of m0, are equal" in str(
        note
    )
    kept = [at for at in range(people.size) if at not in (0, 1)]
    partly = {name: [column[at] for at in kept] for name, column in table(people).items()}
    found = compare(partly, metrics, statistics=["tie-aware"])
    assert "tie-aware uses only 8 of 10 items" in " ".join(map(str, found.notes))


def test_a_signature_says_which_way_scores_were_read():
    people, metrics = draw(12, 0.5)
    plain, of_people, of_metric = (
        compare(people, metrics, **settings).signature
        for settings in ({}, {"lower_is_better": True}, {"lower": ["m0"]})
    )
    assert "lower" not in plain
    assert "(lower is better)" in of_people
    assert "| lower m0 |" in of_metric
