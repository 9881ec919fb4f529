"""What held-out ratings may say of missing ones: one answer each, of whom something was learned."""

import numpy as np
import pytest

from evenhand.ratings.completion import NuclearNorm
from ratings.rated_matrices import make_rows


def test_intervals_and_errors_are_of_one_answer_where_judges_gave_several():
    """Noise of one answer has sd 1, of a mean of nine 1/3: half widths are near 1.645, not .55."""
    rng = np.random.default_rng(8)
    judge, item = (one.repeat(9) for one in np.divmod(np.arange(20 * 40), 40))
    score = rng.normal(size=20)[judge] + rng.normal(size=40)[item] + rng.normal(size=len(judge))
    fit = NuclearNorm(abstain=True).fit(make_rows(judge, item, score, (20, 40)))
    assert fit.half_width[0, 0] == pytest.approx(1.645, abs=0.3)
    assert fit.table[-1].rmse == pytest.approx(1, abs=0.15)
    order = rng.permutation(len(score))
    rows = make_rows(judge[order], item[order], score[order], (20, 40))
    assert NuclearNorm().fit(rows).half_width[0, 0] == fit.half_width[0, 0]


def test_two_ratings_an_output_leave_out_some_held_out_ones_and_hold_what_they_say():
    """Fewer are learned from beside a held-out rating than beside a missing one: .9 or more."""
    cover = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        whole = (
            rng.normal(0, 0.5, 20)[:, None] + rng.normal(0, 0.2, 200) + rng.normal(size=(20, 200))
        )
        seen = rng.permuted(np.tile(np.arange(20)[:, None], (1, 200)), axis=0) < 2
        judge, item = np.nonzero(seen)
        fit = NuclearNorm().fit(make_rows(judge, item, whole[seen], (20, 200)))
        assert sum(fit.groups.values()) == fit.table[0].n < 80
        cover.append((np.abs(whole - fit.predicted) <= fit.half_width)[~seen].mean())
    assert np.mean(cover) > 0.9
