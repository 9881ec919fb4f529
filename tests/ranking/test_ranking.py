"""What a ranking holds: its JSON, its scales, its sentence."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from evenhand.errors import UnknownOption
from evenhand.ranking import rank
from evenhand.ranking.ranking import Ranking
from ranking.panels import comparisons, panel


@pytest.fixture(scope="module")
def ranking() -> Ranking:
    return rank(comparisons(panel(judges=9)))


def test_its_json_holds_the_contract_and_nothing_that_json_cannot_say(ranking):
    text = json.dumps(ranking.to_dict(), allow_nan=False)
    found = json.loads(text)
    contract = "signature level method n_judgments n_comparisons n_judges effective_judges systems"
    assert set(contract.split()) <= set(found)
    assert found["rank_interval"] == "simultaneous"
    assert found["n_judgments"] == 240
    columns = "system estimate log_worth stderr lower upper rank rank_lower rank_upper cluster"
    columns += " better_than wins ties losses marginal_lower marginal_upper undecidable_pairs beats"
    for row in found["systems"]:
        assert columns.split() == list(row)
        assert all(isinstance(row[name], int) for name in ("rank", "wins", "ties", "losses"))
        assert row["better_than"] + row["rank_upper"] == 4
        assert row["undecidable_pairs"] == 0


def test_pairs_that_may_not_be_decided_are_counted_by_system(ranking):
    resting = np.zeros((4, 4), dtype=bool)
    resting[0, 3] = resting[3, 0] = True
    found = replace(ranking, rank_sets=replace(ranking.rank_sets, resting=resting))
    assert [row["undecidable_pairs"] for row in found.rows()] == [1, 0, 0, 1]
    assert rank(comparisons(panel(judges=9)), interval="model").undecidable_pairs is None


def test_json_has_every_pair_with_its_difference_its_interval_and_its_p_value(ranking):
    pairs = ranking.to_dict()["pairs"]
    assert [(one["first"], one["second"]) for one in pairs] == list(
        combinations(ranking.systems, 2)
    )
    worths = dict(zip(ranking.systems, ranking.log_worth, strict=True))
    for one in pairs:
        assert one["difference"] == worths[one["first"]] - worths[one["second"]]
        assert one["lower"] < one["difference"] < one["upper"]
        # what decides is the p-value, adjusted by the replicates that rank sets are made of
        assert one["decided"] == (one["p_adjusted"] <= 0.05)
        assert one["lower"] <= 0 or one["decided"]
    decided = {(one["first"], one["second"]) for one in pairs if one["decided"]}
    assert decided == {*map(tuple, ranking.rank_sets.to_dict(ranking.systems)["decided"])}


def test_p_values_of_pairs_agree_with_rank_sets_at_every_level():
    data = comparisons(panel(3, judges=9, n=150, systems=7))
    p = [one["p_adjusted"] for one in rank(data).pairs()]
    for level in (0.5, 0.7, 0.9, 0.99):
        decided = [one["decided"] for one in rank(data, level=level).pairs()]
        assert decided == [one <= 1 - level + 1e-9 for one in p]


def test_worths_and_elo_are_odds(ranking):
    worths, elo, apart = ranking.worths(), ranking.elo(), ranking.log_worth - ranking.log_worth[0]
    assert (worths.sum(), elo.mean()) == pytest.approx((1, 1000))
    np.testing.assert_allclose(np.log(worths / worths[0]), apart)
    np.testing.assert_allclose(10 ** ((elo - elo[0]) / 400), np.exp(apart))


def test_who_may_be_in_the_top_is_read_off_rank_sets(ranking):
    sets = ranking.rank_sets
    for k in range(1, 5):
        may = [s for s, low in zip(ranking.systems, ranking.rank_lower, strict=True) if low <= k]
        assert list(ranking.may_be_in_top(k)) == may
    assert sets.to_dict(ranking.systems)["pairs"] == 6
    with pytest.raises(UnknownOption, match="there is no top 5 of 4 systems"):
        ranking.may_be_in_top(5)
    with pytest.raises(UnknownOption, match="rank with interval 'rank-sets'"):
        rank(comparisons(panel(judges=9)), interval="model").may_be_in_top(1)
