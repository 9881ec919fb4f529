"""The pairwise κ against all 24 published rows of WMT 2016, against Hopkins and May's shares for
WMT 2010, and against counting pair by pair."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given

import evenhand
from evenhand.data.votes import LEFT, RIGHT, TIE, Votes
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judges.agreement import KAPPAS, preference_kappa
from evenhand.judges.preferences import (
    chance_agreement,
    compare_items,
    compare_pairs,
    compare_votes,
    expect_agreement,
    preference_rows,
)
from evenhand.judges.units import find_units
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


# Judges who follow the worths agree as often as the worths say; the truth is known here.

LOG_WORTH = {"a": 0.6, "b": 0.2, "c": -0.1, "d": -0.7}
NU = 0.5


def davidson(pairs, *, first=0.0):
    """Davidson's probabilities of left, tie, right, written out."""
    found = []
    for left, right in pairs:
        one, two = np.exp(LOG_WORTH[left] + first), np.exp(LOG_WORTH[right])
        tie = NU * np.sqrt(one * two)
        found.append(np.array([one, tie, two]) / (one + tie + two))
    return np.array(found)


def simulate(seed, *, items=150, judges=3, first=0.0, taste=0.0, quality=0.0):
    """Every judge votes once on the one pair of each item, in an order of their own.

    `taste` turns the worths round for odd judges; `quality` is the sd of an output's own worth.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        pair = rng.permutation([*LOG_WORTH])[:2].tolist()
        extra = rng.normal(0, quality, 2) if quality else np.zeros(2)
        for judge in range(judges):
            left, right = pair if rng.random() < 0.5 else pair[::-1]
            own = extra if left == pair[0] else extra[::-1]
            apart = LOG_WORTH[left] - LOG_WORTH[right] + own[0] - own[1] + first
            apart *= -1 if taste and judge % 2 else 1
            odds = np.array([np.exp(apart / 2), NU, np.exp(-apart / 2)])
            said = rng.choice(["left", "tie", "right"], p=odds / odds.sum())
            rows.append((f"j{judge}", f"i{item}", left, right, said))
    return pl.DataFrame(rows, schema=["judge", "item", "left", "right", "outcome"], orient="row")


def expect(frame, predict=None):
    data = evenhand.read(frame)
    return expect_agreement(data.votes(), predict or evenhand.BradleyTerry().fit(data).predict)


def test_expected_agreement_is_the_sum_over_all_pairs_of_votes_of_two_judges():
    """Pair by pair, with an order effect, so that two votes on a unit may differ."""
    frame = simulate(1, items=12, judges=4)
    again = frame.filter(pl.col("judge") == "j0")  # pairs of one judge are not counted
    frame = pl.concat([frame, again])

    def predict(pairs):
        return davidson(pairs, first=0.4)

    rows = frame.rows(named=True)
    chance = [dict(zip(("left", "tie", "right"), one, strict=True)) for one in
              predict([(row["left"], row["right"]) for row in rows])]  # fmt: skip
    agree = n = 0
    for one, two in combinations(range(len(rows)), 2):
        u, v = rows[one], rows[two]
        if u["item"] != v["item"] or u["judge"] == v["judge"]:
            continue
        same = u["left"] == v["left"]
        p, q = chance[one], chance[two]
        agree += p["tie"] * q["tie"]
        agree += p["left"] * q["left" if same else "right"]
        agree += p["right"] * q["right" if same else "left"]
        n += 1
    found = expect(frame, predict)
    assert found.comparable == n
    assert found.expected == pytest.approx(agree / n, rel=1e-12)
    chance_of = chance_agreement(float(np.mean([one["tie"] for one in chance])))
    assert found.expected_kappa == pytest.approx((agree / n - chance_of) / (1 - chance_of))


def test_two_judges_of_opposite_mind_agree_less_than_their_worths_expect():
    found = expect(simulate(3, judges=2, taste=1.5, items=1800))
    assert found.short
    assert found.kappa < 0 < found.expected_kappa + 0.05


def test_few_items_have_no_interval_and_ties_alone_no_expectation():
    few = expect(simulate(5, items=6, judges=4), davidson)
    assert (few.lower, few.upper, few.short) == (None, None, False)
    tied = simulate(5).with_columns(outcome=pl.lit("tie"))
    assert expect_agreement(evenhand.read(tied).votes(), davidson) is None


# κ of preferences in the table of agreement: intervals, parts by task, what is excluded.

SEED = 20131


def campaign(seed, *, items=60, tasks=("one",), again=True):
    """Judges who agree in three of four votes; the last answers every fourth item twice."""
    rng = np.random.default_rng(seed)
    rows = []
    for task in tasks:
        for item in range(items):
            better = rng.integers(2)
            for judge in "xyz":
                for _ in range(2 if again and judge == "z" and item % 4 == 0 else 1):
                    said = better if rng.random() < 0.75 else 1 - better
                    turned = rng.integers(2)
                    outcome = "tie" if rng.random() < 0.2 else ("left", "right")[said ^ turned]
                    left, right = ("A", "B") if not turned else ("B", "A")
                    rows.append((task, str(item), judge, left, right, outcome))
    columns = ("task", "item", "judge", "left", "right", "outcome")
    return evenhand.read(pl.DataFrame(rows, schema=columns, orient="row"))


def test_every_kappa_stands_in_the_table_with_its_interval():
    data = campaign(1)
    whole = evenhand.measure_agreement(data).whole
    for name, (mode, among, order, _) in KAPPAS.items():
        expected = compare_votes(data.votes(), mode=mode, among=among, order=order)
        assert whole[name].value == pytest.approx(expected.kappa)
        assert (whole[name].units, whole[name].ratings) == (expected.units, expected.votes)
    strict = whole["kappa-strict"]
    assert strict.lower < strict.value < strict.upper
    assert strict.notes[1].startswith(f"P(A) {compare_votes(data.votes()).observed:.3f}: ")


def test_a_bootstrap_error_is_that_of_the_jackknife():
    votes = campaign(3, items=200).votes()
    found = preference_kappa(votes, "kappa-strict", 0.95, SEED)
    sums = compare_votes(votes).by_item.astype(float)
    left_out = sums.sum(axis=0) - sums
    ties = left_out[:, 2] / left_out[:, 3]
    chance = ties**2 + (1 - ties) ** 2 / 2
    kappas = (left_out[:, 0] / left_out[:, 1] - chance) / (1 - chance)
    error = np.sqrt((len(sums) - 1) * kappas.var())
    assert (found.upper - found.lower) / (2 * 1.96) == pytest.approx(error, rel=0.1)


def renamed(data, names):
    """The same comparisons with systems called otherwise."""
    columns = [pl.col(side).replace_strict(names) for side in ("left", "right")]
    return evenhand.read(pl.DataFrame(data.frame.to_native()).with_columns(columns))


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_agreement_does_not_depend_on_what_systems_are_called(level):
    rng = np.random.default_rng(4)
    rows = []
    for item in range(60):
        a, b = sorted(rng.choice(5, 2, replace=False).tolist())
        for judge in "xy":
            said = "tie" if rng.random() < 0.1 else "right" if rng.random() < 0.8 else "left"
            rows.append((str(item), judge, "abcde"[a], "abcde"[b], said))
    columns = ("item", "judge", "left", "right", "outcome")
    data = evenhand.read(pl.DataFrame(rows, schema=columns, orient="row"))
    other = renamed(data, dict(zip("abcde", "dbeac", strict=True)))
    first, second = (evenhand.measure_agreement(one, level=level).whole for one in (data, other))
    for one in first.coefficients:
        same = second[one.name]
        for key in ("value", "lower", "upper"):
            assert getattr(same, key) == pytest.approx(getattr(one, key)), one.name
    assert first["fleiss"].value == pytest.approx(first["kappa-strict"].value)  # two judges each


def criteria():
    """Judges who agree on either criterion, the one output being fluent and the other adequate."""
    rows = [
        (judge, str(item), asked, ("left" if asked == "fluency" else "right"))
        for item in range(20)
        for asked in ("adequacy", "fluency")
        for judge in "xy"
    ]
    table = pl.DataFrame(rows, schema=("judge", "item", "criterion", "outcome"), orient="row")
    return evenhand.read(table.with_columns(left=pl.lit("A"), right=pl.lit("B")))


def test_answers_under_several_criteria_are_no_second_answers():
    found = evenhand.measure_agreement(criteria())
    assert [part.name for part in found.parts] == ["adequacy", "fluency", "all"]
    for part in found.parts:
        assert part["n-agreement-0"].value == part["kappa-strict"].value == 1
    assert found.whole.units == 40
    assert "kappa-intra" not in {one.name for one in found.whole.coefficients}
    assert not any("second answer" in note for note in found.notes)


def test_of_two_answers_the_earlier_counts_where_moments_are_known():
    rows = [(0, 0, 0, 1, RIGHT), (0, 0, 0, 1, LEFT), (1, 0, 0, 1, LEFT)]
    votes = replace(votes_of(rows), moment=np.array([9.0, 1, 2]))
    units = find_units(preference_rows(votes))
    assert (units.again, len(set(units.code.tolist()))) == (1, 1)  # both judges prefer the left


def test_importance_weights_are_refused():
    table = pl.DataFrame({"left": ["a", "a"], "right": ["b", "b"], "outcome": ["left", "right"]})
    named = table.with_columns(judge=pl.Series(["x", "y"]), item=pl.lit("i"), weight=pl.lit(0.5))
    with pytest.raises(UnknownOption, match="importance weights of data frame count no votes"):
        evenhand.measure_agreement(evenhand.read(named, weights="importance"))


def test_the_table_of_a_task_of_controls_alone_is_refused_and_no_other():
    rows = [
        (task, str(item), judge, "left", "control" if task == "t1" else "target")
        for task in ("t0", "t1")
        for item in range(12)
        for judge in "xy"
    ]
    columns = ("task", "item", "judge", "outcome", "kind")
    table = pl.DataFrame(rows, schema=columns, orient="row")
    found = evenhand.measure_agreement(
        evenhand.read(table.with_columns(left=pl.lit("A"), right=pl.lit("B")))
    )
    assert list(found) == ["t0"]
    assert found.refused == {"t1": "nothing to compare: all judgments are controls or repeats"}


def test_comparisons_of_outputs_that_nobody_shares_are_told_the_setting():
    rows = [(str(n), "xyz"[n % 3], "A", "B", "left") for n in range(12)]
    columns = ("item", "judge", "left", "right", "outcome")
    data = evenhand.read(pl.DataFrame(rows, schema=columns, orient="row"))
    said = "judged by two judges: 12 output pairs, and no two of 3.*judges_per_item = 2 in campaign"
    with pytest.raises(NotIdentified, match=said):
        evenhand.measure_agreement(data)
