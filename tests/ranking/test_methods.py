"""Methods side by side: each says what it says alone, and the table says where they differ."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand import compare_methods, rank, read
from evenhand.data.votes import Scores
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.ranking.methods import (
    RULES,
    GroupedMethodTables,
    MethodTable,
    choose_methods,
    disagreements,
    distance_matrix,
    kendall_distance,
    read_scores,
)
from ranking.simple_rules import use_rules

VOTES = {
    "left": ["a"] * 6 + ["b"] * 5 + ["c"] * 4,
    "right": ["b"] * 6 + ["c"] * 5 + ["a"] * 4,
    "winner": ["left"] * 4
    + ["right", "tie"]
    + ["left"] * 3
    + ["right"] * 2
    + ["right"] * 3
    + ["left"],
    "judge": [f"j{i % 3}" for i in range(15)],
}
"""a beats b 4 to 1, b beats c 3 to 2, a beats c 3 to 1; a wins 7, b 4, c 3; they lose 2, 6, 6."""


@pytest.fixture(autouse=True)
def _simple(monkeypatch):
    use_rules(monkeypatch)


def turned(frame: pl.DataFrame) -> pl.DataFrame:
    """Every preference turned round."""
    return frame.with_columns(winner=pl.col("winner").replace({"left": "right", "right": "left"}))


def table(*rules: tuple[str, tuple[float, ...]], systems=("a", "b", "c", "d")) -> MethodTable:
    """A table of scores that are given, of systems in the order of their names."""
    scores = {name: Scores(name, systems, np.array(values), "") for name, values in rules}
    return MethodTable(tuple(scores), scores, {}, None, 1.0, 1.0, 0.0, "0" * 64, systems)


def test_the_default_ranking_is_what_rank_gives():
    data = read(turned(pl.DataFrame(VOTES)))
    found = compare_methods(data, methods=["bradley-terry", "wins"], interval="model", level=0.9)
    alone = rank(data, interval="model", level=0.9)
    assert found.systems == alone.systems == ("c", "b", "a")
    assert [row["scores"]["wins"] for row in found.rows()] == [6, 6, 2]
    board = found.board("bradley-terry")
    assert [row["system"] for row in board] == list(alone.systems)
    assert [row["score"] for row in board] == alone.log_worth.tolist()
    assert [row["stderr"] for row in board] == alone.stderr.tolist()
    assert [row["rank_upper"] for row in board] == alone.rank_upper.tolist()
    assert found.signature("bradley-terry") == alone.signature


def test_equal_scores_share_the_best_of_their_places():
    found = compare_methods(read(pl.DataFrame(VOTES)), methods=["wins", "fewest-losses"])
    assert found.systems == ("a", "b", "c")
    assert found.places.tolist() == [[1, 1], [2, 2], [3, 2]]


def test_a_difference_that_is_rounding_is_no_difference_of_places():
    found = rank(read(turned(pl.DataFrame(VOTES))), interval="model")
    even = replace(found, log_worth=np.array([0.1, 0.1 - 1e-12, -0.2]), rank=np.array([1, 1, 3]))
    scores = read_scores(even)
    assert dict(zip(scores.systems, scores.places.tolist(), strict=True)) == {
        "c": 1,
        "b": 1,
        "a": 3,
    }


def test_all_methods_are_the_default_and_the_rules_that_all_takes_and_each_comes_once():
    assert choose_methods("all") == ("bradley-terry", *RULES)
    assert choose_methods(["wins", "all"]) == ("bradley-terry", *RULES)
    assert choose_methods(["wins", "bradley-terry", "wins"]) == ("wins", "bradley-terry")


def test_a_method_that_does_not_exist_is_refused_with_the_nearest():
    with pytest.raises(UnknownOption, match=r"method cannot be 'winss'.*Did you mean 'wins'\?"):
        compare_methods(read(pl.DataFrame(VOTES)), methods="winss")
    with pytest.raises(UnknownOption, match="no method is named"):
        compare_methods(read(pl.DataFrame(VOTES)), methods=[])


def test_a_method_that_cannot_rank_says_why_and_the_others_do():
    found = compare_methods(read(pl.DataFrame(VOTES)))
    assert found.methods == ("bradley-terry", "wins", "fewest-losses", "lot", "never")
    assert list(found.scores) == ["bradley-terry", "wins", "fewest-losses", "lot"]
    assert found.refused == {"never": "never says anything"}
    assert found.places.shape == (3, 4)
    assert found.rows()[0]["places"]["never"] is None
    with pytest.raises(InvalidJudgments, match="no scores by never: never says anything"):
        found.board("never")


def test_where_the_default_ranking_is_refused_systems_stand_by_their_mean_place():
    votes = {"left": ["b", "b", "c"], "right": ["a", "c", "a"], "winner": ["left"] * 3}
    found = compare_methods(read(pl.DataFrame(votes)), methods=["bradley-terry", "wins"])
    assert "not identified" in found.refused["bradley-terry"]
    assert found.systems == ("b", "c", "a")
    assert found.ranking is None


def test_tasks_and_groups_are_ranked_apart_each_as_if_it_were_alone():
    frame = pl.DataFrame(VOTES)
    tasks = {"x": frame, "y": turned(frame)}
    both = pl.concat([one.with_columns(task=pl.lit(name)) for name, one in tasks.items()])
    found = compare_methods(read(both), methods=["bradley-terry", "wins"])
    assert isinstance(found, GroupedMethodTables)
    assert (list(found), found.by, len(found)) == (["x", "y"], "task", 2)
    for name, alone in tasks.items():
        one = compare_methods(read(alone), methods=["bradley-terry", "wins"])
        assert found[name].rows() == one.rows()
        assert found[name].signatures == one.signatures
    judges = compare_methods(read(both), methods="wins", group_by="judge")
    assert list(judges) == ["j0", "j1", "j2"]
    assert judges["j0"].notes == ("2 tasks are pooled.",)
    with pytest.raises(InvalidJudgments, match="no judge 'j9'"):
        judges["j9"]


def test_a_group_that_no_method_can_rank_keeps_its_systems_and_says_why():
    votes = VOTES | {"task": ["one"] * 15}
    apart = {"left": "pr", "right": "qs", "winner": ["left"] * 2, "task": ["two"] * 2}
    frame = pl.concat([pl.DataFrame(votes).drop("judge"), pl.DataFrame({**apart,
        "left": ["p", "r"], "right": ["q", "s"]})])  # fmt: skip
    found = compare_methods(read(frame), methods=["bradley-terry", "never"])
    assert found["one"].systems == ("a", "b", "c")
    empty = found["two"]
    assert empty.systems == ("p", "q", "r", "s")
    assert (empty.places.shape, empty.distances.shape, empty.disputes) == ((4, 0), (0, 0), ())
    assert list(empty.refused) == ["bradley-terry", "never"]
    text = " ".join(str(empty).split())
    assert all(f"{name} gives no scores: {why}" in text for name, why in empty.refused.items())
    contract = empty.to_dict()
    assert (contract["signature"], contract["methods"]) == (None, [])
    nothing = {"bradley-terry": None, "never": None}
    assert contract["systems"][0] == {"system": "p", "places": nothing, "scores": nothing}


def test_disputes_and_distances_are_those_of_a_count_over_all_pairs():
    rng = np.random.Generator(np.random.PCG64(7))
    names = tuple(f"s{i:02d}" for i in range(12))
    values = {f"m{m}": rng.permutation(12).astype(float) for m in range(5)}
    found = table(*values.items(), systems=names)
    against = {}
    for one, other in combinations(range(12), 2):
        first = sum(own[one] > own[other] for own in values.values())
        against[names[one], names[other]] = min(first, 5 - first)
    assert {one.systems for one in found.disputes} == {pair for pair, n in against.items() if n}
    least = [against[one.systems] for one in found.disputes]
    assert least == sorted(least, reverse=True)
    for (i, one), (j, other) in combinations(enumerate(values.values()), 2):
        discordant = sum(
            (one[a] - one[b]) * (other[a] - other[b]) < 0 for a, b in combinations(range(12), 2)
        )
        assert found.distances[i, j] == found.distances[j, i] == discordant
    assert (np.diag(found.distances) == 0).all()


# Distances between rankings against scipy and closed forms.


def scores(values, rule="rule", names=None):
    values = np.asarray(values, dtype=float)
    return Scores(rule, tuple(names or (f"s{i:03d}" for i in range(len(values)))), values, "place")


def test_without_ties_the_distance_is_half_of_one_less_tau_times_all_pairs():
    for order in permutations(range(5)):
        one, other = scores(range(5)), scores(order)
        assert kendall_distance(one, other) == pytest.approx(
            (1 - stats.kendalltau(range(5), order).statistic) / 2 * 10, abs=1e-12
        )


def test_a_tie_in_one_order_counts_half_and_in_both_nothing():
    strict, tied, both = scores([3, 2, 1]), scores([2, 2, 1]), scores([5, 5, 4])
    assert kendall_distance(strict, tied) == 0.5
    assert kendall_distance(tied, both) == 0
    assert kendall_distance(scores([1, 2, 3]), tied) == 2.5


def test_disagreements_name_pairs_and_who_says_what():
    found = disagreements([
        scores([3, 2, 1], "one", "ABC"),
        scores([2, 3, 1], "two", "ABC"),
        scores([2, 2, 1], "three", "ABC"),
    ])  # fmt: skip
    assert [one.systems for one in found] == [("A", "B")]
    assert (found[0].first_better, found[0].second_better) == (("one",), ("two",))
    assert found[0].level == ("three",)


def test_rankings_of_different_systems_or_none_are_refused():
    with pytest.raises(InvalidJudgments, match="rank different systems: B, C in one of them"):
        kendall_distance(scores([1, 2], names="AB"), scores([1, 2], names="AC"))
    for compare in (distance_matrix, disagreements):
        with pytest.raises(InvalidJudgments, match="no rankings to compare"):
            compare([])
