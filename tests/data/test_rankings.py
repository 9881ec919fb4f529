"""Rankings become comparisons: ties, blanks and positions, and what cannot be a ranking."""

import narwhals as nw
import polars as pl
import pytest

from evenhand.data.rankings import Rankings
from evenhand.data.tables import count_answers
from evenhand.errors import InvalidJudgments, UnknownColumn
from frames_of_engines import every_engine, handle

FIVE = {
    "judge": ["j1"] * 5 + ["j2"] * 3 + ["j1"] * 2,
    "item": ["i1"] * 5 + ["i1"] * 3 + ["i2"] * 2,
    "ranking": ["r1"] * 5 + ["r2"] * 3 + ["r3"] * 2,
    "position": [3, 1, 2, 5, 4, 1, 2, 3, 2, 1],
    "system": ["A", "B", "C", "D", "E", "C", "A", "B", "A", "D"],
    "rank": [1, 2, 2, None, 4, 1, -1, 2, None, -1],
}
"""r1: A, then B = C, then E; D blank. r2: C before B, A not ranked. r3: nothing ranked."""


def without(name, columns=FIVE):
    return {key: values for key, values in columns.items() if key != name}


def changed(**cells):
    """FIVE with the value at row (from 1) of a column replaced, as in rank=(3, 0)."""
    columns = {name: list(values) for name, values in FIVE.items()}
    for name, (row, value) in cells.items():
        columns[name][row - 1] = value
    return columns


def refused(columns, engine="polars"):
    """Counting refuses what reading a file would have refused."""
    data = handle(Rankings, columns, engine)
    with pytest.raises(InvalidJudgments) as caught:
        data.comparisons().tally()
    with pytest.raises(InvalidJudgments, match=r"votes\.csv"):
        data.check()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def cells(tally):
    names = tally.systems
    sides = zip(tally.left.tolist(), tally.right.tolist(), tally.counts.tolist(), strict=True)
    return {(names[a], names[b]): counts for a, b, counts in sides}


@every_engine
def test_every_pair_of_ranked_outputs_is_compared_once_in_the_order_shown(engine):
    data = handle(Rankings, FIVE, engine)
    tally = data.comparisons().tally()
    assert cells(tally) == {
        ("B", "C"): [0, 1, 0],
        ("B", "A"): [0, 0, 1],
        ("B", "E"): [1, 0, 0],
        ("C", "A"): [0, 0, 1],
        ("C", "E"): [1, 0, 0],
        ("A", "E"): [1, 0, 0],
        ("C", "B"): [1, 0, 0],
    }
    assert tally.positions_known
    assert tally.systems == ("A", "B", "C", "E")  # D was never ranked
    assert (tally.n_judgments, tally.n_comparisons) == (2, 7)


@every_engine
def test_without_positions_left_is_the_first_by_name_and_not_the_first_shown(engine):
    tally = handle(Rankings, without("position"), engine).comparisons().tally()
    assert not tally.positions_known
    assert cells(tally) == {
        ("A", "B"): [1, 0, 0],
        ("A", "C"): [1, 0, 0],
        ("A", "E"): [1, 0, 0],
        ("B", "C"): [0, 1, 1],
        ("B", "E"): [1, 0, 0],
        ("C", "E"): [1, 0, 0],
    }


@every_engine
def test_blank_rankings_are_counted_and_compare_nothing(engine):
    data = handle(Rankings, FIVE, engine)
    assert (data.count(), data.count_blank(), data.count_used()) == (3, 1, 2)
    assert count_answers(data.comparisons(), "judge") == {"j1": 1, "j2": 1}


@every_engine
def test_the_ranking_stays_known_as_a_cluster_beside_judge_and_item(engine):
    tally = handle(Rankings, FIVE, engine).comparisons().tally(("judge", "item", "ranking"))
    assert tally.factors["ranking"].labels == ("r1", "r2")
    assert tally.factors["ranking"].loads.tolist() == [6, 1]
    assert tally.factors["judge"].loads.tolist() == [6, 1]
    assert tally.factors["item"].labels == ("i1",)


@every_engine
def test_covariates_and_weights_of_the_ranking_are_those_of_its_comparisons(engine):
    columns = FIVE | {"domain": ["news"] * 5 + ["law"] * 5, "weight": [2] * 5 + [3] * 5}
    tally = handle(Rankings, columns, engine).comparisons().tally(("domain",))
    assert tally.factors["domain"].labels == ("law", "news")
    assert tally.n_comparisons == 6 * 2 + 1 * 3
    assert tally.n_judgments == 5  # one answer of weight 2, one of weight 3


# what cannot be a ranking


@every_engine
def test_a_fractional_rank_is_refused(engine):
    columns = changed(rank=(3, 2.5))
    columns["rank"] = [None if rank is None else float(rank) for rank in columns["rank"]]
    assert refused(columns, engine).startswith("rank 2.5 in votes.csv")


@every_engine
def test_a_system_twice_in_one_ranking_is_refused_by_name(engine):
    message = refused(changed(system=(3, "B")), engine)
    assert "system 'B' appears twice in ranking 'r1' of votes.csv" in message


@every_engine
def test_two_outputs_in_one_place_would_lose_their_comparison(engine):
    message = refused(changed(position=(3, 1)), engine)
    assert "position '1' appears twice in ranking 'r1'" in message


@every_engine
@pytest.mark.parametrize("column", ["ranking", "system", "position"])
def test_a_missing_name_or_place_would_lose_comparisons(column, engine):
    message = refused(changed(**{column: (2, None)}), engine)
    assert f"a value is missing in column '{column}' of votes.csv" in message


def test_a_missing_column_is_named():
    with pytest.raises(UnknownColumn, match="rank not found among judge, item, ranking"):
        handle(Rankings, without("rank"), "polars")


@pytest.mark.parametrize("role", ["judge", "item", "weight"])
def test_an_id_that_starts_again_for_every_judge_is_refused_and_invents_no_comparisons(role):
    values = {
        "judge": ["j1", "j1", "j2", "j2"],
        "item": ["i", "i", "k", "k"],
        "weight": [1, 1, 2, 2],
    }
    frame = pl.DataFrame(
        {"ranking": ["1"] * 4, "system": list("ABCD"), "rank": [1, 2, 1, 2], role: values[role]}
    )
    with pytest.raises(InvalidJudgments, match=f"ranking '1' .* 2 different values of {role}"):
        Rankings(nw.from_native(frame)).comparisons().tally()


@every_engine
def test_blank_ranks_are_counted_besides_blank_rankings(engine):
    """Three outputs with one blank, two with none blank, two all blank: 1 of 5."""
    table = {
        "ranking": ["1", "1", "1", "2", "2", "3", "3"],
        "system": ["A", "B", "C", "A", "B", "A", "B"],
        "rank": [1, 2, -1, 1, 1, -1, None],
    }
    assert handle(Rankings, table, engine).count_blank_ranks() == (1, 5)
