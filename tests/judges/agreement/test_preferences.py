"""The pairwise κ against all 24 published rows of WMT 2016, against Hopkins and May's shares for
WMT 2010, and against counting pair by pair."""

import csv
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

import evenhand
from evenhand.data.votes import LEFT, RIGHT, TIE, Votes
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judges.item_agreement import compare_items
from evenhand.judges.preferences import (
    chance_agreement,
    compare_pairs,
    compare_votes,
)
from few_votes import vote_rows, votes_of

COUNTS = ("agree", "comparable", "ties", "total")


def published(folder):
    with (folder / "wmt16_rankings" / "published_agreement.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("table", ["pairwise_collapsed", "rankings_collapsed"])
def test_every_published_row_of_wmt16_is_reproduced_with_equal_counts(data_folder, table):
    data = evenhand.read(data_folder / "wmt16_rankings" / f"{table}.parquet")
    votes = (data.comparisons() if table.startswith("rankings") else data).votes()
    rows = published(data_folder)
    assert len(rows) == 24
    for row in rows:
        own = votes.take(votes.task == votes.tasks.index(row["task"]))
        found = compare_votes(own, mode="wmt", among=row["mode"])
        counts = [int(row[f"pub_{name}"]) for name in COUNTS]
        assert [getattr(found, name) for name in COUNTS] == counts
        for name, value in (("pA", found.observed), ("pE", found.chance), ("kappa", found.kappa)):
            assert value == pytest.approx(float(row[f"pub_{name}"]), abs=0.00051)
        strict = compare_votes(own, among=row["mode"])
        assert strict.comparable == int(row["strict_comparable"])
        assert strict.kappa == pytest.approx(float(row["strict_kappa"]), abs=0.00051)


@pytest.mark.parametrize(
    ("group", "share", "pairs"), [("expert", 0.6583, 11_180), ("crowd", 0.4655, 243_932)]
)
def test_wmt10_judges_agree_as_hopkins_and_may_say(data_folder, group, share, pairs):
    rankings = evenhand.read(data_folder / "wmt10_rankings" / "rankings.parquet")
    data = rankings.comparisons().where(f"judge_group = '{group}'")
    found = compare_votes(data.votes())
    assert found.comparable == pairs
    assert found.observed == pytest.approx(share, abs=5e-5)


@given(vote_rows())
def test_counts_are_those_of_going_through_all_pairs_of_votes(rows):
    votes = votes_of(rows)
    pairs = [
        (a, b, sorted(a[2:4]) == sorted(b[2:4]), a[2] == b[2])
        for a, b in combinations(rows, 2)
        if a[1] == b[1] and sorted(a[2:4]) == sorted(b[2:4])
    ]

    def agree(a, b, same):
        return a[4] == (b[4] if same else 2 - b[4])

    chosen = {
        ("strict", "inter", "any"): [p for p in pairs if p[0][0] != p[1][0]],
        ("strict", "intra", "any"): [p for p in pairs if p[0][0] == p[1][0]],
        ("strict", "intra", "same"): [p for p in pairs if p[0][0] == p[1][0] and p[3]],
        ("strict", "intra", "exchanged"): [p for p in pairs if p[0][0] == p[1][0] and not p[3]],
        ("wmt", "inter", "any"): [p for p in pairs if p[3]],
        ("wmt", "intra", "any"): [p for p in pairs if p[0][0] == p[1][0] and p[3]],
    }
    for (mode, among, order), theirs in chosen.items():
        found = compare_votes(votes, mode=mode, among=among, order=order)
        assert found.comparable == len(theirs)
        assert found.agree == sum(agree(a, b, same) for a, b, _, same in theirs)
        if (mode, among) != ("wmt", "intra"):
            assert (found.ties, found.total) == (sum(row[4] == TIE for row in rows), len(rows))
        on = {(p[0][1], *sorted(p[0][2:4]), p[0][2] if mode == "wmt" else 0) for p in theirs}
        assert found.units == len(on)


def test_kappa_is_the_printed_formula():
    rows = [(0, 0, 1, 2, LEFT), (1, 0, 1, 2, LEFT), (2, 0, 2, 1, LEFT), (0, 1, 1, 2, TIE)]
    found = compare_votes(votes_of(rows))
    assert (found.agree, found.comparable, found.ties, found.total) == (1, 3, 1, 4)
    chance = 0.25**2 + 2 * (0.75 / 2) ** 2
    assert found.kappa == pytest.approx((1 / 3 - chance) / (1 - chance))
    assert found.chance == pytest.approx(chance) == chance_agreement(0.25)


def test_without_comparable_votes_or_with_ties_alone_there_is_no_kappa():
    alone = compare_votes(votes_of([(0, 0, 1, 2, LEFT)]))
    assert (alone.observed, alone.kappa) == (None, None)
    tied = compare_votes(votes_of([(0, 0, 1, 2, TIE), (1, 0, 1, 2, TIE)]))
    assert (tied.observed, tied.kappa) == (1, None)


def test_what_cannot_be_told_is_refused():
    votes = votes_of([(0, 0, 1, 2, LEFT)])
    with pytest.raises(NotIdentified, match="names no items; name the column"):
        compare_votes(replace(votes, items=("",)))
    with pytest.raises(NotIdentified, match="names no judges; name the column"):
        compare_votes(replace(votes, judges=("",)))
    assert compare_votes(replace(votes, judges=("",)), mode="wmt").total == 1
    blind = replace(votes, positions_known=False)
    with pytest.raises(UnknownOption, match="which the table does not say: use mode strict"):
        compare_votes(blind, mode="wmt")
    with pytest.raises(UnknownOption, match="order 'same' asks for votes by what stood left"):
        compare_votes(blind, among="intra", order="same")


# Agreement by output pair and by system, against counting pair by pair and a ratio by hand.


DIGITS = tuple(map(str, range(10)))


def say(row):
    """Return what a vote is on, who gave it, and which system it prefers."""
    judge, item, left, right, outcome = row
    preferred = {LEFT: left, TIE: None, RIGHT: right}[outcome]
    return (item, frozenset({left, right})), judge, preferred


@given(vote_rows())
def test_every_output_pair_is_counted_as_by_going_through_all_pairs_of_votes(rows):
    found = compare_pairs(votes_of(rows))
    expected = {}
    for one, other in combinations([say(row) for row in rows], 2):
        counts = expected.setdefault(one[0], [0, 0, 0])
        if one[0] == other[0] and one[1] != other[1]:
            same = one[2] == other[2]
            counts[0] += same
            counts[1] += same and one[2] is not None
            counts[2] += 1
    for k, item in enumerate(found.item.tolist()):
        key = (item, frozenset({int(found.low[k]), int(found.high[k])}))
        counts = [int(part[k]) for part in (found.agree, found.decided, found.comparable)]
        assert counts == expected.get(key, [0, 0, 0])
    whole = compare_votes(votes_of(rows))
    assert (found.agree.sum(), found.comparable.sum()) == (whole.agree, whole.comparable)


# Blind answers against what chance gives on paper, planted items, and blind judges themselves.


def votes_on(judge, item, sides, outcome, answer=None):
    """Votes of judges on items, from arrays of codes."""
    left, right = sides
    names = [tuple(f"{k:04d}" for k in range(int(codes.max()) + 1)) for codes in (judge, item)]
    systems = tuple(f"s{k}" for k in range(int(max(left.max(), right.max())) + 1))
    codes = (np.zeros(len(judge)), judge, item, left, right)
    whole = [code.astype(np.int32) for code in codes]
    answers = None if answer is None else answer.astype(np.int32)
    return Votes(("",), *names, systems, *whole, outcome.astype(np.int8), answer=answers)


def compare_two(judges, items, rng, ties=0.0):
    """Blind judges compare two systems on every item."""
    judge, item = np.tile(np.arange(judges), items), np.repeat(np.arange(items), judges)
    said = np.where(rng.random(len(judge)) < 0.5, LEFT, RIGHT)
    said[rng.random(len(judge)) < ties] = TIE
    zero = np.zeros(len(judge))
    return votes_on(judge, item, (zero, zero + 1), said)


def rank_three(judges, items, rng, orders=None):
    """Judges rank three systems on every item, blindly or as told."""
    low, high = np.triu_indices(3, 1)
    answers = judges * items
    places = np.argsort(rng.random((answers, 3)), axis=1) if orders is None else orders
    said = np.where(places[:, low] < places[:, high], LEFT, RIGHT).ravel()
    answer = np.repeat(np.arange(answers), 3)
    sides = np.tile(low, answers), np.tile(high, answers)
    return votes_on(answer % judges, answer // judges, sides, said, answer)


def test_blind_judges_of_two_outputs_agree_in_half_of_pairs_and_all_of_them_in_an_eighth():
    found = compare_items(compare_two(4, 400, np.random.default_rng(1)))
    assert found.blind_agree.mean() == pytest.approx(3, abs=0.03)  # of six pairs of votes
    assert found.united[1] == pytest.approx(400 / 8, abs=2)


def test_a_planted_item_of_one_mind_is_found_among_hundreds_and_no_other():
    votes = compare_two(15, 300, np.random.default_rng(4))
    votes.outcome[votes.item == 77] = LEFT
    found = compare_items(votes)
    assert np.flatnonzero(found.p_decided <= 0.05).tolist() == [77]
    assert found.decided[77] == found.comparable[77] == 15 * 14 / 2


@pytest.mark.parametrize("make", [compare_two, rank_three])
def test_among_blind_judges_some_item_is_called_extreme_in_one_campaign_of_twenty(make):
    rng = np.random.default_rng(6)
    campaigns, extreme = 120, np.zeros(2)
    for _ in range(campaigns):
        found = compare_items(make(5, 40, rng), replicates=39, seed=int(rng.integers(2**31)))
        extreme += [(p <= 0.05).any() for p in (found.p_decided, found.p_against)]
    assert (extreme <= 13).all()  # of 120; 13 or more have probability .01 at .05


def test_nothing_is_said_where_no_output_pair_has_two_judges():
    votes = compare_two(1, 10, np.random.default_rng(11))
    with pytest.raises(NotIdentified, match="no two judges compared the same two outputs"):
        compare_items(votes)
    with pytest.raises(NotIdentified, match="names no items"):
        compare_items(replace(votes, items=("",)))
