"""Who is preferred to whom."""

from dataclasses import replace

import numpy as np
import pytest

from drawn_figures import colours, size, texts, values
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.by_model import tabulate_chances
from evenhand.report.figures.style import shade
from evenhand.report.figures.systems import draw_heat_map
from tallies import tally


def chances(systems):
    """Chances of systems with worths from 1 down to -1, and a quarter of ties."""
    worth = np.linspace(1, -1, systems)
    first = 0.75 / (1 + np.exp(worth[None, :] - worth[:, None]))
    return np.stack([first, np.full((systems, systems), 0.25), 0.75 - first], axis=-1)


def test_a_cell_is_the_chance_that_the_row_is_preferred_with_half_of_the_ties():
    q = np.zeros((2, 2, 3))
    q[0, 1], q[1, 0] = (0.5, 0.3, 0.2), (0.2, 0.3, 0.5)
    cells = {(row["first"], row["second"]): row for row in values(draw_heat_map(["x", "y"], q))}
    assert cells["x", "y"]["value"] == pytest.approx(0.65)
    assert cells["y", "x"]["value"] == pytest.approx(0.35)
    assert cells["x", "y"]["neither"] == 0.3
    assert set(cells) == {("x", "y"), ("y", "x")}, "nothing is compared with itself"


def luminance(colour):
    """Relative luminance of "#rrggbb" (WCAG 2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot((0.2126, 0.7152, 0.0722), linear))


def lightness(colour):
    """L of CIELAB, which the scale interpolates."""
    return 116 * luminance(colour) ** (1 / 3) - 16


def test_the_scale_has_its_palest_in_the_middle_and_two_hues_beyond():
    brown, even, blue = shade(-1), shade(0), shade(1)
    assert {brown, even, blue} <= colours(draw_heat_map(list("abcd"), chances(4)))
    assert luminance(even) > 0.8
    assert max(luminance(brown), luminance(blue)) < 0.1
    assert lightness(brown) == pytest.approx(lightness(blue), abs=1), "neither side looks stronger"
    assert int(brown[1:3], 16) > int(brown[5:], 16)
    assert int(blue[1:3], 16) < int(blue[5:], 16)


@pytest.mark.parametrize(("systems", "width"), [(2, 360), (60, 360), (11, 620)])
def test_all_rows_are_named_and_columns_are_numbered_at_any_width(systems, width):
    names = [f"system-{i}" for i in range(systems)]
    chart = replace(draw_heat_map(names, chances(systems)), width=width)
    assert size(chart)[0] <= width + 4
    drawn = texts(chart)
    assert [label for i, name in enumerate(names, 1) if (label := f"{i} {name}") not in drawn] == []
    assert {"1", str(systems)} <= set(drawn)


def test_the_chances_of_a_fit_are_its_own_in_the_order_asked_for():
    fit = BradleyTerry().fit(tally(("a", "b", 6, 2, 2), ("b", "c", 5, 3, 2), ("a", "c", 7, 1, 2)))
    found = tabulate_chances(fit, ("c", "a", "b"))
    assert found[1, 0] == pytest.approx(fit.predict([("a", "c")])[0])
    assert found[0, 1] == pytest.approx(fit.predict([("c", "a")])[0])
    assert np.all(found[np.eye(3, dtype=bool)] == 0)
    off = found[~np.eye(3, dtype=bool)].sum(axis=1)
    assert off == pytest.approx(np.ones(6))
