"""Rows pasted twice are no second answers, and scores off the scale are warned of."""

import numpy as np
import polars as pl
import pytest

import evenhand


def ratings(*, again=()):
    """Three judges on forty outputs, each score a minute after the last; some rows once more."""
    rng = np.random.default_rng(5)
    meant = rng.integers(1, 6, 40)
    table = pl.DataFrame(
        [
            (judge, f"i{item}", int(np.clip(meant[item] + rng.integers(-1, 2), 1, 5)))
            for item in range(40)
            for judge in "xyz"
        ],
        schema=["judge", "item", "score"],
        orient="row",
    ).with_columns(system=pl.lit("s"))
    table = table.with_columns(shown_at=60.0 * pl.int_range(1, len(table) + 1))
    return pl.concat([table, table[list(again)]])


def votes(*, again=()):
    """The same judges prefer one of two outputs, whichever stands left."""
    said = pl.when(pl.col("score") > 3).then(pl.lit("left")).otherwise(pl.lit("right"))
    table = ratings().with_columns(left=pl.lit("a"), right=pl.lit("b"), outcome=said)
    table = table.drop("score", "system")
    return pl.concat([table, table[list(again)]])


def own(table):
    return [one for one in table.whole.coefficients if "intra" in one.name.split("-")]


@pytest.mark.parametrize("make", [ratings, votes])
def test_rows_pasted_twice_are_left_out_where_times_show_it(make):
    once = evenhand.measure_agreement(evenhand.read(make()))
    found = evenhand.measure_agreement(evenhand.read(make(again=[0, 7, 7, 30])))
    assert own(found) == []
    assert found.whole.coefficients == once.whole.coefficients
    (pasted,) = [one for one in found.excluded if one.code == "pasted"]
    assert pasted.rows == 4
    assert "excluded 4 rows" in found.signature
    (warned,) = [one for one in found.notes if one.code == "identical-rows"]
    assert warned.values["rows"] == 4


@pytest.mark.parametrize("make", [ratings, votes])
def test_second_answers_at_another_time_stay(make):
    table = make()
    later = table.head(30).with_columns(pl.col("shown_at") + 86_400.0)
    both = pl.concat([table, later, table[[3]]])
    found = evenhand.measure_agreement(evenhand.read(both))
    assert [one.ratings for one in own(found) if one.value == 1]
    assert [one.rows for one in found.excluded if one.code == "pasted"] == [1]
    clean = evenhand.measure_agreement(evenhand.read(pl.concat([table, later])))
    assert found.whole.coefficients == clean.whole.coefficients
    assert "pasted" not in {one.code for one in clean.excluded}


@pytest.mark.parametrize("make", [ratings, votes])
@pytest.mark.parametrize("time", [None, "2024-05-01"])
def test_where_no_time_shows_it_that_is_said_beside_self_agreement(make, time):
    table = make(again=range(30)).drop("shown_at")
    table = table if time is None else table.with_columns(shown_at=pl.lit(time))
    found = evenhand.measure_agreement(evenhand.read(table))
    assert own(found)
    for one in own(found):
        codes = {note.code for note in one.notes}
        assert ("perhaps-pasted" in codes) == (one.value is not None)
    assert "30 rows equal another in every column: if pasted twice" in repr(found).replace(
        "\n       ", ""
    )


def test_a_score_off_the_scale_is_warned_of(tmp_path):
    table = ratings()
    scores = table["score"].to_list()
    scores[8] = 55
    path = tmp_path / "scores.csv"
    table.with_columns(score=pl.Series(scores)).write_csv(path)
    found = evenhand.measure_agreement(evenhand.read(path))
    (warned,) = [one for one in found.notes if one.code == "far-score"]
    assert (warned.values["score"], warned.severity) == (55, "warning")
    assert "(line 10)" in warned


def test_of_several_tasks_the_first_warns():
    table = ratings(again=[0]).drop("shown_at")
    tasks = pl.Series("task", [f"t{item[1:] > '2'}" for item in table["item"]])
    found = evenhand.measure_agreement(evenhand.read(table.with_columns(tasks)))
    said = ["identical-rows" in {one.code for one in part.notes} for part in found.groups.values()]
    assert said == [True, False]
    first = next(iter(found.groups.values()))
    (warning,) = [one for one in first.notes if one.code == "identical-rows"]
    assert warning.startswith("In all tasks together, 1 row equals")
