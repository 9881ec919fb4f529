"""Which columns a control is, and what is refused."""

from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import evenhand
from controlled_rows import comparisons, simulate
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownColumn, UnknownOption
from evenhand.models import controls
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.controls import ControlEffect

FRAME = simulate(n=200)


def fit(frame: pl.DataFrame, *words: str, **settings):
    return BradleyTerry(controls=words, **settings).fit(comparisons(frame))


@pytest.mark.parametrize("word", ["x=length", "=length,lists", "x=,lists", "x=length,"])
def test_a_word_of_another_form_is_refused(word):
    with pytest.raises(UnknownOption, match="neither COLUMN"):
        fit(FRAME, word)


def test_a_column_that_is_not_there_is_refused_with_the_nearest():
    with pytest.raises(UnknownColumn, match="Did you mean 'length'"):
        fit(FRAME, "lenght")


@pytest.mark.parametrize("engine", ["polars", "pandas", "csv"])
def test_a_missing_value_is_refused_with_its_rows(engine, folder):
    values = FRAME["length"].to_list()
    values[1] = values[6] = None
    frame = FRAME.with_columns(length=pl.Series(values))
    sources = {"polars": frame, "pandas": pd.DataFrame(frame.to_dict(as_series=False))}
    if engine == "csv":
        frame.write_csv("votes.csv")
    with pytest.raises(
        InvalidJudgments, match=r"control 'length' is missing.*(lines 3, 8|rows 2, 7)"
    ):
        BradleyTerry(controls=("length",)).fit(evenhand.read(sources.get(engine, "votes.csv")))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_infinite_value_is_refused_with_its_row():
    values = FRAME["length"].to_list()
    values[4] = float("inf")
    with pytest.raises(InvalidJudgments, match=r"'length' is not a finite number.*row 5"):
        fit(FRAME.with_columns(length=pl.Series(values)), "length")


def test_text_that_is_no_number_is_refused_with_its_row(folder):
    values = [f"{value:.2f}" for value in FRAME["length"]]
    values[2] = "long"
    FRAME.with_columns(length=pl.Series(values)).write_csv("votes.csv")
    with pytest.raises(InvalidJudgments, match=r"control 'long' in column 'length'.*line 4"):
        BradleyTerry(controls=("length",)).fit(evenhand.read("votes.csv"))


SIZE = {"s0": 7.0, "s1": 70.0, "s2": 3.0, "s3": 13.0}
SIZES = [pl.col(side).replace_strict(SIZE) for side in ("left", "right")]
SIGN = pl.col("outcome").replace_strict({"left": 1.0, "tie": 0.0, "right": -1.0})
UNTOLD = [
    (pl.lit(0.0), (), "'x' is 0 in every"),
    (pl.lit(2.0), (), "'x' is 2 in every"),
    (SIZES[0] - SIZES[1], ("length",), "'x' cannot be distinguished from the systems"),
    (2 * pl.col("length") - pl.col("lists"), ("length", "lists"), "'x' .* from length, lists"),
    (SIGN * (1 + pl.col("length").abs()), ("lists",), "control x: no finite estimate was found"),
]


@pytest.mark.parametrize(("x", "beside", "says"), UNTOLD)
def test_a_control_that_cannot_be_told_from_the_rest_is_refused(x, beside, says):
    with pytest.raises(NotIdentified, match=says):
        fit(FRAME.with_columns(x=x), *beside, "x")


def test_worths_that_are_not_identified_are_refused_in_the_usual_words():
    frame = FRAME.filter(pl.col("outcome") != "tie").with_columns(
        outcome=pl.when(pl.col("left") == "s0")
        .then(pl.lit("left"))
        .when(pl.col("right") == "s0")
        .then(pl.lit("right"))
        .otherwise(pl.col("outcome"))
    )
    with pytest.raises(NotIdentified, match='nobody preferred anything to "s0"'):
        fit(frame, "length")


def test_one_name_twice_is_refused():
    with pytest.raises(UnknownOption, match="one name is given twice"):
        fit(FRAME, "length", "length=length,lists")


def test_a_tally_has_no_rows():
    tally = comparisons(FRAME).tally()
    with pytest.raises(InvalidJudgments, match="tally has no rows"):
        BradleyTerry(controls=("length",)).fit(tally)


def test_rankings_have_no_differences():
    rows = [("r1", "a", 1, 10), ("r1", "b", 2, 20), ("r2", "a", 2, 10), ("r2", "b", 1, 5)]
    frame = pl.DataFrame(rows, schema=["ranking", "system", "rank", "length"], orient="row")
    with pytest.raises(UnknownOption, match="holds rankings, one output a row"):
        BradleyTerry(controls=("length",)).fit(evenhand.read(frame))


def test_only_three_thousand_systems_are_fitted(monkeypatch):
    assert controls.DENSE == 3_000
    monkeypatch.setattr(controls, "DENSE", 3)
    with pytest.raises(UnknownOption, match="at most 3 systems"):
        fit(FRAME, "length")


def test_an_effect_has_the_interval_of_its_t_distribution():
    """t quantile .975 on 10 df is 2.228139 (R 4.3, qt)."""
    effect = ControlEffect.make(("length", 50.0), (0.4, 0.1), 0.95, 10)
    assert (effect.lower, effect.upper) == pytest.approx((0.1771861, 0.6228139), abs=1e-6)
    assert effect.per_unit == pytest.approx(0.008)
