"""Functions below completion and judge processes on examples whose answers are known."""

from evenhand.ratings import features
from evenhand.ratings.completion import least_number


def test_bounded_intervals_need_so_many_residuals():
    assert (least_number(0.9), least_number(0.95)) == (9, 19)


def test_outputs_are_named_by_item_and_system_with_slashes_written_apart():
    assert features.name_output("", "item 3", "alpha") == "item 3 / alpha"
    assert features.name_output("news", "a / b", "c") == r"news / a \/ b / c"
