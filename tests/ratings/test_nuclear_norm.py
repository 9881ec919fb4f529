"""Completion of ratings: what is predicted, when it abstains, and what is refused."""

import numpy as np
import pytest

import evenhand
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownColumn
from evenhand.ratings.completion import NuclearNorm, PathPoint, decide
from ratings.rated_matrices import make_rows, simulate


@pytest.fixture(scope="module")
def data():
    return simulate(1)


@pytest.fixture(scope="module")
def fit(data):
    return NuclearNorm(group="quarter").fit(data.rows())


def tiny(score=(1, 2, 3, 4, 5, 6), judge=(0, 0, 0, 1, 1, 1), item=(0, 1, 2, 0, 1, 3)):
    shape = (max(judge) + 1, max(item) + 1)
    return make_rows(judge, item, np.array(score, float), shape)


def test_shared_tastes_are_used_where_there_are_some(data, fit):
    assert not fit.abstained
    assert fit.rank >= 2
    errors = {row.method: row for row in fit.table}
    assert errors["completion"].mae < 0.95 * errors["judge + output"].mae
    assert errors["judge + output"].mae_more.lower > 0
    unseen = ~data.seen
    off = np.abs(fit.predicted - data.noisy)[unseen].mean()
    assert off == pytest.approx(errors["completion"].mae, rel=0.1)


def test_without_tastes_it_answers_with_intercepts_and_says_so():
    fit = NuclearNorm().fit(simulate(3, taste=0.0).rows())
    assert fit.abstained
    assert (fit.tau, fit.rank) == (None, 0)
    assert fit.says[0].code == "alone"
    errors = {row.method: row for row in fit.table}
    assert errors["completion"].mae == errors["judge + output"].mae
    forced = NuclearNorm(abstain=False).fit(simulate(3, taste=0.0).rows())
    assert forced.rank > 0
    assert "as asked" in forced.choice.why


def test_intervals_differ_by_group_and_rest_on_its_own_ratings(fit):
    assert set(fit.groups) == {"q0", "q1", "q2", "q3"}
    assert sum(fit.groups.values()) == 320
    half = fit.half_width[:, 0]
    assert len(set(half[:10])) == 1
    assert half[0] < half[-1]
    assert [one.judges for one in fit.intervals] == [10, 10, 10, 10]
    assert [one.narrowest for one in fit.intervals] == [one.widest for one in fit.intervals]
    assert [one.widest for one in fit.intervals] == half[::10].tolist()
    assert {row["judge_group"] for row in fit.records()} == set(fit.groups)


def test_a_prediction_has_its_interval_and_a_given_rating_itself(data, fit):
    j, o = np.argwhere(~data.seen)[0]
    one = fit.predict(f"j{j:05d}", f"i{o:05d}", "s")
    assert one.seen is None
    assert one.score == fit.predicted[j, o]
    assert one.upper - one.score == pytest.approx(fit.half_width[j, 0])
    j, o = np.argwhere(data.seen)[0]
    assert fit.predict(f"j{j:05d}", f"i{o:05d}", "s").seen == data.noisy[j, o]


def test_what_cannot_be_completed_or_predicted_is_refused(fit):
    with pytest.raises(InvalidJudgments, match="nobody rated the output of 's' for item 'new'"):
        fit.predict("j00001", "new", "s")
    with pytest.raises(InvalidJudgments, match="no judge 'j0001'"):
        fit.predict("j0001", "i00001", "s")
    rows = simulate(2).rows()
    equal = make_rows(rows.judge, rows.item, np.full(rows.size, 4.0), (40, 200))
    with pytest.raises(NotIdentified, match="all 1,600 ratings are 4: there is nothing to predict"):
        NuclearNorm().fit(equal)
    with pytest.raises(InvalidJudgments, match=r"1 score is not within clip 1 to 5: 'j00001' gave"):
        NuclearNorm(clip=(1.0, 5.0)).fit(tiny())
    assert NuclearNorm(clip=(1.0, 6.0)).fit(tiny()).predicted.max() <= 6
    with pytest.raises(NotIdentified, match="j00000 is the only judge") as only:
        NuclearNorm().fit(tiny(judge=(0,) * 6, item=range(6)))
    assert "name the judges" not in str(only.value)
    with pytest.raises(NotIdentified, match="all ratings are of one output"):
        NuclearNorm().fit(tiny(judge=range(6), item=(0,) * 6))


def test_a_judge_without_ratings_is_as_severe_as_the_mean_without_bounds(data):
    fit = NuclearNorm(group="quarter").fit(data.rows(), judges=["newcomer"])
    assert fit.judges[-1] == "newcomer"
    np.testing.assert_allclose(fit.predicted[-1], fit.predicted[:-1].mean(axis=0), atol=1e-9)
    assert np.isinf(fit.half_width[-1]).all()
    assert any("1 judge has no rating" in note for note in fit.notes)


def test_what_judge_and_output_explain_is_predicted_without_error():
    rows = simulate(2).rows()
    score = 1.0 * rows.judge - 3.0 * (rows.item % 7)
    fit = NuclearNorm().fit(make_rows(rows.judge, rows.item, score, (40, 200)))
    even = np.arange(40.0)[:, None] - 3.0 * (np.arange(200) % 7)
    known = np.isin(np.arange(200), rows.item)
    np.testing.assert_allclose(fit.predicted[:, known], even[:, known], atol=1e-6)
    assert fit.abstained
    assert "without a remainder" in fit.choice.why
    np.testing.assert_allclose(fit.half_width, 0, atol=1e-9)


def test_predictions_are_clipped_only_when_asked(data):
    rows = make_rows([0, 0, 1, 1], [0, 1, 1, 2], np.array([1.0, 2.0, 1.0, 4.0]), (2, 3))
    fit = NuclearNorm(calibration=0).fit(rows)  # judge 0 would give item 2 a 5, judge 1 item 0 a 0
    assert any("2 predictions are beyond the scores that were given" in one for one in fit.notes)
    rows, low, high = data.rows(), 2.0, 4.0
    score = np.clip(rows.score, low, high)
    clipped = NuclearNorm(clip=(low, high)).fit(make_rows(rows.judge, rows.item, score, (40, 200)))
    assert clipped.predicted.min() >= low
    assert clipped.predicted.max() <= high
    assert "clip=2-4" in clipped.signature
    assert not any("clipped" in note for note in clipped.notes)
    ends = [(row["lower"], row["upper"]) for row in clipped.records() if not row["given"]]
    assert min(lower for lower, _ in ends) == low
    assert max(upper for _, upper in ends) == high


def test_a_judge_in_two_groups_and_a_column_that_was_not_read_are_refused(data):
    rows = data.rows()
    codes = rows.factors["quarter"].codes.copy()
    codes[0] = 3 - codes[0]
    rows.factors["quarter"].codes[0], before = codes[0], rows.factors["quarter"].codes[0]
    with pytest.raises(InvalidJudgments, match="is in two groups by 'quarter'"):
        NuclearNorm(group="quarter").fit(rows)
    rows.factors["quarter"].codes[0] = before
    with pytest.raises(UnknownColumn, match=r"'quartr'.*Did you mean 'quarter'"):
        NuclearNorm(group="quartr").fit(rows)
    with pytest.raises(UnknownColumn, match="judges cannot be grouped by item"):
        NuclearNorm(group="item").fit(rows)


def test_several_criteria_have_a_matrix_each():
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(4)
    table = {
        "judge": [f"j{j}" for j in range(5) for _ in range(16)] + ["alone"] * 3,
        "item": [f"i{i % 8}" for i in range(80)] + ["i0", "i1", "i2"],
        "system": ["s"] * 83,
        "criterion": (["adequacy"] * 8 + ["fluency"] * 8) * 5 + ["style"] * 3,
        "score": rng.normal(3, 1, 83),
    }
    data = evenhand.read(pl.DataFrame(table))
    with pytest.raises(InvalidJudgments, match=r"several criteria \(adequacy, fluency, style\)"):
        NuclearNorm().fit(data)
    found = NuclearNorm().fit_groups(data)
    assert list(found) == ["adequacy", "fluency"]
    assert len(found["fluency"].judges) == 5
    assert "only judge" in found.refused["style"]


# What held-out ratings may say of missing ones: one answer each, of whom something was learned.


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
    for seed in range(6):
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


# What stands beside a completed matrix.


# The choice of τ: what is enough, when the path is left, and where the last fit begins.


def points(*errors):
    return [PathPoint(0.9 - 0.1 * i, 1.0, i, mae) for i, mae in enumerate(errors)]


@pytest.mark.parametrize(("gain", "used"), [(1.6, False), (1.7, True)])
def test_a_gain_is_used_from_1_645_standard_errors_on(gain, used):
    """Differences of ±√(n − 1)/√n around their mean have a standard error of 1/√n."""
    n = 100
    spread = np.tile([1.0, -1.0], n // 2) * np.sqrt((n - 1) / n)
    better = spread + gain / np.sqrt(n)
    choice = decide(points(0.9), better, 1.0)
    assert choice.gain == pytest.approx((gain / np.sqrt(n), 1 / np.sqrt(n)))
    assert choice.used is used


# Completion of the calibration ratings of WMT22, where EVENHAND_DATA names their folder.
