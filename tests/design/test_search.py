"""The design that is found does, a smaller one does not; what cannot work is refused."""

import re

import numpy as np
import pytest
from scipy.stats import nct, t

from evenhand.design.expected_power import Search
from evenhand.design.spec import make_spec
from evenhand.errors import NotIdentified

TWO = {"systems": 2, "gap": 0.3, "judge_sd": 0.3}


def search(**settings):
    return Search(make_spec(settings))


def test_the_judgments_that_are_found_just_do():
    one = search(systems=4, gap=0.4, judge_sd=0.2, judges=30, items=200)
    n = one.need(30, 200)
    assert one.weakest(one.spec.design(30, 200, n)) >= 0.8
    assert one.weakest(one.spec.design(30, 200, round(0.97 * n))) < 0.8


def test_two_systems_without_tastes_need_what_the_normal_says():
    found = search(systems=2, gap=0.2, judges=300, items=1000).find()
    expected = 4 * (1.96 + 0.8416) ** 2 / 0.2**2  # (z + z)² / (p (1 − p) gap²)
    assert found.judgments == pytest.approx(expected, rel=0.06)


def test_each_judge_with_a_stated_load_leaves_judges_to_be_found():
    one = search(**TWO, each=40)
    design = one.find()
    assert design.judgments == 40 * design.judges
    fewer = one.spec.design(design.judges - 1, design.items, 40 * (design.judges - 1))
    assert one.weakest(design) >= 0.8 > one.weakest(fewer)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({**TWO, "judges": 4}, "4 judges: with fewer than 6 effective judges nothing is decided"),
        (
            {**TWO, "judges": 12, "loads": "zipf", "judgments": 50, "systems": 2},
            None,  # 6.2 effective
        ),
        (
            {**TWO, "judges": 7, "loads": "zipf"},
            r"7 judges with such unequal loads count as 4\.\d: with fewer than 6",
        ),
        (
            {"worths": {"A": 1, "B": 0.5, "C": 0}, "compare": [["A", "B"]]},
            "C is never compared; add pairs",
        ),
        (
            {
                "worths": {"A": 1, "B": 0.7, "C": 0.4, "D": 0},
                "compare": [["A", "B"], ["C", "D"]],
            },
            r"do not link all systems: A, B \| C, D",
        ),
        (
            {**TWO, "judge_sd": 0.8, "judges": 8},
            r"no number of judgments by 8 judges .* the tastes of judges leave a standard error"
            r" of 0\.\d+ .* power ends at 0\.\d\d; plan \d+ judges \([0-9,]+ judgments\)",
        ),
        (
            {"systems": 2, "gap": 0.3, "item_sd": 1.0, "items": 10, "judges": 20},
            "the tastes of items leave",
        ),
        ({**TWO, "item_sd": 0.3, "items": 5}, "5 items: with fewer than 6 nothing shows"),
        ({**TWO, "item_sd": 0.3, "items": 4}, "4 items: with fewer than 6"),
        (
            {**TWO, "judges": 20, "judgments": 10},
            "10 judgments leave some of 20 judges without any",
        ),
        (
            {**TWO, "judges": 20, "judgments": 30, "repeats": 2},
            "at least one output pair 2 times; plan 40 judgments or more, or plan 15 judges or",
        ),
        (
            {**TWO, "gap": 0.05, "each": 1},
            r"1 judgment of each judge is too few: 1,000 judges reach power 0\.\d\d; plan",
        ),
        (
            {"systems": 3, "gap": 0.3, "judge_sd": 0.5, "judges": 20},
            r"ask for the one of 3 pairs at least 0\.31 apart \(--resolve 0\.31\)",
        ),
        ({**TWO, "judgments": 60}, "60 judgments are too few, however many judges give them"),
    ],
)
def test_a_design_that_cannot_work_is_refused_with_the_reason(settings, said):
    if said is None:
        assert search(**settings).find().judges == 12
        return
    with pytest.raises(NotIdentified, match=said):
        search(**settings).find()


def test_power_that_ends_is_that_of_endless_judgments_not_of_the_most_planned():
    weak = {"systems": 2, "gap": 0.02, "judge_sd": 0.02, "judges": 6}
    with pytest.raises(NotIdentified, match="no number of judgments") as refusal:
        search(**weak, power=0.9).find()
    named = float(re.search(r"power ends at (0\.\d+)", str(refusal.value))[1])
    known = power_of_t(0.02 / np.sqrt(2 * 0.02**2 / 6), 5)
    assert named == pytest.approx(known, abs=0.04)


def test_what_the_refusal_offers_does():
    with pytest.raises(NotIdentified) as refusal:
        search(systems=5, gap=0.15, judge_sd=0.5, judges=25).find()
    apart = re.search(r"--resolve ([0-9.]+)", str(refusal.value))[1]
    one = search(systems=5, gap=0.15, judge_sd=0.5, judges=25, resolve=apart)
    assert one.weakest(one.find()) >= 0.8
    judges, n = re.search(r"plan (\d+) judges \(([0-9,]+) judgments\)", str(refusal.value)).groups()
    all_pairs = search(systems=5, gap=0.15, judge_sd=0.5)
    offered = all_pairs.spec.design(int(judges), 5000, int(n.replace(",", "")))
    assert all_pairs.weakest(offered) >= 0.8


def power_of_t(size, df):
    """The power of a two-sided t test at .05, on the side of the truth."""
    return nct.sf(t.ppf(0.975, df), df, size)


def test_where_tastes_set_no_bound_the_refusal_names_the_judgments_that_it_would_take():
    """1e7 judgments or so: 4 (z + z)² / gap² of the normal, more for the t of 20 judges."""
    with pytest.raises(NotIdentified) as refusal:
        search(systems=2, gap=0.002, judges=20).find()
    said = str(refusal.value)
    assert "no number of judgments" not in said
    assert "items" not in said
    named = float(re.search(r"some ([0-9,]+) judgments by 20 judges", said)[1].replace(",", ""))
    known = next(
        n for n in np.geomspace(5e6, 2e7, 400) if power_of_t(0.002 * n**0.5 / 2, 19) >= 0.8
    )
    assert named == pytest.approx(known, rel=0.06)
