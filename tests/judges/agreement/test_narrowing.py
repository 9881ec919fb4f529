"""The result of a task or criterion depends on its own judgments alone."""

import polars as pl
import pytest

import evenhand


def ratings(scores, **columns):
    """Two judges on items 0, 0, 1, 1, ... of one system."""
    n = len(scores)
    table = {
        "judge": ["a", "b"] * (n // 2),
        "item": [str(i // 2) for i in range(n)],
        "system": ["s"] * n,
        "score": scores,
    }
    return evenhand.read(pl.DataFrame(table | columns))


def test_a_task_is_measured_as_if_the_others_were_not_there():
    short = [(5 * i) % 7 % 5 + 1 for i in range(40)]
    long = [(13 * i) % 101 for i in range(40)]
    both = ratings(short + long, task=["x"] * 40 + ["y"] * 40)
    alone = evenhand.measure_agreement(ratings(short, task=["x"] * 40))
    beside = evenhand.measure_agreement(both)["x"]
    assert beside.scale == alone.scale == "1 to 5, as seen"
    assert [one.to_dict() for one in beside.whole.coefficients] == [
        one.to_dict() for one in alone.whole.coefficients
    ]
    parts = evenhand.measure_agreement(both, by=["task"])
    held = {one.name: one.value for one in parts.part("x").coefficients}
    for one in alone.whole.coefficients:
        assert held[one.name] == pytest.approx(one.value), one.name


def test_a_criterion_has_the_coefficients_of_its_own_scale():
    short, long = [1, 2, 3, 3, 2, 2, 1, 3], [10, 50, 77, 80, 100, 100, 0, 4]
    data = ratings(short + long, criterion=["few"] * 8 + ["many"] * 8, item=list("00112233") * 2)
    part = evenhand.measure_agreement(data).part("few")
    alone = evenhand.measure_agreement(ratings(short, item=list("00112233"))).whole
    assert part["n-agreement-1"].value == alone["n-agreement-1"].value == 7 / 8 - 1 / 8
    assert part["ac1"].value == pytest.approx(alone["ac1"].value)
    asked = evenhand.measure_agreement(data, coefficients="n-agreement-20").part("few")
    assert asked["n-agreement-20"].value == 1


def test_second_answers_are_counted_task_by_task():
    data = ratings(
        [1, 1, 2, 3, 1, 4, 4, 5, 5, 1],
        judge=["a", "b", "a", "b", "a"] + ["a", "b"] * 2 + ["a"],
        item=["0", "0", "1", "1", "0", "5", "5", "6", "6", "7"],
        task=["x"] * 5 + ["y"] * 5,
    )
    found = evenhand.measure_agreement(data)
    assert any("1 second answer of" in note for note in found["x"].notes)
    assert not any("second answer" in note for note in found["y"].notes)
    names = [one.name for one in found["y"].whole.coefficients]
    assert not any(name.startswith("intra") for name in names)
