"""`rank(people, llm=verdicts)`: people's ranking with the help of LLM judges."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import permutation_test

import evenhand
import verdict_campaigns
from evenhand.data.tally import Factor, Tally
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownColumn, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import clustering, covariance, verdicts
from evenhand.ranking.inference import Evidence, Settings
from evenhand.ranking.verdicts import (
    check_items,
    check_pairs,
    compare_systems,
    pair_verdicts,
    with_verdicts,
)
from verdict_campaigns import Design

HALVES = BradleyTerry(ties="half-win")
SIDES = ("left", "right")


def campaign_of(seed, **design):
    return verdict_campaigns.draw(Design(**design), np.random.default_rng(seed))


@pytest.fixture(scope="module")
def campaign():
    return campaign_of(3)


@pytest.fixture(scope="module")
def tables(campaign):
    people, verdicts = campaign.tables()
    return people, verdicts


@pytest.fixture(scope="module")
def ranking(tables):
    people, verdicts = tables
    return evenhand.rank(people, llm=verdicts, model=HALVES)


def by_name(ranking, values):
    return np.asarray(values)[np.argsort(ranking.systems)]


def test_estimates_weight_and_errors_are_those_of_the_formulas(campaign, ranking):
    plain = verdict_campaigns.compute(campaign)
    fused = ranking.fused
    assert 0.3 < plain.weight < 1
    assert fused.weight == pytest.approx(plain.weight, rel=1e-6)
    assert by_name(ranking, ranking.log_worth) == pytest.approx(plain.fused, abs=1e-6)
    order = np.argsort(ranking.systems)
    errors = ranking.pair_stderr[np.ix_(order, order)]
    assert errors**2 == pytest.approx(plain.variance, rel=1e-5)
    upper = np.triu_indices(6, 1)
    gain = plain.people_variance[upper].mean() / plain.variance[upper].mean()
    assert fused.gain == pytest.approx(gain, rel=1e-5)
    assert [fused.llm[name] for name in sorted(fused.llm)] == pytest.approx(plain.llm, abs=1e-6)
    assert fused.human.log_worth == pytest.approx(plain.people[np.argsort(-plain.people)], abs=1e-6)


def test_leverage_of_a_cluster_is_that_of_its_part_of_each_estimate(campaign):
    """M_g d_h, of θ_h − λ (θ_l − θ_a); all verdicts are no judge's, nor is their leverage."""
    weight, judges, items = 0.4, campaign.design.judges, campaign.design.items
    paired = pair_verdicts(*campaign.tallies(), None)
    judged = Evidence.of(clustering.merge_factors(paired.judged))
    settings = Settings(HALVES, "rank-sets", None, 0.95, 1, None)
    fit = verdicts.fit_part(settings, judged.whole, "judgments")
    joint = verdicts.join_fits(fit, paired, judged, settings)[1]
    own, beside, every = verdict_campaigns.fit_parts(campaign)
    of_judge, of_item = joint.estimate(weight)[1].clusterings
    order = np.argsort([int(label[1:]) for label in of_item.factor.labels])
    of_items = weight * every.carry(campaign.of_item, items)
    people, llm = (one.carry(campaign.item, items) for one in (own, beside))
    carried = (of_item.influence.carried @ of_item.influence.changes.T)[order][..., order]
    np.testing.assert_allclose(carried, people - weight * llm + of_items, atol=1e-6)
    order += judges  # behind them
    people, llm = (one.carry(campaign.judge, judges) for one in (own, beside))
    carried = of_judge.influence.carried @ of_judge.influence.changes.T
    np.testing.assert_allclose(carried[:judges, :, :judges], people - weight * llm, atol=1e-6)
    np.testing.assert_allclose(carried[order][..., order], of_items, atol=1e-6)


@pytest.mark.parametrize("form", ["left", "right", "both", "turned", "beside"])
def test_verdicts_are_probabilities_too(campaign, tables, form):
    people, _ = tables
    plain = verdict_campaigns.compute(campaign)
    likely = (campaign.verdict @ [1.0, 0.5, 0.0]) / campaign.verdict.sum(axis=1)
    sides = campaign.of_sides
    if form == "turned":  # both orders, which are averaged
        sides = np.concatenate([sides, sides[:, ::-1]])
        likely = np.concatenate([likely**2, 1 - likely * (2 - likely)])
    verdicts = {"item": [f"i{at}" for at in np.resize(campaign.of_item, len(sides))]}
    verdicts |= {name: [f"s{at:02d}" for at in sides[:, end]] for end, name in enumerate(SIDES)}
    given = likely.tolist()
    verdicts["probability_left"] = given
    if form == "both":  # what is left to 1 is a tie
        verdicts["p_a"] = [one - one * (1 - one) / 2 for one in given]
        verdicts["p_b"] = [1 - one - one * (1 - one) / 2 for one in given]
        del verdicts["probability_left"]
    elif form == "right":  # texts, as of a file
        del verdicts["probability_left"]
        verdicts["prob_model_b"] = [f" {1 - one}" for one in given]
    elif form == "beside":  # an outcome counts where there is no probability
        verdicts["winner"] = ["left" if one > 0.5 else "right" for one in given]
        verdicts["probability_left"] = [None if one in (0.0, 1.0) else one for one in given]
    ranking = evenhand.rank(people, llm=verdicts, model=HALVES)
    assert ranking.fused.weight == pytest.approx(plain.weight, rel=1e-6)
    assert by_name(ranking, ranking.log_worth) == pytest.approx(plain.fused, abs=1e-6)
    assert ranking.fused.n_verdicts == pytest.approx(len(sides))


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"probability_left": [0.2, 1.3]}, "'1.3' in column 'probability_left'.*from 0 to 1"),
        ({"p_b": [0.2, -0.1]}, "'-0.1' in column 'p_b'.*divide percentages"),
        ({"p_left": ["0.2", "high"]}, "'high' in column 'p_left'"),
        ({"probability": [0.2, 0.4]}, "'probability' holds probabilities and does not say whose"),
        ({"confidence": [0.2, 0.4]}, "call it probability_left"),
        ({"winner": [0.2, 0.4]}, "'winner' holds probabilities and does not say whose"),
    ],
)
def test_probabilities_of_nobody_knows_what_are_refused(tables, columns, words):
    pair = {"item": ["i1", "i2"], "left": ["s00", "s01"], "right": ["s01", "s00"]}
    with pytest.raises((InvalidJudgments, UnknownColumn), match=words):
        evenhand.rank(tables[0], llm={**pair, **columns})


def test_ties_are_an_outcome_of_people_and_llm():
    people, verdicts = campaign_of(4, ties=0.8).tables()
    ranking = evenhand.rank(people, llm=verdicts)
    assert ranking.ties.sum() > 0
    assert ranking.fused.gain > 1.2
    assert ranking.fused.human.log_worth.tolist() == evenhand.rank(people).log_worth.tolist()


BOARD = ("log_worth", "stderr", "lower", "upper", "rank_lower", "rank_upper", "cluster")


@pytest.mark.parametrize("outcomes", [("tie",), ("left",), ("left", "tie"), ()])
def test_constant_verdicts_and_lambda_0_leave_the_ranking_by_people_bit_for_bit(tables, outcomes):
    people, verdicts = tables
    judges = {f"llm {one}": [one] * len(verdicts["winner"]) for one in outcomes}
    llm, weight = (add_judges({}, verdicts, judges), None) if outcomes else (verdicts, 0.0)
    ranking = evenhand.rank(people, llm=llm, model=HALVES, llm_weight=weight)
    alone = evenhand.rank(people, model=HALVES)
    assert (ranking.fused.weight, ranking.fused.gain) == (0, 1)
    assert (ranking.systems, ranking.signature) == (alone.systems, alone.signature)
    for name in BOARD:
        assert getattr(ranking, name).tolist() == getattr(alone, name).tolist()
    codes = [note.code for note in ranking.notes]
    assert codes.count("verdicts-constant" if outcomes else "verdicts-weigh-nothing") == 1
    assert codes.count("constant-llm-judges") == max(len(outcomes) - 1, 0)


@pytest.mark.parametrize("method", ["worths", "ppi++"])
def test_an_llm_judge_of_one_outcome_is_excluded_and_named(tables, method):
    """It tells nothing, and averaged with another it would halve what that one tells."""
    people, verdicts = tables

    def rank(llm):
        if method == "worths":
            return evenhand.rank(people, llm=llm)
        return evenhand.rank_prediction_powered(people, llm=llm, method=method)

    flat = {"flat": ["left"] * len(verdicts["winner"])}
    found, expected = rank(add_judges(verdicts, verdicts, flat)), rank(verdicts)
    for name in ("lower", "upper", "rank_lower", "rank_upper"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()
    (note,) = (one for one in found.notes if one.code == "constant-llm-judges")
    assert note.values["judges"] == ["flat"]
    assert "constant-llm-judges" not in [one.code for one in expected.notes]


def test_verdicts_that_never_contradict_an_order_are_refused(tables):
    people, verdicts = tables
    n = len(verdicts["item"])
    swapped = {**verdicts, "left": verdicts["right"], "right": verdicts["left"]}
    llm = add_judges(
        add_judges({}, verdicts, {"llm": ["left"] * n}), swapped, {"llm": ["right"] * n}
    )
    with pytest.raises(NotIdentified, match="verdicts on what people judged"):
        evenhand.rank(people, llm=llm)


@pytest.mark.parametrize(
    ("share", "n", "excluded"),
    [(0.9, 40, False), (0.9, 80, True), (0.7, 15, False), (0.7, 20, True), (0.3, 9, False)],
)
def test_verdicts_that_others_give_too_may_be_all_the_same(tables, share, n, excluded):
    """.9 ** 40 = .015, .9 ** 80 = .0002, .7 ** 15 = .005, .7 ** 20 = .0008; the limit is .002.

    .3 ** 9 is less, and nine verdicts are too few to say so.
    """
    people, verdicts = tables
    every = [one for one, winner in enumerate(verdicts["winner"]) if winner == "left"]
    others = [one for one, winner in enumerate(verdicts["winner"]) if winner != "left"]
    odds = share / (1 - share)
    kept = [*every[: round(len(others) * odds)], *others[: round(len(every) / odds)]]
    llm = {name: [values[at] for at in sorted(kept)] for name, values in verdicts.items()}
    few = {name: values[:n] for name, values in verdicts.items()}
    both = add_judges(llm, few, {"same": ["left"] * n})
    found = evenhand.rank(people, llm=both, unpaired="keep")
    assert ("constant-llm-judges" in [one.code for one in found.notes]) == excluded


def add_judges(verdicts, questions, judges):
    """Verdicts with those of other judges, whose outcomes on the questions are given."""
    parts = [{**questions, "judge": [j] * len(own), "winner": own} for j, own in judges.items()]
    parts = [verdicts, *parts] if verdicts else parts
    return {name: [one for part in parts for one in part[name]] for name in parts[0]}


def test_other_names_permute(tables, ranking):
    people, verdicts = tables
    names = {f"s{at:02d}": name for at, name in enumerate("fcadeb")}
    renamed = [
        {**table, **{side: [names[one] for one in table[side]] for side in ("left", "right")}}
        for table in (people, verdicts)
    ]
    other = evenhand.rank(renamed[0], llm=renamed[1], model=HALVES)
    expected = dict(zip([names[one] for one in ranking.systems], ranking.log_worth, strict=True))
    assert dict(zip(other.systems, other.log_worth, strict=True)) == pytest.approx(
        expected, abs=1e-9
    )
    assert other.fused.weight == pytest.approx(ranking.fused.weight, abs=1e-9)


def test_a_bias_for_one_system_hardly_moves_the_ranking():
    biased = [
        evenhand.rank(p, llm=v, model=HALVES)
        for p, v in (campaign_of(5, bias=bias).tables() for bias in (0.0, 2.0))
    ]
    moved = [one.log_worth[one.systems.index("s00")] for one in biased]
    llm = [one.fused.llm["s00"] for one in biased]
    assert llm[1] - llm[0] > 0.5
    assert abs(moved[1] - moved[0]) < 0.1 * (llm[1] - llm[0])


def test_llm_judges_of_one_file_are_verdicts(tables, ranking):
    people, verdicts = tables
    both = {name: people[name] + verdicts[name] for name in people}
    other = evenhand.rank(both, llm_judges=["llm"], model=HALVES)
    assert other.log_worth == pytest.approx(ranking.log_worth, abs=1e-9)
    assert other.n_judges == 12


def test_judgments_without_a_verdict_are_refused_dropped_or_kept(tables):
    people, verdicts = tables
    gone = people["item"][0]
    rows = [at for at, item in enumerate(verdicts["item"]) if item != gone]
    part = {name: [values[at] for at in rows] for name, values in verdicts.items()}
    lost = people["item"].count(gone)
    with pytest.raises(InvalidJudgments, match=rf"{lost} of 480 judgments have no verdict.*{gone}"):
        evenhand.rank(people, llm=part)
    judged = {*zip(*(people[name] for name in ("item", *SIDES)), strict=True)}
    at = [at for at in rows if tuple(verdicts[name][at] for name in ("item", *SIDES)) in judged]
    fewer = {name: [values[one] for one in at] for name, values in verdicts.items()}
    with pytest.raises(InvalidJudgments, match=r"--unpaired keep\)$"):  # no file is exchanged
        evenhand.rank(people, llm=fewer)
    kept = evenhand.rank(people, llm=part, unpaired="keep")
    assert kept.n_judgments == 480
    assert kept.fused.n_unpaired == lost
    dropped = evenhand.rank(people, llm=part, unpaired="drop")
    known = [at for at, item in enumerate(people["item"]) if item != gone]
    fewer = {name: [values[at] for at in known] for name, values in people.items()}
    expected = evenhand.rank(fewer, llm=part)
    assert dropped.log_worth == pytest.approx(expected.log_worth, abs=1e-9)
    assert dropped.n_judgments == 480 - lost


def test_systems_that_no_person_judged_are_named_and_counted(tables, ranking):
    people, verdicts = tables
    rows = [("i1", "s00", "new"), ("i2", "new", "s01"), ("i2", "other", "new")]
    more = {"judge": ["llm"] * 3, "winner": ["left", "right", "tie"]}
    more |= dict(zip(("item", "left", "right"), map(list, zip(*rows, strict=True)), strict=True))
    both = {name: verdicts[name] + more[name] for name in verdicts}
    other = evenhand.rank(people, llm=both, model=HALVES)
    assert other.log_worth.tolist() == ranking.log_worth.tolist()
    contract = other.to_dict()["llm"]
    assert contract["n_verdicts"] == 6000
    assert contract["n_unused"] == 3
    assert contract["unjudged"] == {"new": 3, "other": 1}
    note = next(one for one in other.notes if one.code == "verdicts-unjudged")
    assert str(note).startswith("3 verdicts on new, other excluded")


def test_few_items_are_ranked_by_people_alone(campaign):
    some = campaign.item < np.sort(np.unique(campaign.item))[9]
    arrays = ("judge", "item", "sides", "outcome")
    few = replace(campaign, **{name: getattr(campaign, name)[some] for name in arrays})
    people, verdicts = few.tables()
    ranking = evenhand.rank(people, llm=verdicts, model=HALVES)
    assert ranking.fused.weight == 0
    assert "few-labelled-items" in [note.code for note in ranking.notes]


def test_items_chosen_by_the_verdicts_are_noticed():
    # people judged the items on which the LLM is most sure
    campaign = campaign_of(6, labelled=200, judgments=1200)
    share = campaign.verdict[:, 0] / campaign.verdict.sum(axis=1)
    sure = np.bincount(campaign.of_item, share)  # the first of each pair is the better one
    chosen = np.isin(campaign.item, np.argsort(-sure)[:80])
    people, verdicts = campaign.tables()
    people = {
        name: [v for v, keep in zip(values, chosen, strict=True) if keep]
        for name, values in people.items()
    }
    ranking = evenhand.rank(people, llm=verdicts, model=HALVES)
    assert ranking.fused.check > 3
    assert "verdicts-not-alike" in [note.code for note in ranking.notes]


@pytest.mark.parametrize("by", ["domain", "judge"])
def test_groups_are_ranked_with_the_verdicts_of_their_own_or_with_all(tables, by):
    people, verdicts = tables
    table = {**people, "domain": ["news" if int(one[1:]) % 2 else "chat" for one in people["item"]]}
    grouped = evenhand.rank(table, llm=verdicts, group_by=by, model=HALVES)
    # some judges judged too little for a ranking
    assert {*grouped.groups} == {"news", "chat"} if by == "domain" else len(grouped.groups) >= 10
    assert "verdicts on judge" not in str([*grouped.refused.values()])
    assert all(one.fused.n_verdicts == 6000 for one in grouped.groups.values())


def test_levels_of_which_no_verdict_is_are_refused_once(tables):
    people, verdicts = tables
    levels = [
        {**one, "language": [word] * len(one["item"])}
        for one, word in ((people, "German"), (verdicts, "de"))
    ]
    with pytest.raises(InvalidJudgments, match="no verdict is of a language") as refusal:
        evenhand.rank(levels[0], llm=levels[1], group_by="language", model=HALVES)
    assert "(German; verdicts: de)" in str(refusal.value)
    assert "drop column language from the verdicts" in str(refusal.value)
    fused = evenhand.rank(levels[0], llm=verdicts, group_by="language", model=HALVES)
    assert fused.groups["German"].fused.n_verdicts == 6000


@pytest.mark.parametrize(
    ("change", "settings", "refusal", "words"),
    [
        ({}, {"model": "plackett-luce"}, UnknownOption, "bradley-terry only"),
        ({}, {"interval": "sandwich"}, UnknownOption, "interval 'sandwich'"),
        ({}, {"judge_cap": "median"}, UnknownOption, "with no judge cap: leave it out"),
        ({}, {"llm_judges": ["llm"]}, UnknownOption, "give one"),
        ({}, {"unpaired": "both"}, UnknownOption, "unpaired"),
        ({"judge": "j1"}, {}, InvalidJudgments, "j1 is a judge in both tables"),
        ({"left": "x", "right": "y"}, {}, InvalidJudgments, "must be the same in both"),
        ({"item": "x"}, {}, InvalidJudgments, "must be the same in both"),
        ({"item": None}, {}, InvalidJudgments, "no column of dict holds items"),
    ],
)
def test_what_does_not_go_together_is_refused(tables, change, settings, refusal, words):
    people, verdicts = tables
    changed = {
        name: [change[name]] * len(values) if name in change else values
        for name, values in verdicts.items()
        if change.get(name, "") is not None
    }
    with pytest.raises(refusal, match=words):
        evenhand.rank(people, llm=changed, **settings)


def sample_pairs(divided, seed, n=300):
    """People judge n pairs of outputs at random, or those whose verdicts are divided."""
    rng = np.random.default_rng(seed)
    campaign = verdict_campaigns.draw(Design(labelled=200), rng)
    people, every = campaign.tallies()
    share = (every.wins + every.ties / 2) / every.counts.sum(axis=1)
    chance = np.where(np.abs(share - 0.5) < 0.4, 1.0, 0.02 if divided else 1.0)
    asked = rng.choice(len(share), n, replace=False, p=chance / chance.sum())
    worths = np.exp(campaign.design.worths)
    left, right = every.left[asked], every.right[asked]
    won = rng.random(n) < worths[left] / (worths[left] + worths[right])
    judge = Factor.of(people.factors["judge"].labels, rng.integers(12, size=n))
    item = every.factors["item"]
    factors = {"judge": judge, "item": Factor.of(item.labels, item.codes[asked])}
    outcome = np.stack([won, np.zeros(n), ~won]).astype(np.float64)
    judged = Tally(people.systems, left, right, *outcome, factors, n_judgments=n)
    paired = pair_verdicts(judged, every, None)
    return check_pairs(paired.every, paired.of_people)


def test_pairs_chosen_where_verdicts_are_divided_are_noticed():
    for seed in range(5):
        found = sample_pairs(divided=True, seed=seed)
        assert found.t > 5
        assert found.judged > 2 * found.others
        assert found.warns.code == "verdicts-not-alike"
        assert "more divided on the pairs of outputs that people judged" in str(found.warns)


@pytest.mark.parametrize("of", ["pairs", "items"])
def test_a_random_sample_is_not_warned_of(of):
    def sample(seed):
        if of == "pairs":
            return sample_pairs(divided=False, seed=seed)
        campaign = verdict_campaigns.draw(Design(), np.random.default_rng(seed))
        paired = pair_verdicts(*campaign.tallies(), None)
        return check_pairs(paired.every, paired.of_people)

    t = np.array([sample(seed).t for seed in range(100)])
    assert (np.abs(t) <= 3).mean() >= 0.95
    assert 0.7 <= t.std() <= 1.3


def find_shift(campaign):
    paired = pair_verdicts(*campaign.tallies(), None)
    return min(check_items(paired, HALVES.fit(paired.every))[1].values())


def test_no_system_is_said_to_differ_on_items_that_are_a_random_sample():
    """In 150 files 1.5 are expected below p = .01 and 7.5 below .05; above 6 and 16 is p < .003."""
    design = Design(labelled=12, items=60, judgments=180)
    campaigns = (verdict_campaigns.draw(design, np.random.default_rng(seed)) for seed in range(150))
    p = np.array([find_shift(one) for one in campaigns])
    assert (p < 0.01).sum() <= 6
    assert 1 <= (p < 0.05).sum() <= 16


def test_a_system_that_verdicts_favour_where_people_did_not_judge_is_named(campaign):
    verdict = campaign.verdict.copy()
    other = ~np.isin(campaign.of_item, campaign.item) & (np.arange(len(verdict)) % 2 == 0)
    first, second = (campaign.of_sides == 3).T & other  # half of those on system 3: it wins
    verdict[first], verdict[second] = (2, 0, 0), (0, 0, 2)
    people, llm = replace(campaign, verdict=verdict).tables()
    ranking = evenhand.rank(people, llm=llm, model=HALVES)
    (said,) = [one for one in ranking.notes if one.code == "verdicts-shifted"]
    assert (said.severity, said.values["systems"][0]) == ("warning", "s03")
    assert abs(ranking.fused.check) < 3  # the average over systems hardly moves


def test_p_of_a_system_is_that_of_items_sampled_at_random():
    rng = np.random.default_rng(5)
    values, judged = rng.exponential(size=(2, 60)), np.arange(60) < 20
    values[1, judged] += 0.6
    system, item = np.repeat([0, 1], 60), np.tile(np.arange(60), 2)
    found = compare_systems(values.ravel(), system, item, judged)

    def apart(one, other):
        return abs(one.mean() - other.mean())

    def permute(one):
        options = {"n_resamples": 20_000, "alternative": "greater", "rng": 1}
        return permutation_test((one[judged], one[~judged]), apart, **options).pvalue

    p = [permute(one) for one in values]
    low = min(1.0, 2 * min(p))  # Holm's, of two
    adjusted = [low if one == min(p) else max(low, one) for one in p]
    assert [found[0], found[1]] == pytest.approx(adjusted, abs=0.02)


def test_verdicts_that_are_the_same_on_all_items_show_no_difference():
    system, item = np.repeat([0, 1], 60), np.tile(np.arange(60), 2)
    values = np.where(np.arange(120) % 2, 0.1, 0.1 + 1e-16) + system
    assert compare_systems(values, system, item, np.arange(60) % 2 == 0) == {}


def test_a_share_of_tastes_that_is_0_is_not_told(ranking):
    codes = {one.code for one in ranking.notes}
    assert ("verdicts-leave-tastes" in codes) == (ranking.fused.tastes >= 0.005)
    for tastes, said in ((0.004, False), (0.006, True), (-0.1, False)):
        told = with_verdicts(ranking, replace(ranking.fused, tastes=tastes), "0" * 12)
        of_tastes = [one for one in told.notes[len(ranking.notes) :] if "tastes" in one.code]
        assert bool(of_tastes) == said


# People's ranking with verdicts beside a prototype that leaves each cluster out.


GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "llm_judges.json").read_text())
CASE = next(one for one in GOLDEN["entries"] if one["id"] == "clustered_control_variate_board")


@pytest.fixture
def few_are_enough(monkeypatch):
    """Let five judges and eight items cluster, which are too few otherwise."""
    for module in (verdicts, clustering):
        monkeypatch.setattr(module, "ENOUGH_ITEMS", 2)
    monkeypatch.setattr(clustering, "MIN_EFFECTIVE", {"judge": 1, "item": 1})
    monkeypatch.setattr(covariance, "MIN_CLUSTERS", 1.0)


@pytest.mark.usefixtures("few_are_enough")
def test_weight_estimates_and_errors_are_those_of_the_prototype():
    given, expected = CASE["input"], CASE["expected"]
    names = [f"s{number}" for number in range(given["systems"])]
    people = {
        "left": [names[at] for at in given["a"]],
        "right": [names[at] for at in given["b"]],
        "winner": ["left" if won else "right" for won in given["human_a_better"]],
        "judge": [f"j{at}" for at in given["judge"]],
        "item": [f"i{at}" for at in given["item"]],
    }
    every = given["llm_all"]
    llm = {
        "left": [names[at] for at in every["a"]],
        "right": [names[at] for at in every["b"]],
        "winner": ["left" if share >= 0.5 else "right" for share in every["f"]],
        "probability_left": every["f"],
        "item": [f"i{at}" for at in every["item"]],
    }
    found = evenhand.rank(people, llm=llm)
    assert found.fused.weight == pytest.approx(expected["lambda"], abs=1e-9)
    alone = evenhand.rank(people, model=evenhand.BradleyTerry(ties="half-win"))
    for ranking, values in ((found, expected["estimate"]), (alone, expected["human_only"])):
        worth = dict(zip(ranking.systems, ranking.worth, strict=True))
        assert [worth[name] for name in names] == pytest.approx(values, abs=1e-7)
    for one in expected["pairs"]:
        pair = found.pair(*(names[at] for at in one["pair"]))
        assert pair.difference == pytest.approx(one["estimate"], abs=1e-7)
        single = max(one["V_item"], one["V_judge"]) ** 0.5
        if one["se"] == pytest.approx(single):
            assert pair.stderr == pytest.approx(one["se"], abs=1e-7)
        else:
            # of cells the prototype leaves each out, and `rank` takes the sandwich, which is
            # smaller and is subtracted
            assert one["se"] <= pair.stderr <= 1.03 * one["se"]


def test_win_rates_and_a_gate_say_what_verdicts_did(tables, ranking):
    people, verdicts = tables
    gate = evenhand.gate(people, new="s00", old="s05", margin=0.05, llm=verdicts)
    for one in (ranking.win_rates(), gate):
        assert "verdicts of LLM judges on" in one.document().basis
    plain = evenhand.gate(people, new="s00", old="s05", margin=0.05)
    assert "verdicts" not in plain.document().basis


def test_a_probability_is_an_outcome_for_others():
    pair = {"item": ["1", "2", "3"], "left": ["a", "b", "a"], "right": ["b", "a", "b"]}
    tally = evenhand.read({**pair, "p_left": [0.9, 0.5, 0.2]}).tally()
    assert tally.n_judgments == 3
    assert tally.ties.sum() == 1
    # scores of both outputs are no verdicts because a confidence stands beside them
    scores = {"score_a": [3, 1, 1], "score_b": [1, 2, 1], "confidence": [0.9, 0.7, 0.5]}
    tally = evenhand.read({**pair, **scores}).tally()
    assert (tally.wins.sum(), tally.ties.sum(), tally.losses.sum()) == (1, 1, 1)
