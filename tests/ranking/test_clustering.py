"""Which clusters are taken, line by line (INFERENCE B6)."""

import re

import polars as pl
import pytest

from evenhand.data.weights import Mix
from evenhand.errors import NotIdentified
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


def numbered(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Every row has a judge, or an item, of its own."""
    return frame.with_columns(pl.int_range(pl.len()).cast(str).alias(name))


def of_rankings() -> pl.DataFrame:
    """Comparisons of which every six are one ranking."""
    ranking = pl.format("r{}", pl.int_range(pl.len()) // 6)
    return panel(n=240).with_columns(ranking=ranking).drop("judge", "item")


BUSY = pl.when(pl.int_range(pl.len()) % 10 < 8).then(pl.lit("busy")).otherwise(pl.col("judge"))
FOUR = panel(judges=9, items=4)
CHOICES = {
    "no judges": (panel().drop("judge"), ("item",), ["no-judges"], None),
    "neither": (panel().drop("judge", "item"), (), ["no-judges-nor-items", "independent"], None),
    "one judge": (panel(judges=1).drop("item"), (), ["independent", "name-items"], "this judge"),
    "three": (panel(judges=3).drop("item"), (), ["independent", "name-items"], "these 3 judges"),
    "one item": (panel(judges=9, items=1), ("judge",), ["one-item"], "this item"),
    "own judges": (numbered("judge", panel()), ("item",), ["own-level"], None),
    "own items": (numbered("item", panel(judges=9)), ("judge",), ["own-level"], None),
    "a judge on items": (panel(judges=1, items=10), ("item",), [], "this judge"),
    "two on items": (panel(judges=2, items=10), ("item",), [], "these 2 judges"),
    "one did most": (
        panel(n=600, judges=40, items=12).with_columns(judge=BUSY),
        ("item",),
        [],
        "these 40 judges only, 1.6 effective",
    ),
    "six": (panel(judges=6), ("judge", "item"), ["few-judges-with-items"], None),
    "six alone": (panel(judges=6).drop("item"), ("judge",), ["few-judges"], None),
    "nine": (panel(judges=9), ("judge", "item"), [], None),
    "four items": (FOUR, ("judge",), ["few-items"], "these 4 items"),
    "four items alone": (
        FOUR.drop("judge"),
        (),
        ["few-items", "no-judges", "independent"],
        "these 4 items",
    ),
    "an item alone": (
        FOUR.drop("judge").with_columns(item=pl.lit("i")),
        (),
        ["one-item", "no-judges", "independent"],
        "this item",
    ),
    "an answer an item, few judges": (
        numbered("item", panel(n=60, judges=3)),
        (),
        ["own-level", "independent"],
        "these 3 judges",
    ),
    "rankings": (of_rankings(), ("ranking",), ["no-judges-nor-items", "independent"], None),
}


@pytest.mark.parametrize(("frame", "clusterings", "codes", "whom"), CHOICES.values(), ids=CHOICES)
def test_clusters_are_what_the_data_have_enough_of(frame, clusterings, codes, whom):
    found = choice(frame)
    assert (found.clusterings, list_codes(found)) == (clusterings, codes)
    limit = f"for {whom}" if whom is None or " only" in whom else f"for {whom} only"
    assert found.headline == (None if whom is None else limit)


def test_what_is_asked_for_is_taken_with_a_warning_or_refused():
    found = choice(panel(judges=3), "judge")
    assert found.clusterings == ("judge",)
    assert found.notes == ("Only 3.0 effective judges: intervals are unreliable.",)
    with pytest.raises(NotIdentified, match=r"cannot cluster by judge: .* only one judge \('j000"):
        choice(panel(judges=1), "judge")


@pytest.mark.parametrize("by", ["judge", "item"])
def test_a_group_that_is_one_item_asks_for_no_column_of_items(by):
    frame = panel(n=200, judges=1, items=2).with_columns(judge=pl.col("item") + "'s judge")
    groups = rank(read(frame), group_by=by).groups.values()
    codes = [code for one in groups for code in list_codes(one)]
    assert codes.count("independent") == 2
    assert "name-items" not in codes
    alone = rank(read(frame.drop("judge")), group_by="item").groups.values()
    assert all("no-judges" in list_codes(one) for one in alone)


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
