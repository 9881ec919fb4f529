"""The pairwise κ against all 24 published rows of WMT 2016, against Hopkins and May's shares for
WMT 2010, and against counting pair by pair."""

import csv
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given

import evenhand
from evenhand.data.votes import LEFT, TIE
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judges.preferences import chance_agreement, compare_votes
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


def test_merged_outputs_counted_for_each_of_their_systems_inflate_kappa(data_folder):
    folder = data_folder / "wmt16_rankings"
    merged, spread = (
        evenhand.read(folder / f"pairwise_{how}.parquet").votes()
        for how in ("collapsed", "expanded")
    )
    gains = []
    for task, name in enumerate(merged.tasks):
        assert spread.tasks[task] == name
        both = [compare_votes(one.take(one.task == task)).kappa for one in (merged, spread)]
        gains.append(both[1] - both[0])
    assert min(gains) > 0.02
    assert max(gains) > 0.3  # eng-cze: 20 systems, many of them the same output


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


def test_chance_within_judges_is_that_of_their_items_with_repeats_in_mode_wmt():
    repeated = [(0, 0, 1, 2, LEFT), (0, 0, 1, 2, LEFT), (0, 0, 1, 3, TIE)]
    found = compare_votes(votes_of([*repeated, (0, 1, 1, 2, TIE)]), mode="wmt", among="intra")
    assert (found.ties, found.total) == (1, 3)


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
    with pytest.raises(UnknownOption, match="order 'same' splits the answers of one judge"):
        compare_votes(votes, order="same")
    with pytest.raises(UnknownOption, match="mode cannot be 'wmt16'"):
        compare_votes(votes, mode="wmt16")
