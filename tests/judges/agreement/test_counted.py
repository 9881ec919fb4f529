"""What an engine counts is what is read row by row; what it cannot count is fetched, and said."""

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from engine_answers import COUNTED, ask_counted, count_all, plain
from evenhand import measure_agreement, read
from evenhand.cli.main import main
from evenhand.data.query_log import watch_fetches
from evenhand.errors import EvenhandError
from evenhand.judges import agreement_intervals


def ratings(items=30, judges=(1, 2, 2, 4), points=5, seed=0, tasks=1):
    """Scores of three systems on items that are hard or easy, under two criteria, shuffled."""
    rng = np.random.Generator(np.random.PCG64(seed))
    rows = []
    for task in range(tasks):
        for item, level in enumerate(rng.normal((points + 1) / 2, 1, items)):
            for at in range(6):
                for judge in rng.choice(9, rng.choice(judges), replace=False):
                    score = float(np.clip(np.round(level + rng.normal(0, 0.9)), 1, points))
                    unit = f"i{item}", "abc"[at // 2], ("fluency", "adequacy")[at % 2]
                    rows.append((f"t{task}", f"j{judge}", *unit, score))
    names = ("task", "judge", "item", "system", "criterion", "score")
    table = pl.DataFrame(rows, schema=names, orient="row")
    table = table.sample(fraction=1, shuffle=True, seed=seed)
    return table if tasks > 1 else table.drop("task")


def read_rows(table, **settings):
    found = measure_agreement(read(table), **{"coefficients": COUNTED, **settings})
    return [
        plain(one.to_dict()) for one in (found.values() if hasattr(found, "values") else [found])
    ]


def watch(table, **settings):
    """The rows that are collected when an engine counts, and why rows are fetched."""
    with count_all(), watch_fetches() as fetches:
        found = measure_agreement(read(table.lazy()), **settings)
    return found, sum(one.rows for one in fetches), {one.why for one in fetches if one.why}


ASKED = {
    "criteria": ({}, {}),
    "systems": ({"judges": (2,)}, {"by": ["system"]}),
    "crossed": ({"judges": (2,)}, {"by": ["criterion", "system"]}),
    "tasks": ({"tasks": 2}, {}),
    "a part a task": ({"tasks": 2, "judges": (2, 1)}, {"by": ["task"]}),
    "a declared scale": ({}, {"scale": "1-7"}),
    "a scale without steps": ({}, {"scale": "1..7"}),
    "few items": ({"items": 5}, {}),
    "one score": ({"points": 1}, {}),
    "no second judge anywhere but twice": ({"judges": (1,) * 20 + (2,)}, {}),
}


@pytest.mark.parametrize("asked", ASKED)
def test_counts_give_all_that_rows_give(asked):
    # of up to 1,000 items each is a cluster in the order of names: intervals are the same too
    made, settings = ASKED[asked]
    table = ratings(**made)
    assert ask_counted(read(table.lazy()), **settings) == read_rows(table, **settings)


def test_a_file_is_counted_where_it_lies(tmp_path):
    table = ratings()
    table.write_parquet(tmp_path / "ratings.parquet")
    assert ask_counted(read(tmp_path / "ratings.parquet")) == read_rows(table)


def test_rows_that_are_left_out_are_counted_and_the_first_answer_is_kept():
    table = ratings(judges=(2, 3))
    n = len(table)
    table = table.with_columns(
        kind=pl.Series([("target", "repeat", "control", None)[i % 9 % 4] for i in range(n)]),
        seconds=pl.Series([-1.0 if i % 50 == 0 else None if i % 3 == 0 else 2.5 for i in range(n)]),
        score=pl.Series([None if i % 17 == 0 else one for i, one in enumerate(table["score"])]),
    )
    again = table.with_columns(score=6 - pl.col("score"))
    both = pl.concat([table, again]).with_columns(
        shown_at=pl.Series([float(i * 7919 % (2 * n)) for i in range(2 * n)])
    )
    found = ask_counted(read(both.lazy()))
    assert found == read_rows(both)
    said = " ".join(one["text"] for one in found[0]["findings"])
    for words in ("repeats", "controls", "second answer", "without a kind", "negative"):
        assert words in said


def clustered(seed, items=120):
    """Two judges on five outputs of every item; they agree with the item's own probability."""
    rng = np.random.Generator(np.random.PCG64(seed))
    same = rng.random((items, 5)) < rng.beta(2, 2, items)[:, None]  # one half on average
    item, system = (np.repeat(one, 2).tolist() for one in np.divmod(np.arange(items * 5), 5))
    score = np.column_stack([np.ones(items * 5), np.where(same.ravel(), 1, 2)]).ravel()
    judge = ["a", "b"] * (items * 5)
    columns = {"judge": judge, "item": item, "system": system, "score": score.astype(int)}
    return pl.DataFrame(columns)


def ends(found):
    one = found.whole["n-agreement-0"]
    return np.array([one.lower, one.upper])


@pytest.mark.parametrize("most", [40, 1000])
def test_intervals_are_those_of_rows_up_to_how_items_are_put_together(most, monkeypatch):
    monkeypatch.setitem(agreement_intervals.MAX_CLUSTERS, "item", most)
    table = clustered(1)
    counted, _, _ = watch(table, coefficients="n-agreement-0")
    rows = measure_agreement(read(table), coefficients="n-agreement-0")
    width = float(np.diff(ends(rows))[0])
    assert ends(counted) == pytest.approx(ends(rows), abs=0.15 * width if most < 120 else 1e-12)


@pytest.mark.slow
def test_intervals_of_items_that_were_put_together_hold_what_is_true(monkeypatch):
    monkeypatch.setitem(agreement_intervals.MAX_CLUSTERS, "item", 40)
    found = [ends(watch(clustered(seed), coefficients="n-agreement-0")[0]) for seed in range(100)]
    held = sum(lower <= 0.5 <= upper for lower, upper in found)
    assert held >= 95 - 3 * np.sqrt(100 * 0.95 * 0.05)


def test_ten_times_the_units_bring_back_no_more_rows(monkeypatch):
    monkeypatch.setitem(agreement_intervals.MAX_CLUSTERS, "item", 10)
    few, many = (watch(ratings(items, (2,)), coefficients="alpha") for items in (90, 900))
    assert many[0].whole.units == 10 * few[0].whole.units
    assert many[1] == few[1] < 120
    assert many[2] == few[2] == set()


UNCOUNTED = {
    "judges drawn": ({"cluster": "judge"}, "to draw judges again"),
    "one pair": ({"coefficients": "n-agreement-pair"}, "who scored with whom"),
    "between judges": ({"coefficients": ["alpha", "cohen"]}, "known row by row: cohen"),
    "with themselves": ({"coefficients": ["alpha", "intra"]}, "known row by row: intra"),
    "unasked": ({}, "up to 200,000 pairs of judges"),
    "items apart": ({"by": ["item"], "coefficients": "alpha"}, "levels of 'item'"),
    "off the scale": ({"scale": "1-3"}, "scores that are not on the scale"),
}


@pytest.mark.parametrize("asked", UNCOUNTED)
def test_what_needs_rows_fetches_them_and_says_why(asked, tmp_path):
    settings, why = UNCOUNTED[asked]
    assert_read(ratings(items=12), settings, why, tmp_path / "ratings.parquet")


def assert_read(table, settings, why, path):
    """Where all is counted that can be, rows are read still: the same result, or refusal."""
    table.write_parquet(path)
    with count_all(), watch_fetches() as fetches:
        found = answer(path, settings)
    assert found == answer(path, settings)
    assert any(why in one.why for one in fetches)


def answer(path, settings):
    try:
        return measure_agreement(read(path), **settings).to_dict()
    except EvenhandError as refusal:
        return str(refusal)


FAULTS = {
    "a blank": ("item", " i1", "labels that cannot be"),
    "a blank of another kind": ("system", "a\u00a0", "labels that cannot be"),
    "no judge": ("judge", None, "labels that cannot be"),
    "kinds": ("kind", "nothing", "a column of kinds"),
    "moments in words": ("shown_at", "noon", "read row by row as text"),
    "expectations": ("expected", "4", "what is expected of controls"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_odd_is_left_to_the_reading_row_by_row(fault, tmp_path):
    name, value, why = FAULTS[fault]
    table = ratings(items=12, judges=(9,)).sort("judge", "item", "system", "criterion")
    if name not in table.columns:
        table = table.with_columns(pl.lit(None, pl.String).alias(name))
    changed = table.with_row_index("at").with_columns(
        pl.when(pl.col("at") == 40).then(pl.lit(value)).otherwise(pl.col(name)).alias(name)
    )
    path = tmp_path / "ratings.parquet"
    assert_read(changed.drop("at"), {"coefficients": "alpha"}, why, path)


def test_the_first_of_two_answers_is_told_by_the_order_of_rows_where_there_is_one(tmp_path):
    table = ratings(judges=(2, 3))
    both = pl.concat([table, table.with_columns(score=6 - pl.col("score"))])
    both = both.sample(fraction=1, shuffle=True, seed=1)
    path = tmp_path / "ratings.parquet"
    both.write_parquet(path)
    assert ask_counted(read(path)) == read_rows(both)
    _, _, whys = watch(both, coefficients="alpha")
    assert any("which of two answers" in one for one in whys)


def test_what_differs_among_the_judges_of_an_output_is_refused_as_its_rows_are(tmp_path):
    table = ratings(items=12, judges=(2,))
    device = pl.Series("device", ["phone", "desk"] * (len(table) // 2))
    path, settings = tmp_path / "ratings.parquet", {"by": ["device"], "coefficients": "alpha"}
    assert_read(table.with_columns(device), settings, "outputs cannot be distinguished", path)
    assert "'device' differs among the judges of one output" in answer(path, settings)


@pytest.mark.parametrize("kind", ["control", "repeat"])
def test_labels_are_checked_of_rows_that_are_left_out_too(kind, tmp_path):
    table = ratings(items=12).with_columns(kind=pl.lit("target"))
    odd = table.head(1).with_columns(judge=pl.lit(" j1"), kind=pl.lit(kind))
    path = tmp_path / "ratings.parquet"
    settings = {"coefficients": "alpha"}
    assert_read(pl.concat([table, odd]), settings, "labels that cannot be", path)
    assert "label ' j1' in column 'judge'" in answer(path, settings)


def test_a_file_in_which_nothing_is_shared_is_refused_as_its_rows_are(tmp_path):
    path, settings = tmp_path / "ratings.parquet", {"coefficients": "alpha"}
    ratings(judges=(1,)).write_parquet(path)
    with count_all():
        said = answer(path, settings)
    assert said == answer(path, settings)
    assert "no output was judged by two judges" in said


def test_explain_shows_what_was_counted_and_why_rows_were_not(tmp_path):
    path = tmp_path / "ratings.parquet"
    ratings().write_parquet(path)
    with count_all():
        counted, fetched = (
            CliRunner().invoke(main, ["agreement", str(path), "--coefficient", name, "--explain"])
            for name in ("alpha", "cohen")
        )
    assert "evenhand_cluster" in counted.stderr
    assert "row by row" not in counted.stderr
    assert "row by row: who scored with whom is known row by row: cohen" in fetched.stderr
