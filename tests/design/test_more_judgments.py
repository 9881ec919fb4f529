"""What more judgments would decide: today's board, known covariances, and worlds with a truth."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.random import default_rng

import evenhand
from evenhand.design.power import centre, predict_more_judgments

K = 12


def board(seed=1, n=800):
    rng = default_rng(seed)
    worth = np.linspace(1.0, -1.0, K)
    pairs = [rng.choice(K, 2, replace=False) for _ in range(n)]
    rows = [
        (
            f"S{a:02d}",
            f"S{b:02d}",
            "left" if rng.random() < 1 / (1 + np.exp(worth[b] - worth[a])) else "right",
        )
        for a, b in pairs
    ]
    return evenhand.rank(evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"])))


def imagine(ranking, estimate, stderr):
    """The same board with other numbers: every pair open to decision, with one error."""
    errors = np.full((K, K), stderr)
    np.fill_diagonal(errors, 0.0)
    order = np.argsort(-estimate)
    sets = replace(
        ranking.rank_sets,
        effective=np.full((K, K), np.inf),
        resting=np.zeros((K, K), dtype=bool),
        critical=(3.0,),
    )
    return replace(ranking, log_worth=estimate[order], pair_stderr=errors, rank_sets=sets)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_with_todays_judgments_it_is_todays_board(seed):
    ranking = board(seed)
    (now,) = predict_more_judgments(ranking, [1.0])
    assert now.decided == now.lower == now.upper == (ranking.rank_sets.decided > 0).sum() > 0
    assert now.candidates == (ranking.rank_lower == 1).sum()


def test_a_centred_covariance_is_known_from_the_errors_of_differences():
    root = default_rng(4).normal(size=(5, 5))
    root -= root.mean(axis=0)
    covariance = root @ root.T
    own = np.diag(covariance)
    errors = np.sqrt(own[:, None] + own - 2 * covariance)
    assert centre(errors) == pytest.approx(covariance)


def test_the_band_holds_what_later_judgments_decide_in_four_of_five_worlds():
    rng, ranking = default_rng(20131), board()
    stderr, times, held = 0.5, 4.0, 0
    for replicate in range(150):
        truth = rng.normal(0, 0.6, K)
        own = stderr / np.sqrt(2)
        now = truth + rng.normal(0, own, K)
        more = truth + rng.normal(0, own / np.sqrt(times - 1), K)
        later = now / times + more * (1 - 1 / times)
        apart = np.abs(later[:, None] - later)[np.triu_indices(K, 1)]
        decided = (apart > 3.0 * stderr / np.sqrt(times)).sum()
        imagined = imagine(ranking, now - now.mean(), stderr)
        (found,) = predict_more_judgments(imagined, [times], draws=300, seed=replicate)
        held += found.lower <= decided <= found.upper
    assert 150 * 0.72 <= held <= 150 * 0.92  # whole numbers hold a little more


def test_the_noise_of_judgments_to_come_is_seen_where_truths_are_known(monkeypatch):
    monkeypatch.setattr(
        "evenhand.design.power.draw_truths",
        lambda estimate, *rest: np.tile(estimate, (rest[1], 1)),
    )
    estimate, stderr, times = np.zeros(K), 0.5, 2.0
    estimate[0] = 3.0 * stderr / np.sqrt(times)  # right at the limit: ahead of each in half
    estimate[1:] -= np.arange(1, K) * 1e-6
    (found,) = predict_more_judgments(
        imagine(board(), estimate, stderr), [times], draws=20_000, seed=5
    )
    own, rng = stderr / np.sqrt(2), default_rng(11)
    fresh = estimate + rng.normal(0, own, (20_000, K))
    later = estimate / times + fresh * (1 - 1 / times)
    apart = np.abs(later[:, :, None] - later[:, None, :])[:, *np.triu_indices(K, 1)]
    decided = (apart > 3.0 * stderr / np.sqrt(times)).sum(axis=1)
    assert found.decided == pytest.approx(decided.mean(), abs=0.15)
    assert (found.lower, found.upper) == (np.quantile(decided, 0.1), np.quantile(decided, 0.9))
    assert found.lower < found.upper


@pytest.mark.parametrize(("effective", "decided"), [(2.0, [0, 0, 66]), (3.0, [0, 66, 66])])
def test_a_pair_is_decided_only_once_five_effective_judges_link_it(effective, decided):
    wide = imagine(board(), np.linspace(600.0, -600.0, K), 0.5)
    few = replace(wide.rank_sets, effective=np.full((K, K), effective))
    found = predict_more_judgments(replace(wide, rank_sets=few), [1.0, 2.0, 3.0], seed=1)
    assert [one.decided for one in found] == decided
