"""What was found on held-out judgments, and the systems by one model, as figures."""

from dataclasses import replace

import numpy as np
import pytest

from drawn_figures import heights, values
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.cross_validation import compare_models
from evenhand.ranking.learning_curves import trace_learning
from evenhand.report.figures.predictions import draw_comparison, draw_curves, draw_fit
from tallies import table, tally

COLUMNS = ("judge", "item", "left", "right", "outcome")
MODELS = ("uniform", "bradley-terry")


@pytest.fixture(scope="module")
def data():
    """Eight judges prefer a to b to c, as a rule."""
    rng = np.random.default_rng(2)
    rows = []
    for i in range(240):
        a, b = rng.choice(3, 2, replace=False)
        said = rng.choice(["left", "tie", "right"], p=(0.7, 0.2, 0.1) if a < b else (0.1, 0.2, 0.7))
        rows.append((f"J{i % 8}", f"i{i % 23}", "abc"[a], "abc"[b], said))
    return table(rows, COLUMNS)


@pytest.fixture(scope="module")
def found(data):
    return compare_models(data, models=MODELS)


def test_perplexities_are_drawn_as_they_are_best_first(found):
    rows = {
        row["name"]: row for row in values(draw_comparison(found)["perplexity"]) if "name" in row
    }
    for one in found.scores:
        row = rows[one.model]
        assert (row["value"], row["lower"], row["upper"]) == (one.perplexity, one.lower, one.upper)
    places = heights(draw_comparison(found)["perplexity"], set(MODELS))
    assert places["bradley-terry"] < places["uniform"]


def test_models_that_are_surely_worse_are_grey(found):
    rows = {
        row["name"]: row for row in values(draw_comparison(found)["differences"]) if "name" in row
    }
    assert rows["bradley-terry"]["strong"]
    assert not rows["uniform"]["strong"]
    assert rows["bradley-terry"]["value"] == 0


def test_the_caption_says_whom_grey_models_are_worse_than(data, found):
    for drawn in draw_comparison(found).values():
        assert "surely worse than bradley-terry" in drawn.below
    three = compare_models(data, models=(*MODELS, "adjusted-uniform"))
    assert three.best_set == ("bradley-terry",)
    behind = {"uniform": "adjusted-uniform", "adjusted-uniform": "bradley-terry"}
    drawn = draw_comparison(replace(three, left_behind=behind))["differences"]
    assert "surely worse than some other model" in drawn.below, "not the best for both"
    alike = compare_models(data, models=["bradley-terry", "bradley-terry-prior"])
    assert len(alike.best_set) == 2
    assert "grey" not in draw_comparison(alike)["differences"].below


def test_curves_have_the_points_that_were_found(data):
    curves = trace_learning(data, models=MODELS, least=60, sizes=(40, 80), trials=2)
    drawn = {
        (row["name"], row["size"]): row for row in values(draw_curves(curves)) if "lower" in row
    }
    for model in MODELS:
        for point in curves.curve(model):
            assert drawn[model, point.size]["perplexity"] == point.perplexity


def test_the_systems_by_a_model_stand_best_first_about_the_average_system():
    fit = BradleyTerry().fit(tally(("a", "b", 6, 2, 2), ("b", "c", 5, 3, 2), ("a", "c", 9, 1, 2)))
    rows = {row["name"]: row for row in values(draw_fit(fit, name="bradley-terry")["abilities"])}
    centred = fit.log_worth - fit.log_worth.mean()
    assert rows["a"]["value"] == pytest.approx(centred[0])
    shift = np.array([2, -1, -1]) / 3
    margin = 1.959964 * np.sqrt(shift @ fit.worth_vcov @ shift)
    assert rows["a"]["upper"] == pytest.approx(centred[0] + margin, rel=1e-6)
    cells = {(row["row"], row["against"]) for row in values(draw_fit(fit, name="x")["heat-map"])}
    assert ("1 a", 3) in cells
