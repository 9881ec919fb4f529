"""The policy of a campaign, by the settings of its design."""

from typing import Any

import pytest

from evenhand.design.policy import make_policy
from evenhand.errors import CampaignError
from policy_campaigns import make_chosen


@pytest.mark.parametrize(
    ("design", "words"),
    [
        ({"policy": "ordr"}, "there is no policy 'ordr'. Did you mean 'order'?"),
        ({"policy": "best"}, "no policy 'best': choose order | closest"),
        ({"policy": "top-k"}, "add top = 3"),
        ({"policy": "top-k", "top": 6}, "no border: there are 6 systems"),
        ({"policy": "order", "top": 2}, "for the policy top-k, not for order"),
    ],
)
def test_policies_that_cannot_be_are_refused(design: dict[str, Any], words: str) -> None:
    with pytest.raises(CampaignError) as refused:
        make_policy(make_chosen(**design))
    assert words in str(refused.value)
