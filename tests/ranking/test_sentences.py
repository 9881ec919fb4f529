"""What a ranking says, and that the cause it names is the one that binds."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import evenhand
from evenhand.errors import InvalidJudgments
from evenhand.ranking import rank
from evenhand.ranking.intervals import RankSets, rank_ranges
from evenhand.ranking.rank_sets import JUDGMENTS
from evenhand.ranking.ranking import Ranking
from ranking.panels import comparisons, panel

ONE_AT_A_TIME = " (pairs decided one at a time)"


def decided(systems: int, *pairs: tuple[int, int]) -> np.ndarray:
    """Return decisions, the better of each pair first."""
    found = np.zeros((systems, systems), dtype=np.int8)
    for better, worse in pairs:
        found[better, worse], found[worse, better] = 1, -1
    return found


def mark(systems: int, value: float, pairs: dict[tuple[int, int], float]) -> np.ndarray:
    """Return one value for all pairs, and for some their own."""
    found = np.full((systems, systems), value)
    for (i, j), own in pairs.items():
        found[i, j] = found[j, i] = own
    return found


def board(
    found: np.ndarray,
    *,
    way: int = 0,
    clusters: float = 9.0,
    judges: float = 9.0,
    effective: dict[tuple[int, int], float] | None = None,
    resting: tuple[tuple[int, int], ...] = (),
    alone: np.ndarray | None = None,
    by: tuple[str, ...] = ("judge", "item"),
) -> Ranking:
    """Return a ranking with these decisions, resting on what is stated, by the ways that are."""
    k = len(found)
    counted, cut = mark(k, clusters, effective or {}), mark(k, False, dict.fromkeys(resting, True))
    named = np.array([one in by for one in ("judge", "item")])[:, None, None]
    sets = RankSets(
        clusterings=("judge", "item"),
        replicates=999,
        critical=(3.0,),
        statistic=np.zeros((k, k)),
        decided=found,
        alone=found if alone is None else alone,
        effective=counted,
        resting=cut,
        apart=np.zeros_like(cut),
        different=(),
        way=mark(k, way, {}),
        clusters=mark(k, clusters, {}),
        lone=cut & named,
        thin=named & (counted < 5),
    )
    low, high = rank_ranges(found)
    ranking = rank(comparisons(panel(judges=9, systems=k, n=60 * k)), cluster="judge")
    return replace(
        ranking,
        systems=tuple("ABCDEFG"[:k]),
        rank_lower=low,
        rank_upper=high,
        better_than=k - high,
        effective_judges=judges,
        rank_sets=sets,
    )


LAST = decided(3, (0, 2), (1, 2))
"""A and B are better than C."""


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({}, "9 effective judges are too few to separate them"),
        ({"judges": 15.9, "clusters": 15.2}, "16 effective judges are too few to separate them"),
        (
            {"judges": 40.0, "clusters": 6.2},
            "6 effective judges of these systems are too few to separate them",
        ),
        ({"judges": 90.0, "clusters": 80.0}, "judges differ too much to separate them"),
        ({"way": 1, "clusters": 7.0}, "7 effective items are too few to separate them"),
        ({"way": 1, "clusters": 70.0}, "items differ too much to separate them"),
        ({"way": JUDGMENTS}, "180 judgments cannot separate them (about "),
        ({"resting": ((0, 1),)}, "the pair between them rests on one judge or item alone"),
        (
            {"resting": ((0, 1),), "by": ("judge",)},
            "the pair between them rests on one judge alone",
        ),
        (
            {"effective": {(0, 1): 3.2}, "by": ("item",)},
            "the pair between them rests on fewer than 5 effective items",
        ),
        (
            {"effective": {(0, 1): 3.2}},
            "the pair between them rests on fewer than 5 effective judges or items",
        ),
    ],
)
def test_it_names_the_cause_that_binds_and_no_other(settings, why):
    says = board(LAST, **settings).says
    assert says.startswith(f"A and B share first place: {why}")
    assert says.endswith(" would)") == ("about" in why)


@pytest.mark.parametrize("interval", ["rank-sets", "sandwich"])
def test_what_is_said_of_these_judges_or_items_says_so(interval):
    """The sentence is quoted without its headline, and must not say more than it."""
    frame = panel(n=900, judges=1, items=3, taste=0.0)
    found = rank(comparisons(frame), interval=interval)
    about = "for this judge only and for these 3 items only"
    assert found.headline == about
    each = [found.says, found.to_dict()["says"], *map(found.says_of, found.systems)]
    held = "pairs decided one at a time; " if interval == "sandwich" else ""
    assert all(re.search(rf"[(;] ?{held}{about}\)$", said) for said in each)


def test_of_one_system_its_own_open_pairs_count():
    ranking = board(decided(4, (0, 3), (1, 3)), resting=((2, 3),), effective={(0, 1): 2.0})
    assert ranking.says_of("D") == (
        "D is 3rd to 4th: its undecided pair rests on one judge or item alone"
    )
    assert ranking.says_of("A") == (
        "A is 1st to 3rd: 1 of its 2 undecided pairs rests on fewer than 5 effective judges or"
        " items"
    )
    assert ranking.says_of("C") == (
        "C is 1st to 4th, that is anywhere: 9 effective judges are too few to narrow this down,"
        " and 1 of its 3 undecided pairs rests on one judge or item alone"
    )
    with pytest.raises(InvalidJudgments, match="no system 'E'"):
        ranking.says_of("E")


def test_a_narrower_set_of_one_system_by_itself_is_said_beside():
    ranking = board(LAST, alone=decided(3, (0, 2), (1, 2), (0, 1)))
    more = "9 effective judges are too few to narrow this down"
    assert ranking.says_of("A") == f"A is 1st to 2nd (marginally, 1st): {more}"
    assert board(LAST).says_of("A") == f"A is 1st to 2nd: {more}"
    assert ranking.says_of("C") == "C is 3rd"
    # who alone can be the best is the best: all others have somebody who is better
    first = "A ranks first, since no other can, but is not separated from C"
    alone = replace(board(decided(3, (0, 1))), rank_lower=np.array([1, 2, 2]))
    assert alone.says == first
    assert board(decided(5, (0, 1), (1, 2), (1, 3), (1, 4))).says == f"{first}, D and E"


@pytest.mark.parametrize("interval", ["sandwich", "model"])
@pytest.mark.parametrize(
    ("lower", "upper", "sentence"),
    [
        ([1, 2, 2], [1, 3, 3], "A is the best: better than each of the other 2"),
        ([1, 1, 3], [2, 2, 3], "A and B share first place: these data cannot separate them"),
        (
            [1, 2, 2],
            [2, 3, 3],
            "A ranks first, since no other can, but is not separated from 1 of the others",
        ),
        ([1, 1, 1], [3, 3, 3], "All 3 systems share first place: these data cannot separate them"),
    ],
)
def test_claims_that_hold_one_at_a_time_say_so(lower, upper, sentence, interval):
    ranking = rank(comparisons(panel(judges=9, systems=3)), interval=interval)
    ranking = replace(
        ranking, systems=("A", "B", "C"), rank_lower=np.array(lower), rank_upper=np.array(upper)
    )
    assert ranking.says == sentence + ONE_AT_A_TIME
    assert json.loads(json.dumps(ranking.to_dict()))["says"].endswith(ONE_AT_A_TIME)
    assert f"{sentence}." in ranking._repr_html_()
    assert all(ranking.says_of(name).endswith(ONE_AT_A_TIME) for name in "ABC")


@pytest.mark.parametrize(
    ("task", "why"),
    [
        ("ron-eng", ": 1,259 rankings cannot separate them"),
        ("eng-cze", ": 8 effective judges are too few to separate them"),
    ],
)
def test_on_wmt16_rankings_are_what_is_lacking_in_one_task_and_judges_in_another(
    data_folder, task, why
):
    path = data_folder / "wmt16_rankings" / "rankings_collapsed.parquet"
    found = rank(evenhand.read(path, system_separator="+", task=task))
    assert why in found.says
    if task == "ron-eng":
        best = found.systems[0]
        assert found.says_of(best).startswith(f"{best} is 1st to 3rd (marginally, 1st to 2nd): ")
