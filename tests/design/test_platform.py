"""Where workers of a crowd come from, as a campaign says it."""

from dataclasses import replace

import pytest

from evenhand.design.reading import make_campaign
from evenhand.errors import CampaignError
from stored_campaigns import make_pairs


def test_the_usual_platform_changes_no_digest_and_another_one_is_kept() -> None:
    plain = make_pairs()
    assert "platform" not in plain.to_dict()
    other = replace(plain, platform="mturk")
    assert other.digest != plain.digest
    assert make_campaign(other.to_dict()) == other


@pytest.mark.parametrize("name", ["prolifik", "", 3, ["mturk"]])
def test_a_platform_that_is_none_is_refused(name: object) -> None:
    told = {**make_pairs().to_dict(), "platform": name}
    with pytest.raises(CampaignError, match=r"prolific \| mturk \| other"):
        make_campaign(told)
