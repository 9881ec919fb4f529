"""Ratings drawn from a process with a known B: is it found, and is it known how sure that is?

5 judges rate 100 of 200 outputs each, scores 50 + 10 (β_d + f_d(x) + ε), β_d ~ N(0, .5²),
ε ~ N(0, .5²), x uniform on [-2, 2]², length scales .4 and .8. "Alike": two camps, correlations .9,
.8, .8 and .7 within, 0 between. "Own": B = I. R = 15 each; fits are of rank 2, from the ratings
that were seen; errors are of the 500 others.

Alike: each correlation is off by less than .15 on average over draws, and by .25 or less in the
root mean square of all; the root mean squared error is below that of independent processes by more
than 2 standard errors of the paired difference. Own: correlations are 0 on average within .1, and
the error is at most 1.02 of that of independent processes. Both: 90 % intervals hold .88 to .92 of
the ratings, their noise included.
"""

import numpy as np
import pytest

from evenhand.ratings.features import OutputFeatures
from evenhand.ratings.judge_process import MultiTaskGP
from experiments.campaign import part_of
from ratings.judge_processes import ALIKE, draw

FEATURES = OutputFeatures(("a", "b"), ())
PAIRS = np.tril_indices(5, -1)
R = part_of(15)


def run(similarity):
    """Return (R, 10) errors of correlations, (R, 2) root mean squared errors, (R,) coverage."""
    off, errors, cover = [], [], []
    for seed in range(R):
        data = draw(100 + seed, similarity, each=100)
        fit = MultiTaskGP(rank=2).fit(data.seen, FEATURES)
        alone = MultiTaskGP("none").fit(data.seen, FEATURES)
        found, score = fit.predict(data.unseen), data.unseen.score
        low, high = found.interval()
        cover.append(np.mean((low <= score) & (score <= high)))
        means = found.mean, alone.predict(data.unseen).mean
        errors.append([np.sqrt(np.mean((mean - score) ** 2)) for mean in means])
        off.append((fit.correlation - data.correlation)[PAIRS])
    return np.array(off), np.array(errors), np.array(cover)


def tell(name, off, errors, cover):
    root, mean = np.sqrt((off**2).mean()), np.round(off.mean(axis=0), 2).tolist()
    print(  # noqa: T201
        f"\n{name} R={R}: correlations off by {mean}, root mean square {root:.3f}; RMSE multi-task"
        f" and independent {errors.mean(axis=0).round(3)}; coverage {cover.mean():.4f}"
    )


@pytest.mark.slow
def test_judges_who_share_are_found_and_sharing_pays():
    off, errors, cover = run(ALIKE)
    tell("alike", off, errors, cover)
    assert np.abs(off.mean(axis=0)).max() < 0.15
    assert np.sqrt((off**2).mean()) <= 0.25
    gain = errors[:, 1] - errors[:, 0]
    assert gain.mean() > 2 * gain.std(ddof=1) / np.sqrt(R)
    assert 0.88 <= cover.mean() <= 0.92


@pytest.mark.slow
def test_where_judges_do_not_share_nothing_is_lost():
    off, errors, cover = run(np.eye(5))
    tell("own", off, errors, cover)
    assert abs(off.mean()) < 0.1
    assert errors[:, 0].mean() <= 1.02 * errors[:, 1].mean()
    assert 0.88 <= cover.mean() <= 0.92
