"""Outcome labels: read exactly, in any case, and never guessed."""

import pytest

from evenhand.errors import InvalidJudgments
from evenhand.judgments.labels import KNOWN_LABELS, OUTCOMES, read_outcome, refuse_unknown

MIRROR = {"left": "right", "tie": "tie", "right": "left"}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_an_outcome_is_its_own_label_in_any_case(outcome):
    for label in (outcome, outcome.upper(), outcome.title()):
        assert read_outcome(label) == outcome


def test_labels_of_left_and_right_mirror_each_other():
    """What says `a` for one side has a `b` for the other, so that no side is easier to say."""
    turned = {"model_a": "model_b", "a": "b", "first": "second", "leftvote": "rightvote", "<": ">"}
    for one, other in turned.items():
        assert KNOWN_LABELS[one] == MIRROR[KNOWN_LABELS[other]]
    sides = list(KNOWN_LABELS.values())
    assert abs(sides.count("left") - sides.count("right")) <= 1  # a<b says b>a


@pytest.mark.parametrize("label", ["lift", "", " left", "left ", "model_c", "skip", "1"])
def test_what_nobody_declared_means_nothing(label):
    assert read_outcome(label) is None


def test_own_labels_are_compared_exactly_and_replace_the_usual():
    own = {"Won": "left", "0": "tie"}
    assert read_outcome("Won", own) == "left"
    assert read_outcome("won", own) is None
    assert read_outcome("left", own) is None


def test_the_refusal_names_at_most_five_labels_and_the_nearest_known():
    with pytest.raises(InvalidJudgments) as caught:
        refuse_unknown(["lefft", *"uvwxyz"], " (row 3)")
    message = str(caught.value)
    assert message.startswith("unknown outcome 'lefft', 'u', 'v', 'w', 'x' (row 3): expected left")
    assert message.endswith("Did you mean 'left'?")


@pytest.mark.parametrize("label", ["none", "None", "NONE", "both"])
def test_words_that_may_mean_something_else_are_no_ties(label):
    """`None` is what Python writes for a missing value; `both` may be good, bad or shown."""
    assert read_outcome(label) is None


def test_both_bad_is_a_tie_however_it_is_written():
    for label in ("bothbad", "both bad", "Both bad", "tie (bothbad)", "bothbad_vote"):
        assert read_outcome(label) == "tie"


def test_the_refusal_says_how_to_declare_a_label_and_which_were_declared():
    with pytest.raises(InvalidJudgments) as caught:
        refuse_unknown(["1"], " (row 3)", {"won": "left", "lost": "right"})
    message = str(caught.value)
    assert "expected one that was declared, won, lost" in message
    assert "--outcome '1=left', in Python outcomes={'1': 'left'}" in message
