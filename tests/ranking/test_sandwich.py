"""Sandwich covariances against statsmodels, against refits, and against their formulas."""

from collections.abc import Callable

import duckdb
import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm

import evenhand
from evenhand.data import count as counting
from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit
from evenhand.ranking import clustering, sandwich
from evenhand.ranking import sandwich as boards
from evenhand.ranking.clustering import gather_evidence
from evenhand.ranking.sandwich import (
    cluster_covariance,
    crossed_covariance,
    crossed_rows_covariance,
    judgment_covariance,
)
from ranking.panels import comparisons, fit, jackknife, panel, tally, write_out


def logit(frame: pl.DataFrame, by: str | None = None) -> np.ndarray:
    """statsmodels GLM: covariance of log-worths, the last system at 0, CR1 by a column or by row.

    GLM(y, e_left − e_right, family=Binomial()).fit(cov_type="cluster", cov_kwds={"groups": ...});
    a tie is half a win, or is not in the frame. (Its cov_type="HC1" is HC0 for a GLM.)
    """
    systems = sorted({*frame["left"], *frame["right"]})
    x = np.zeros((len(frame), len(systems)))
    for row, (left, right) in enumerate(frame.select("left", "right").iter_rows()):
        x[row, systems.index(left)], x[row, systems.index(right)] = 1, -1
    y = frame["outcome"].replace_strict({"left": 1.0, "tie": 0.5, "right": 0.0}).to_numpy()
    model = sm.GLM(y, x[:, :-1], family=sm.families.Binomial())
    labels = range(len(frame)) if by is None else frame[by].to_numpy()
    groups = np.unique(labels, return_inverse=True)[1]
    return model.fit(tol=1e-12, cov_type="cluster", cov_kwds={"groups": groups}).cov_params()


def decided(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(pl.col("outcome") != "tie")


@pytest.mark.parametrize("by", ["judge", "item"])
def test_cr1_by_judge_and_by_item_is_that_of_statsmodels(by, monkeypatch):
    monkeypatch.setattr(sandwich, "MAX_DENSE", 0)
    frame = panel()
    fitted = fit(frame, ties="discard")
    vcov, kind = cluster_covariance(fitted, tally(frame, by), by)
    assert kind == "CR1"
    np.testing.assert_allclose(
        fitted.to_worth(vcov)[:-1, :-1], logit(decided(frame), by), rtol=1e-8
    )


def test_cr1_by_judgment_is_that_of_statsmodels_with_a_cluster_for_each_row():
    frame = panel()
    fitted = fit(frame, ties="discard")
    vcov = fitted.to_worth(judgment_covariance(fitted))
    np.testing.assert_allclose(vcov[:-1, :-1], logit(decided(frame)), rtol=1e-8)


@pytest.mark.parametrize("by", [None, "judge"])
def test_a_half_win_is_one_answer_and_not_two_halves(by, monkeypatch):
    monkeypatch.setattr(sandwich, "MAX_DENSE", 0)
    frame = panel()
    fitted = fit(frame, ties="half-win")
    if by is None:
        vcov = judgment_covariance(fitted)
    else:
        vcov, _ = cluster_covariance(fitted, tally(frame, by), by)
    np.testing.assert_allclose(fitted.to_worth(vcov)[:-1, :-1], logit(frame, by), rtol=1e-8)


@pytest.mark.parametrize("order", [False, True])
@pytest.mark.parametrize("by", ["judge", "item"])
def test_cv3_is_its_formula_answer_by_answer(by, order):
    frame = panel()
    fitted = fit(frame, order_effect=order)
    vcov, kind = cluster_covariance(fitted, tally(frame, by), by)
    expected = write_out(frame, fitted, order=order).jackknife(frame[by].to_list())
    assert kind == "CV3"
    np.testing.assert_allclose(vcov, expected, rtol=1e-7, atol=1e-12)


def test_cv3_is_its_formula_where_one_judge_gave_most_answers():
    """Leverage near one: the iteration does not settle, and equations are solved directly."""
    frame = panel(n=400)
    busy = pl.when(pl.int_range(pl.len()) % 20 < 18).then(pl.lit("j000")).otherwise(pl.col("judge"))
    frame = frame.with_columns(judge=busy)
    fitted = fit(frame)
    vcov, _ = cluster_covariance(fitted, tally(frame, "judge"), "judge")
    expected = write_out(frame, fitted).jackknife(frame["judge"].to_list())
    np.testing.assert_allclose(vcov, expected, rtol=1e-7)


@pytest.mark.parametrize("ties", ["davidson", "discard"])
def test_standard_errors_are_within_a_fortieth_of_leaving_judges_out_and_refitting(ties):
    """INFERENCE B2: one step in place of a refit moves coverage by .004 to .007."""
    frame = panel(seed=3, n=2000, judges=20, systems=5)
    whole = fit(frame, ties=ties)
    refits = [
        fit(frame.filter(pl.col("judge") != judge), ties=ties).log_worth
        for judge in sorted(set(frame["judge"]))
    ]
    spread = np.array(refits) - np.mean(refits, axis=0)
    expected = np.sqrt(19 / 20 * (spread**2).sum(axis=0))[:-1]
    vcov, _ = cluster_covariance(whole, tally(frame, "judge"), "judge")
    found = np.sqrt(np.diag(whole.to_worth(vcov)))[:-1]
    np.testing.assert_allclose(found, expected, rtol=0.025)
    model = np.sqrt(np.diag(whole.worth_vcov))[:-1]
    assert (np.abs(found - expected) < 0.1 * np.abs(model - expected)).all()


def test_importance_weights_enter_the_sandwich_squared():
    frame = panel(n=120)
    weights = np.random.Generator(np.random.PCG64(5)).choice([0.25, 0.5, 1.5, 2.0], len(frame))
    data = comparisons(frame.with_columns(weight=pl.Series(weights)))
    data = type(data)(data.frame, weights="importance")
    fitted = BradleyTerry().fit(data)
    answers = write_out(frame, fitted, weights=weights)
    n, p = weights.sum() ** 2 / (weights**2).sum(), len(fitted.estimate)
    single = answers.pooled(list(range(len(frame)))) * n / (n - p)
    np.testing.assert_allclose(judgment_covariance(fitted), single, rtol=1e-7, atol=1e-12)
    vcov, _ = cluster_covariance(fitted, data.tally(by=("judge",)), "judge")
    expected = answers.jackknife(frame["judge"].to_list())
    np.testing.assert_allclose(vcov, expected, rtol=1e-7, atol=1e-12)


def test_frequency_weights_are_repeated_rows():
    frame = panel(n=150)
    weight = pl.Series(np.arange(150) % 4)
    repeated = frame[np.repeat(np.arange(150), weight.to_numpy()).tolist()]
    weighted = frame.with_columns(weight=weight)
    one, other = fit(weighted), fit(repeated)
    np.testing.assert_allclose(judgment_covariance(one), judgment_covariance(other), rtol=1e-9)
    for by in ("judge", "item"):
        found, _ = cluster_covariance(one, tally(weighted, by), by)
        expected, _ = cluster_covariance(other, tally(repeated, by), by)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_judge_of_nothing_but_discarded_ties_is_no_cluster():
    frame = decided(panel())
    idle = frame.head(9).with_columns(judge=pl.lit("idle"), outcome=pl.lit("tie"))
    fitted = fit(frame, ties="discard")
    expected, _ = cluster_covariance(fitted, tally(frame, "judge"), "judge")
    more = pl.concat([frame, idle])
    found, _ = cluster_covariance(fit(more, ties="discard"), tally(more, "judge"), "judge")
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def two_islands_and_a_bridge(bridges: tuple[str, ...]) -> pl.DataFrame:
    """Judges j000.. compare s0, s1 or s2, s3; only the judges on the bridge compare s1 with s2."""
    frame = panel(n=400, judges=6).filter(
        pl.col("left").is_in(["s0", "s1"]) == pl.col("right").is_in(["s0", "s1"])
    )
    rows = [
        {"left": "s1", "right": "s2", "outcome": outcome, "judge": judge, "item": "i000"}
        for judge in bridges
        for outcome in ("left", "right", "left", "tie")
    ]
    return pl.concat([frame, pl.DataFrame(rows)])


@pytest.mark.parametrize("ties", ["davidson", "discard", "rao-kupper"])
def test_a_judge_who_alone_links_systems_is_named(ties):
    """The score of such a judge is nought in the direction that is lost: no number shows it."""
    frame = two_islands_and_a_bridge(("j000",))
    fitted = fit(frame, ties=ties)
    with pytest.raises(NotIdentified, match="without j000 some systems are linked to the rest by"):
        cluster_covariance(fitted, tally(frame, "judge"), "judge")


def test_two_judges_on_the_bridge_suffice():
    frame = two_islands_and_a_bridge(("j000", "j001"))
    fitted = fit(frame)
    vcov, _ = cluster_covariance(fitted, tally(frame, "judge"), "judge")
    expected = write_out(frame, fitted).jackknife(frame["judge"].to_list())
    np.testing.assert_allclose(vcov, expected, rtol=1e-6)


def test_no_more_comparisons_than_parameters_show_no_spread():
    rows = {"left": ["a", "b"], "right": ["b", "c"], "outcome": ["tie", "tie"]}
    fitted = fit(pl.DataFrame(rows), ties="half-win")
    with pytest.raises(NotIdentified, match="2 comparisons for 2 parameters are too few"):
        judgment_covariance(fitted)


def test_with_importance_weights_discarded_ties_are_as_if_they_were_not_there():
    frame = panel(n=120).with_columns(weight=pl.Series(np.where(np.arange(120) % 3, 1.0, 0.5)))
    found = []
    for part in (frame, frame.filter(pl.col("outcome") != "tie")):
        data = type(comparisons(part))(comparisons(part).frame, weights="importance")
        found.append(judgment_covariance(BradleyTerry(ties="discard").fit(data)))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


def test_a_single_comparison_under_a_prior_is_refused_in_words():
    alone = pl.DataFrame({"left": ["a"], "right": ["b"], "outcome": ["left"]})
    with pytest.raises(NotIdentified, match="1 comparison for 1 parameter is too few"):
        judgment_covariance(fit(alone, prior=1))


# A fit taken apart: other ways to the same sums, and derivatives by differences.


STEP = 1e-4


@pytest.mark.parametrize("order", [False, True])
def test_the_dense_and_the_sparse_way_to_cells_agree(order, monkeypatch):
    frame = panel()
    fitted, counts = fit(frame, order_effect=order), tally(frame, "judge", "item")
    dense = crossed_covariance(fitted, counts, ("judge", "item"))
    monkeypatch.setattr(boards, "MAX_DENSE", 48 * len(dense) - 1)  # 6 × 8 cells do not fit
    numbered = crossed_covariance(fitted, counts, ("judge", "item"))
    monkeypatch.setattr(boards, "MAX_DENSE", 0)
    sparse = crossed_covariance(fitted, counts, ("judge", "item"))
    np.testing.assert_allclose(numbered, dense, rtol=1e-12)
    np.testing.assert_allclose(sparse, dense, rtol=1e-10, atol=1e-15)


def judge_loglik(part, whole: Fit) -> Callable[[np.ndarray], float]:
    """The log-likelihood of one judge's answers as a function of (λ, τ)."""
    codes = [[whole.systems.index(name) for name in part[side]] for side in ("left", "right")]
    outcome = [["left", "tie", "right"].index(name) for name in part["outcome"]]

    def value(at: np.ndarray) -> float:
        worth = np.append(at[:-1], 0.0)
        eta = worth[codes[0]] - worth[codes[1]]
        chances = whole.likelihood.law.log_chances(eta, np.log(at[-1]))
        return float(chances[np.arange(len(eta)), outcome].sum())

    return value


def gradient(value: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    """First derivatives by central differences."""
    unit = np.eye(len(at)) * STEP
    return np.array([(value(at + e) - value(at - e)) / (2 * STEP) for e in unit])


def bend(value: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    """Minus the second derivatives by central differences."""
    unit = np.eye(len(at)) * STEP
    return -np.array(
        [(gradient(value, at + e) - gradient(value, at - e)) / (2 * STEP) for e in unit]
    )


@pytest.mark.parametrize("ties", ["rao-kupper", "glenn-david"])
def test_cv3_of_thresholds_is_its_formula_with_differences_for_derivatives(ties):
    frame = panel(n=160, judges=4)
    whole = fit(frame, ties=ties)
    parts = [frame.filter(frame["judge"] == judge) for judge in sorted(set(frame["judge"]))]
    values = [judge_loglik(part, whole) for part in parts]
    scores = np.array([gradient(value, whole.estimate) for value in values])
    information = np.array([bend(value, whole.estimate) for value in values])
    found, _ = cluster_covariance(whole, tally(frame, "judge"), "judge")
    scale = np.where(np.array(whole.names) == "tau", whole.estimate, 1.0)  # from log τ to τ
    expected = jackknife(scores, information)
    np.testing.assert_allclose(found * scale * scale[:, None], expected, rtol=2e-4, atol=1e-7)


# Cells of judge and item from rows that know theirs, against the tally of all cells.


WAYS = ("judge", "item")


@pytest.fixture(scope="module")
def votes(tmp_path_factory):
    """A Parquet file of 4,000 votes by 260 judges on 230 items: more than clusters may be."""
    path = tmp_path_factory.mktemp("crossed") / "votes.parquet"
    duckdb.execute(
        "copy (select chr(65 + (hash(i, 1) % 5)::int) as model_a,"
        " chr(65 + ((hash(i, 1) + 1 + hash(i, 2) % 4) % 5)::int) as model_b,"
        " ['model_a', 'tie', 'model_b'][1 + (hash(i, 3) % 3)::int] as winner,"
        " format('judge {}', (hash(i, 4) % 260)::int) as judge,"
        f" format('item {{}}', (hash(i, 5) % 230)::int) as item from range(4000) r(i)) to '{path}'"
    )
    return path


@pytest.fixture
def apart(monkeypatch):
    """Let 1,000 rows be enough to count each way by itself."""
    monkeypatch.setattr(counting, "SAMPLE", 1_000)


@pytest.mark.parametrize("order", [False, True])
@pytest.mark.parametrize("ties", ["davidson", "half-win", "discard", "rao-kupper"])
def test_the_covariance_by_cells_is_that_of_their_tally(votes, apart, ties, order):
    data = evenhand.read(votes)
    found, _ = gather_evidence(data, WAYS, apart=True)
    joint = data.tally(WAYS, limits=dict.fromkeys(WAYS, clustering.MAX_CLUSTERS))
    fit = BradleyTerry(ties=ties, order_effect=order).fit(joint)
    ours = crossed_rows_covariance(fit, found.crossed)
    expected = crossed_covariance(fit, joint, WAYS)
    np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-15)


def test_the_ranking_is_that_of_the_joint_tally(votes, monkeypatch):
    whole = evenhand.rank(evenhand.read(votes))
    monkeypatch.setattr(counting, "SAMPLE", 1_000)
    rows = evenhand.rank(evenhand.read(votes))
    assert rows.signature == whole.signature
    np.testing.assert_allclose(rows.stderr, whole.stderr, rtol=1e-12)
    np.testing.assert_array_equal(rows.rank_lower, whole.rank_lower)


def test_beyond_the_limit_nothing_is_kept_of_rows(votes, apart, monkeypatch):
    monkeypatch.setattr(clustering, "MAX_JOINT_JUDGMENTS", 3_999)
    found, _ = gather_evidence(evenhand.read(votes), WAYS, apart=True)
    assert found.crossed is None
    assert found.together(WAYS) is None
