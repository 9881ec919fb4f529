"""E10: does completion predict what judges would have said, and know how well?

40 judges by 200 outputs: severity N(0, .5²), worth N(0, .7²), two shared tastes, noise .35, .45,
.55, .65 by quarters of the judges, whose labels the method is given. 1,600 cells are seen, drawn
uniformly without replacement (an output that nobody rated is excluded); 320 of them calibrate, 240
choose τ, the last fit learns from 1,280.

Of the numbers of campaigns R that are stated half are drawn (`part_of`).

Signal, R=100: 90 % intervals hold the 6,400 unseen ratings, their noise included, in .88 to .92 on
average, and in .87 or more of each quarter; their mean absolute error is at most .90 of that of
intercepts from the same cells. No tastes, R=50: abstains in .90 or more. High ratings seen more
often (chance ∝ logistic of rating − 3), R=100: coverage is reported, with its standard error. By
value it is higher than plain by more than two standard errors of the paired difference, and at
least .87 less 1.645 standard errors. (Over 200 other campaigns: .8748 ± .0019, plain .8535 ±
.0016.)
"""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.ratings.completion import NuclearNorm
from experiments.campaign import part_of
from ratings.rated_matrices import simulate


def rated(data, fit):
    """The campaign without the outputs that nobody rated, of which nothing is predicted."""
    at = [int(name[1:]) for name in fit.matrix.items]
    return replace(data, truth=data.truth[:, at], noisy=data.noisy[:, at], seen=data.seen[:, at])


def covered(data, fit):
    """Share of the unseen ratings that intervals hold, over all judges and by quarter."""
    data = rated(data, fit)
    error = np.abs(data.noisy - fit.predicted)
    held = error <= np.broadcast_to(fit.half_width, error.shape)
    unseen = ~data.seen
    quarters = [held[own][unseen[own]].mean() for own in (data.quarter == q for q in range(4))]
    return np.array([held[unseen].mean(), *quarters])


def intercepts(data, fit):
    """Judge + output from the cells that the last fit learned from."""
    place = np.random.default_rng(fit.model.seed).permutation(1600)
    learned = np.ones(1600, dtype=bool)
    learned[place[:320]] = False
    cells = fit.matrix.cells.take(learned)
    return cells.effects(fit.matrix.value[learned]).table()


@pytest.mark.slow
def test_intervals_hold_by_group_and_shared_tastes_are_used():
    model, cover, errors = NuclearNorm(group="quarter"), [], []
    for seed in range(part_of(100)):
        data = simulate(seed)
        fit = model.fit(data.rows())
        cover.append(covered(data, fit))
        data = rated(data, fit)
        unseen = ~data.seen
        pair = fit.predicted, intercepts(data, fit)
        errors.append([np.abs(one - data.noisy)[unseen].mean() for one in pair])
    mean, ratio = np.mean(cover, axis=0), np.mean(errors, axis=0)
    print(f"\nE10 signal R={len(cover)}: coverage {mean.round(4)}, MAE {ratio.round(4)}")  # noqa: T201
    assert 0.88 <= mean[0] <= 0.92
    assert mean[1:].min() >= 0.87
    assert ratio[0] <= 0.90 * ratio[1]


@pytest.mark.slow
def test_without_tastes_it_abstains():
    fits = [NuclearNorm().fit(simulate(1000 + seed, taste=0.0).rows()) for seed in range(50)]
    abstained = sum(fit.abstained for fit in fits)
    print(f"\nE10 null R=50: abstains in {abstained}")  # noqa: T201
    assert abstained >= 45


@pytest.mark.slow
def test_where_high_ratings_are_seen_more_weights_keep_coverage():
    plain, weighted = [], []
    for seed in range(part_of(100)):
        data = simulate(2000 + seed, chosen=True)
        plain.append(covered(data, NuclearNorm(group="quarter").fit(data.rows())))
        model = NuclearNorm(group="quarter", missing="by value")
        weighted.append(covered(data, model.fit(data.rows())))
    over = np.array([plain, weighted])[:, :, 0]
    mean, stderr = over.mean(axis=1), over.std(axis=1, ddof=1) / np.sqrt(over.shape[1])
    gain = over[1] - over[0]
    print(f"\nE10 not at random R={len(gain)}: plain, weighted {mean.round(4)} ± {stderr.round(4)}")  # noqa: T201
    assert gain.mean() > 2 * gain.std(ddof=1) / np.sqrt(len(gain))
    assert mean[1] >= 0.87 - 1.645 * stderr[1]
