"""Tastes of judges and items for systems, from comparisons."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import NotIdentified
from evenhand.models.variance_components import estimate_taste_components
from experiments.campaign import Campaign, generator


def simulate(replicate=0, judge=0.5, item=0.4, **options):
    sizes = {"systems": 5, "judges": 30, "items": 40, "n": 6000, "tie": 0.5, **options}
    return Campaign(0.3, judge, item, **sizes).simulate(generator(13, 60, replicate))


def by_name(tally, **options):
    found = estimate_taste_components(tally, **options)
    return {one.name: one for one in found.components}, found


def test_tastes_are_found_and_stand_after_systems():
    components, found = by_name(simulate())
    assert [one.name for one in found.components] == ["system", "item x system", "judge x system"]
    assert components["judge x system"].sd == pytest.approx(0.5, abs=0.12)
    assert components["item x system"].sd == pytest.approx(0.4, abs=0.12)
    truth = np.std(0.3 * np.arange(5), ddof=1)
    assert components["system"].sd == pytest.approx(truth, abs=0.15)
    for name in ("judge x system", "item x system"):
        assert components[name].lower < components[name].sd < components[name].upper
        assert components[name].p < 0.001


def test_intervals_cover():
    covered = 0
    for replicate in range(60):
        components, _ = by_name(simulate(replicate, n=3000, judges=15))
        one = components["judge x system"]
        covered += one.lower <= 0.5 <= one.upper
    assert covered / 60 >= 0.95 - 3.09 * np.sqrt(0.0475 / 60)


def test_votes_of_one_ranking_are_no_evidence_of_a_taste():
    tally = simulate(judge=0.0, item=0.0)
    rows = np.arange(len(tally.left))
    # every vote stands there five times, as what hangs together in one ranking might
    codes = np.repeat(rows, 5)
    judge = tally.factor("judge")
    factors = {
        "judge": replace(judge, codes=judge.codes[codes]),
        "ranking": replace(judge, codes=codes.astype(np.int32), size=len(rows)),
    }
    counts = (getattr(tally, name)[codes] for name in ("left", "right", "wins", "ties", "losses"))
    many = replace(
        tally,
        **dict(zip(("left", "right", "wins", "ties", "losses"), counts, strict=True)),
        factors=factors,
    )
    alone = replace(many, factors={"judge": factors["judge"]})
    assert by_name(many)[0]["judge x system"].p > 0.01
    assert by_name(alone)[0]["judge x system"].p < 0.01


def test_one_judge_says_nothing_of_judges():
    with pytest.raises(NotIdentified, match="there is one judge: nothing can be said"):
        estimate_taste_components(simulate(judges=1))


def test_judges_with_items_of_their_own_are_not_told_from_chance():
    tally = simulate()
    judge = tally.factor("judge")
    nested = replace(tally, factors={"judge": judge, "item": judge})
    with pytest.raises(NotIdentified, match="no judge has judgments of several items"):
        estimate_taste_components(nested)
