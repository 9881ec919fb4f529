"""PPI++ and prediction-powered ranking, as published, beside `rank(data, llm=...)`."""

import numpy as np
import pytest
from scipy.stats import chi2, norm

import evenhand
import verdict_campaigns
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.prediction_powered import PairSums, fit_worths, share_wins
from verdict_campaigns import Design


def sums(entry):
    given = {name: np.asarray(value) for name, value in entry.input.items()}
    m = int(given["m"])
    parts = []
    for a, b, y, f in (("a", "b", "Y", "F"), ("A", "B", "FN", "FN")):
        n = np.ones(len(given[a]))
        parts.append(PairSums.of(m, given[a], given[b], given[y], given[f], n=n))
    return parts


FILE = "prediction_powered"
BOARDS = ["m3_n60_N300", "m5_n120_N400"]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(("name", "weight"), [("tuned", None), ("lambda1", 1), ("human_only", 0)])
def test_log_worths_are_those_of_ppi_plus_plus(golden, board, name, weight):
    entry = golden(FILE, f"bt_{board}")
    expected = entry.expected[name]
    found = fit_worths(*sums(entry), weight, reference=0)
    apart = np.eye(len(found.values))[1:] - np.eye(len(found.values))[0]
    assert found.weight == pytest.approx(expected["lambda"], abs=1e-9)
    assert apart @ found.values == pytest.approx(expected["theta"], abs=1e-9)
    assert apart @ found.vcov @ apart.T == pytest.approx(np.array(expected["cov"]), abs=1e-9)


@pytest.mark.parametrize("board", BOARDS)
def test_shares_of_wins_are_those_of_prediction_powered_ranking(golden, board):
    expected = golden(FILE, f"ppr_{board}").expected
    found = share_wins(*sums(golden(FILE, f"bt_{board}")))
    assert found.weight == pytest.approx(expected["lambda"], abs=1e-9)
    assert found.values == pytest.approx(expected["win_probability"], abs=1e-9)
    assert found.vcov == pytest.approx(np.array(expected["covariance"]), abs=1e-9)


@pytest.fixture(scope="module")
def tables():
    return verdict_campaigns.draw(Design(), np.random.default_rng(3)).tables()


def rename(table, names):
    return {**table, **{side: [names[one] for one in table[side]] for side in ("left", "right")}}


def test_ranks_are_the_sets_of_the_golden_file(golden):
    given = golden(FILE, "bt_m5_n120_N400").input
    names = [f"s{at}" for at in range(given["m"])]
    people, verdicts = (
        {"item": [], "left": [], "right": [], "winner": [], "judge": []} for _ in range(2)
    )

    def add(table, row):
        for name, value in zip(table, row, strict=True):
            table[name].append(value)

    sides = {1: "left", 0: "right"}
    for at, (a, b, y, f) in enumerate(zip(*(given[one] for one in "abYF"), strict=True)):
        add(people, (f"i{at}", names[a], names[b], sides[y], f"j{at % 7}"))
        add(verdicts, (f"i{at}", names[a], names[b], sides[f], "llm"))
    for at, (a, b, f) in enumerate(zip(given["A"], given["B"], given["FN"], strict=True)):
        add(verdicts, (f"other{at}", names[a], names[b], sides[f], "llm"))
    found = evenhand.rank_prediction_powered(people, llm=verdicts, method="win-rate")
    expected = golden(FILE, "ppr_m5_n120_N400").expected
    by_name = {row["system"]: row for row in found.rows()}
    ranks = [[by_name[one]["rank_lower"], by_name[one]["rank_upper"]] for one in names]
    assert ranks == expected["rank_sets"]
    assert [by_name[one]["estimate"] for one in names] == pytest.approx(
        expected["win_probability"], abs=1e-9
    )
    wide = np.sqrt(chi2.ppf(0.95, 5) * np.diag(expected["covariance"]))
    assert [by_name[one]["upper"] - by_name[one]["estimate"] for one in names] == pytest.approx(
        wide, rel=1e-9
    )
    powered = evenhand.rank_prediction_powered(people, llm=verdicts, method="ppi++")
    assert (powered.n_judgments, powered.n_verdicts) == (120, 400)
    half = (powered.upper - powered.lower) / 2
    assert half == pytest.approx(norm.ppf(0.975) * powered.stderr)


@pytest.mark.parametrize("method", ["ppi++", "win-rate"])
def test_other_names_permute_and_constant_verdicts_weigh_nothing(tables, method):
    people, verdicts = tables
    found = evenhand.rank_prediction_powered(people, llm=verdicts, method=method)
    names = {f"s{at:02d}": name for at, name in enumerate("fcadeb")}
    other = evenhand.rank_prediction_powered(
        rename(people, names), llm=rename(verdicts, names), method=method
    )
    assert found.weight > 0.2
    assert other.weight == pytest.approx(found.weight, abs=1e-9)
    expected = dict(zip([names[one] for one in found.systems], found.estimate, strict=True))
    estimates = dict(zip(other.systems, other.estimate, strict=True))
    assert estimates == pytest.approx(expected, abs=1e-9)
    alike = {**verdicts, "winner": ["tie"] * len(verdicts["winner"])}
    alone = evenhand.rank_prediction_powered(people, llm=alike, method=method)
    assert alone.weight == 0
    by_people = evenhand.rank(people, model=BradleyTerry(ties="half-win"), interval="model")
    if method == "ppi++":
        assert dict(zip(alone.systems, alone.estimate, strict=True)) == pytest.approx(
            dict(zip(by_people.systems, by_people.log_worth, strict=True)), abs=1e-6
        )


def test_lambda_1_takes_the_whole_difference_of_verdicts():
    campaign = verdict_campaigns.draw(Design(), np.random.default_rng(3))
    people, verdicts = campaign.tables()
    plain = verdict_campaigns.compute(campaign)
    half = BradleyTerry(ties="half-win")
    half_way, whole = (
        evenhand.rank(people, llm=verdicts, model=half, llm_weight=one) for one in (0.5, 1)
    )
    assert whole.fused.weight == 1
    order = np.argsort(whole.systems)
    expected = plain.people + (plain.fused - plain.people) / plain.weight
    assert whole.log_worth[order] == pytest.approx(expected, abs=1e-6)
    middle = (plain.people + expected) / 2
    assert half_way.log_worth[np.argsort(half_way.systems)] == pytest.approx(middle, abs=1e-6)


def test_what_cannot_be_compared_is_refused(tables):
    people, verdicts = tables
    rank = evenhand.rank_prediction_powered
    with pytest.raises(UnknownOption, match="from 0 to 1, not"):
        evenhand.rank(people, llm=verdicts, llm_weight=1.5)
    with pytest.raises(UnknownOption, match="method"):
        rank(people, llm=verdicts, method="ppi")
    with pytest.raises(UnknownOption, match="give verdicts"):
        rank(people, method="ppi++")
    with pytest.raises(UnknownOption, match="unpaired"):
        rank(people, llm=verdicts, method="ppi++", unpaired="keep")
    judged = {*zip(people["item"], strict=True)}
    inside = [at for at, one in enumerate(zip(verdicts["item"], strict=True)) if one in judged]
    part = {name: [values[at] for at in inside[:40]] for name, values in verdicts.items()}
    with pytest.raises(InvalidJudgments, match="have no verdict"):
        rank(people, llm=part, method="ppi++")
    same = {**people, "judge": ["llm"] * len(people["judge"])}
    with pytest.raises(NotIdentified, match="was judged by people"):
        rank(people, llm=same, method="win-rate")
    # all verdicts beside judgments say the opposite of people, the others are for one system alone
    pairs = [("a", "b", "left")] * 5 + [("a", "b", "right")] * 4
    few = {"item": [f"i{at}" for at in range(9)], "judge": ["j"] * 9}
    few |= dict(zip(("left", "right", "winner"), map(list, zip(*pairs, strict=True)), strict=True))
    beside = {**few, "judge": ["llm"] * 9, "winner": ["right"] * 9}
    more = {"item": ["o1", "o2"], "judge": ["llm"] * 2, "left": ["a"] * 2, "right": ["b"] * 2}
    more["winner"] = ["left"] * 2
    both = {name: beside[name] + more[name] for name in beside}
    with pytest.raises(NotIdentified, match="--llm-method worths"):
        rank(few, llm=both, method="ppi++", llm_weight=1)


@pytest.mark.parametrize("method", ["ppi++", "win-rate"])
@pytest.mark.parametrize(("judged", "of"), [(11, 12), (1, 12)])
def test_one_judgment_or_one_other_verdict_has_no_error(method, judged, of):
    def rows(judge, items, prefers):
        both = {"left": "x", "right": "y", "judge": judge}
        return [{**both, "item": str(i), "winner": prefers(i)} for i in range(items)]

    people = rows("p", judged, lambda i: "left" if i % 2 else "right")
    verdicts = rows("gpt", of, lambda i: "left" if i % 3 else "right")
    with pytest.raises(NotIdentified, match=f"has errors from two .* there are {judged} and"):
        evenhand.rank_prediction_powered(people, llm=verdicts, method=method)
