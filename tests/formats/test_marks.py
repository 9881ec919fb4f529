"""Errors as other projects mark them."""

import pytest

from evenhand.data.annotations import Span
from evenhand.errors import InvalidJudgments
from evenhand.formats.records import (
    Record,
    Screen,
    put_marks,
    read_exclusive,
    read_inclusive,
    take_marks,
    weigh,
)

HERE = Record(4, {}, "t")


@pytest.mark.parametrize(
    ("severity", "category", "weight"),
    [
        ("major", "Accuracy/Omission", 5),
        ("minor", "Accuracy/Omission", 1),
        ("minor", "Fluency/Punctuation", 0.1),
        ("major", "Fluency/Punctuation", 5),
        ("major", "Non-translation!", 25),
        ("neutral", "Style", 0),
        ("major", "Source issue", 0),
        ("no-error", "", 0),
        ("critical", "Accuracy", 5),
        ("neutral", "Non-translation!", 0),
        ("minor", "Non-translation!", 25),
        ("major", "Reinterpretation", 0),
        ("major", "Other/Creative Reinterpretation", 0),
    ],
)
def test_errors_weigh_what_mqm_says(severity, category, weight) -> None:
    """Freitag et al. 2021, Experts, Errors, and Context: the weights of table 1.

    Critical errors, reinterpretations and neutral non-translations as in WMT 2024's tools.py.
    """
    assert weigh(HERE, [Span(0, 1, severity, category)], {}) == weight


def test_a_severity_without_a_weight_is_refused() -> None:
    with pytest.raises(InvalidJudgments, match="row 4 of t: severity is 'undecided'"):
        weigh(HERE, [Span(0, 1, "undecided")], {})


@pytest.mark.parametrize(("start", "end"), [(3, 1), (-1, 2), (0.5, 2), (True, 2), ("a", "b")])
def test_places_that_are_none_are_refused(start, end) -> None:
    with pytest.raises(InvalidJudgments, match="row 4 of t: "):
        read_inclusive(HERE, [{"start_i": start, "end_i": end, "severity": "minor"}], "category")
    with pytest.raises(InvalidJudgments, match="row 4 of t: "):
        read_exclusive(HERE, [{"start": start, "end": end, "severity": "minor"}])


@pytest.mark.parametrize(
    "text", ["<v>a", "a</v>", "</v>a<v>", "<v>a</v><v>b</v>", "a<v></v>b", "<v></v>"]
)
def test_marks_that_bound_nothing_are_refused(text) -> None:
    with pytest.raises(InvalidJudgments, match="one error is marked with"):
        take_marks(HERE, text)


def test_marks_can_be_put_back() -> None:
    text, place = take_marks(HERE, "wo <v>鳥 🎉</v> ist")
    assert place == (3, 6)
    assert put_marks(text, *place) == "wo <v>鳥 🎉</v> ist"


@pytest.mark.parametrize(
    ("text", "start", "last", "found"),
    [
        ("abc", 0, 1, (0, 2)),
        ("a😀b", 1, 2, (1, 2)),
        ("a😀b", 1, 1, (1, 2)),  # one half of a pair is the whole character
        ("a😀b", 3, 3, (2, 3)),
        ("a\nb", 1, 1, (2, 3)),
        ("ab", 2, 2, (0, 0)),
        ("ab", 5, 6, (5, 7)),  # behind the text: left as it is
    ],
)
def test_units_of_a_page_become_characters(text, start, last, found) -> None:
    assert Screen.of(text).find(start, last) == found


def test_a_page_that_trims_a_text_counts_from_its_first_letter() -> None:
    assert Screen.of("  ab ", trimmed=True).find(0, 0) == (2, 3)
