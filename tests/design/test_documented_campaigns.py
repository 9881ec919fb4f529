"""Every campaign that the documentation shows is read, dealt out, and keeps its promises."""

import re
import tomllib
from itertools import permutations
from pathlib import Path

import pytest

from evenhand.design.assignment import assign
from evenhand.design.guarantees import verify_design
from evenhand.design.reading import read_campaign
from evenhand.errors import CampaignError

PAGE = Path(__file__).parents[2] / "docs" / "campaigns.md"
SHOWN = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("text", SHOWN, ids=lambda text: text.split('"')[1])
def test_a_documented_campaign_keeps_its_promises(text, tmp_path):
    path = tmp_path / "campaign.toml"
    path.write_text(text, encoding="utf-8")
    assert verify_design(assign(read_campaign(path))).broken == ()


def test_the_answer_of_a_documented_training_is_one_that_the_page_tells_of(tmp_path):
    path, known = tmp_path / "campaign.toml", "| pair | `{ outcome = "
    assert known in PAGE.read_text(encoding="utf-8")
    taught = {}
    for text in SHOWN:
        path.write_text(text, encoding="utf-8")
        campaign = read_campaign(path)
        for one in campaign.training:
            shown = {ticket.systems for ticket in assign(campaign) if ticket.kind == "training"}
            assert shown <= set(permutations(one.item.systems))
            taught[campaign.task(one.task).kind] = one.answer
    assert taught["pair"] == {"outcome": "left"}
    assert set(taught) == {"pair", "spans"}


def test_an_answer_of_training_that_is_none_is_refused_with_one_that_is(tmp_path):
    path = tmp_path / "campaign.toml"
    (text,) = (one for one in SHOWN if 'outcome = "left"' in one)
    path.write_text(text.replace('{ outcome = "left" }', '{ choice = "sample" }'), encoding="utf-8")
    with pytest.raises(CampaignError) as refused:
        assign(read_campaign(path))
    assert str(refused.value) == (
        "training 'try' of pass 'preference': an answer has no field 'choice': it holds outcome;"
        ' write answer = { outcome = "left" }, or right, tie, both_bad; left is what is written'
        " first"
    )


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
