"""What makes a campaign worth less is counted before anybody is asked."""

from campaigns import make_items, small
from evenhand.design.feasibility import find_doubts
from evenhand.design.reading import make_campaign


def doubt(items, width=1, *, shows=("source",), **design):
    told = small(width, items, 4, **design).to_dict()
    told["tasks"][0]["shows"] = list(shows)
    return find_doubts(make_campaign(told))


def test_nothing_is_said_of_a_sound_campaign():
    assert doubt(make_items(4, 2), 2, once_per_source=False) == ()
    assert doubt(make_items(4, 2), once_per_source=True) == ()


def test_a_reference_that_is_shown_and_that_no_item_has():
    (said,) = doubt(make_items(4, 2), shows=["reference"])
    assert said == "Pass 'quality' shows the reference, and no item has one."
    items = [{**one, "reference": "r"} for one in make_items(3, 2)] + make_items(1, 2, prefix="x")
    (said,) = doubt(items, shows=["reference"])
    assert "1 of 4 items have none (x0)" in said


def test_equal_outputs_are_doubtful_where_they_are_compared():
    items = [*make_items(3, 2), {"item": "same", "source": "s", "outputs": {"S0": "x", "S1": "x"}}]
    assert doubt(items) == ()
    (said,) = doubt(items, 2)
    assert said.startswith("1 of 4 items have the same text as the output of two systems (same)")


def test_one_source_under_two_names_is_doubtful_where_it_may_be_seen_once():
    items = [
        {"item": f"{at}{system}", "source": f"sentence {at}", "outputs": {system: f"{system}{at}"}}
        for at in range(3)
        for system in "AB"
    ]
    assert doubt(items) == ()
    (said,) = doubt(items, once_per_source=True)
    assert said.startswith("3 sources are the same text under several items, such as '0A' and '0B'")
    grouped = [{**one, "group": one["source"]} for one in items]
    assert doubt(grouped, once_per_source=True) == ()
