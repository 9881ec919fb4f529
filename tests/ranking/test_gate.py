"""May a new system replace an old one: bounds, margins, evidence, groups, plans."""

import json
import re
from dataclasses import replace as changed
from math import ceil, exp, log
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats

import evenhand
from evenhand.errors import (
    EvenhandError,
    InvalidJudgments,
    MissingFile,
    NotIdentified,
    UnknownFormat,
    UnknownOption,
)
from evenhand.ranking import direct_votes, plans
from evenhand.ranking import gate as gates
from evenhand.ranking.direct_votes import count_votes

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "gates.json").read_text())
CASES = {case["id"]: case for case in GOLDEN["entries"]}


def draw_votes(seed=1, n=600, judges=12, ties=0.0, gaps=None):
    """Return votes on systems A to D by judges without taste."""
    draw = np.random.default_rng(seed)
    worths = {"A": 0.0, "B": 0.1, "C": -0.9, "D": 0.3, **(gaps or {})}
    names = [*worths]
    left = draw.integers(len(names), size=n)
    right = (left + draw.integers(1, len(names), size=n)) % len(names)
    far = np.array([worths[names[a]] - worths[names[b]] for a, b in zip(left, right, strict=True)])
    winner = np.where(draw.random(n) < 1 / (1 + np.exp(-far)), "left", "right")
    winner = np.where(draw.random(n) < ties, "tie", winner)
    return {
        "left": [names[a] for a in left],
        "right": [names[b] for b in right],
        "winner": winner.tolist(),
        "judge": [f"j{at % judges}" for at in range(n)],
        "item": [f"i{at // 4}" for at in range(n)],
        "language": ["de" if at % 2 else "fr" for at in range(n)],
    }


def between(votes, *new, old="A"):
    """Return the votes on new systems and the old one."""
    pairs = [{one, old} for one in new]
    met = [{a, b} in pairs for a, b in zip(votes["left"], votes["right"], strict=True)]
    return {name: [one for one, kept in zip(row, met, strict=True) if kept]
            for name, row in votes.items()}  # fmt: skip


def ask(votes, *, new="B", margin=0.1, **more):
    return evenhand.gate(votes, new=new, old="A", margin=margin, **more)


def find_first(result):
    return result.comparisons[0]


def count_independent(votes, one):
    """Return as how many independent votes one direct vote of B and A counts, at α .05."""
    (alone,) = evenhand.rank(between(votes, "B"), model=plans.SHARES).fit.contrasts([("B", "A")])
    z, q = stats.norm.ppf(0.95), stats.t.ppf(0.95, one.df)
    return min(1.0, (alone.stderr / one.stderr) ** 2) * (z / q) ** 2


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("gate")])
def test_p_values_are_the_published(name):
    given, expected = CASES[name]["input"], CASES[name]["expected"]
    df = np.inf if given["df"] is None else given["df"]
    p = gates.tail_above((given["estimate"] + given["delta"]) / given["se"], df)
    assert p == pytest.approx(expected["p_non_inferior"], abs=1e-9)
    assert expected["non_inferior"] == (p <= given["alpha"])


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("evidence")])
def test_evidence_is_the_published_and_the_integral(name):
    given, expected = CASES[name]["input"], CASES[name]["expected"]
    wins, losses, least = given["wins"], given["losses"], given["p0"]
    found = direct_votes.find_log_evidence(wins, losses, least)
    assert found == pytest.approx(expected["log_e"], abs=1e-9)

    def ratio(p):
        return exp(wins * log(p / least) + losses * log((1 - p) / (1 - least)))

    whole, _ = integrate.quad(ratio, least, 1, epsabs=1e-12, limit=200)
    assert exp(found) == pytest.approx(whole / (1 - least), rel=1e-6)


def test_a_decision_is_that_of_the_pair_by_itself():
    """Other systems say nothing of these two, unless one worth describes each."""
    votes = draw_votes(ties=0.2)
    ranking = evenhand.rank(between(votes, "B"), model=plans.SHARES)
    found = find_first(ask(votes))
    pair = ranking.pair("B", "A")
    assert (found.difference, found.stderr) == pytest.approx((pair.difference, pair.stderr))
    assert found.value == pytest.approx(1 / (1 + np.exp(-pair.difference)))
    assert found.delta == pytest.approx(np.log(0.6 / 0.4))
    # the wider of Student's t and of the chances of counts
    counted = count_votes(ranking, ("B", "A"), pair.stderr * found.value * (1 - found.value))
    t = (pair.difference + found.delta) / pair.stderr
    assert found.p == pytest.approx(max(stats.t.sf(t, ranking.df), counted.find_p(0.4)))
    low = pair.difference - stats.t.ppf(0.95, ranking.df) * pair.stderr
    by_t = 1 / (1 + np.exp(-low))
    assert found.lower == pytest.approx(min(by_t, counted.find_lower(0.05)), abs=1e-9)


def test_few_items_do_not_stand_for_others():
    """Of 3 items, each won by one of the systems, 60 votes by 20 judges are no sample of items."""
    votes = {"judge": [], "item": [], "left": [], "right": [], "winner": []}
    for judge, item in ((j, i) for j in range(20) for i in range(3)):
        better = item < 2 or judge == 0
        row = (f"j{judge}", f"i{item}", "B", "A", "left" if better else "right")
        for name, value in zip(votes, row if judge % 2 else (*row[:2], "A", "B", "right" if better
                               else "left"), strict=True):  # fmt: skip
            votes[name].append(value)
    found = ask(votes, margin=0.05)
    assert found.decision == "undecided"
    assert "3 items cannot stand for others. Add 2 or more" in " ".join(str(found).split())
    of_these = ask(votes, margin=0.05, cluster="judge")
    assert of_these.decision == "passed"


def test_better_as_good_worse_and_open():
    votes = draw_votes(n=4000, gaps={"B": 0.02, "D": 0.8})
    asked = (("B", 0.15), ("C", 0.05), ("D", 0.05), ("D", 0), ("B", 0))
    found = [ask(votes, new=name, margin=margin) for name, margin in asked]
    decided = ["passed", "worse", "passed", "passed", "undecided"]  # margin 0: it must be better
    assert [one.decision for one in found] == decided
    assert [one.exit_code for one in found] == [0, 1, 0, 0, 3]
    good, _, better = map(find_first, found[:3])
    assert (good.equivalent, good.superior) == (True, False)
    assert (better.equivalent, better.superior) == (False, True)
    one = find_first(ask(draw_votes(n=120), margin=0.02, cost_judgment=0.5))
    assert (one.decision, one.cost) == ("undecided", pytest.approx(one.judgments_needed / 2))


@pytest.mark.parametrize(("gap", "sign"), [(0.1, 1), (-0.3, -1)])
def test_what_is_needed_decides_it(gap, sign):
    """With that many more judgments of the same kind, eight of ten campaigns show it."""
    votes = draw_votes(n=300, gaps={"B": gap})
    one = find_first(ask(votes, margin=0.05))
    assert one.decision == "undecided"
    t, critical = sign * (one.difference + one.delta) / one.stderr, stats.t.ppf(0.95, one.df)
    more = one.judgments_needed / one.judgments
    # t of old and new votes together: (t + more t)/√(1 + more) with sd √more/√(1 + more)
    chance = stats.norm.sf((critical * np.sqrt(1 + more) - t - more * t) / np.sqrt(more))
    assert chance == pytest.approx(0.8, abs=1e-6)
    shows = "passes" if sign > 0 else "is worse by more than the margin"
    says = f"of these systems would show that it {shows}, if further judges and items are like"
    assert one.says.endswith(f"{says} these.")
    anytime = find_first(ask(votes, margin=0.05, anytime=True))
    assert anytime.judgments_needed is None or anytime.judgments_needed >= one.judgments_needed


def test_nothing_is_needed_where_it_is_too_close():
    # just at the margin no number does
    tied = draw_direct(n=150, better=0)
    tied["winner"] = ["left"] * 45 + ["tie"] * 60 + ["right"] * 45
    tied["left"], tied["right"] = ["B"] * 150, ["A"] * 150
    one = find_first(ask(tied, margin=0))
    assert one.judgments_needed is None
    assert "it is too close to what is needed." in one.says


def test_several_new_systems_are_adjusted_by_the_largest_of_correlated_t():
    votes = draw_votes(n=900)
    alone = [find_first(ask(votes, new=name)) for name in ("B", "C", "D")]
    several = ask(votes, new=["B", "C", "D"])
    for one, other in zip(alone, several.comparisons, strict=True):
        assert other.p >= one.p - 0.002  # drawn
        assert other.p <= min(1, 3 * one.p) + 0.002
    assert several.decision == "worse"
    # independent t of one size: 1 − (1 − p)^N at the first step
    p = gates.adjust_p(np.array([2.0, 2.0, 2.0]), np.eye(3), np.inf, 1)
    assert p == pytest.approx(1 - stats.norm.cdf(2.0) ** 3, abs=0.002)
    p = gates.adjust_p(np.array([2.0, 1.0]), np.ones((2, 2)), 8.0, 1)  # one and the same
    assert p == pytest.approx(stats.t.sf([2.0, 1.0], 8), abs=0.004)


def test_each_group_must_pass_and_a_group_without_a_system_is_open():
    votes = draw_votes(n=2000, gaps={"B": 0.9})
    assert ask(votes, group_by="language").exit_code == 0
    sides = ("winner", "language", "left", "right")
    swap = {"left": "right", "right": "left"}
    turned, kept = {**votes, "winner": []}, []
    for at, (won, where, *pair) in enumerate(zip(*map(votes.get, sides), strict=True)):
        elsewhere = where == "fr" and "B" in pair
        turned["winner"].append(swap[won] if elsewhere else won)
        kept += [] if elsewhere else [at]
    found = ask(turned, group_by="language")
    assert {one.group: one.decision for one in found.comparisons} == {"de": "passed", "fr": "worse"}
    assert found.exit_code == 1
    found = ask({name: [v[at] for at in kept] for name, v in votes.items()}, group_by="language")
    assert [one.decision for one in found.comparisons] == ["passed", "undecided"]
    assert "B and A were never compared with each other" in found.comparisons[1].says


@pytest.mark.parametrize(
    ("better", "judges", "n", "says"),
    [
        (0.9, 3, 150, "3 judges cannot stand for others. Add 2 or more, better 5, or decide for"),
        (0.1, 4, 148, "4 judges cannot stand for others. Add 1 or more, better 4, or decide for"),
        (0.9, 1, 150, "1 judge cannot stand for others. Add 4 or more, better 7, or decide for"),
        (0.9, 5, 151, "5 judges (4.999 effective) cannot stand for others. Add 1 or more"),
    ],
)
def test_fewer_than_five_effective_judges_decide_only_for_themselves(better, judges, n, says):
    votes = draw_direct(n=n, judges=judges, better=better)
    for more in ({}, {"anytime": True}):
        found = ask(votes, **more)
        assert (found.decision, found.exit_code) == ("undecided", 3)
        assert says in found.says[0]
        assert '(--cluster item, in Python cluster="item")' in found.says[0]
    these = "this judge" if judges == 1 else f"these {judges} judges"
    alone = ask(votes, cluster="item")
    assert alone.decision == ("passed" if better > 0.5 else "worse")
    assert f"for {these} only" in alone.says[0]
    full = (draw_direct(n=150, judges=5, better=better), draw_direct(n=n, judges=9, better=better))
    assert {ask(one).decision for one in full} == {alone.decision}


def test_judges_who_are_too_few_without_items_are_asked_about_by_judgments():
    votes = draw_direct(judges=3)
    few = {**votes, "item": [f"i{at % 3}" for at in range(150)]}
    none = {name: values for name, values in votes.items() if name != "item"}
    for table in (few, none):
        found = ask(table)
        assert "(--cluster judgment, in Python" in found.says[0]
        asked = ask(table, cluster="judgment")
        assert asked.decision == "passed"
        assert "for these 3 judges only" in asked.says[0]
    unknown = {name: values for name, values in none.items() if name != "judge"}
    assert ask(unknown).decision == "passed"


def test_nothing_is_decided_on_two_judges_who_are_the_clusters():
    found = ask(draw_votes(n=900, judges=2, gaps={"B": 2.0}), cluster="judge")
    one = find_first(found)
    assert (found.decision, one.p, one.lower) == ("undecided", None, None)
    assert "effective judges" in one.says


def test_a_plan_that_asks_about_few_judges_states_it(tmp_path):
    votes, plan = draw_direct(judges=3), tmp_path / "gate.toml"
    plan.write_text('new = "B"\nold = "A"\nmargin = 0.1\n')
    (said,) = evenhand.gate(votes, plan=plan).says
    assert 'only (cluster = "item" in a plan that is stated before the votes).' in said
    plan.write_text('new = "B"\nold = "A"\nmargin = 0.1\ncluster = "item"\n')
    assert evenhand.gate(votes, plan=plan).decision == "passed"


def draw_alike(judges, items, won="left", **more):
    """Each judge prefers the same system on each item."""
    n = judges * items
    return {
        "left": ["B"] * n,
        "right": ["A"] * n,
        "winner": [won] * n,
        "judge": [f"j{at % judges}" for at in range(n)],
        "item": [f"i{at // judges}" for at in range(n)],
        **more,
    }


@pytest.mark.parametrize(
    ("judges", "items", "won", "units", "decision"),
    [
        (8, 20, "left", 8, "passed"),
        (20, 5, "left", 5, "passed"),
        (20, 3, "left", 3, "undecided"),
        (8, 20, "right", 8, "worse"),
        (8, 5, "right", 5, "undecided"),
    ],
)
def test_votes_that_are_all_alike_are_bounded(judges, items, won, units, decision):
    """The bound of Clopper and Pearson, of votes with no judge and no item in common."""
    votes = draw_alike(judges, items, won)
    found = ask(votes, margin=0.05)
    one, wins = find_first(found), won == "left"
    exact = stats.binomtest(units if wins else 0, units).proportion_ci(0.9, "exact")
    assert (one.value, one.lower, one.upper) == pytest.approx((float(wins), exact.low, exact.high))
    null = stats.binomtest(units if wins else 0, units, 0.45, "greater" if wins else "less")
    assert (one.p if wins else one.p_worse) == pytest.approx(null.pvalue)
    assert found.decision == decision
    assert f"{units} votes by different judges and items" in found.notes[0]
    looked = ask(votes, margin=0.05, anytime=True)
    one = find_first(looked)
    evidence = one.log_evidence if wins else one.log_evidence_worse
    assert evidence == pytest.approx(-log(null.pvalue))
    assert looked.decision == decision


def test_votes_that_are_all_alike_count_as_often_as_they_share_no_judge_and_no_item():
    """Ten judges and ten items: each vote is by one of two judges, or on one item, so 3 count."""
    cells = [(i, k) for i in range(10) for k in range(10) if i < 2 or k == 0]
    codes = {"judge": [f"j{i}" for i, _ in cells], "item": [f"i{k}" for _, k in cells]}
    found = ask(draw_alike(len(cells), 1, **codes), margin=0.05)
    assert find_first(found).p == pytest.approx(0.45**3)
    assert found.decision == "undecided"


def test_votes_that_are_all_ties_are_bounded():
    """A system that wins 45 % ties 90 % of votes at most: 29 of 29 with .9^29 = .047."""
    for judges, decision in ((28, "undecided"), (29, "passed")):
        votes = draw_alike(judges, 40, "tie")
        found = ask(votes, margin=0.05)
        one = find_first(found)
        assert (found.decision, one.p) == (decision, pytest.approx(0.9**judges))
        assert (one.value, one.lower) == (0.5, pytest.approx(0.05 ** (1 / judges) / 2))
        assert (one.lower > one.limit) == (decision == "passed")
    assert (one.equivalent, one.superior) == (True, False)
    assert "1,160 direct votes, all ties" in str(found.notes)
    assert "; 29 decide it." in str(found.notes)
    assert ask(votes, margin=0).decision == "undecided"


@pytest.mark.parametrize(("won", "units"), [("left", 4), ("right", 6), ("tie", 29)])
def test_of_votes_that_are_all_alike_it_is_said_how_many_decide(won, units):
    """.45^4, .55^6 and .9^29 are less than .05, and .45^5 than half of it."""
    few = draw_alike(units - 1, 1, won, item=[f"i{at}" for at in range(units - 1)])
    asked = {"margin": 0.05, "cluster": "item"}
    one = find_first(ask(few, new="B", **asked))
    verdict = "is worse by more than the margin" if won == "right" else "passes"
    assert one.judgments_needed == pytest.approx(1)
    assert f"About 1 more judgment of these systems would show that it {verdict}" in one.says
    enough = draw_alike(units, 1, won, item=[f"i{at}" for at in range(units)])
    assert ask(enough, new="B", **asked).decision != "undecided"
    several = {name: values * 2 for name, values in few.items()} | {
        "left": ["B"] * (units - 1) + ["C"] * (units - 1)
    }
    found = ask(several, new=["B", "C"], **asked)
    more = {"left": 5, "right": 7, "tie": 36}[won]
    assert f"; {more} decide it." in str(found.notes)


def test_votes_on_one_of_several_systems_may_all_be_alike():
    """Its exact p-value and those of the others are multiplied, two of two."""
    alike, other = draw_alike(12, 20), draw_direct(names=("C", "A"), better=0.8)
    votes = {name: [*alike[name], *other[name]] for name in alike}
    both = ask(votes, new=["B", "C"])
    alone = [ask(votes, new=new) for new in "BC"]
    assert both.decision == "passed"
    p = [2 * find_first(one).p for one in alone]
    assert [one.p for one in both.comparisons] == pytest.approx(p)
    assert both.comparisons[0].p == pytest.approx(2 * 0.4**12)
    votes["part"] = ["x"] * 240 + ["y"] * 150
    grouped = ask(votes, group_by="part")
    assert {one.group: one.decision for one in grouped.comparisons} == {
        "x": "passed",
        "y": "undecided",
    }


def test_p_does_not_depend_on_the_order_of_new_systems():
    votes = draw_votes(n=900)
    found = [
        {one.new: one.p for one in ask(votes, new=new).comparisons}
        for new in (["B", "C", "D"], ["D", "B", "C"])
    ]
    assert found[0] == found[1]


def test_names_permute_and_rows_may_stand_in_any_order():
    names, told = {"A": "W", "B": "Q"}, ("value", "lower", "p", "log_evidence")
    for votes in (draw_direct(n=100), draw_alike(8, 5)):
        order = np.random.default_rng(2).permutation(len(votes["left"])).tolist()
        other = {name: [values[at] for at in order] for name, values in votes.items()}
        other |= {side: [names[one] for one in other[side]] for side in ("left", "right")}
        one, same = (
            find_first(evenhand.gate(data, new=new, old=old, margin=0.1, anytime=True))
            for data, new, old in ((votes, "B", "A"), (other, "Q", "W"))
        )
        known = [getattr(one, name) for name in told]
        assert known == pytest.approx([getattr(same, name) for name in told])


def test_where_nobody_knows_the_judges_votes_that_are_all_alike_are_refused():
    votes = {name: values for name, values in draw_alike(8, 5).items() if name != "judge"}
    with pytest.raises(NotIdentified, match="nobody preferred anything"):
        ask(votes, margin=0.05)


def test_llm_judges_alone_and_each_judge_by_itself_stand_for_themselves():
    votes = draw_direct(judges=2)
    assert ask(votes).decision == "undecided"
    marked = ask({**votes, "judge_type": ["llm"] * 150})
    each = ask(votes, group_by="judge")
    for found, whom in ((marked, "these 2 judges"), (each, "this judge")):
        assert found.decision == "passed"
        assert f"for {whom} only" in found.says[0]
    mixed = {**votes, "judge_type": ["llm", "human"] * 75}
    assert ask(mixed).decision == "undecided"


def test_judges_who_answer_alike_do_not_show_how_others_differ():
    """Each of eight judges prefers B on fifteen items of twenty."""
    votes = {
        "left": ["B"] * 160,
        "right": ["A"] * 160,
        "winner": ["left" if (at // 8 + at % 8) % 4 else "right" for at in range(160)],
        "judge": [f"j{at % 8}" for at in range(160)],
        "item": [f"i{at // 8}" for at in range(160)],
    }
    found = ask(votes)
    assert found.decision == "undecided"
    assert "nothing shows how other judges might differ. Add judges" in found.says[0]


@pytest.mark.parametrize("ties", [0.0, 0.5])
def test_anytime_needs_votes_and_judges(ties):
    """A tie is half a vote for each."""
    votes = draw_votes(n=3000, ties=ties, gaps={"B": 0.4})
    found = find_first(ask(votes, anytime=True))
    direct = np.array(evenhand.rank(votes).tally.between("B", "A"))
    wins, tied, losses = count_independent(votes, found) * direct
    wins, losses = wins + tied / 2, losses + tied / 2
    assert found.log_evidence == pytest.approx(direct_votes.find_log_evidence(wins, losses, 0.4))
    worse = direct_votes.find_log_evidence(losses, wins, 0.6)
    assert found.log_evidence_worse == pytest.approx(worse)
    if ties:
        return
    assert (found.decision, found.log_evidence > log(20)) == ("passed", True)
    # fewer votes: their interval passes, and their evidence does not
    few = {name: values[:600] for name, values in votes.items()}
    assert ask(few).decision == "passed"
    short = find_first(ask(few, anytime=True))
    assert short.decision == "undecided"
    assert "Direct votes are not yet enough evidence for an anytime decision" in short.says


def test_what_an_anytime_decision_needs_passes_when_votes_repeat():
    """The same votes so many times over, by new judges, pass; a twentieth less of them do not."""
    n = 600
    votes = draw_votes(n=n, gaps={"B": 0.0})
    once = find_first(ask(votes, margin=0.15, anytime=True))
    assert once.decision == "undecided"
    direct = np.array(evenhand.rank(votes).tally.between("B", "A"))[[0, 2]]
    wins, losses = count_independent(votes, once) * direct
    times = 1 + once.judgments_needed / once.judgments
    log_e = [
        direct_votes.find_log_evidence(f * times * wins, f * times * losses, 0.35)
        for f in (1, 0.95)
    ]
    assert log_e[0] >= log(20) - 1e-6 > log_e[1]
    whole = ceil(times)
    again = {name: values * whole for name, values in votes.items()}
    again["judge"] = [f"{one}-{at // n}" for at, one in enumerate(again["judge"])]
    again["item"] = [f"{one}-{at // n}" for at, one in enumerate(again["item"])]
    assert ask(again, margin=0.15, anytime=True).decision == "passed"


@pytest.mark.parametrize("chances", [(0.15, 0.5, 0.35), (0.4, 0.0, 0.6)])
def test_evidence_has_a_mean_of_at_most_one_at_the_margin(chances):
    """E over all outcomes of four votes, by enumeration; also of being worse."""
    for turned in (False, True):
        mean = 0.0
        for outcome in np.ndindex(3, 3, 3, 3):
            score = sum((1.0, 0.5, 0.0)[one] for one in outcome)
            won, lost = (4 - score, score) if turned else (score, 4 - score)
            chance = np.prod([chances[one] for one in outcome])
            mean += chance * exp(direct_votes.find_log_evidence(won, lost, 0.6 if turned else 0.4))
        assert mean <= 1 + 1e-9


def test_better_and_as_good_are_adjusted_for_several_too():
    votes = draw_votes(n=1200, gaps={"B": 0.0, "C": 0.0, "D": 0.5})
    alone = find_first(ask(votes, new="D", margin=0.2))
    ranking = evenhand.rank(between(votes, *"BCD"), model=plans.SHARES)
    pairs = {name: ranking.pair(name, "A") for name in "BCD"}
    t = np.array([pairs[name].difference / pairs[name].stderr for name in "BCD"])
    at = np.array([ranking.systems.index(name) for name in "BCD"])
    spread = gates.find_covariance(ranking.pair_stderr**2, at, ranking.systems.index("A"))
    p = gates.adjust_p(t, spread, ranking.df, 20131)
    several = ask(votes, new=["B", "C", "D"], margin=0.2).comparisons
    assert [one.superior for one in several] == (p <= 0.05).tolist()
    assert alone.superior == (stats.t.sf(t[2], ranking.df) <= 0.05)


def test_anytime_says_better_only_where_votes_show_it():
    votes = draw_votes(n=1500, gaps={"B": 0.45})
    fixed = find_first(ask(votes, margin=0.3))
    found = find_first(ask(votes, margin=0.3, anytime=True))
    direct = np.array(evenhand.rank(votes).tally.between("B", "A"))[[0, 2]]
    shown = direct_votes.find_log_evidence(*count_independent(votes, found) * direct, 0.5) >= log(
        20
    )
    assert fixed.superior
    assert found.decision == "passed"
    assert found.superior == shown == False  # noqa: E712 - a chain


def rate_systems(lower=1.0):
    draw = np.random.default_rng(3)
    worths = {"A": 60.0, "B": 61.0, "C": 50.0}
    rows = [
        (name, f"j{judge}", f"i{item}", lower * (worth + 5 * draw.standard_normal()))
        for name, worth in worths.items()
        for item in range(60)
        for judge in range(item % 3, item % 3 + 6)
    ]
    names = ("system", "judge", "item", "score")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def test_ratings_by_points():
    table = rate_systems()
    ranking = evenhand.rank(table)
    found = ask(table, new=["B", "C"], margin=2)
    good, bad = found.comparisons
    assert (good.decision, bad.decision, found.scale) == ("passed", "worse", "points")
    assert good.value == good.difference == pytest.approx(ranking.pair("B", "A").difference)
    assert (good.delta, good.limit) == (2, -2)
    turned = ask(rate_systems(-1), new=["B", "C"], margin=2, lower_is_better=True)
    for one, other in zip(found.comparisons, turned.comparisons, strict=True):
        assert (one.difference, one.lower, one.p) == pytest.approx(
            (other.difference, other.lower, other.p), abs=2e-3
        )
    with pytest.raises(UnknownOption, match="anytime decision needs comparisons"):
        ask(table, margin=2, anytime=True)


def test_verdicts_of_llm_judges_make_it_surer():
    draw = np.random.default_rng(5)
    easy = draw.standard_normal(600) * 2
    won = [bool(one) for one in draw.random(600) < 1 / (1 + np.exp(-(0.4 + easy)))]

    def make(judge, items, agrees):
        rows = [(item, won[item] if draw.random() < agrees else not won[item]) for item in items]
        return {
            "left": ["B"] * len(rows),
            "right": ["A"] * len(rows),
            "winner": ["left" if one else "right" for _, one in rows],
            "judge": [judge(item) for item in items],
            "item": [f"i{item}" for item in items],
        }

    people = make(lambda item: f"j{item % 10}", range(150), 0.95)
    llm = make(lambda _: "llm", range(600), 0.95)
    alone = find_first(ask(people))
    helped = find_first(ask(people, llm=llm))
    fused = evenhand.rank(people, llm=llm).pair("B", "A")
    assert helped.stderr < 0.95 * alone.stderr
    assert (helped.difference, helped.stderr) == pytest.approx((fused.difference, fused.stderr))
    with pytest.raises(UnknownOption, match="help no anytime decision"):
        ask(people, llm=llm, anytime=True)


def test_a_plan_states_it_and_nothing_else_may_differ(tmp_path):
    votes, plan = draw_votes(n=500), tmp_path / "gate.toml"
    plan.write_text('new = "B"\nold = "A"\nmargin = 0.1\nalpha = 0.1\n')
    found = evenhand.gate(votes, plan=plan)
    assert (found.new, found.old, found.margin, found.alpha) == (("B",), "A", 0.1, 0.1)
    assert find_first(found).p == find_first(ask(votes)).p
    assert found.plan_sha256 is not None
    assert found.plan_sha256 in found.signature
    assert evenhand.gate(votes, plan=plan, plan_sha256=found.plan_sha256.upper()).plan_sha256
    assert evenhand.gate(votes, new="B", margin=0.1, plan=plan).decision == found.decision
    with pytest.raises(InvalidJudgments, match="was published: it was changed"):
        evenhand.gate(votes, plan=plan, plan_sha256="0" * 64)
    for given, refusal in (
        ({"margin": 0.2}, "margin is 0.2, and the plan says 0.1"),
        ({"group_by": "language"}, "group_by is 'language', and the plan does not state it"),
    ):
        with pytest.raises(UnknownOption, match=refusal):
            evenhand.gate(votes, plan=plan, **given)
    for text, refusal in (
        ("margins = 0.1\n", "no setting 'margins'. Did you mean 'margin'"),
        ('margin = "a"\n', "margin cannot be 'a'"),
        ("margin =\n", "is not valid TOML"),
        ('new = "B"\nold = "A"\n', "does not state margin, how much worse it may be"),
    ):
        plan.write_text(text)
        with pytest.raises((UnknownOption, UnknownFormat), match=refusal):
            evenhand.gate(votes, plan=plan)
    with pytest.raises(MissingFile):
        evenhand.gate(votes, plan=tmp_path / "none.toml")


PLAN = {"new": '"B"', "old": '"A"', "margin": "0.1"}


@pytest.mark.parametrize(
    ("stated", "refusal"),
    [
        ({"margin": '"0.05"'}, ": margin cannot be '0.05': take the quotes away, margin = 0.05"),
        ({"alpha": "0.7"}, ": alpha cannot be 0.7"),
        ({"margin": "0.7"}, ": margin cannot be 0.7: of comparisons it is below .5"),
        ({"new": '"Z"'}, ": no system 'Z'"),
        ({"group_by": '"domain"'}, ": column 'domain' not found"),
        ({"cluster": '"ranking"'}, ": cannot cluster by ranking"),
    ],
)
def test_refusals_of_what_a_plan_states_name_its_file(tmp_path, stated, refusal):
    plan = tmp_path / "gate.toml"
    lines = [f"{name} = {value}" for name, value in {**PLAN, **stated}.items() if value]
    plan.write_text("\n".join(lines))
    with pytest.raises(EvenhandError) as refused:
        evenhand.gate(draw_votes(n=200), plan=plan)
    assert str(refused.value).startswith(f"'{plan}'{refusal}")


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({"new": "Z"}, "no system 'Z'. There"),
        ({"new": "A1"}, "no system 'A1'. There"),  # not the old one, which cannot replace itself
        ({"new": ["B", "Bb"], "group_by": "language"}, "no system 'Bb'"),
        ({"new": ["B", 3]}, "3 names no system: names are texts"),
        ({"new": "B,C"}, "Name each by itself: --new B --new C"),
        ({"cost_judgment": -3}, "cost_judgment cannot be -3: it is 0 or more"),
        ({"cost_judgment": float("nan")}, "cost_judgment cannot be nan"),
        ({"new": "A"}, "A cannot replace itself"),
        ({"new": ["B", "B"]}, "named as new twice"),
        ({"new": []}, "new names no system: name one"),
        ({"margin": 0.5}, "margin cannot be 0.5: of comparisons it is below .5"),
        ({"margin": float("nan")}, "margin cannot be nan"),
        ({"margin": "0.1"}, "margin cannot be '0.1'"),
        ({"alpha": 0.5}, "alpha cannot be 0.5"),
        ({"criterion": "fluency"}, "comparisons have no criterion, so leave it out"),
        ({"lower_is_better": True}, "comparisons have no better, so leave it out"),
    ],
)
def test_what_cannot_be_asked_is_refused(given, refusal):
    asked = {"new": "B", "old": "A", "margin": 0.1, **given}
    with pytest.raises((UnknownOption, InvalidJudgments), match=refusal):
        evenhand.gate(draw_votes(n=200), **asked)


def test_what_is_refused_of_every_group_is_said_once_without_options_of_a_ranking():
    battles = [
        {"judge": judge, "item": task, "task": task, "left": "A", "right": "B", "outcome": "left"}
        for judge in "ab"
        for task in "xy"
    ]
    table = evenhand.read(battles)
    why = 'worths are not identified: nobody preferred anything to "A" (0 of 2)'
    fault = rf"^task x, y: {re.escape(why)}; collect comparisons that may contradict this"
    with pytest.raises(evenhand.NotIdentified, match=rf"{fault}, or pass --prior 1$"):
        evenhand.rank(table, group_by="task")
    nameless = [{key: one[key] for key in one.keys() - {"judge"}} for one in battles]
    with pytest.raises(evenhand.NotIdentified, match=rf"{fault}$"):
        ask(nameless, margin=0.05, group_by="task")


def draw_direct(n=150, judges=20, seed=3, names=("B", "A"), better=0.75):
    """Votes on a new and an old system, a judge and an item each its own."""
    won = np.random.default_rng(seed).random(n) < better
    return {
        "left": [names[0]] * n,
        "right": [names[1]] * n,
        "winner": np.where(won, "left", "right").tolist(),
        "judge": [f"j{at % judges}" for at in range(n)],
        "item": [f"i{at // judges}" for at in range(n)],
    }


def test_an_answer_that_stands_twice_is_one_piece_of_evidence():
    """Whoever stood left the second time."""
    votes = draw_direct()
    turned = {"left": "right", "right": "left"}
    again = {
        **votes,
        "left": votes["right"],
        "right": votes["left"],
        "winner": [turned[one] for one in votes["winner"]],
    }
    pasted = {name: [*votes[name], *again[name]] for name in votes}
    once, twice = ask(votes, anytime=True), ask(pasted, anytime=True)
    assert twice.comparisons[0].log_evidence == once.comparisons[0].log_evidence
    assert twice.comparisons[0].judgments == once.comparisons[0].judgments == 150
    assert [one.code for one in twice.excluded] == ["again"]
    assert ask(pasted).comparisons[0].judgments == 300


@pytest.mark.parametrize(
    ("column", "first", "later", "odd"),
    [
        ("answered_at", "1700000000", "1700000900", None),
        ("shown_at", "2026-02-28T23:59:59Z", "2026-03-01T00:00:00Z", None),
        ("shown_at", 9, 10, None),
        ("shown_at", "28.02.2026", "01.03.2026", "28.02.2026"),
        ("shown_at", "12:00+02:00", "11:00+00:00", "12:00+02:00"),
        ("shown_at", "700", "x", "700"),
    ],
)
def test_first_answers_are_told_by_times_that_sort(tmp_path, column, first, later, odd):
    """Wherever second answers stand, which all prefer the new system; in a file times are texts."""
    votes, again = draw_direct(better=0.3), draw_direct(better=1.0)
    both = {name: [*again[name], *votes[name]] for name in votes}
    both[column] = [later] * 150 + [first] * 150
    path = tmp_path / "votes.csv"
    rows = [[*both], *zip(*both.values(), strict=True)]
    path.write_text("\n".join(",".join(map(str, row)) for row in rows))
    if odd is None:
        alone = find_first(ask(votes, anytime=True))
        behind = {name: [*values[150:], *values[:150]] for name, values in both.items()}
        untimed = {name: behind[name] for name in votes}  # then rows tell it
        for data in (both, path, behind, untimed):
            assert find_first(ask(data, anytime=True)) == alone
        return
    with pytest.raises(
        InvalidJudgments, match=f"column '{column}' holds '.*': nothing tells|so that"
    ):
        ask(both, anytime=True)


def test_answers_to_other_questions_are_no_second_answers():
    """A judge says of each pair which output is more fluent, and which is safer."""
    fluent, safe = draw_direct(better=0.8), draw_direct(better=0.1, seed=4)
    both = {name: [*fluent[name], *safe[name]] for name in fluent}
    both["aspect"] = ["fluency"] * 150 + ["safety"] * 150
    found = ask(both, anytime=True, group_by="aspect")
    assert [one.judgments for one in found.comparisons] == [150, 150]
    assert (found.decision, found.excluded) == ("worse", ())


def test_systems_that_never_met_are_not_decided_by_others():
    one, other = draw_direct(names=("B", "X")), draw_direct(names=("X", "A"), better=0.4)
    votes = {name: [*one[name], *other[name]] for name in one}
    says = "B and A were never compared with each other; collect comparisons of these two"
    with pytest.raises(NotIdentified, match=says):
        ask(votes)
    both = {name: [*votes[name], *draw_direct()[name]] for name in votes}
    parts = ["x"] * 300 + ["y"] * 150
    for gate in (
        ask({**both, "part": parts}, group_by="part"),
        ask({**both, "task": parts}),  # tasks are groups that nobody asks for
    ):
        found = {one.group: one for one in gate.comparisons}
        assert (found["x"].decision, found["y"].decision) == ("undecided", "passed")
        assert found["x"].why == "B and A were never compared with each other"
        assert gate.decision == "undecided"


def test_counts_of_other_pairs_are_refused():
    votes = draw_votes(n=900)
    with pytest.raises(InvalidJudgments, match="these counts hold more than B against A"):
        ask(evenhand.read(votes).tally())
    counts = evenhand.read(between(votes, "B")).tally()
    told = {name: row for name, row in votes.items() if name not in ("judge", "item")}
    one, same = (find_first(ask(data)) for data in (counts, told))
    assert one.p == pytest.approx(same.p)


def test_a_margin_as_wide_as_the_scores_is_refused():
    rng = np.random.default_rng(1)
    scores = {
        "judge": [f"j{at % 8}" for at in range(240)],
        "item": [f"i{at // 24}" for at in range(240)],
        "system": ["A", "B", "C"] * 80,
        "score": rng.integers(0, 101, 240).tolist(),
    }
    scores["score"][:2] = [0, 100]
    with pytest.raises(UnknownOption, match="scores lie between 0 and 100, and a margin is"):
        ask(scores, margin=300)
    worse = ask(scores, margin=20)
    assert re.search(r"it is [0-9.]+ points (worse|better)", worse.says[0])


def test_worse_is_shown_beside_all_other_comparisons():
    """Holm's p-values and log(n / α), since one of n is enough."""

    def decide(p, log_evidence=None, new=("B", "C"), **settings):
        rows = [
            changed(
                gates.Comparison(name, ""), p_worse=p, log_evidence_worse=log_evidence, **settings
            )
            for name in new
        ]
        asked = plans.Asked(new=new, old="A", margin=0.1)
        return [(one.p_worse, one.decision) for one in gates.adjust_worse(rows, asked, None)]

    assert decide(0.03) == [(pytest.approx(0.06), "undecided")] * 2
    assert decide(0.02) == [(pytest.approx(0.04), "worse")] * 2
    assert decide(0.03, new=("B",)) == [(0.03, "worse")]
    assert decide(0.001, 3.3) == [(0.002, "undecided")] * 2
    assert decide(0.001, 3.7) == [(0.002, "worse")] * 2


def test_evidence_of_each_claim_is_against_its_own_limit():
    votes = draw_direct(n=100, better=0.6)
    wins = votes["winner"].count("left")
    ranking, pair = evenhand.rank(votes), ("B", "A")
    alone = 1 / np.sqrt(100 * (wins / 100) * (1 - wins / 100))
    found = direct_votes.weigh_votes(ranking, pair, 0.1, alpha=0.05, error=0.5 * alone)
    part = (stats.norm.ppf(0.95) / stats.t.ppf(0.95, ranking.df)) ** 2
    wider = direct_votes.weigh_votes(ranking, pair, 0.1, alpha=0.05, error=2 * alone)
    assert (found.wins, wider.wins) == pytest.approx((part * wins, part * wins / 4), rel=1e-4)
    wins, votes_in_all = found.wins, found.wins + found.losses

    def weigh(won, lost, least):
        def likelihood(share):
            return share**won * (1 - share) ** lost

        mean = integrate.quad(likelihood, least, 1)[0] / (1 - least)
        return log(mean / likelihood(least))

    losses = votes_in_all - wins
    assert found.passes == pytest.approx(weigh(wins, losses, 0.4), rel=1e-6)
    assert found.better == pytest.approx(weigh(wins, losses, 0.5), rel=1e-6)
    assert found.worse == pytest.approx(weigh(losses, wins, 0.6), rel=1e-6)
    assert found.within == pytest.approx(weigh(losses, wins, 0.4), rel=1e-6)


def test_weighted_votes_are_no_evidence_at_any_time():
    votes = {**draw_direct(), "weight": [1.0, 2.5] * 75}
    weighed = evenhand.read(votes, weights="importance")
    with pytest.raises(UnknownOption, match="counts votes, and these have weights"):
        ask(weighed, anytime=True)


def test_a_new_system_that_a_group_lacks_is_not_passed_over():
    both, other = draw_direct(better=0.9), draw_direct(names=("C", "A"), better=0.9)
    votes = {name: [*both[name], *other[name], *both[name]] for name in both}
    votes["language"] = ["de"] * 300 + ["fr"] * 150
    found = ask(votes, new=("B", "C"), group_by="language")
    (lacking,) = [one for one in found.comparisons if (one.new, one.group) == ("C", "fr")]
    assert (lacking.decision, lacking.why) == (
        "undecided",
        "C and A were never compared with each other",
    )
    assert found.decision == "undecided"


@pytest.mark.parametrize("digest", ["ab", "g" * 64])
def test_a_digest_that_is_none_is_refused_as_such(tmp_path, digest):
    plan = tmp_path / "gate.toml"
    plan.write_text("\n".join(f"{name} = {value}" for name, value in PLAN.items()))
    with pytest.raises(UnknownOption, match="is no SHA-256, which has 64 digits"):
        evenhand.gate(draw_votes(n=200), plan=plan, plan_sha256=digest)


def test_evidence_is_shared_by_several_new_systems():
    """Each needs log(N / α): 3.00 of one, 3.69 of two."""
    one, two = (
        plans.Asked(new=new, old="A", margin=0.1, anytime=True) for new in (("B",), ("B", "C"))
    )
    assert [gates.shows(0.001, 3.3, asked) for asked in (one, two)] == [True, False]
    assert gates.shows(0.001, 3.7, two)


def test_several_that_pass_say_which_and_for_whom():
    votes = draw_votes(n=900, judges=3, gaps={"A": 0.0, "B": 1.0, "C": 1.0})
    found = ask(votes, new=("B", "C"), margin=0.3, cluster="item")
    assert found.decision == "passed"
    assert found.says == ("B and C may replace A (for these 3 judges only).",)


def test_by_items_alone_it_holds_for_the_judges_however_many():
    votes = draw_direct(n=300, judges=20)
    assert "for these" not in ask(votes).says[0]
    assert "(for these 20 judges only)" in ask(votes, cluster="item").says[0]


def test_votes_that_are_all_alike_of_few_judges_decide_for_these_alone():
    votes, asked = draw_alike(3, 20), {"margin": 0.05}
    found = ask(votes, **asked)
    assert (found.decision, find_first(found).p) == ("undecided", None)
    assert "3 judges cannot stand for others. Add 2 or more" in found.says[0]
    alone = ask(votes, **asked, cluster="item")
    assert (alone.decision, find_first(alone).headline) == ("passed", "for these 3 judges only")
    assert ask(draw_alike(5, 20), **asked).decision == "passed"
    llm = ask(draw_alike(1, 20, judge_type=["llm"] * 20), **asked)
    assert (llm.decision, find_first(llm).headline) == ("passed", "for this judge only")


def test_rows_that_stand_twice_are_named_where_each_counts():
    votes = draw_direct(n=60)
    votes["item"] = [f"i{at}" for at in range(60)]
    twice = {name: [*values, *values[:2]] for name, values in votes.items()}
    assert not [one for one in ask(votes).notes if one.code == "identical-rows"]
    found = ask(twice)
    (said,) = (one for one in found.notes if one.code == "identical-rows")
    assert said.severity == "warning"
    assert said.startswith("2 rows equal another row in every column (judge j0, item i0")
    anytime = ask(twice, anytime=True)
    assert not [one for one in anytime.notes if one.code == "identical-rows"]
    assert "excluded: 2 of 62 judgments, second answers" in str(anytime)
