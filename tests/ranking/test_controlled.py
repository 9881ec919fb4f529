"""Rankings with controls: errors by cluster beside statsmodels and beside formulas, and words."""

import numpy as np
import polars as pl
import pytest
import scipy.stats
import statsmodels.api as sm

import evenhand
from controlled_rows import comparisons, differences, outcomes, simulate
from evenhand.data import streams as streaming
from evenhand.errors import UnknownColumn, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.controls import ControlledFit, fit_rows, read_controls
from evenhand.ranking import sandwich
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.sandwich import cluster_covariance, crossed_covariance, judgment_covariance
from ranking.panels import Answers

FRAME = simulate(5)
CONTROLS = ("length", "lists")


def fit(frame: pl.DataFrame = FRAME, by=("judge", "item"), **settings) -> ControlledFit:
    model = BradleyTerry(controls=CONTROLS, **settings)
    return fit_rows(model, *read_controls(comparisons(frame), CONTROLS, by=by))


def write_out(found: ControlledFit, frame: pl.DataFrame = FRAME) -> Answers:
    """Scores and information of every row, from the multinomial logit with three cells."""
    x = differences(frame, *CONTROLS)
    x[:, 3:] /= found.likelihood.scale
    order = [np.ones(len(x))] if found.model.order_effect else []
    slopes = np.column_stack([x[:, :3], np.zeros(len(x)), *order, x[:, 3:]])
    tie = np.eye(slopes.shape[1])[3]
    scores, information = [], []
    for row, seen in zip(slopes, outcomes(frame), strict=True):
        cells = np.stack([row, tie, -row])
        chances = np.exp(cells @ found.beta)
        chances /= chances.sum()
        mean = chances @ cells
        scores.append(cells[seen] - mean)
        information.append((cells.T * chances) @ cells - np.outer(mean, mean))
    return Answers(np.array(scores), np.array(information))


@pytest.mark.parametrize("order_effect", [False, True])
@pytest.mark.parametrize("size", [37, 10**6])
def test_the_sandwich_by_judge_is_the_formula_of_cv3(monkeypatch, size, order_effect):
    monkeypatch.setattr(streaming, "BATCH", size)
    found = fit(order_effect=order_effect)
    vcov, kind = cluster_covariance(found, found.tally, "judge")
    assert kind == "CV3"
    formula = write_out(found).jackknife(FRAME["judge"].to_list())
    assert vcov == pytest.approx(formula, rel=1e-7, abs=1e-10)


def test_the_cells_of_judge_and_item_are_the_formula_of_cr0():
    found = fit()
    cells = [f"{j}/{i}" for j, i in zip(FRAME["judge"], FRAME["item"], strict=True)]
    vcov = crossed_covariance(found, found.tally, ("judge", "item"))
    assert vcov == pytest.approx(write_out(found).pooled(cells), rel=1e-7, abs=1e-10)


def test_single_judgments_are_the_formula_of_cr1():
    found, n, p = fit(), len(FRAME), 6
    formula = write_out(found).pooled(list(range(n))) * n / (n - p)
    assert judgment_covariance(found) == pytest.approx(formula, rel=1e-7, abs=1e-10)


def test_clusters_too_many_for_cv3_have_the_errors_of_statsmodels(monkeypatch):
    """statsmodels 0.14, Logit(...).fit(cov_type="cluster"): CR1 with G/(G−1) · (n−1)/(n−p)."""
    kept = FRAME.filter(pl.col("outcome") != "tie")
    won = (kept["outcome"] == "left").to_numpy().astype(float)
    codes = np.unique(kept["judge"], return_inverse=True)[1]
    logit = sm.Logit(won, differences(kept, *CONTROLS)).fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": codes}
    )
    monkeypatch.setattr(sandwich, "MAX_DENSE", 10)
    found = fit(ties="discard")
    vcov, kind = cluster_covariance(found, found.tally, "judge")
    assert kind == "CR1"
    own = 2 * np.sqrt(np.diag(vcov))
    assert own[:3] == pytest.approx(logit.bse[:3], rel=1e-6)
    assert own[3:] / found.likelihood.scale == pytest.approx(logit.bse[3:], rel=1e-6)


def test_a_board_with_controls_has_two_way_intervals_and_names_the_controls():
    ranking = evenhand.rank(comparisons(FRAME), controls=CONTROLS)
    assert isinstance(ranking, Ranking)
    assert "judge+item" in ranking.method
    assert "control length + control lists" in ranking.signature
    assert ranking.log_worth.mean() == pytest.approx(0, abs=1e-12)
    assert ranking.controlled is not None
    assert [effect.name for effect in ranking.controlled.effects] == list(CONTROLS)
    assert "length: log-odds" in str(ranking)
    assert "length: log-odds" in ranking._repr_html_()
    assert [one["name"] for one in ranking.to_dict()["controls"]] == list(CONTROLS)


def test_effects_have_the_largest_error_of_the_ways():
    ranking = evenhand.rank(comparisons(FRAME), controls=CONTROLS)
    found = fit()
    ways = [cluster_covariance(found, found.tally, name)[0] for name in ("judge", "item")]
    both = ways[0] + ways[1] - crossed_covariance(found, found.tally, ("judge", "item"))
    largest = np.sqrt(np.max([np.diag(vcov) for vcov in (*ways, both)], axis=0))
    errors = [effect.stderr for effect in ranking.controlled.effects]
    assert errors == pytest.approx((2 * largest[4:]).tolist(), rel=1e-9)


def test_what_controls_have_not_is_refused():
    with pytest.raises(UnknownOption, match="with controls a resample is a fit to every row"):
        evenhand.rank(comparisons(FRAME), controls=CONTROLS, interval="bootstrap")
    with pytest.raises(UnknownColumn, match="'lists_' not found"):
        evenhand.rank(comparisons(FRAME), controls=("lists_",))


def carried_by(judges: int, slope_sd: float, seed: int) -> pl.DataFrame:
    """Four equal systems and twelve judges, of whom only the first few see outputs differ."""
    rng = np.random.default_rng(seed)
    n, names = 12 * 80, np.array(["a", "b", "c", "d"])
    judge = np.repeat(np.arange(12), 80)
    left = rng.integers(0, 4, n)
    right = (left + rng.integers(1, 4, n)) % 4
    length = np.where(judge < judges, rng.standard_normal(n), 0.0)
    own = rng.normal(0, slope_sd, 12)[judge] * length
    first = rng.random(n) < 1 / (1 + np.exp(-own))
    return pl.DataFrame(
        {
            "left": names[left],
            "right": names[right],
            "outcome": np.where(first, "left", "right"),
            "judge": [f"j{g:02d}" for g in judge],
            "length": length,
        }
    )


@pytest.mark.parametrize(("judges", "effective"), [(1, "1.0"), (3, "3.0"), (4, "3.9")])
def test_of_a_control_that_few_judges_carry_no_error_is_stated(judges, effective):
    ranking = evenhand.rank(evenhand.read(carried_by(judges, 0.5, 3)), controls=["length"])
    (effect,) = ranking.controlled.effects
    assert f"fewer than 5 effective judges ({effective})" in effect.says
    assert "no standard error" in effect.says
    (stated,) = ranking.to_dict()["controls"]
    assert [stated[name] for name in ("stderr", "lower", "upper", "p")] == [None] * 4
    assert stated["estimate"] == pytest.approx(effect.estimate)


def test_a_control_has_students_t_of_the_judges_who_carry_it():
    ranking = evenhand.rank(evenhand.read(carried_by(7, 0.5, 3)), controls=["length"])
    (effect,) = ranking.controlled.effects
    wide = (effect.upper - effect.lower) / (2 * effect.stderr)
    assert scipy.stats.t.ppf(0.975, 6) < wide < scipy.stats.t.ppf(0.975, 5)
