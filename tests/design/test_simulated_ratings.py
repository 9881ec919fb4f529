"""A simulated campaign is what its specification says."""

import numpy as np
import pytest

from evenhand.design.simulated_ratings import Criterion, InputType, RatingCampaign
from evenhand.errors import UnknownOption

FIVE = Criterion((-1.0, -0.3, 0.3, 1.0))
SMALL = RatingCampaign(
    inputs=(
        InputType("speech", 60, {"a": -0.5, "b": 0.5}),
        InputType("text", 90, {"c": 0.0, "d": 0.3, "e": 1.0}),
    ),
    judges=9,
    criteria={"fluency": FIVE, "adequacy": FIVE},
    per_output=3,
)


def frame(campaign=SMALL, seed=1):
    import pandas as pd

    return pd.DataFrame(dict(campaign.simulate(seed).columns))


def test_every_output_has_its_judges_under_every_criterion():
    table = frame()
    assert len(table) == (60 * 2 + 90 * 3) * 3 * 2
    per_output = table.groupby(["item", "system", "criterion"]).judge
    assert (per_output.count() == 3).all()
    assert (per_output.nunique() == 3).all()


def test_no_judge_sees_a_segment_from_two_systems():
    assert (frame().groupby(["judge", "item"]).system.nunique() == 1).all()


def test_loads_differ_by_one_output_at_most():
    loads = frame().groupby(["criterion", "judge"]).size()
    assert loads.max() - loads.min() <= 1


def test_judges_give_all_of_one_criterion_first_in_an_order_of_their_own():
    own = [part for _, part in frame().groupby("judge")]
    assert all((part.criterion != part.criterion.shift()).sum() == 2 for part in own)
    assert all(not part.item.is_monotonic_increasing for part in own)


def test_the_seed_makes_the_table():
    one, same, other = (SMALL.simulate(seed).csv() for seed in (5, 5, 6))
    assert one == same
    assert one != other
    assert one.splitlines()[0] == "judge,item,system,input,criterion,score"


def test_thresholds_and_spreads_give_the_shares_of_a_normal():
    """One system of worth 0 and nothing but noise of sd 1: Φ of the thresholds."""
    plain = RatingCampaign(
        inputs=(InputType("text", 4000, {"a": 0.0}),),
        judges=20,
        criteria={"adequacy": Criterion((-1.0, 0.0, 1.0), noise=1.0)},
        severity=0.0,
        segment=0.0,
        output=0.0,
    )
    shares = np.bincount(plain.simulate(3).columns["score"], minlength=5)[1:] / 8000
    assert shares == pytest.approx([0.1587, 0.3413, 0.3413, 0.1587], abs=0.017)  # 3 sd


def test_severity_is_what_judges_differ_by():
    """Means of judges of 800 scores vary as their severities, and hardly without any."""
    spreads = []
    for severity in (0.0, 0.6):
        campaign = RatingCampaign(
            inputs=(InputType("text", 8000, {"a": 0.0}),),
            judges=20,
            criteria={"adequacy": Criterion(tuple(np.linspace(-5, 5, 1001)), noise=0.5)},
            severity=severity,
            segment=0.0,
            output=0.0,
        )
        table = frame(campaign, 2)
        spreads.append(table.groupby("judge").score.mean().std() / 100)
    assert spreads[0] == pytest.approx(0.5 / 800**0.5, rel=0.5)
    assert spreads[1] == pytest.approx(0.6, rel=0.5)


def test_too_few_judges_for_a_segment_are_refused():
    with pytest.raises(UnknownOption, match="8 judges are too few: a segment of 3 systems needs 9"):
        RatingCampaign(**{**vars(SMALL), "judges": 8})
