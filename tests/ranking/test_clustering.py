"""Which clusters are taken, line by line (INFERENCE B6)."""

import re

import polars as pl
import pytest

from evenhand.data.weights import Mix
from evenhand.errors import NotIdentified, UnknownColumn, UnknownOption
from evenhand.formats.reading import read
from evenhand.ranking import rank
from evenhand.ranking.clustering import Clustering, Evidence, choose_clustering, wanted_factors
from evenhand.ranking.ranking import Ranking
from ranking.panels import panel, tally


def choice(frame: pl.DataFrame, requested: str | None = None) -> Clustering:
    present = {name for name in ("judge", "item", "ranking") if name in frame.columns}
    counts = tally(frame, *wanted_factors(requested, present))
    return choose_clustering(requested, Evidence.of(counts))


def list_codes(found: Clustering | Ranking) -> list[str]:
    return [one.code for one in found.notes]


def test_without_a_judge_column_it_says_so():
    assert list_codes(choice(panel().drop("judge"))) == ["no-judges"]
    found = choice(panel().drop("judge", "item"))
    assert found.clusterings == ()
    assert found.name == "judgment"
    assert list_codes(found) == ["no-judges-nor-items", "independent"]


@pytest.mark.parametrize("judges", [1, 3])
def test_wherever_single_judgments_are_the_clusters_it_says_what_that_assumes(judges):
    """One judge asked ten times of each prompt: errors of .136 are .043 without the item."""
    found = choice(panel(judges=judges).drop("item"))
    assert found.clusterings == ()
    assert list_codes(found) == ["independent", "name-items"]
    assert found.notes[1] == (
        "If items repeat, name them (--column item=NAME, in Python columns={'item': 'NAME'})."
    )


@pytest.mark.parametrize("by", ["judge", "item"])
def test_a_group_that_is_one_item_asks_for_no_column_of_items(by):
    frame = panel(n=200, judges=1, items=2).with_columns(judge=pl.col("item") + "'s judge")
    groups = rank(read(frame), group_by=by).groups.values()
    codes = [code for one in groups for code in list_codes(one)]
    assert codes.count("independent") == 2
    assert "name-items" not in codes
    alone = rank(read(frame.drop("judge")), group_by="item").groups.values()
    assert all("no-judges" in list_codes(one) for one in alone)


def test_a_column_with_one_value_is_skipped_by_name():
    found = choice(panel(judges=9, items=1))
    assert found.clusterings == ("judge",)
    assert list_codes(found) == ["one-item"]


@pytest.mark.parametrize("name", ["judge", "item"])
def test_a_column_with_a_value_for_each_row_is_skipped_by_name(name):
    frame = panel(judges=9).with_columns(pl.int_range(pl.len()).cast(str).alias(name))
    found = choice(frame)
    assert found.clusterings == tuple({"judge", "item"} - {name})
    assert [(one.code, one.values["factor"]) for one in found.notes] == [("own-level", name)]


def weighed(votes: int) -> Clustering:
    """Nine judges of two systems, each with this many votes and as much say as any of its kind."""
    rows = [("a", "b", "left", f"j{k // votes}", "xy"[k % 2]) for k in range(9 * votes)]
    names = ["left", "right", "outcome", "judge", "kind"]
    data = read(pl.DataFrame(rows, names, orient="row"))
    mixed = Mix({"kind": {"x": 0.7, "y": 0.3}}).weigh(data)
    return choose_clustering(None, Evidence.of(mixed.tally(by=("judge",))))


def test_weights_do_not_make_one_judgment_of_all_that_a_judge_says_about_a_pair():
    assert weighed(votes=6).clusterings == ("judge",)
    assert weighed(votes=6).notes == ()
    assert weighed(votes=1).clusterings == ()
    assert list_codes(weighed(votes=1)) == ["own-level", "independent", "name-items"]


@pytest.mark.parametrize(("judges", "who"), [(1, "this judge"), (2, "these 2 judges")])
def test_fewer_than_five_judges_speak_for_themselves_by_item(judges, who):
    found = choice(panel(judges=judges, items=10))
    assert found.clusterings == ("item",)
    assert found.headline == f"for {who} only"


def test_many_judges_of_whom_one_did_most_are_few():
    frame = panel(n=600, judges=40, items=12)
    busy = pl.when(pl.int_range(pl.len()) % 10 < 8).then(pl.lit("busy"))
    found = choice(frame.with_columns(judge=busy.otherwise(pl.col("judge"))))
    assert found.clusterings == ("item",)
    assert found.headline == "for these 40 judges only, 1.6 effective"


def test_five_to_eight_judges_are_told_how_many_would_help():
    found = choice(panel(judges=6))
    assert found.clusterings == ("judge", "item")
    wide = "6.0 effective judges: intervals are wide; 8 or more would narrow them."
    assert found.notes == (f"{wide} With --cluster item they are for these 6 judges only.",)
    assert choice(panel(judges=6).drop("item")).notes == (wide,)
    assert choice(panel(judges=9)).notes == ()


@pytest.mark.parametrize("judge", [True, False])
def test_fewer_than_five_items_are_no_clusters(judge):
    frame = panel(judges=9, items=4)
    found = choice(frame if judge else frame.drop("judge"))
    assert found.clusterings == (("judge",) if judge else ())
    assert "few-items" in list_codes(found)
    assert found.headline == "for these 4 items only"
    one = choice(
        frame.with_columns(item=pl.lit("i")).drop([] if judge else ["judge"], strict=False)
    )
    assert one.headline == "for this item only"


@pytest.mark.parametrize("judges", [3, 9])
def test_items_of_one_answer_each_limit_nothing(judges):
    """Their answers are independent of each other by themselves."""
    frame = panel(n=60, judges=judges).with_columns(item=pl.format("i{}", pl.int_range(60)))
    said = choice(frame).headline
    assert said == (None if judges == 9 else "for these 3 judges only")


def ranked(rankings: int, judges: int = 9, items: int = 30) -> pl.DataFrame:
    """Comparisons of which every six are one ranking."""
    frame = panel(n=6 * rankings)
    ranking = pl.int_range(pl.len()) // 6
    return frame.with_columns(
        ranking=pl.format("r{}", ranking),
        judge=pl.format("j{}", ranking % judges),
        item=pl.format("i{}", ranking % items),
    )


def test_rankings_are_the_clusters_where_neither_judge_nor_item_is_known():
    found = choice(ranked(40).drop("judge", "item"))
    assert found.clusterings == ("ranking",)
    assert list_codes(found) == ["no-judges-nor-items", "independent"]
    assert found.notes[1] == "Intervals assume independent rankings."


def test_few_judges_are_taken_if_asked_for_with_a_warning():
    found = choice(panel(judges=3), "judge")
    assert found.clusterings == ("judge",)
    assert found.notes == ("Only 3.0 effective judges: intervals are unreliable.",)


def test_one_cluster_is_refused_if_asked_for():
    with pytest.raises(NotIdentified, match=r"cannot cluster by judge: .* only one judge \('j000'"):
        choice(panel(judges=1), "judge")


def test_unknown_clusters_and_missing_columns_are_refused():
    with pytest.raises(UnknownOption, match=r"cluster cannot be 'juge': .* Did you mean 'judge'"):
        wanted_factors("juge", {"judge"})
    with pytest.raises(UnknownColumn, match=r"no item column.*--column item=NAME"):
        wanted_factors("judge+item", {"judge"})


def test_clusters_that_answer_alike_to_the_letter_are_given_up_by_name():
    """Five judges, the same three answers each: a clustered variance of exactly zero."""
    answers = [("a", "b", "left"), ("b", "a", "left"), ("b", "a", "left")]
    rows = [(*answer, f"j{judge}") for judge in range(5) for answer in answers]
    frame = pl.DataFrame(rows, schema=["left", "right", "outcome", "judge"], orient="row")
    ranking = rank(read(frame))
    assert ranking.rank_upper.tolist() == [2, 2]
    assert ranking.headline == "for these 5 judges only"
    assert any("answered so alike on a and b that nothing" in note for note in ranking.notes)
    assert ranking.stderr.min() > 0.2
    for interval in ("sandwich", "bootstrap"):
        with pytest.raises(NotIdentified, match="answered so alike"):
            rank(read(frame), cluster="judge", interval=interval)


def test_judges_who_are_no_clusters_in_the_end_are_not_told_that_intervals_are_wide():
    """Five judges with equal loads are five; on no pair are their loads equal."""
    by_turns = pl.format("j{}", pl.int_range(600) % 5)
    frame = panel(n=600, judges=5, items=20).with_columns(judge=by_turns)
    counts = tally(frame, *wanted_factors(None, {"judge", "item"}))
    first = choose_clustering(None, Evidence.of(counts))
    assert list_codes(first) == ["few-judges-with-items"]
    found = rank(read(frame))
    assert "few-judges-with-items" not in list_codes(found)
    (note,) = (one for one in found.notes if "effective judges" in one)
    number = re.fullmatch(
        r"No clustering by judge: every difference rests on fewer than 5 effective judges"
        r" \((\d\.\d+) at most\)\.",
        note,
    )
    assert float(number[1]) < 5
    assert found.headline == "for these 5 judges only"
