"""A campaign that was stored and read again is the one that was launched."""

import json
from pathlib import Path

from evenhand.design.assignment import Assignment, assign
from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign
from evenhand.web.store.audit import audit
from evenhand.web.store.store import Store

NAMES = ("Nord", "Süd", "Ost", "West")
"""In no alphabet's order."""


def make() -> Campaign:
    rows = [
        {"item": f"i{n}", "outputs": {name: f"{name} {n}" for name in NAMES}} for n in range(12)
    ]
    known = [
        {"item": f"k{n}", "outputs": {"West": "w", "Nord": "n"}, "expected": "Nord"}
        for n in range(3)
    ]
    marks = {"kind": "spans", "name": "errors", "severities": {"small": 1, "big": 5, "awful": 25}}
    bad = [{"item": f"b{n}", "outputs": {"West": "w"}, "control": "bad"} for n in range(3)]
    tasks = [{"kind": "pair", "name": "better"}, marks]
    design = {"judges_per_item": 2, "controls": 1}
    return make_campaign(
        {
            "name": "order",
            "judges": 3,
            "design": design,
            "tasks": tasks,
            "items": [*rows, *known, *bad],
        }
    )


def test_systems_and_severities_keep_their_order_when_a_campaign_is_read_again() -> None:
    campaign = make()
    again = make_campaign(json.loads(campaign.canonical))
    assert again.systems == campaign.systems == NAMES
    assert list(again.task("errors").severities) == ["small", "big", "awful"]
    assert (again.digest, again.canonical) == (campaign.digest, campaign.canonical)


def test_the_tickets_of_a_campaign_that_was_read_again_are_the_same() -> None:
    campaign = make()
    again: Assignment = assign(make_campaign(json.loads(campaign.canonical)))
    assert list(again) == list(assign(campaign))
    assert again.digest == assign(campaign).digest


def test_a_database_of_systems_in_any_order_is_what_was_written(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "c.db")) as store:
        store.launch(make())
    assert audit(str(tmp_path / "c.db")).holds
