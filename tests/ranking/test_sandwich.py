"""Sandwich covariances against statsmodels, against refits, and against their formulas."""

import duckdb
import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm

import evenhand
from evenhand.data import count as counting
from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import clustering, sandwich
from evenhand.ranking import sandwich as boards
from evenhand.ranking.clustering import gather_evidence
from evenhand.ranking.sandwich import (
    cluster_covariance,
    crossed_covariance,
    crossed_rows_covariance,
    judgment_covariance,
)
from ranking.panels import comparisons, fit, panel, tally, write_out


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


@pytest.mark.parametrize("ties", ["discard", "half-win"])
@pytest.mark.parametrize("by", [None, "judge", "item"])
def test_cr1_is_that_of_statsmodels_and_a_half_win_one_answer(by, ties, monkeypatch):
    monkeypatch.setattr(sandwich, "MAX_DENSE", 0)
    frame = panel()
    fitted, kind = fit(frame, ties=ties), "CR1"
    if by is None:
        vcov = judgment_covariance(fitted)
    else:
        vcov, kind = cluster_covariance(fitted, tally(frame, by), by)
    assert kind == "CR1"
    kept = decided(frame) if ties == "discard" else frame
    np.testing.assert_allclose(fitted.to_worth(vcov)[:-1, :-1], logit(kept, by), rtol=1e-8)


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


def test_no_more_comparisons_than_parameters_show_no_spread():
    rows = {"left": ["a", "b"], "right": ["b", "c"], "outcome": ["tie", "tie"]}
    with pytest.raises(NotIdentified, match="2 comparisons for 2 parameters are too few"):
        judgment_covariance(fit(pl.DataFrame(rows), ties="half-win"))
    alone = pl.DataFrame({"left": ["a"], "right": ["b"], "outcome": ["left"]})
    with pytest.raises(NotIdentified, match="1 comparison for 1 parameter is too few"):
        judgment_covariance(fit(alone, prior=1))


def test_with_importance_weights_discarded_ties_are_as_if_they_were_not_there():
    frame = panel(n=120).with_columns(weight=pl.Series(np.where(np.arange(120) % 3, 1.0, 0.5)))
    found = []
    for part in (frame, frame.filter(pl.col("outcome") != "tie")):
        data = type(comparisons(part))(comparisons(part).frame, weights="importance")
        found.append(judgment_covariance(BradleyTerry(ties="discard").fit(data)))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


# A fit taken apart: other ways to the same sums, and derivatives by differences.


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


def test_beyond_the_limit_nothing_is_kept_of_rows(votes, apart, monkeypatch):
    monkeypatch.setattr(clustering, "MAX_JOINT_JUDGMENTS", 3_999)
    found, _ = gather_evidence(evenhand.read(votes), WAYS, apart=True)
    assert found.crossed is None
    assert found.together(WAYS) is None
