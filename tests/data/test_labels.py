"""Outcome labels: read exactly, in any case, and never guessed."""

import re
import shlex

import pytest

from evenhand.data.labels import (
    OUTCOMES,
    Complete,
    is_both_bad,
    is_missing,
    read_outcome,
    refuse_unknown,
)
from evenhand.errors import InvalidJudgments


@pytest.mark.parametrize("label", ["lift", "", " left", "left ", "model_c", "skip", "3", "0"])
def test_what_nobody_declared_means_nothing(label):
    assert read_outcome(label) is None


def test_own_labels_are_compared_exactly_and_come_before_the_usual():
    own = {"Won": "left", "0": "tie", "tie": "left"}
    assert read_outcome("Won", own) == "left"
    assert read_outcome("won", own) is None
    assert read_outcome("left", own) == "left"
    assert read_outcome("tie", own) == "left"
    assert read_outcome("Tie", own) == "tie"


def test_one_and_two_are_sides_unless_another_number_is_declared_to_be_a_side():
    """Where 0 and 1 are the sides, 1 is the right; a declared tie adds to the usual labels."""
    assert [read_outcome(one, {"0": "tie"}) for one in "120"] == ["left", "right", "tie"]
    assert [read_outcome(one, {"1": "left"}) for one in "12"] == ["left", "right"]
    assert [read_outcome(one, {"1": "right"}) for one in "12"] == ["right", None]
    assert [read_outcome(one) for one in "12"] == ["left", "right"]
    assert read_outcome("1", {"skip": "tie"}) == "left"
    assert read_outcome("1", {"0": "left"}) is None
    assert read_outcome("2", {"-1": "left"}) is None


@pytest.mark.parametrize(
    "label", ["none", "NONE", "NaN", "NA", "n/a", "null", "<NA>", "-", "empty"]
)
def test_what_is_written_for_a_missing_value_is_no_outcome_unless_it_is_declared(label):
    assert read_outcome(label) is None
    assert is_missing(label)
    assert read_outcome(label, {label: "tie"}) == "tie"
    assert not is_missing(label, {label: "tie"})


@pytest.mark.parametrize(
    ("unknown", "every", "meant"),
    [
        (["modell_a"], [], {"modell_a": "left"}),
        (["lefft"], [], {"lefft": "left"}),
        (["winner: B"], [], {"winner: B": "right"}),
        (["Neither is bettter"], [], {"Neither is bettter": "tie"}),
        (
            ["A better", "B is better", "about the same"],
            [],
            {"A better": "left", "B is better": "right", "about the same": "tie"},
        ),
        (["links", "rechts"], [], {"links": "left", "rechts": "right"}),
        (["it's B"], ["left"], {"it's B": "right"}),
    ],
)
def test_the_refusal_declares_every_label_and_what_it_declares_is_understood(unknown, every, meant):
    with pytest.raises(InvalidJudgments) as caught:
        refuse_unknown(unknown, " (row 3)", every=[*every, None])
    options = re.search(r"mean \((--outcome .*), in Python", str(caught.value))[1]
    words = shlex.split(options)[1::2]
    own = dict(word.rsplit("=", 1) for word in words)
    assert own == meant
    assert all(read_outcome(label, own) for label in [*unknown, *every])


@pytest.mark.parametrize(
    "label",
    [
        *("skip", "A is worse than B", "A worse", "A or B", "bug 17", "A rejected", "A fails"),
        *("A inferior", "left out", "bad", "timeout", "title", "fight", "model_c", "no B", "time"),
        *("no tie", "difference"),
    ],
)
def test_what_nobody_can_guess_is_for_the_caller_to_choose(label):
    """Nothing is offered that would count as an answer when it is copied as it stands."""
    with pytest.raises(InvalidJudgments, match="choosing one of the three") as caught:
        refuse_unknown([label], " (row 3)")
    option = re.search(r"--outcome '(.*?)', in Python", str(caught.value))[1]
    assert option == f"{label}=left|tie|right"
    assert option.rsplit("=", 1)[1] not in OUTCOMES


@pytest.mark.parametrize("labels", [["0", "1"], ["-1", "0", "1"], ["0", "1", "2"], ["1", "2", "3"]])
def test_which_side_a_number_is_is_for_the_caller_to_choose(labels):
    unknown = [label for label in labels if read_outcome(label) is None]
    with pytest.raises(InvalidJudgments, match="choosing one of the three") as caught:
        refuse_unknown(unknown, " (row 3)", every=labels)
    offered = dict.fromkeys(labels, "left|tie|right")
    assert f"in Python outcomes={offered}" in str(caught.value)
    assert f"--missing '{','.join(unknown)}'" in str(caught.value)


@pytest.mark.parametrize("labels", [["x" * 61], [f"an answer {i}" for i in range(13)]])
def test_texts_are_not_proposed_as_outcomes(labels):
    with pytest.raises(InvalidJudgments) as caught:
        refuse_unknown(labels, " (row 3)")
    assert "--outcome" not in str(caught.value)
    assert "--column outcome=NAME" in str(caught.value)
    assert len(str(caught.value)) < 600


LEFT = "left a model_a system_a output_a answer_a response_a leftvote first a>b > 1"
RIGHT = "right b model_b system_b output_b answer_b response_b rightvote second b>a < 2"


@pytest.mark.parametrize(("one", "other"), [*zip(LEFT.split(), RIGHT.split(), strict=True)])
def test_what_says_left_in_any_case_has_a_mirror_that_says_right(one, other):
    for change in (str, str.upper, str.title):
        assert [read_outcome(change(label)) for label in (one, other)] == ["left", "right"]
    assert read_outcome(one, Complete(won="left")) is None


def test_both_bad_is_a_tie_however_it_is_written():
    for label in ("bothbad", "both bad", "Both bad", "both_bad", "tie (bothbad)", "bothbad_vote"):
        assert read_outcome(label) == "tie"
        assert is_both_bad(label)
    assert read_outcome("both") == read_outcome("Neither") == read_outcome("TIE") == "tie"
    assert not is_both_bad("both")
