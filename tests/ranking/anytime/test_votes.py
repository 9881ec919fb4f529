"""Votes of a table in the order in which they were given."""

from itertools import product
from math import log

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from evenhand import read
from evenhand.ranking.sequential.leaderboard import write_board
from evenhand.ranking.sequential.likelihood import Budget
from evenhand.ranking.sequential.votes import JudgeSigns, arrange_votes, count_needed
from evenhand.ranking.sequential.watch import watch
from ranking.anytime.arrivals import NAMES, draw_table, write_rankings


def test_a_column_of_times_is_found_by_itself():
    table = draw_table(100).rename({"second": "shown_at"})
    arrival = arrange_votes(read(table), None, 1)
    assert arrival.order == "shown_at"
    assert arrange_votes(read(table[::-1]), None, 1).votes == arrival.votes
    assert arrange_votes(read(table[::-1]), "rows", 1).votes == arrival.votes[::-1]


def test_votes_come_in_the_order_of_answers_where_a_column_tells_it():
    """Also beside a column of when questions were put, which is the one of the two that is not."""
    table = draw_table(60).rename({"second": "shown_at"})
    answered = table.with_columns(submitted_at=60.0 - pl.col("shown_at"))
    arrival = arrange_votes(read(answered), None, 1)
    assert arrival.order == "submitted_at"
    assert arrival.votes == arrange_votes(read(table[::-1]), "rows", 1).votes
    asked = arrange_votes(read(answered), "shown_at", 1)
    assert asked.votes == arrival.votes[::-1]


def test_a_ranking_is_one_vote_on_a_pair_drawn_with_the_seed():
    rows = [
        {"ranking": f"r{i:03d}", "system": name, "rank": place + 1}
        for i in range(40)
        for place, name in enumerate(NAMES)
    ]
    data = read(pl.DataFrame(rows)).comparisons()
    one, same, other = (arrange_votes(data, None, seed) for seed in (1, 1, 2))
    assert len(one.votes) == 40
    assert one.votes == same.votes != other.votes
    assert len({frozenset((vote.left, vote.right)) for vote in one.votes}) == 6
    assert "200 others are excluded" in one.notes[-1]
    half = read(pl.DataFrame(rows[:80])).comparisons()
    assert arrange_votes(half, None, 1).votes == one.votes[:20]


@pytest.mark.parametrize("order", [None, "rows"])
def test_rankings_come_in_the_order_of_their_first_rows_so_that_a_longer_file_goes_on(
    tmp_path, order
):
    table = read(write_rankings(tmp_path / "all.csv", 60))
    votes = arrange_votes(table.comparisons(), order, 1).votes
    assert [vote.question for vote in votes] == [str(50 - i) for i in range(60)]
    part = watch(read(write_rankings(tmp_path / "part.csv", 30)), order=order)
    again = watch(table, state=part.state, order=order)
    assert write_board(again.state) == write_board(watch(table, order=order).state)


@pytest.mark.parametrize("engine", [pl.read_csv, pd.read_csv, duckdb.read_csv])
def test_every_engine_that_keeps_the_order_of_rows_gives_the_same_votes(tmp_path, engine):
    file = write_rankings(tmp_path / "all.csv", 30)
    found = arrange_votes(read(engine(str(file))).comparisons(), None, 1)
    assert found.votes == arrange_votes(read(file).comparisons(), None, 1).votes
    assert any("in the order of their rows" in note for note in found.notes)


def rank_at(times, column):
    """Rankings of four systems, each row with a time of its own."""
    rows = [
        {"ranking": f"r{i}", "system": name, "rank": (place + i) % 4 + 1, "item": f"q{i}"}
        | {column: float(times[i][place])}
        for i in range(len(times))
        for place, name in enumerate(NAMES)
    ]
    return read(pl.DataFrame(rows)).comparisons()


@pytest.mark.parametrize("column", ["answered_at", "shown_at"])
def test_a_ranking_is_one_vote_whatever_the_times_of_its_rows(column):
    """Judges work at the same time: the rows of their rankings stand in between each other."""
    rng = np.random.default_rng(2)
    times = 10.0 * np.arange(40)[:, None] + rng.permuted(np.tile([0, 7, 14, 21], (40, 1)), axis=1)
    votes = arrange_votes(rank_at(times, column), None, 1).votes
    assert [vote.question for vote in votes] == [f"q{i}" for i in range(40)]
    whole = np.repeat(times.max(axis=1, keepdims=True), 4, axis=1)
    assert votes == arrange_votes(rank_at(whole, column), None, 1).votes


def test_a_ranking_was_asked_with_its_first_row_and_answered_with_its_last():
    """The first begins before the second and ends after it."""
    times = [[0, 1, 2, 9], [3, 4, 5, 6]]
    found = {
        column: [vote.question for vote in arrange_votes(rank_at(times, column), None, 1).votes]
        for column in ("shown_at", "answered_at")
    }
    assert found == {"shown_at": ["q0", "q1"], "answered_at": ["q1", "q0"]}


# Judges, one vote each.


def judge_all(signs, preferred, ends=(0, 1)):
    """Each judge votes once."""
    for number, sign in enumerate(preferred):
        signs.observe(f"j{number}", ends, sign)
    return signs


def test_the_evidence_is_the_product_that_its_docstring_says():
    """κ = 2 · 5/5.5 − 1, then 2 · 6/6.5 − 1 after one for, 2 · 6/7.5 − 1 after one against too."""
    signs = judge_all(JudgeSigns(1), [1, -1, 1])
    expected = (1 + (10 / 5.5 - 1)) * (1 - (12 / 6.5 - 1)) * (1 + (12 / 7.5 - 1))
    assert np.exp(signs.log_value(0, 1)) == pytest.approx(expected)


def test_its_mean_is_one_where_preferences_are_symmetric():
    for n in (1, 3, 6):
        said = product([1, 0, -1], repeat=n)
        mean = sum(3.0**-n * np.exp(judge_all(JudgeSigns(1), one).log_value(0, 1)) for one in said)
        assert mean == pytest.approx(1, rel=1e-12)


def test_a_judge_counts_once_when_the_batch_is_full():
    signs = JudgeSigns(3)
    for sign in (1, 1):
        signs.observe("ann", (0, 1), sign)
    assert signs.log_value(0, 1) == 0.0
    signs.observe("ann", (0, 2), -1)
    once = signs.log_value(0, 1)
    assert once == pytest.approx(log(10 / 5.5))
    assert signs.log_value(2, 0) == pytest.approx(once)
    for _ in range(20):
        signs.observe("ann", (0, 1), -1)
    assert signs.log_value(0, 1) == once


def test_as_many_judges_of_one_mind_as_it_says_decide_a_pair():
    least = Budget(0.05, 6).judges
    needed = count_needed(least)
    assert needed == 11  # log2(30 / .05) is 9.2
    assert judge_all(JudgeSigns(1), [1] * (needed - 1)).reached(least) == []
    assert judge_all(JudgeSigns(1), [1] * needed).reached(least) == [(0, 1)]


def test_judges_with_strong_tastes_do_not_fool_it():
    """Five hundred boards of thirty judges with private tastes: at most the level, 5 %."""
    rng = np.random.default_rng(4)
    least, false = Budget(0.05, 4).judges, 0
    low, high = np.triu_indices(4, 1)
    for _ in range(500):
        signs = JudgeSigns(24)
        taste = rng.normal(0, 1.0, (30, 4))
        for judge in range(30):
            for pair in rng.integers(6, size=24):
                ends = (int(low[pair]), int(high[pair]))
                gap = taste[judge, ends[0]] - taste[judge, ends[1]]
                signs.observe(str(judge), ends, 1 if rng.random() < 1 / (1 + np.exp(-gap)) else -1)
        false += bool(signs.reached(least))
    assert false / 500 <= 0.05
