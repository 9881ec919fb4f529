"""The classical tests of one set of judgments: what is run, what is said of it, what is refused."""

from dataclasses import FrozenInstanceError

import narwhals as nw
import polars as pl
import pytest
from scipy import stats

import evenhand
from evenhand import datasets
from evenhand.data.rankings import Rankings
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.ranking.significance import find_preferences, find_repeats, say_dependence
from golden_numbers import golden
from tallies import table

COLUMNS = ("judge", "left", "right", "outcome")


def table_1():
    one = datasets.load("dras2015_table1")
    return evenhand.read(pl.DataFrame(one.rows, schema=list(one.columns), orient="row"))


def test_three_systems_have_pairs_and_friedman():
    found = find_preferences(table_1())
    expected = golden("04_friedman", "t1_first_pref_counts").expected
    assert found.friedman.statistic == pytest.approx(expected["statistic"])
    assert (len(found.pairs.p), found.variants, found.model) == (6, (), ())
    differ = "6 of 6 pairs differ (Holm-adjusted p ≤ .05)"
    assert found.says == f"{differ} if all judgments were independent; rank allows for judges"
    assert found.signature.split(" | ")[1:3] == ["sign test ignore", "Friedman by judge"]
    with pytest.raises(FrozenInstanceError):
        found.blocks = "item"


def test_one_pair_has_every_variant_and_the_model():
    rows = [("j", "new", "old", "left")] * 61 + [("j", "new", "old", "tie")] * 24
    data = table(rows + [("j", "new", "old", "right")] * 35, COLUMNS)
    found = find_preferences(data, ties_as="split", new="old")
    # Dras (2015), section 5, ModPref seen from the other side
    assert found.model[0].estimate == pytest.approx(-0.2778, abs=5e-5)
    expected = stats.binomtest(35 + 12, 120, alternative="greater").pvalue
    assert found.pairs.p.tolist() == pytest.approx([expected])
    assert found.to_dict()["variants"][0]["greater"] is not None
    assert find_preferences(data).to_dict()["variants"][0]["greater"] is None


def test_rankings_are_taken_as_they_are():
    rows = [(f"r{i}", s, n) for i in range(2) for s, n in zip("abc", (1, 2, 3), strict=True)]
    frame = pl.DataFrame(rows, schema=["ranking", "system", "rank"], orient="row")
    found = find_preferences(Rankings(nw.from_native(frame)), blocks="ranking")
    # two rankings agree on three systems by chance in one case of six
    assert found.friedman.f_p == pytest.approx(1 / 6)
    assert "2 rankings with 3 each on average" in found.notes[0]


@pytest.mark.parametrize(("answers", "warned"), [(1, False), (2, True), (3, True)])
def test_dependence_is_said_from_two_answers_of_each_judge_on(answers, warned):
    rows = [(f"j{i}", "a", "b", "left") for i in range(5) for _ in range(answers)]
    said = say_dependence(find_repeats(table(rows, COLUMNS)))
    assert bool(said) == warned
    assert not warned or f"5 judges with {answers} each on average" in said[0]
    assert find_preferences(table(rows, COLUMNS)).notes[: len(said)] == said


def test_one_judge_with_two_answers_among_others_with_one_is_not_warned_of():
    rows = [("j1", "a", "b", "left"), ("j1", "a", "b", "tie"), ("j2", "a", "b", "left")]
    assert say_dependence(find_repeats(table(rows, COLUMNS))) == ()


def test_what_cannot_be_tested_is_refused():
    with pytest.raises(UnknownOption, match=r"blocks cannot be 'jugde'.*'judge'"):
        find_preferences(table_1(), blocks="jugde")
    with pytest.raises(UnknownOption, match="variant cannot be 'half'"):
        find_preferences(table_1(), ties_as="half")
    with pytest.raises(NotIdentified, match="nobody compared a system 'E'"):
        find_preferences(table_1(), new="E")
    tasks = table([("x", "a", "b", "left"), ("y", "a", "b", "left")], ("task", *COLUMNS[1:]))
    with pytest.raises(InvalidJudgments, match="has 2 tasks: choose one"):
        find_preferences(tasks)


def test_it_prints_its_pairs_and_what_it_says():
    found = find_preferences(table_1())
    lines = str(found).splitlines()
    assert lines[0].split() == [
        *("system", "against", "better", "ties", "worse"),
        *("p", "Holm", "B-H"),
    ]
    assert len([line for line in lines if line.endswith("<.0001")]) == 6
    assert "Friedman over 4 judges: 10.2000 on 3 df, p .0169" in lines
    assert found.says in lines
