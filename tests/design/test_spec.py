"""What a TOML file may say, and what is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evenhand.design.power import Design, Truth
from evenhand.design.spec import CampaignSpec, make_spec, read_spec
from evenhand.errors import UnknownOption

NAMED = {"worths": {"A": 0.6, "B": 0.2, "C": 0.0}}


def test_a_file_says_what_options_say(tmp_path: Path):
    path = tmp_path / "campaign.toml"
    path.write_text(
        'ties = 0.2\njudges = 12\ncost_judge = 20\nresolve = "A>B"\n'
        'compare = [["A", "B"], ["B", "C"]]'
        "\n[worths]\nA = 0.6\nB = 0.2\nC = 0\n",
        encoding="utf-8",
    )
    spec = make_spec(read_spec(str(path)))
    assert spec.truth.systems == ("A", "B", "C")
    assert spec.truth.log_worth == (0.6, 0.2, 0.0)
    assert (spec.judges, spec.prices.judge, spec.pairs) == (12, 20, ((0, 1), (1, 2)))
    assert spec.targets == ((0, 1),)


def test_targets_are_all_pairs_that_differ_or_those_of_the_best():
    systems = {"worths": {"A": 0.0, "B": 0.5, "C": 0.0}}
    assert set(make_spec(systems).targets) == {(1, 0), (1, 2)}
    assert set(make_spec({**NAMED, "resolve": "top"}).targets) == {(0, 1), (0, 2)}
    nu = Truth.spaced(2, 0.0, ties=0.3).tie
    assert nu / (2 + nu) == pytest.approx(0.3)
    harmonic = 1 / np.arange(1, 21)
    expected = harmonic.sum() ** 2 / (harmonic**2).sum()
    assert Design(20, 10, 100, loads="zipf").effective_judges == pytest.approx(expected)


def test_names_that_hold_the_signs_of_resolve_are_named_in_lists(tmp_path: Path):
    path = tmp_path / "campaign.toml"
    path.write_text(
        'resolve = [["gpt,4", "C"], ["A > B", "C"]]\n'
        '[worths]\n"gpt,4" = 0.6\n"A > B" = 0.3\nC = 0\n',
        encoding="utf-8",
    )
    spec = make_spec(read_spec(str(path)))
    assert spec.targets == ((0, 2), (1, 2))
    with pytest.raises(UnknownOption, match=r"where 'gpt' is no pair.*'gpt,4' holds , or >"):
        assert make_spec({"worths": {"gpt,4": 0.6, "C": 0}, "resolve": "gpt,4>C"}).targets
    with pytest.raises(UnknownOption, match="C is not better than A"):
        assert make_spec({**NAMED, "resolve": [["C", "A"]]}).targets
    with pytest.raises(UnknownOption, match="resolve is a list of pairs"):
        make_spec({**NAMED, "resolve": [["A"]]})


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"gapp": 0.3}, r"no setting 'gapp'\. Did you mean 'gap'\?"),
        ({"systems": 3}, "say how far systems are from each other"),
        ({"systems": 3, "gap": 0.3, "worths": [1, 0]}, "say how far systems are"),
        ({"systems": 3, "gap": "wide"}, "gap cannot be 'wide': it is a number"),
        ({"systems": 3, "gap": -1}, "gap cannot be -1: it is 0 or more"),
        ({"systems": 3, "gap": 0.3, "judges": 2.5}, "judges cannot be 2.5: it is a whole number"),
        ({"systems": 3, "gap": 0.3, "judges": True}, "judges cannot be True"),
        ({**NAMED, "systems": 3}, "leave systems out"),
        ({**NAMED, "compare": [["A", "D"]]}, "there is no system 'D': there are A, B, C"),
        ({**NAMED, "compare": [["A"]]}, "compare is a list of pairs"),
        ({"worths": ["a", "b"], "systems": 2}, "a worth cannot be 'a'"),
        ({**NAMED, "power": 1.0}, "power cannot be 1"),
        ({**NAMED, "level": 0.9999}, "rank sets go to .999"),
        ({**NAMED, "judgments": 100, "each": 10}, "not both"),
        ({**NAMED, "judgments": 0}, "judgments cannot be 0"),
        ({**NAMED, "seed": -1}, "seed cannot be -1"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, said):
    with pytest.raises(UnknownOption, match=said):
        make_spec(settings)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({**NAMED, "resolve": "best"}, r"all \| top \| 0\.3, a difference in log-worth \| pairs"),
        ({**NAMED, "resolve": "0.9"}, r"no two systems are 0\.9 apart: the most is 0\.6"),
        ({**NAMED, "resolve": "-1"}, "resolve cannot be -1: a difference is above 0"),
        ({**NAMED, "resolve": "nan"}, "resolve cannot be nan"),
        ({**NAMED, "resolve": "C>A"}, "C is not better than A"),
        ({"systems": 2, "gap": 0}, "all systems are equal"),
    ],
)
def test_pairs_that_nothing_can_decide_are_refused(settings, said):
    with pytest.raises(UnknownOption, match=said):
        _ = make_spec(settings).targets


def test_what_is_stated_beside_a_pilot_wins():
    pilot = CampaignSpec(make_spec(NAMED).truth, source="from the pilot")
    spec = make_spec({"judge_sd": 0.7, "judges": 9}, pilot)
    assert (spec.truth.judge_sd, spec.truth.systems, spec.judges) == (0.7, ("A", "B", "C"), 9)
    spaced = make_spec({"gap": 0.3}, pilot).truth
    assert spaced == replace(pilot.truth, log_worth=(0.6, 0.3, 0.0))
    with pytest.raises(UnknownOption, match="leave out worths"):
        make_spec({"worths": {"A": 0.3}}, pilot)
