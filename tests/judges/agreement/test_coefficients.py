"""Coefficients against tests/golden/09 and 10 and other programs; resamples of their sums."""

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

import evenhand
from evenhand.data.rating_rows import RatingRows, Scale, read_scale, see_scale
from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.judges.coefficients import (
    METRICS,
    WEIGHTINGS,
    brennan_prediger,
    check_weighting,
    concordance_coefficient,
    disagree,
    expect_disagreement,
    find_concordance,
    fleiss_kappa,
    fleiss_parts,
    gwet_ac,
    gwet_pi,
    krippendorff_alpha,
    n_agreement,
    pair_judges,
    weighted_agreement,
)
from evenhand.judges.counts import (
    REPLICATES,
    Coincidences,
    Ratio,
    Sums,
    count_coincidences,
    draw_sums,
    draw_times,
    find_interval,
    form_blocks,
    mirror,
)
from evenhand.judges.judge_pairs import WEIGHTS, cohen_kappas
from evenhand.judges.units import Overlap, find_units, read_points, walk_overlaps
from golden_numbers import Golden, entries, golden
from score_tables import (
    broken_tables,
    coincidences_of,
    complete_tables,
    counts_of,
    declared,
    names,
    units_of,
)


def hamon_coincidences(entry: Golden) -> Coincidences:
    """Records [segment, system, judge, replicate, score] as pairs of scores on 1 to 5."""
    segment, system, judge, _, score = np.array(entry.input["records"]).T
    none = np.zeros(len(score), dtype=np.int32)
    rows = RatingRows(
        ("",),
        names("judge", int(judge.max()) + 1),
        names("segment", int(segment.max()) + 1),
        tuple(entry.input["systems"]),
        ("",),
        none,
        judge.astype(np.int32),
        segment.astype(np.int32),
        system.astype(np.int32),
        none,
        score.astype(np.float64),
    )
    units = find_units(rows, declared([1, 2, 3, 4, 5]))
    return count_coincidences(units, form_blocks(units, "item", 1))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("entry", entries("10_agreement_coefficients"), ids=lambda one: one.id)
@pytest.mark.parametrize("scale", ["observed", "declared"])
def test_alpha_is_the_golden_one_on_either_scale(entry, metric, scale):
    points = entry.expected["declared_categories"]
    known = declared(points) if scale == "declared" else None
    found = krippendorff_alpha(Sums(coincidences_of(entry.input["matrix"], known)), metric)
    expected = entry.expected["krippendorff_alpha"][metric]
    assert found.value == pytest.approx(expected, abs=entry.tolerance["alpha"])


@given(broken_tables(), st.sampled_from(METRICS))
def test_alpha_is_that_of_the_krippendorff_package_with_scores_missing(matrix, metric):
    table = np.array(matrix, dtype=float)
    shared = (~np.isnan(table)).sum(axis=0) > 1
    assume(len(set(table[:, shared][~np.isnan(table[:, shared])])) > 1)
    found = krippendorff_alpha(Sums(coincidences_of(matrix)), metric)
    expected = krippendorff.alpha(reliability_data=table, level_of_measurement=metric)
    assert found.value == pytest.approx(expected, abs=1e-9)


# Fleiss' κ against tests/golden/09 and 10, statsmodels, and the paper's own arithmetic.


def test_the_three_numbers_of_the_paper_s_table_are_those_of_the_golden_campaign():
    entry = golden("09_hamon_judge_diagnosis", "hamon")
    found = fleiss_parts(hamon_coincidences(entry))
    assert [*found] == pytest.approx(
        [entry.expected[name] for name in ("Po", "Pe", "kappa")], abs=entry.tolerance["abs"]
    )


@given(complete_tables())
def test_kappa_is_that_of_statsmodels(matrix):
    counts = counts_of(matrix)
    assume((counts.sum(axis=0) > 0).sum() > 1)
    found = fleiss_kappa(Sums(coincidences_of(matrix))).value
    assert found == pytest.approx(statsmodels_fleiss(counts), abs=1e-10)


@given(broken_tables())
def test_unequal_numbers_of_judges_follow_the_formula_with_each_unit_s_own_number(matrix):
    counts = counts_of(matrix)
    counts = counts[counts.sum(axis=1) > 1]
    assume((counts.sum(axis=0) > 0).sum() > 1)
    n = counts.sum(axis=1)
    observed = ((counts * (counts - 1)).sum(axis=1) / (n * (n - 1))).mean()
    chance = ((counts.sum(axis=0) / n.sum()) ** 2).sum()
    *found, kappa = fleiss_parts(coincidences_of(matrix))
    assert found == pytest.approx([observed, chance], abs=1e-12)
    assert kappa == pytest.approx((observed - chance) / (1 - chance), abs=1e-10)


# AC1, AC2, Brennan-Prediger and π against tests/golden/10 (R's irrCAC among its sources).

COMPUTED = {
    "pa": weighted_agreement,
    "gwet": gwet_ac,
    "fleiss": gwet_pi,
    "brennan_prediger": brennan_prediger,
}
GOLDEN_WEIGHTS = {"id": "identity", "linear": "linear", "quadratic": "quadratic"}


@pytest.mark.parametrize("scale", ["observed_categories", "declared_scale"])
@pytest.mark.parametrize("weights", GOLDEN_WEIGHTS)
@pytest.mark.parametrize("entry", entries("10_agreement_coefficients"), ids=lambda one: one.id)
def test_all_are_the_golden_ones_with_missing_scores(entry, weights, scale):
    points = entry.expected["declared_categories"]
    known = declared(points) if scale == "declared_scale" else None
    sums = Sums(coincidences_of(entry.input["matrix"], known))
    expected = entry.expected[f"gwet_and_friends_{scale}"][weights]
    for name, compute in COMPUTED.items():
        found = compute(sums, GOLDEN_WEIGHTS[weights]).value
        assert found == pytest.approx(expected[name], abs=entry.tolerance["ac"]), name


# Cohen's κ against scikit-learn (tests/golden/10 and on random scores) and a closed form.

NAMES = {"none": "unweighted", "linear": "linear", "quadratic": "quadratic"}


def cohen_kappa(x, y, scale, weights="none"):
    """κ of one pair of judges; None where neither ever could differ."""
    points, code, _ = read_points(np.concatenate([x, y]), scale)
    codes, judge, place = np.split(code, 2), np.zeros(1, np.int32), np.arange(len(x))
    overlap = Overlap(judge, judge, 0 * place, *codes, place, points)
    kappa = float(cohen_kappas(overlap, scale, weights).values[0])
    return None if np.isnan(kappa) else kappa


@pytest.mark.parametrize("entry", entries("10_agreement_coefficients"), ids=lambda entry: entry.id)
@pytest.mark.parametrize("block", [1, 30, 250_000])
def test_all_pairs_of_judges_are_as_in_scikit_learn(entry, block):
    scale = declared(entry.expected["declared_categories"])
    found = {
        (a, b, weights): kappa
        for overlap in walk_overlaps(units_of(entry.input["matrix"], scale), block=block)
        for weights in WEIGHTS
        for a, b, kappa in zip(
            overlap.first.tolist(),
            overlap.second.tolist(),
            cohen_kappas(overlap, scale, weights).values.tolist(),
            strict=True,
        )
    }
    pairs = entry.expected["pairwise_cohen_kappa_declared_scale"]
    assert len(found) == 3 * len(pairs)
    for pair in pairs:
        for weights in WEIGHTS:
            expected = pair[NAMES[weights]]
            kappa = found[pair["a"], pair["b"], weights]
            assert kappa == pytest.approx(expected, abs=entry.tolerance["kappa"])


def test_an_unused_point_in_the_middle_keeps_its_place():
    entry = golden("10_agreement_coefficients", "rel")
    expected = entry.expected["pairwise_cohen_kappa_declared_scale"][3]
    rows = [entry.input["matrix"][expected[judge]] for judge in "ab"]
    both = [pair for pair in zip(*rows, strict=True) if None not in pair]
    x, y = np.array(both, dtype=float).T
    assert sorted(set(x) | set(y)) == [1, 3, 4, 5]  # as seen; programs number them 0 to 3
    for weights in ("linear", "quadratic"):
        found = cohen_kappa(x, y, see_scale(np.append(x, y)), weights=weights)
        assert found == pytest.approx(expected[weights])
        assert found != pytest.approx(expected[f"{weights}_if_only_observed_labels"], abs=0.02)


def test_two_constant_judges_have_no_kappa_if_they_agree():
    same, other = np.full(4, 3.0), np.full(4, 4.0)
    assert cohen_kappa(same, same, read_scale("1-5")) is None
    assert cohen_kappa(same, other, read_scale("1-5")) == 0


def test_what_cannot_be_is_refused():
    some = np.array([1.0, 2.0])
    with pytest.raises(NotIdentified, match=r"needs a scale with steps, not 0 to 1"):
        cohen_kappa(some / 2, some / 2, Scale(0.0, 1.0, declared=True))
    with pytest.raises(NotIdentified, match="200 different scores occur; say what the scale is"):
        cohen_kappa(np.arange(200.0), np.arange(200.0), see_scale(np.arange(200.0)))
    with pytest.raises(InvalidJudgments, match="not on the scale 1 to 5: 7"):
        cohen_kappa(np.array([7.0]), np.array([1.0]), read_scale("1-5"))


# Kendall's W against R's irr (tests/golden/10) and scipy's Friedman test.

TABLES = arrays(float, st.tuples(st.integers(2, 8), st.integers(3, 5)), elements=st.integers(0, 4))


@given(TABLES)
def test_the_statistic_is_friedmans_with_judges_as_blocks(table):
    assume(len(table) > 2)
    assume(np.ptp(table, axis=0).any())
    _, found = find_concordance(table)
    expected = stats.friedmanchisquare(*table)
    assert found.values["chi2"] == pytest.approx(expected.statistic, abs=1e-9)
    assert found.values["p"] == pytest.approx(expected.pvalue, abs=1e-9)


def test_a_constant_judge_is_no_obstacle_but_constant_judges_are():
    up, flat = np.arange(5.0), np.ones(5)
    assert 0 < find_concordance(np.column_stack([up, up, flat]))[0] < 1
    with pytest.raises(NotIdentified, match="every judge scored all outputs alike"):
        find_concordance(np.column_stack([flat, flat]))


def test_holes_are_cut_out_or_refused():
    cut = concordance_coefficient(units_of([[1, 2, 3, 4], [1, 2, 4, 3], [2, 1, 3, None]]))
    assert cut.units == 3
    assert cut.notes[0].startswith("On the 3 outputs that 3 judges all scored")
    alone = concordance_coefficient(units_of([[1, 2, None], [None, None, 3]]))
    assert alone.why.endswith("need outputs that two judges scored: there are none")


# n-agreement against tests/golden/09, statsmodels, and the figures published with WMT07.


@pytest.mark.parametrize(
    ("criterion", "printed", "outputs"),
    [("A", (0.385, 0.819, 0.972), 1987), ("B", (0.383, 0.850, 0.977), 1990)],
)
def test_published_shares_of_wmt07_are_those_of_the_first_two_judges_cut_to_three_digits(
    data_folder, criterion, printed, outputs
):
    # The README of wmt07_scores: one pair of judges per output, of 1,997 outputs with two judges.
    # 10 of the pairs lack a score under A, 7 under B; A's second share is .81983, printed .819.
    rows = evenhand.read(data_folder / "wmt07_scores" / "ratings.parquet").rows()
    whole = find_units(rows)
    judged = np.unique(
        np.column_stack([rows.output, rows.judge.astype(np.int64)]), axis=0, return_counts=False
    )[:, 0]
    assert (np.unique(judged, return_counts=True)[1] > 1).sum() == 1997
    paired = pair_judges(whole)
    names, codes = paired.labels("criterion")
    part = paired.take(codes == names.index(criterion))
    assert part.size == outputs
    sums = Sums(count_coincidences(part, form_blocks(part, "item", 1)))
    found = [n_agreement(sums, n).value for n in range(3)]
    assert [int(1000 * share) / 1000 for share in found] == list(printed)


# Pairs of scores: counted in lots as they are one by one, refused if too many, mirrored.

RNG = np.random.default_rng(11)


def test_too_many_pairs_of_judges_are_refused(monkeypatch):
    monkeypatch.setattr("evenhand.judges.counts.MAX_PAIRS", {True: 1, False: 1})
    units = units_of(RNG.integers(0, 60, (12, 30)).tolist())
    with pytest.raises(NotIdentified, match="1,980 pairs of judges of one output are more than"):
        count_coincidences(units, form_blocks(units, "item", 1))


@pytest.mark.parametrize("tabled", [True, False])
@pytest.mark.parametrize("compute", [fleiss_kappa, krippendorff_alpha, gwet_ac])
def test_a_mirrored_table_is_the_table_beside_itself_with_outputs_exchanged(
    compute, tabled, monkeypatch
):
    if not tabled:
        monkeypatch.setattr("evenhand.judges.counts.MAX_POINTS_TABLED", 0)
    scores = RNG.choice([-1.0, 0.0, 1.0], (3, 25), p=[0.6, 0.3, 0.1])
    matrix = [[None if RNG.random() < 0.3 else x for x in row] for row in scores.tolist()]
    matrix[0][:3] = [-1.0, 0.0, 1.0]
    turned = [[None if x is None else -x for x in row] for row in matrix]
    both = [row + other for row, other in zip(matrix, turned, strict=True)]
    found = compute(Sums(mirror(coincidences_of(matrix)))).value
    if compute is krippendorff_alpha:  # n (n − 1) knows of twice as many scores
        assert found == pytest.approx(compute(Sums(coincidences_of(both))).value, abs=0.02)
    else:
        assert found == pytest.approx(compute(Sums(coincidences_of(both))).value, abs=1e-12)


# Weights of agreement against their definitions, and expected disagreement against double sums.

POINTS = np.array([0.0, 1.0, 2.5, 7.0])


@given(arrays(float, (3, 4), elements=st.integers(0, 9)), st.sampled_from(WEIGHTINGS))
def test_expected_disagreement_is_the_double_sum(mass, weighting):
    apart = disagree(POINTS[:, None], POINTS[None, :], weighting)
    expected = [
        sum(row[c] * row[k] * apart[c, k] for c in range(4) for k in range(4)) for row in mass
    ]
    assert expect_disagreement(mass, POINTS, weighting) == pytest.approx(expected, abs=1e-9)


def test_weights_are_those_of_cohen_and_gwet_on_a_scale_of_five():
    points = np.arange(1.0, 6.0)
    steps = np.abs(np.subtract.outer(points, points)) / 4

    def weights(weighting):
        apart = disagree(points[:, None], points[None, :], weighting)
        return 1 - apart / apart.max()

    np.testing.assert_array_equal(weights("identity"), np.eye(5))
    np.testing.assert_allclose(weights("linear"), 1 - steps)
    np.testing.assert_allclose(weights("quadratic"), 1 - steps**2)
    np.testing.assert_allclose(weights("radical"), 1 - np.sqrt(steps))
    assert weights("ratio")[0, 4] == 0
    assert weights("ratio")[1, 3] == pytest.approx(1 - (2 / 6) ** 2 / (4 / 6) ** 2)


def test_weights_of_what_cannot_be_are_refused():
    with pytest.raises(InvalidJudgments, match="there is -1"):
        check_weighting(np.array([-1.0, 1.0]), "ratio")
    many = np.arange(2000.0)
    with pytest.raises(NotIdentified, match="2,000 different scores are too many"):
        expect_disagreement(np.ones((1, 2000)), many, "radical")


# Resamples from sums are those of the ratings themselves; refusals; nothing depends on order.

DRAWN = np.random.default_rng(7)
LATENT = DRAWN.normal(3, 1, 40)
TABLE = np.clip(np.round(LATENT + DRAWN.normal(0, 0.9, (4, 40))), 1, 5)
TABLE[DRAWN.random((4, 40)) < 0.2] = np.nan
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


def test_a_resample_draws_outputs_of_one_judge_too():
    """AC1 = (p − e) / (1 − e), e = Σ π (1 − π) / (q − 1), π over all outputs (Gwet 2014)."""
    matrix = [[1, 2, 2, 3, 1, 3, 3, 3, 2, 1], [1, 2, 3, 3, 2, None, None, None, None, None]]
    found = gwet_ac(draw_sums(coincidences_of(matrix), seed=3).sums)
    given = np.array([[one.count(c) for c in (1, 2, 3)] for one in zip(*matrix, strict=True)])
    share = given / given.sum(axis=1, keepdims=True)
    for run, times in enumerate(draw_times(10, 3)[:20]):
        if times[:5].sum():
            p = np.average((share[:5] == 1).any(axis=1), weights=times[:5])
            mean = np.average(share, axis=0, weights=times)
            e = (mean * (1 - mean)).sum() / 2
            assert found.over[run] / found.under[run] == pytest.approx((p - e) / (1 - e))


def test_a_coefficient_that_rarely_exists_has_no_interval():
    under = np.ones(REPLICATES)
    under[:80] = 0
    assert find_interval(Ratio(np.ones(REPLICATES), under), 0.95).why == (
        "No interval: it does not exist in 80 of 1,000 replicates."
    )


def test_the_variance_of_pairs_is_taken_off_and_few_judges_are_allowed_for():
    units = units_of(DRAWN.integers(1, 6, (20, 60)).tolist())
    drawn = draw_sums(count_coincidences(units, form_blocks(units, "judge", 1)), 2)
    values, pairs = (krippendorff_alpha(one).values for one in (drawn.sums, drawn.pairs))
    both, once = values.var(), pairs.var()
    kept = np.sqrt(max(both - once, once) / both)
    assert kept < 0.95  # judges do not matter here: pairs are counted twice
    stretch = kept * np.sqrt(20 / 19) * stats.t.ppf(0.975, 19) / stats.norm.ppf(0.975)
    ends = np.quantile(values.mean() + stretch * (values - values.mean()), [0.025, 0.975])
    found = drawn.bound(krippendorff_alpha, 0.95)
    assert (found.lower, found.upper) == pytest.approx(tuple(ends))
