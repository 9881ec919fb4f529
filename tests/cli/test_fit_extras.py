"""What a model has beside its coefficients, in the output of `evenhand fit --model NAME`."""

from pathlib import Path

import numpy as np
import pytest

from evenhand.models.base import Coefficient, tabulate_coefficients
from evenhand.render.text import draw_table


@pytest.fixture
def ranked(folder):
    """Rankings of three systems by eight judges."""
    rng = np.random.default_rng(3)
    rows = [
        f"r{i},j{i % 8},{'ABC'[s]},{k + 1}"
        for i in range(80)
        for k, s in enumerate(np.argsort(-(np.array([0.5, 0.1, 0.0]) + rng.gumbel(size=3))))
    ]
    Path("ranked.csv").write_text("\n".join(["ranking,judge,system,rank", *rows]) + "\n")
    return "ranked.csv"


def test_rankings_have_null_where_they_allow_no_test(evenhand, ranked):
    for model in ("random-judges", "judge-slopes"):
        found = evenhand("fit", ranked, "--model", model, "--json").json["extras"]
        assert (found["lr_statistic"], found["lr_p"]) == (None, None)


def test_a_standard_error_is_shown_where_there_is_neither_z_nor_p():
    rows = [
        Coefficient.make("o1", "A", 0.25, 0.1),
        Coefficient("tau", "judge slopes", 0.5, 0.125, None, None),
    ]
    shown = draw_table(tabulate_coefficients(rows, ["A"], of_systems={}))
    assert shown[2].split() == ["tau", "judge", "slopes", "0.5000", "0.1250", "–", "–"]
