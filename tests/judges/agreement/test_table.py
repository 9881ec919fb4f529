"""What `measure_agreement` says of data, and of data of which little can be said."""

from fractions import Fraction
from itertools import combinations
from random import Random

import duckdb
import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand import measure_agreement, read
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownColumn, UnknownOption
from evenhand.judges import agreement
from evenhand.judges.agreement_table import name_kappa
from evenhand.judges.preferences import compare_votes

CRITERIA = {"fluency": [4, 4, 2, 3, 5, 5, 1, 1], "adequacy": [4, 1, 2, 5, 5, 1, 1, 4]}


def ratings(scores, **columns):
    """Two judges on items 0, 0, 1, 1, ... of one system."""
    n = len(scores)
    table = {
        "judge": ["a", "b"] * (n // 2),
        "item": [str(i // 2) for i in range(n)],
        "system": ["s"] * n,
        "score": scores,
    }
    return evenhand.read(pl.DataFrame(table | columns))


def two_criteria():
    """The scores of `CRITERIA`, text from speech and from print."""
    frames = [
        pl.DataFrame(
            {
                "judge": ["a", "b"] * 4,
                "item": [str(i // 2) for i in range(8)],
                "system": ["s"] * 8,
                "criterion": [name] * 8,
                "input": ["speech"] * 4 + ["print"] * 4,
                "score": scores,
            }
        )
        for name, scores in CRITERIA.items()
    ]
    return evenhand.read(pl.concat(frames))


def test_criteria_are_parts_and_all_of_them_come_last():
    found = evenhand.measure_agreement(two_criteria(), scale="1-5")
    assert [part.name for part in found.parts] == ["adequacy", "fluency", "all"]
    values = [part["n-agreement-0"].value for part in found.parts]
    assert values == pytest.approx([0, 3 / 4, 3 / 8])
    assert found.part("fluency").units == 4
    assert found.whole.judges == 2


def test_rows_that_are_left_out_are_counted():
    data = ratings([1, 1, 2, 3, None, 3], judge=["a", "a", "a", "b", "a", "b"])
    notes = " | ".join(evenhand.measure_agreement(data).notes)
    assert "1 second answer of judges to the same output excluded" in notes
    assert "agree with themselves |" in notes
    assert notes.count("without a score") == 1
    assert "rows without a score are excluded: 1 of 6" in notes
    assert "2 of 3 outputs were judged once" in notes


@pytest.mark.parametrize(
    ("judges", "why"),
    [
        ("aaaa", "there is one judge alone.*judges_per_item = 2 in campaign.toml"),
        ("abcd", "no two of 4 judges share any"),
    ],
)
def test_where_no_two_judges_share_an_output_it_is_refused(judges, why):
    with pytest.raises(NotIdentified, match=why):
        evenhand.measure_agreement(ratings([1, 2, 3, 4], judge=list(judges), item=list("0123")))


def test_one_item_has_values_and_says_why_there_is_no_interval():
    found = evenhand.measure_agreement(ratings([3, 4]), scale="1-5")
    one = found.whole["n-agreement-1"]
    assert (one.value, one.lower) == (1, None)
    assert "No interval: 1 item, and at least 10 are needed." in one.notes


def test_constant_scores_agree_and_have_no_kappa():
    found = evenhand.measure_agreement(ratings([4] * 30), scale="1-5")
    whole = found.whole
    assert (whole["n-agreement-0"].value, whole["n-agreement-0"].lower) == (1, 1)
    assert whole["ac1"].value == 1
    for name in ("fleiss", "alpha-ordinal", "alpha-interval"):
        assert whole[name].value is None
        assert "all scores are alike" in whole[name].why
    unknown = evenhand.measure_agreement(ratings([4] * 30)).whole["ac1"]
    assert "declare the scale" in unknown.why


@pytest.mark.parametrize(
    ("scores", "why"),
    [
        (pl.Series([None, None], dtype=pl.Float64), "has no score in any of 2 rows"),
        ([1, 7, 2, 2], "not on the scale 1 to 5: 7"),
    ],
)
def test_scores_that_are_missing_or_off_the_declared_scale_are_refused(scores, why):
    with pytest.raises(InvalidJudgments, match=why):
        evenhand.measure_agreement(ratings(scores), scale="1-5")


def test_a_rare_answer_with_low_kappa_is_warned_of():
    scores = [1, 1] * 45 + [1, 2] * 3 + [2, 1] * 2
    found = evenhand.measure_agreement(ratings(scores), scale="1-2")
    assert any("Feinstein & Cicchetti 1990" in note for note in found.whole.notes)
    balanced = [1, 1] * 25 + [2, 2] * 20 + [1, 2] * 3 + [2, 1] * 2
    calm = evenhand.measure_agreement(ratings(balanced), scale="1-2")
    assert not any("Feinstein" in note for note in calm.whole.notes)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"coefficients": "fleis"}, UnknownOption, "Did you mean 'fleiss'"),
        ({"cluster": "system"}, UnknownOption, r"choose item \| judge"),
        ({"level": 95}, UnknownOption, "level cannot be 95: it lies between 0 and 1"),
        ({"by": ["inptu"]}, UnknownColumn, "Did you mean 'input'"),
        ({"scale": "five"}, UnknownOption, "write 1-5"),
        ({"coefficients": []}, UnknownOption, "no coefficient is asked for"),
    ],
)
def test_settings_that_do_not_exist_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        evenhand.measure_agreement(two_criteria(), **options)


def test_asking_for_all_gives_every_coefficient_a_value_or_a_reason():
    found = evenhand.measure_agreement(two_criteria(), coefficients="all", scale="1-5")
    names = [one.name for one in found.whole.coefficients]
    assert {"n-agreement-pair-0", "pi-linear", "cohen", "icc-1-1", "kendall-w"} <= set(names)
    assert all((one.value is None) != (one.why is None) for one in found.whole.coefficients)


def test_kappa_asks_for_the_coefficients_of_that_name():
    found = evenhand.measure_agreement(two_criteria(), coefficients="kappa", scale="1-5")
    names = {one.name for one in found.whole.coefficients}
    assert {"fleiss", "cohen", "brennan-prediger"} <= names
    assert not any(one.startswith(("alpha", "n-agreement")) for one in names)


@pytest.mark.parametrize("name", ["judge", "group"])
def test_a_column_that_differs_within_an_output_cannot_tell_outputs_apart(name):
    data = ratings([1, 1, 2, 3], group=["crowd", "expert"] * 2)
    said = f"'{name}' differs among the judges.*2 of 2.*--group-by {name}"
    with pytest.raises(UnknownOption, match=said):
        evenhand.measure_agreement(data, by=[name])


def test_one_judge_who_was_asked_again_has_agreement_with_itself_alone():
    data = ratings([1, 1, 2, 3, 4, 4], judge=["a"] * 6)
    found = evenhand.measure_agreement(data, coefficients="intra", scale="1-5")
    assert found.whole["intra-n-agreement-0"].value == pytest.approx(2 / 3)
    assert found.says == ("Judges give the same score again in 66.7 %.",)
    with pytest.raises(NotIdentified, match="there is one judge alone"):
        evenhand.measure_agreement(data)


def test_a_scale_without_steps_has_no_categories():
    data = ratings([0.1, 0.1, 0.5, 0.6, 0.9, 0.8])
    whole = evenhand.measure_agreement(data, coefficients="all", scale="0..1").whole
    for name in ("fleiss", "ac1", "brennan-prediger", "alpha-nominal", "pi", "cohen"):
        assert whole[name].value is None
        assert "scale with steps" in whole[name].why
    assert whole["alpha-interval"].value > 0.8
    shown = evenhand.measure_agreement(data, scale="0..1").whole.coefficients
    assert "fleiss" not in {one.name for one in shown}


# Agreement by group: each value of a column is measured as if it were a table of its own.

GROUPS = ("crowd", "expert")


def scores(*, judges="uvwxyz"):
    """Two systems on thirty items of two tasks; experts differ by at most a point."""
    rng = np.random.default_rng(3)
    rows = []
    for item in range(30):
        for system in "ab":
            meant = int(rng.integers(1, 6))
            for judge in judges:
                group = GROUPS[judge in "uvw"]
                said = meant + int(rng.integers(-1, 2) * (1 + (group == "crowd")))
                row = (judge, f"i{item}", system, min(max(said, 1), 5), group, f"t{item % 2}")
                rows.append(row)
    names = ("judge", "item", "system", "score", "group", "task")
    return pl.DataFrame(rows, schema=names, orient="row")


def answers():
    """Comparisons of the same judges: who scored higher."""
    wide = scores().pivot("system", values="score")
    gap = pl.col("a") - pl.col("b")
    outcome = pl.when(gap > 0).then(pl.lit("left")).when(gap < 0).then(pl.lit("right"))
    return wide.select(
        *("judge", "item", "group", "task"),
        left=pl.lit("a"),
        right=pl.lit("b"),
        outcome=outcome.otherwise(pl.lit("tie")),
    )


@pytest.mark.parametrize("make", [scores, answers])
def test_each_group_is_what_its_rows_are_alone(make):
    table = make().drop("task")
    found = evenhand.measure_agreement(evenhand.read(table), group_by="group")
    assert (list(found), found.by, found.refused) == (list(GROUPS), "group", {})
    for name in GROUPS:
        alone = evenhand.read(table.filter(pl.col("group") == name).drop("group"))
        assert found[name].to_dict() == evenhand.measure_agreement(alone).to_dict()
    near = [found[name].whole["n-agreement-0"].value for name in GROUPS]
    assert near[0] < near[1]


def test_a_group_without_shared_outputs_is_refused_and_one_group_is_still_one():
    data = evenhand.read(scores(judges="ux").drop("task"))
    with pytest.raises(NotIdentified, match=r"group crowd: no output was .* group expert: no "):
        evenhand.measure_agreement(data, group_by="group")
    found = evenhand.measure_agreement(
        evenhand.read(scores(judges="uvx").drop("task")), group_by="group"
    )
    assert list(found) == ["expert"]
    assert "there is one judge alone" in found.refused["crowd"]
    with pytest.raises(UnknownColumn, match="'grup'"):
        evenhand.measure_agreement(data, group_by="grup")


def test_more_ratings_than_can_be_held_are_refused(monkeypatch):
    monkeypatch.setattr(agreement, "MAX_RATINGS", 359)
    with pytest.raises(InvalidJudgments, match=r"up to 359 ratings, and .* has 360"):
        evenhand.measure_agreement(evenhand.read(scores()))


# Pairs of one judge's votes are no agreement between judges, whatever WMT's key lets through.

SAID = ("left", "tie", "right")


def campaign(*, opposite, repeats="repeat"):
    """Two judges of forty items see opposite orders, or the same; the first answers ten again."""
    rng = np.random.default_rng(11)
    rows = []
    for item in range(40):
        for place, judge in enumerate("xy"):
            sides = ("B", "A") if opposite and place else ("A", "B")
            again = judge == "x" and item % 4 == 0
            for time in range(1 + again):
                kind = repeats if time else "target"
                rows.append((f"i{item}", judge, *sides, SAID[rng.integers(3)], kind))
    names = ("item", "judge", "left", "right", "outcome", "kind")
    return pl.DataFrame(rows, schema=names, orient="row")


def tables(rows):
    """The same table from memory, and from an engine."""
    return [evenhand.measure_agreement(evenhand.read(one)) for one in (rows, rows.lazy())]


def test_kappa_of_wmt_does_not_exist_where_every_counted_pair_is_one_judges():
    why = (
        "no two judges saw the same two outputs in the same order: all 10 pairs of votes that WMT"
        " counts are of one judge, asked again"
    )
    for table in tables(campaign(opposite=True)):
        assert "kappa-wmt" not in [one.name for one in table.whole.coefficients]
        assert why in table.whole.notes
    asked = evenhand.measure_agreement(
        evenhand.read(campaign(opposite=True)), coefficients="kappa-wmt"
    )
    assert (asked.whole["kappa-wmt"].value, asked.whole["kappa-wmt"].why) == (None, why)


def test_rows_marked_as_repeats_are_no_part_of_kappa_between_judges():
    """The κ and the share of the first answers alone, read as a table of their own."""
    rows = campaign(opposite=False)
    first = evenhand.read(rows.filter(pl.col("kind") == "target"))
    alone = compare_votes(first.votes())
    for table in tables(rows):
        strict = table.whole["kappa-strict"]
        assert strict.value == pytest.approx(alone.kappa)
        assert (strict.units, strict.ratings) == (40, 80)
        assert alone.observed == pytest.approx(table.whole["n-agreement-0"].value)
        assert f"same answer in {100 * alone.observed:.1f} %; pairwise κ" in table.says[0]
        assert "10 repeats excluded." in table.notes


# Rows pasted twice are no second answers, and scores off the scale are warned of.


def ratings_of_pasted(*, again=()):
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
    table = ratings_of_pasted().with_columns(left=pl.lit("a"), right=pl.lit("b"), outcome=said)
    table = table.drop("score", "system")
    return pl.concat([table, table[list(again)]])


def own(table):
    return [one for one in table.whole.coefficients if "intra" in one.name.split("-")]


@pytest.mark.parametrize("make", [ratings_of_pasted, votes])
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


@pytest.mark.parametrize("make", [ratings_of_pasted, votes])
def test_rows_without_a_time_are_not_taken_for_pasted(make):
    untimed = pl.when(pl.int_range(pl.len()) % 40 < 8).then(None).otherwise(pl.col("shown_at"))
    table = make().with_columns(shown_at=untimed)
    found = evenhand.measure_agreement(evenhand.read(pl.concat([table, table[[0, 7, 30]]])))
    (pasted,) = [one for one in found.excluded if one.code == "pasted"]
    assert pasted.rows == 1  # row 30, which has a time
    assert own(found)


@pytest.mark.parametrize("make", [ratings_of_pasted, votes])
@pytest.mark.parametrize("time", [None, "2024-05-01"])
def test_where_no_time_shows_it_that_is_said_beside_self_agreement(make, time):
    table = make(again=range(30)).drop("shown_at")
    table = table if time is None else table.with_columns(shown_at=pl.lit(time))
    found = evenhand.measure_agreement(evenhand.read(table))
    assert own(found)
    for one in own(found):
        codes = {note.code for note in one.notes}
        assert ("perhaps-pasted" in codes) == (one.value is not None)
    assert "identical-rows" not in {one.code for one in found.notes}  # said once
    assert "30 rows equal another in every column: if pasted twice" in repr(found).replace(
        "\n       ", ""
    )


# Landis and Koch's words, and the warning of Feinstein and Cicchetti's first paradox.


@pytest.mark.parametrize(
    ("kappa", "word"),
    [  # Landis & Koch (1977), p. 165
        (-0.01, "poor"),
        (0.00, "slight"),
        (0.20, "slight"),
        (0.40, "fair"),
        (0.60, "moderate"),
        (0.80, "substantial"),
        (0.81, "almost perfect"),
        (1.00, "almost perfect"),
    ],
)
def test_words_are_those_of_landis_and_koch(kappa, word):
    assert name_kappa(kappa) == word


# Items on which judges are farthest apart are the same ones whichever engine holds the scores.


def draw(seed, points, items=40):
    """Scores of two to six judges on two outputs of every item, in an order of their own."""
    rng = np.random.Generator(np.random.PCG64(seed))
    rows = [
        (f"i{item:02}", system, f"j{judge}", int(rng.integers(len(points))))
        for item in range(items)
        for system in "ab"
        for judge in rng.choice(6, rng.integers(2, 7), replace=False)
    ]
    rng.shuffle(rows)
    return rows


def list_exactly(rows, points):
    """The worst items by Fraction: sums of whole fractions have no last digit that is lost."""
    scores: dict[tuple[str, str], list[Fraction]] = {}
    for item, system, _, at in rows:
        scores.setdefault((item, system), []).append(Fraction(str(points[at])))
    gaps: dict[str, list[Fraction]] = {}
    for (item, _), own in scores.items():
        pairs = [abs(a - b) for a, b in combinations(own, 2)]
        gaps.setdefault(item, []).append(sum(pairs, Fraction(0)) / len(pairs))
    every = [gap for own in gaps.values() for gap in own]
    mean = sum(every) / len(every)
    drawn = {item: (sum(own) + 5 * mean) / (len(own) + 5) for item, own in gaps.items()}
    return sorted(drawn, key=lambda item: (-drawn[item], item))[:10]


def make_tables(rows, points):
    """The scores in memory, in Polars' hands, and in DuckDB's."""
    columns = {
        "judge": [judge for _, _, judge, _ in rows],
        "item": [item for item, *_ in rows],
        "system": [system for _, system, *_ in rows],
        "score": [points[at] for *_, at in rows],
    }
    table = pl.DataFrame(columns)
    yield table
    yield table.lazy()
    with duckdb.connect() as connection:
        yield connection.from_arrow(table.to_arrow())


SCALES = {
    "two": (1, 2),
    "whole": (1, 2, 3, 4, 5),
    "tenths": (0.1, 0.2, 0.3, 0.4, 0.5),
    "tenths that are uneven": (33.3, 66.7, 100.0),
    "no step in common": (0.0, 0.7071067811865, 1.0, 1.61803398874989),
}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(2))
def test_equal_items_are_equal_on_every_engine_and_stand_by_name(scale, seed):
    points = SCALES[scale]
    rows = draw(seed, points)
    assert_listed(rows, points, list_exactly(rows, points))


def assert_listed(rows, points, expected):
    for table in make_tables(rows, points):
        whole = measure_agreement(read(table), coefficients="agreement").whole
        assert [one.item for one in whole.doubtful] == expected


def test_criteria_of_different_scales_are_answered_one_by_one():
    rows = [
        (judge, f"{item}", "A", name, top * (1 + (item + (judge == "b")) % 3))
        for judge in "abc"
        for item in range(12)
        for name, top in (("fluency", 1), ("adequacy", 20))
    ]
    frame = pl.DataFrame(rows, ["judge", "item", "system", "criterion", "score"], orient="row")
    found = evenhand.measure_agreement(evenhand.read(frame))
    answer = list(map(str, found.document().answer))
    assert [one.partition(":")[0] for one in answer] == ["adequacy", "fluency"]
    assert "scales-differ" in {one.code for one in found.notes}


# The first of a judge's two answers is the first in the table, whatever joins the table needs.


def shuffled_rankings():
    """Three judges rank four outputs of each of 12 items twice, without order or names in it."""
    luck, rows = Random(3), []
    for _ in range(2):
        for item in luck.sample(range(12), 12):
            for judge in "xyz":
                own = [("A", 1), ("B+C", 2), ("D", luck.choice([1, 2, 3]))]
                marks = [(name, luck.choice([rank, 3])) for name, rank in luck.sample(own, 3)]
                name = f"r{luck.random()}"
                rows += [(name, judge, f"i{item}", system, rank) for system, rank in marks]
    names = ["ranking", "judge", "item", "system", "rank"]
    return pl.DataFrame(luck.sample(rows, len(rows)), names, orient="row")


def share_same(table):
    """Mean share over output pairs of pairs of judges whose first answers are the same."""
    rankings, units = {}, {}
    for ranking, judge, item, system, rank in table.iter_rows():
        own = rankings.setdefault(ranking, [])
        own += [(name, system, rank, judge, item) for name in system.split("+")]
    for rows in rankings.values():  # in the order in which they begin
        for (low, output, best, judge, item), (high, other, rank, *_) in combinations(
            sorted(rows), 2
        ):
            if output != other:
                said = (best < rank) - (best > rank)
                units.setdefault((item, low, high), {}).setdefault(judge, said)
    told = [list(combinations(own.values(), 2)) for own in units.values() if len(own) > 1]
    return sum(sum(a == b for a, b in own) / len(own) for own in told) / len(told)


@pytest.mark.parametrize("form", ["pandas", "lazy", "csv", "duckdb"])
def test_of_two_rankings_the_one_that_begins_first_counts(form, tmp_path):
    table, path = shuffled_rankings(), tmp_path / "table.csv"
    table.write_csv(path)
    given = {"pandas": table.to_pandas, "lazy": table.lazy, "csv": lambda: path}
    given["duckdb"] = lambda: duckdb.sql(f"select * from '{path}'")
    data = read(given[form](), system_separator="+")
    found = measure_agreement(data, coefficients="n-agreement").whole["n-agreement-0"]
    assert found.value == pytest.approx(share_same(table))
