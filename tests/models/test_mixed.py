"""The mixed model of ratings against published tables, other software and closed forms."""

import numpy as np
import pytest

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.models.mixed import Mixed
from golden_numbers import golden
from models.scored import rows_of, simulate


def variances(fit):
    return {one.name: one.variance for one in fit.components}


def test_machines_and_workers_are_as_nlme_prints_them():
    entry = golden("mixed_ratings", "machines")
    score = np.array([entry.input[machine] for machine in "ABC"])
    machine, worker, _ = np.indices(score.shape)
    fit = Mixed().fit(rows_of(worker, np.arange(score.size), machine, score))
    want, near = entry.expected, entry.tolerance
    assert fit.estimate == pytest.approx(want["estimate"], abs=near)
    assert fit.find_df(np.array([1.0, -1.0, 0.0])) == pytest.approx(want["df"], rel=1e-7)
    assert fit.loglik == pytest.approx(want["loglik"], abs=5e-5)
    sds = {one.name: one.sd for one in fit.components}
    assert sds == pytest.approx(want["sd"], abs=near)
    contrasts = fit.contrasts([("s001", "s000"), ("s002", "s000")])
    for contrast, t, p in zip(contrasts, want["t"], want["p"], strict=True):
        assert contrast.stderr == pytest.approx(want["contrast_stderr"], abs=near)
        assert contrast.df == pytest.approx(want["df"], rel=1e-7)
        assert contrast.estimate / contrast.stderr == pytest.approx(t, abs=near)
        assert contrast.p == pytest.approx(p, abs=5e-5)
    assert any("each item was scored once" in note for note in fit.notes)


def test_an_unbalanced_design_has_the_numbers_of_lmertests_formulas():
    entry = golden("mixed_ratings", "crossed_unbalanced")
    codes = (entry.input[name] for name in "jis")
    fit = Mixed().fit(rows_of(*codes, entry.input["y"]))
    want, near = entry.expected, entry.tolerance
    assert fit.estimate == pytest.approx(want["estimate"], abs=near)
    centre = np.eye(4) - 1 / 4
    assert fit.vcov == pytest.approx(centre @ want["vcov"] @ centre, abs=near)
    assert variances(fit) == pytest.approx(want["variances"], abs=near)
    assert fit.loglik == pytest.approx(want["loglik"], abs=1e-9)
    for row in want["contrasts"]:
        (contrast,) = fit.contrasts([tuple(fit.systems[code] for code in row["pair"])])
        assert contrast.estimate == pytest.approx(row["estimate"], abs=near)
        assert contrast.stderr == pytest.approx(row["stderr"], abs=near)
        assert contrast.df == pytest.approx(row["df"], rel=5e-6)
        assert contrast.p == pytest.approx(row["p"], abs=near)
    assert fit.f_test.statistic == pytest.approx(want["f"], abs=near)
    assert fit.f_test.df_below == pytest.approx(want["f_df"], rel=5e-6)
    other = want["statsmodels"]
    assert fit.estimate == pytest.approx(other["estimate"], abs=near)
    assert variances(fit) == pytest.approx(other["variances"], abs=near)


def test_complete_cells_are_the_analysis_of_variance():
    # each judge scores each output: a difference has the variance 2 (MS_js + MS_is − MS_e)/(I J),
    # and Satterthwaite's closed form
    rng = np.random.Generator(np.random.PCG64(3))
    judge, item, system = np.indices((5, 8, 3))
    score = (
        rng.normal(0, 2, 5)[judge]
        + rng.normal(0, 3, 8)[item]
        + rng.normal(0, 2, (5, 3))[judge, system]
        + rng.normal(0, 3, (8, 3))[item, system]
        + rng.normal(0, 1, judge.shape)
        + system
    )
    fit = Mixed().fit(rows_of(judge, item, system, score))
    centred = score - score.mean(axis=(0, 1))
    by_judge = centred.mean(axis=1) - centred.mean(axis=(1, 2))[:, None]
    by_item = centred.mean(axis=0) - centred.mean(axis=(0, 2))[:, None]
    j_sum, i_sum = 8 * (by_judge**2).sum(), 5 * (by_item**2).sum()
    main = 24 * (centred.mean(axis=(1, 2)) ** 2).sum() + 15 * (centred.mean(axis=(0, 2)) ** 2).sum()
    rest_df = 120 - 3 - 4 - 7 - 8 - 14
    squares = [j_sum / 8, i_sum / 14, ((centred**2).sum() - j_sum - i_sum - main) / rest_df]
    sums = squares[0] + squares[1] - squares[2]
    df = sums**2 / (squares[0] ** 2 / 8 + squares[1] ** 2 / 14 + squares[2] ** 2 / rest_df)
    (contrast,) = fit.contrasts([("s001", "s000")])
    assert fit.estimate == pytest.approx(score.mean(axis=(0, 1)), rel=1e-9)
    assert contrast.stderr**2 == pytest.approx(2 * sums / 40, rel=1e-5)
    assert contrast.df == pytest.approx(df, rel=1e-5)


def test_two_systems_on_the_same_outputs_of_items_are_the_paired_t_test():
    from scipy.stats import ttest_rel

    rng = np.random.Generator(np.random.PCG64(4))
    item, system = np.indices((12, 2))
    score = rng.normal(0, 3, 12)[item] + rng.normal(0, 1, item.shape) + system
    fit = Mixed().fit(rows_of(0 * item, item, system, score))
    (contrast,) = fit.contrasts([("s001", "s000")])
    paired = ttest_rel(score[:, 1], score[:, 0])
    assert (contrast.estimate / contrast.stderr, contrast.p) == pytest.approx(
        (paired.statistic, paired.pvalue), rel=1e-7
    )
    assert contrast.df == pytest.approx(11, rel=1e-7)
    assert fit.f_test.p == pytest.approx(contrast.p, rel=1e-7)
    assert any("one judge" in note for note in fit.notes)


def test_without_random_effects_it_is_the_analysis_of_variance_of_one_way():
    from scipy.stats import f_oneway

    rng = np.random.Generator(np.random.PCG64(5))
    system = rng.integers(0, 4, 30)
    score = rng.normal(system, 1)
    fit = Mixed(random=()).fit(rows_of(np.arange(30), np.arange(30), system, score))
    classic = f_oneway(*(score[system == code] for code in range(4)))
    assert fit.f_test.statistic == pytest.approx(classic.statistic, rel=1e-9)
    assert fit.f_test.p == pytest.approx(classic.pvalue, rel=1e-6)
    assert fit.df == pytest.approx(26, rel=1e-6)


def test_a_variance_of_0_is_as_if_its_effect_were_left_out():
    sds = {"judge": 2.0, "judge x system": 1.0, "residual": 1.0}
    rows = next(
        rows
        for rows in (simulate(seed, sds, n=200) for seed in range(20))
        if variances(Mixed().fit(rows))["item x system"] == 0
    )
    fit, without = Mixed().fit(rows), Mixed(random=("judge", "item", "judge x system")).fit(rows)
    pair = [("s000", "s001")]
    assert fit.estimate == pytest.approx(without.estimate, rel=1e-6)
    assert fit.contrasts(pair)[0].df == pytest.approx(without.contrasts(pair)[0].df, rel=1e-4)


def test_points_may_be_moved_and_stretched():
    rows = simulate(6, {"judge": 2.0, "item": 1.0, "item x system": 1.0}, n=150)
    other = rows_of(rows.judge, rows.item, rows.system, 7 - 3 * rows.score)
    fit, turned = Mixed().fit(rows), Mixed().fit(other)
    assert turned.estimate == pytest.approx(7 - 3 * fit.estimate, rel=1e-7)
    assert turned.vcov == pytest.approx(9 * fit.vcov, rel=1e-4)
    (one,), (two,) = (each.contrasts([("s000", "s001")]) for each in (fit, turned))
    assert (two.df, two.p) == pytest.approx((one.df, one.p), rel=1e-4)


def test_judges_who_cannot_be_told_from_systems_are_named():
    # s000 and s001 by one judge, s002 by another: as many judges as groups of systems
    rng = np.random.Generator(np.random.PCG64(7))
    system = np.repeat([0, 1, 2], 10)
    score = rng.normal(system, 1)
    fit = Mixed().fit(rows_of(system // 2, np.arange(30), system, score))
    assert "judge" not in variances(fit)
    note = next(note for note in fit.notes if note.startswith("judge cannot be told"))
    assert "the systems" in note
    assert "standard errors" in note


def test_repeats_are_averaged_which_is_said():
    rows = simulate(8, {"judge": 1.0, "item": 1.0}, n=60)
    once = rows.take(np.unique(rows.judge * 1000 + rows.output, return_index=True)[1])
    twice = once.take(np.append(np.arange(once.size), 5))
    fit = Mixed().fit(twice)
    assert fit.estimate == pytest.approx(Mixed().fit(once).estimate, rel=1e-9)
    assert fit.n_ratings == once.size + 1
    assert any("1 score repeats" in str(note) for note in fit.notes)


def test_what_has_no_answer_is_refused():
    judge, item, system = np.indices((3, 4, 2))
    with pytest.raises(NotIdentified, match="all scores are equal"):
        Mixed().fit(rows_of(judge, item, system, 0 * judge + 3))
    with pytest.raises(NotIdentified, match="without a remainder"):
        Mixed().fit(rows_of(judge, item, system, judge + item + 5 * system))
    with pytest.raises(NotIdentified, match="one system"):
        Mixed().fit(rows_of(judge, item, 0 * system, np.random.default_rng(0).normal(size=24)))
    with pytest.raises(UnknownOption, match="judge"):
        Mixed(random=("jugde",))


def test_scores_without_items_or_judges_are_not_taken_for_repeats():
    # four scores of each judge for each system, of outputs that nobody names: a difference has the
    # variance 2 MS_js / (J r) on (K - 1)(J - 1) df, and the residual is that within the cells
    rng = np.random.default_rng(4)
    y = rng.normal(50, 8, (6, 3, 4)) + rng.normal(0, 6, (6, 1, 1)) + rng.normal(0, 9, (6, 3, 1))
    judge, system, _ = np.indices(y.shape).reshape(3, -1)
    table = {
        "judge": [f"j{at}" for at in judge],
        "system": [f"s{at}" for at in system],
        "score": y.reshape(-1).tolist(),
    }
    fit = Mixed().fit(table)
    cell = y.mean(axis=2)
    taste = cell - cell.mean(axis=1, keepdims=True) - cell.mean(axis=0) + cell.mean()
    within, between = y.var(axis=2, ddof=1).mean(), 4 * (taste**2).sum() / 10
    found = {one.name: one.variance for one in fit.components}
    assert found["residual"] == pytest.approx(within, rel=1e-6)
    assert found["judge x system"] == pytest.approx((between - within) / 4, rel=1e-6)
    (contrast,) = fit.contrasts([("s0", "s1")])
    assert contrast.stderr**2 == pytest.approx(2 * between / 24, rel=1e-6)
    assert not any("item" in note for note in fit.notes)

    del table["judge"]  # analysis of variance in one way
    fit = Mixed().fit(table)
    (contrast,) = fit.contrasts([("s0", "s1")])
    pooled = y.transpose(1, 0, 2).reshape(3, -1).var(axis=1, ddof=1).mean()
    assert contrast.stderr**2 == pytest.approx(2 * pooled / 24, rel=1e-6)
    assert contrast.df == pytest.approx(69, rel=1e-4)
