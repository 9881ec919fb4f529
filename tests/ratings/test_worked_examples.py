"""Functions below completion and judge processes on examples whose answers are known."""

import numpy as np
import pytest

from evenhand.ratings import features
from evenhand.ratings.completion import least_number
from evenhand.ratings.process_search import Layout, sample_evenly


def test_bounded_intervals_need_so_many_residuals():
    assert (least_number(0.9), least_number(0.95)) == (9, 19)


def test_outputs_are_named_by_item_and_system_with_slashes_written_apart():
    assert features.name_output("", "item 3", "alpha") == "item 3 / alpha"
    assert features.name_output("news", "a / b", "c") == r"news / a \/ b / c"


def test_texts_are_measured_by_tokens_and_characters():
    tokens = ["the", "cat", "s", "2", "mats", "猫", "座", "る"]
    assert features.split_tokens("The CAT's 2 mats, 猫座る") == tokens
    measured = features.measure_text("to be, or not to be")
    assert measured == pytest.approx((2.996, 1.946, 0.667, 0.053, 0.0), abs=5e-4)
    compared = features.compare_texts("Il vit Rome", "He saw Rome")
    assert compared == pytest.approx((0, 0.333), abs=5e-4)


def test_rows_are_drawn_as_evenly_over_judges_as_can_be():
    judge = np.array([0, 0, 0, 0, 0, 1])
    rows = sample_evenly(judge, 3, np.random.default_rng(1))
    assert np.bincount(judge[rows]).tolist() == [2, 1]


def test_loadings_are_one_for_each_judge_and_function():
    assert Layout("low rank", 3, 2, 1, means=True, noises=True).sizes()["loadings"] == 6
