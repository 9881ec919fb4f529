"""Features of outputs: read from columns, standardised, and refused where they are missing."""

from datetime import date
from math import log

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from evenhand.data.ratings import Ratings
from evenhand.errors import InvalidJudgments, UnknownColumn
from evenhand.ratings import features
from evenhand.ratings.features import (
    ONE_TEXT,
    OUTPUT,
    OutputFeatures,
    compare_texts,
    learn_scaling,
    measure_text,
    split_tokens,
)

TABLE = {
    "judge": ["a", "a", "b", "b"],
    "item": ["1", "2", "1", "2"],
    "system": ["x", "x", "x", "y"],
    "score": [1, 2, 3, 5],
    "length": [3.5, 4.5, 3.5, 6.5],
    "words": [1, 2, 1, 4],
    "same": [7, 7, 7, 7],
    "domain": ["news", "news", "news", "chat"],
    "output": ["Hallo Rom", "Guten Tag", "Hallo Rom", "Nein"],
    "source": ["Ciao Roma", "Buon giorno", "Ciao Roma", "No"],
}


def ratings(**columns) -> Ratings:
    return Ratings(nw.from_native(pl.DataFrame({**TABLE, **columns})))


def read(features, **columns):
    return features.read(features.read_rows(ratings(**columns)))


def test_numbers_labels_and_texts_are_read_row_by_row():
    table = read(OutputFeatures(("length", "words"), (OUTPUT, "domain", "system"), None, "output"))
    assert table.names == ("length", "words", *(f"output {one}" for one in ONE_TEXT))
    np.testing.assert_array_equal(table.numbers[:, :2].T, [TABLE["length"], TABLE["words"]])
    assert table.labels[:, 0].tolist() == ["1 / x", "2 / x", "1 / x", "2 / y"]
    assert table.labels[:, 1].tolist() == TABLE["domain"]


def test_numbers_are_standardised_with_constants_that_are_kept():
    features = OutputFeatures(("length",), ())
    scaling = learn_scaling(read(features))
    mean, deviation = np.mean(TABLE["length"]), np.std(TABLE["length"])
    assert (scaling.means[0], scaling.deviations[0]) == pytest.approx((mean, deviation))
    found = scaling.apply(features.tabulate([{"length": 10}]))
    assert found.numbers[0, 0] == pytest.approx((10 - mean) / deviation)


def test_features_that_are_missing_or_tell_nothing_are_refused():
    with pytest.raises(InvalidJudgments, match=r"no feature differs .*\(same\)"):
        learn_scaling(read(OutputFeatures(("same",), ())))
    with pytest.raises(UnknownColumn, match="length"):
        read(OutputFeatures(("lenght",), ()))
    with pytest.raises(InvalidJudgments, match="were not read with the ratings"):
        OutputFeatures(("length",)).read(ratings().rows())
    with pytest.raises(InvalidJudgments, match="domain is not given"):
        OutputFeatures(("length",), ("domain",)).tabulate([{"length": 3}])
    with pytest.raises(InvalidJudgments, match="length are too large"):
        learn_scaling(read(OutputFeatures(("length",)), length=[1e300, -1e300, 1.0, 2.0]))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"length": [3.5, None, 3.5, 6.5]}, "missing in column 'length'"),
        ({"length": [3.5, float("nan"), 3.5, 6.5]}, "'length' holds 'NaN', which is not a number"),
        ({"length": [3.5, float("inf"), 3.5, 6.5]}, "'length' holds 'inf', which is not a number"),
        ({"length": ["3", "4", "long", "5"]}, "'length' holds 'long', which is not a number"),
        ({"length": ["3", "4,5", "4", "5"]}, "written with a point"),
        ({"length": [date(2020, 1, day) for day in (1, 2, 3, 4)]}, "'length' holds dates"),
    ],
)
def test_a_missing_number_is_refused_and_named(columns, said):
    with pytest.raises(InvalidJudgments, match=said):
        read(OutputFeatures(("length",), ()), **columns)


def test_a_value_that_hides_all_others_is_named():
    rows = {name: column * 5 for name, column in TABLE.items()}
    rows["length"] = [*np.linspace(0, 1, 19).tolist(), 1e12]
    features = OutputFeatures(("length", "words"), ())
    assert learn_scaling(read(features, **rows)).heavy == ("length",)


# Numbers from texts: tokens in any script, lengths, ratios and overlap.


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


def test_counts_overlap_and_names_by_hand():
    found = dict(zip(ONE_TEXT, measure_text("a b a, 42"), strict=True))
    assert found == {
        "log characters": log(10),
        "log tokens": log(5),
        "type-token ratio": 3 / 4,
        "punctuation share": 1 / 9,
        "digit share": 2 / 9,
    }
    assert compare_texts("Rome 1999 was", "in Rome in 1999")[1] == pytest.approx(2 / 3)
    assert features.name_output("", "item 3", "alpha") == "item 3 / alpha"
    assert features.name_output("news", "a / b", "c") == r"news / a \/ b / c"


# Functions below completion and judge processes on examples whose answers are known.
