"""Rank sets of mean scores: against brute force, closed forms and hand counts."""

import numpy as np
import pytest

from evenhand.data.rating_rows import RatingRows
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.ranking.intervals import pair_variance
from evenhand.ranking.score_board import (
    SystemScores,
    cover_cells,
    cover_means,
    cover_single,
    find_margin,
    leave_scores_out,
    rank_scores,
)

SEED = 20131


def make_rows(table, *, judges=True, items=True):
    """Make rows of (judge, item, system, score)."""
    columns = list(zip(*table, strict=True))
    coded, named = [], []
    for known, column in zip((judges, items, True), columns[:3], strict=True):
        names = sorted({*column}) if known else [""]
        named.append(tuple(map(str, names)))
        codes = [names.index(one) if known else 0 for one in column]
        coded.append(np.array(codes, np.int32))
    none = np.zeros(len(table), np.int32)
    judge, item, system = coded
    names = (("",), *named, ("",))
    return RatingRows(*names, none, judge, item, system, none, np.array(columns[3], float))


def draw(seed=1, *, judges=8, items=12, systems="ABC", gap=3.0, severity=5.0, noise=1.0):
    """Draw a complete table: worths fall by a gap from system to system."""
    rng = np.random.default_rng(seed)
    harsh = rng.normal(0, severity, judges)
    return [
        (f"j{j}", i, system, 50 + harsh[j] - gap * place + rng.normal(0, noise))
        for j in range(judges)
        for i in range(items)
        for place, system in enumerate(systems)
    ]


def draw_ragged(seed=3):
    """Draw a table in which judges saw systems and items unevenly."""
    rng = np.random.default_rng(seed)
    return [row for row in draw(seed, gap=1.0) if rng.random() < 0.6]


def test_means_are_those_of_all_scores_best_first():
    board = rank_scores(make_rows([("a", 1, "x", 3), ("a", 2, "x", 4), ("b", 1, "y", 5)]))
    assert board.systems == ("y", "x")
    assert board.mean.tolist() == [5.0, 3.5]
    assert board.scores.tolist() == [1, 2]


def test_leaving_a_cluster_out_is_as_if_it_had_never_scored():
    table = draw_ragged()
    scores = SystemScores.of(make_rows(table))
    way = leave_scores_out(scores, "judge", SEED)
    judges = sorted({row[0] for row in table})
    for place, judge in enumerate(judges):
        for at, system in enumerate("ABC"):
            rest = [row[3] for row in table if row[0] != judge and row[2] == system]
            moved = scores.mean[at] + way.influence.changes[place, at]
            assert moved == pytest.approx(np.mean(rest), abs=1e-9)


def test_variance_by_judges_is_that_of_paired_differences_in_a_complete_table():
    # every judge scores both systems on all items: the jackknife is the paired t test's variance
    table = draw(systems="AB")
    way = leave_scores_out(SystemScores.of(make_rows(table)), "judge", SEED)
    mean = {
        (judge, system): np.mean([row[3] for row in table if (row[0], row[2]) == (judge, system)])
        for judge in {row[0] for row in table}
        for system in "AB"
    }
    apart = [mean[judge, "A"] - mean[judge, "B"] for judge in sorted({row[0] for row in table})]
    expected = np.var(apart, ddof=1) / len(apart)
    assert pair_variance(way.vcov)[0, 1] == pytest.approx(expected, rel=1e-9)


def test_variance_by_cells_is_the_jackknife_over_cells():
    table = draw_ragged()
    cells = sorted({(row[0], row[1]) for row in table})
    moved = []
    for cell in cells:
        rest = [row for row in table if (row[0], row[1]) != cell]
        moved.append([np.mean([row[3] for row in rest if row[2] == name]) for name in "ABC"])
    apart = np.array(moved) - np.mean(moved, axis=0)
    expected = (len(cells) - 1) / len(cells) * apart.T @ apart
    np.testing.assert_allclose(cover_cells(SystemScores.of(make_rows(table))), expected, rtol=1e-9)


def test_variance_of_single_scores_is_that_of_two_columns():
    table = draw_ragged()
    found = pair_variance(cover_single(SystemScores.of(make_rows(table))))[0, 2]
    columns = [[row[3] for row in table if row[2] == name] for name in "AC"]
    assert found == pytest.approx(sum(np.var(one, ddof=1) / len(one) for one in columns))


def test_a_difference_takes_the_largest_of_judges_items_and_both():
    scores = SystemScores.of(make_rows(draw_ragged()))
    ways = [leave_scores_out(scores, name, SEED) for name in ("judge", "item")]
    by_judge, by_item = (pair_variance(way.vcov) for way in ways)
    both = pair_variance(ways[0].vcov + ways[1].vcov - cover_cells(scores))
    expected = np.sqrt(np.max([by_judge, by_item, both], axis=0))
    np.testing.assert_allclose(find_margin(scores, cover_means(scores, ways)), expected)


def test_systems_far_apart_are_decided_whatever_the_severity_of_judges():
    board = rank_scores(make_rows(draw(severity=30.0)))
    assert board.systems == ("A", "B", "C")
    assert board.rank_lower.tolist() == board.rank_upper.tolist() == [1, 2, 3]
    assert board.cluster.tolist() == [1, 2, 3]


def test_severity_that_all_systems_share_is_in_no_interval():
    mild, harsh = (rank_scores(make_rows(draw(severity=one))) for one in (0.0, 30.0))
    np.testing.assert_allclose(mild.upper - mild.mean, harsh.upper - harsh.mean, rtol=1e-6)


def test_where_lower_is_better_the_order_turns_and_numbers_stay():
    table = draw()
    up, down = make_rows(table), make_rows(table)
    board, turned = rank_scores(up), rank_scores(down, lower_is_better=True)
    assert turned.systems == board.systems[::-1]
    assert turned.mean.tolist() == board.mean[::-1].tolist()
    np.testing.assert_allclose(turned.lower, board.lower[::-1])
    assert turned.rank_lower.tolist() == [1, 2, 3]


def test_references_are_compared_with_and_have_no_rank():
    board = rank_scores(make_rows(draw()), references=("B",))
    assert board.references == ("B",)
    assert board.systems == ("A", "B", "C")
    assert board.rank_lower.tolist() == [1, 0, 2]
    assert board.decided[0, 1] == 1
    assert board.decided[1, 2] == 1


def test_the_order_of_rows_does_not_matter():
    table = draw_ragged()
    shuffled = [table[at] for at in np.random.default_rng(5).permutation(len(table))]
    one, other = rank_scores(make_rows(table)), rank_scores(make_rows(shuffled))
    np.testing.assert_allclose(one.upper, other.upper, rtol=1e-9)
    assert (one.decided == other.decided).all()
    assert one.signature == other.signature


def test_one_judge_speaks_of_this_judge_only():
    board = rank_scores(make_rows(draw(judges=1, items=40)))
    assert board.headline == "for this judge only"
    assert board.method.endswith("clustered by item")


def test_a_system_that_one_judge_alone_scored_stays_open():
    table = [row for row in draw() if row[2] != "A" or row[0] == "j0"]
    board = rank_scores(make_rows(table))
    place = board.systems.index("A")
    assert not board.decided[place].any()
    assert np.isinf(board.upper[place])
    assert "2 of 3 pairs undecided: they rest on too few" in " ".join(board.notes)
    others = [board.systems.index(name) for name in "BC"]
    assert board.decided[others[0], others[1]] == 1


def test_scores_that_never_vary_decide_nothing():
    table = [(f"j{j}", i, s, 5.0 - "AB".index(s)) for j in range(8) for i in range(9) for s in "AB"]
    board = rank_scores(make_rows(table))
    assert not board.decided.any()
    assert "do not vary" in " ".join(board.notes)


def test_without_judges_and_items_scores_are_independent():
    board = rank_scores(make_rows(draw(severity=0.0), judges=False, items=False))
    assert board.method.endswith("clustered by judgment")
    assert board.decided[0, 1] == 1
    assert board.notes[0].code == "no-judges-nor-items"


def test_more_systems_than_worlds_are_drawn_for_are_decided_by_holm():
    rng = np.random.default_rng(2)
    table = [
        (f"j{j}", i, f"s{k:03}", 10.0 * (k % 2) + rng.normal())
        for j in range(8)
        for i in range(6)
        for k in range(348)
    ]
    board = rank_scores(make_rows(table))
    assert board.method.startswith("Holm")
    assert (board.mean[:174] > 5).all()
    assert (board.decided[:174, 174:] == 1).mean() > 0.99


def test_one_system_is_refused():
    with pytest.raises(NotIdentified, match="one system only"):
        rank_scores(make_rows([("a", 1, "x", 3), ("b", 1, "x", 4)]))


def test_a_level_that_cannot_be_is_refused():
    with pytest.raises(UnknownOption, match=r"level cannot be 1\.5: it lies between 0 and 1"):
        rank_scores(make_rows(draw()), level=1.5)


def test_where_all_systems_are_references_they_are_ranked():
    board = rank_scores(make_rows(draw()), references=tuple("ABCD"))
    assert board.references == ()
    assert board.rank_lower.min() == 1
