"""Numbers from texts: tokens in any script, lengths, ratios and overlap."""

import unicodedata
from math import log

import pytest

from evenhand.ratings.features import (
    ONE_TEXT,
    compare_texts,
    measure_text,
    split_tokens,
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't stop—now!", ["don", "t", "stop", "now"]),
        ("Straße 12", ["strasse", "12"]),
        ("我爱北京", ["我", "爱", "北", "京"]),
        ("iPhone を買う", ["iphone", "を", "買", "う"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("Привет, мир", ["привет", "мир"]),
        ("...", []),
        ("", []),
    ],
)
def test_tokens_in_any_script(text, tokens):
    assert split_tokens(text) == tokens


def test_how_an_accent_is_typed_does_not_matter():
    composed, taken_apart = (unicodedata.normalize(form, "déjà vu") for form in ("NFC", "NFD"))
    assert composed != taken_apart
    assert measure_text(composed) == measure_text(taken_apart)
    assert compare_texts(composed, taken_apart) == (0.0, 1.0)


def test_counts_by_hand():
    found = dict(zip(ONE_TEXT, measure_text("a b a, 42"), strict=True))
    assert found == {
        "log characters": log(10),
        "log tokens": log(5),
        "type-token ratio": 3 / 4,
        "punctuation share": 1 / 9,
        "digit share": 2 / 9,
    }


def test_digits_and_punctuation_of_other_scripts_count():
    found = dict(zip(ONE_TEXT, measure_text("٣。"), strict=True))
    assert (found["digit share"], found["punctuation share"]) == (0.5, 0.5)


def test_an_empty_text_has_defined_numbers():
    assert measure_text("") == (0.0, 0.0, 1.0, 0.0, 0.0)
    assert compare_texts("abc", "") == (-log(4), 0.0)


def test_overlap_is_the_share_of_the_outputs_different_tokens():
    assert compare_texts("Rome 1999 was", "in Rome in 1999")[1] == pytest.approx(2 / 3)
