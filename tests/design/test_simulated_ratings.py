"""The simulated campaign has the design that it says."""

import pandas as pd
import pytest

from evenhand.design import simulate

NAME = "hamon2007_simulated"


@pytest.fixture(scope="module")
def table():
    return pd.DataFrame(dict(simulate(NAME).columns))


def test_every_output_has_two_judges_under_every_criterion(table):
    per_output = table.groupby(["item", "system", "criterion"]).judge
    assert (per_output.count() == 2).all()
    assert (per_output.nunique() == 2).all()


def test_no_judge_sees_a_segment_from_two_systems(table):
    assert (table.groupby(["judge", "item"]).system.nunique() == 1).all()


def test_judges_give_all_of_one_criterion_first_in_an_order_of_their_own(table):
    own = [part for _, part in table.groupby("judge")]
    assert all((part.criterion != part.criterion.shift()).sum() == 2 for part in own)
    assert all(not part.item.is_monotonic_increasing for part in own)


def test_the_seed_makes_the_table():
    one, same, other = (simulate(NAME, seed).csv() for seed in (5, 5, 6))
    assert one == same
    assert one != other
    assert one.splitlines()[0] == "judge,item,system,input,criterion,score"
