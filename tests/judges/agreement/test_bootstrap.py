"""Resamples from sums are those of the ratings themselves; refusals; nothing depends on order."""

import krippendorff
import numpy as np
import pytest
from scipy import stats

from evenhand.judges.agreement_intervals import (
    REPLICATES,
    draw_sums,
    draw_times,
    find_interval,
    form_blocks,
)
from evenhand.judges.coefficients import krippendorff_alpha
from evenhand.judges.counts import Ratio, count_coincidences
from score_tables import coincidences_of, units_of

RNG = np.random.default_rng(7)
LATENT = RNG.normal(3, 1, 40)
TABLE = np.clip(np.round(LATENT + RNG.normal(0, 0.9, (4, 40))), 1, 5)
TABLE[RNG.random((4, 40)) < 0.2] = np.nan
MATRIX = [[None if np.isnan(x) else float(x) for x in row] for row in TABLE]


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval", "ratio"])
def test_a_resample_of_sums_is_a_resample_of_items(metric):
    # the items drawn are written out again, column by column, for the krippendorff package
    drawn = draw_sums(coincidences_of(MATRIX), seed=3).sums
    found = krippendorff_alpha(drawn, metric)
    times = draw_times(40, 3).astype(int)
    for run in range(0, REPLICATES, 250):
        columns = np.repeat(np.arange(40), times[run])
        expected = krippendorff.alpha(
            reliability_data=TABLE[:, columns], level_of_measurement=metric
        )
        assert found.over[run] / found.under[run] == pytest.approx(expected, abs=1e-9)


def test_a_coefficient_that_rarely_exists_has_no_interval():
    under = np.ones(REPLICATES)
    under[:80] = 0
    assert find_interval(Ratio(np.ones(REPLICATES), under), 0.95).why == (
        "No interval: it does not exist in 80 of 1,000 replicates."
    )


def test_the_variance_of_pairs_is_taken_off_and_few_judges_are_allowed_for():
    units = units_of(RNG.integers(1, 6, (20, 60)).tolist())
    drawn = draw_sums(count_coincidences(units, form_blocks(units, "judge", 1)), 2)
    values, pairs = (krippendorff_alpha(one).values for one in (drawn.sums, drawn.pairs))
    both, once = values.var(), pairs.var()
    kept = np.sqrt(max(both - once, once) / both)
    assert kept < 0.95  # judges do not matter here: pairs are counted twice
    stretch = kept * np.sqrt(20 / 19) * stats.t.ppf(0.975, 19) / stats.norm.ppf(0.975)
    ends = np.quantile(values.mean() + stretch * (values - values.mean()), [0.025, 0.975])
    found = drawn.bound(krippendorff_alpha, 0.95)
    assert (found.lower, found.upper) == pytest.approx(tuple(ends))
