"""The campaigns in examples/ are to start from: they can be launched as they are."""

import tomllib
from pathlib import Path

import pytest

from evenhand.design.assignment import assign
from evenhand.design.guarantees import verify_design
from evenhand.design.reading import read_campaign

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*/campaign.toml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=[one.parent.name for one in EXAMPLES])
def test_every_promise_of_an_example_is_kept(path: Path) -> None:
    assert verify_design(assign(read_campaign(path))).holds


def test_the_example_of_fluency_and_adequacy_has_the_design_of_hamon_2007() -> None:
    """Sections 3.2 and 3.3: two judges an output, five points, fluency first and by itself."""
    told = tomllib.loads((FOLDER / "fluency-adequacy/campaign.toml").read_text("utf-8"))
    fluency, adequacy = told["tasks"]
    assert (fluency["name"], fluency["shows"]) == ("fluency", [])
    assert (adequacy["name"], adequacy["shows"]) == ("adequacy", ["reference"])
    assert all((one["low"], one["high"]) == (1, 5) for one in told["tasks"])
    assert told["design"] == {"judges_per_item": 2, "once_per_source": True}
    campaign = read_campaign(FOLDER / "fluency-adequacy/campaign.toml")
    assert {one.document for one in campaign.items} == {"asr", "verbatim", "edited"}
    assert len({one.group for one in campaign.items}) < len(campaign.items)
