"""Settings that cannot be are refused as they are made, with what may be."""

import pytest

from evenhand import NuclearNorm, OutputFeatures, Policy, Query, QueryReplay, Sorting
from evenhand.design.power import Design, Prices, Truth
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.ratings.judge_process import MultiTaskGP
from evenhand.ratings.process_comparison import HeldOut

SOUND = {
    Design: {"judges": 10, "items": 10, "judgments": 100},
    Truth: {"systems": ("A", "B"), "log_worth": (1.0, 0.0)},
    Sorting: {"systems": ("a", "b")},
}
"""What else is said of those that have no default."""

REFUSED = [
    (Query, {"strategy": "best"}, "strategy cannot be 'best'"),
    (Query, {"strategy": "random", "power": 2.0}, "only density has one"),
    (Query, {"strategy": "density", "power": -1.0}, "a number from 0, such as 1"),
    (Query, {"strategy": "density", "power": float("nan")}, "a number from 0, such as 1"),
    (QueryReplay, {"repeats": 1}, "have no interval: ask for 2 or more"),
    (QueryReplay, {"start": 0}, "start 0: a number from 1"),
    (QueryReplay, {"batch": 0}, "batch 0: a number from 1"),
    (QueryReplay, {"test_share": 1.0}, "test share 1: a proportion"),
    (QueryReplay, {"relearn": 0.5}, "a factor from 1"),
    (QueryReplay, {"pool": 12}, "leaves nothing to choose: 15 or more"),
    (QueryReplay, {"seed": -1}, "seed cannot be -1"),
    (Policy, {"rule": "ordr"}, "policy cannot be 'ordr'.*'order'"),
    (Policy, {"random_share": 1.2}, "random share cannot be 1.2"),
    (Policy, {"start": -1}, "start cannot be -1"),
    (Policy, {"rule": "top-k"}, r'top-k needs to know how many.*Policy\("top-k", top=3\)'),
    (Policy, {"rule": "top-k", "top": 0}, "top-k cannot be 0: a whole number, 1 or more"),
    (Policy, {"rule": "top-k", "top": 1.5}, "top-k cannot be 1.5"),
    (Policy, {"top": 2}, "is for the policy top-k"),
    (Design, {"judges": 0}, "judges cannot be 0"),
    (Design, {"overlap": 11}, "11 judges for each output pair need as many judges: there are 10"),
    (Design, {"judgments": 3_000_000}, "at most 2,000,000"),
    (Design, {"loads": "even"}, "loads cannot be 'even'"),
    (Truth, {"systems": ("A",), "log_worth": (0.0,)}, "1 systems cannot be planned for"),
    (Truth, {"systems": ("A", "A")}, "two systems have one name: A"),
    (Truth, {"log_worth": (0.0,)}, "2 systems and 1 worths"),
    (Truth, {"ties": 1.0}, "ties cannot be 1"),
    (Truth, {"judge_sd": -1.0}, "judge_sd cannot be -1"),
    (Truth, {"log_worth": (0.0, float("inf"))}, "finite"),
    (Prices, {"judge": -2.0}, "price of a judge cannot be -2"),
    (NuclearNorm, {"calibration": 0.6, "validation": 0.5}, "together 0.9 or less"),
    (NuclearNorm, {"level": 1.0}, "level cannot be 1.0: it lies between 0 and 1"),
    (NuclearNorm, {"path": (0.3, 0.5)}, "descending"),
    (NuclearNorm, {"path": ()}, "descending"),
    (NuclearNorm, {"clip": (5.0, 1.0)}, "then a higher one"),
    (NuclearNorm, {"missing": "by chance"}, "choose at random"),
    (NuclearNorm, {"seed": -1}, "a whole number from 0"),
    (MultiTaskGP, {"sharing": "all"}, "sharing cannot be 'all'"),
    (MultiTaskGP, {"rank": 0}, "rank 0: a number from 1"),
    (MultiTaskGP, {"sharing": "none", "rank": 2}, "only where sharing is 'low rank'"),
    (MultiTaskGP, {"exact": 0}, "exact 0: a number from 1"),
    (MultiTaskGP, {"draws": -1}, "draws -1: a number from 0"),
    (HeldOut, {"folds": 1}, "two folds or more"),
    (HeldOut, {"share": 0}, "a share above 0"),
    (HeldOut, {"by": "judge"}, "by cannot be 'judge'"),
    (HeldOut, {"level": 1}, "level cannot be 1"),
    (OutputFeatures, {"labels": ()}, "no features"),
    (OutputFeatures, {"numbers": ("a",), "labels": ("a",)}, "a is named twice"),
    (OutputFeatures, {"labels": ("judge",)}, "no feature of an output"),
    (Sorting, {"systems": ("a", "b", None)}, "None is not a name"),
    (Sorting, {"systems": ("a", "a")}, "'a' is named twice"),
    (Sorting, {"systems": ()}, "nothing to sort"),
    (Sorting, {"shown": 2.5}, "a judge compares 2 outputs or more"),
    (Sorting, {"shown": "2"}, "a judge compares 2 outputs or more"),
    (Sorting, {"shown": True}, "a judge compares 2 outputs or more"),
    (Sorting, {"shown": 1}, "a judge compares 2 outputs or more"),
    (Sorting, {"votes": 1.9}, "a question has 1 vote or more"),
    (Sorting, {"votes": None}, "a question has 1 vote or more"),
    (Sorting, {"votes": 0}, "a question has 1 vote or more"),
]


@pytest.mark.parametrize(("made", "settings", "said"), REFUSED)
def test_settings_that_cannot_be_are_refused(made, settings, said):
    with pytest.raises((UnknownOption, InvalidJudgments), match=said):
        made(**{**SOUND.get(made, {}), **settings})
