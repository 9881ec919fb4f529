"""The policy of a campaign, by the settings of its design."""

from typing import Any

import pytest

from evenhand.design.policy import RULES, make_policy
from evenhand.errors import CampaignError
from policy_campaigns import make_chosen


@pytest.mark.parametrize("rule", [one for one in RULES if one != "top-k"])
def test_every_rule_can_be_asked_for(rule: str) -> None:
    policy = make_policy(make_chosen(policy=rule, random_share=0.2))
    assert policy is not None
    assert (policy.rule, policy.random_share) == (rule, 0.2)


def test_the_first_k_are_looked_for_where_it_is_said_how_many() -> None:
    policy = make_policy(make_chosen(policy="top-k", top=2))
    assert policy is not None
    assert policy.top == 2


def test_a_campaign_without_a_policy_has_none() -> None:
    assert make_policy(make_chosen(policy="")) is None


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
