"""Koehn (2012): how near do rules come to the truth, by judgments and by who meets whom?

Fifty campaigns of each of the three worlds of `koehn.py`, 100 to 5,000 judgments, Kendall's τ to
the truth. "Limit" is the rule's τ on what a million judgments give on average: an error that no
number of judgments mends. The rules are those of the registry with their defaults; Bradley-Terry
is Davidson's model with a prior of one pseudo-comparison per system, since 100 judgments seldom
identify it; TrueSkill is the mean of 20 resamples of each campaign.

What theory says, and the tests ask:

- balanced: all rules estimate the same order, and Bradley-Terry, which is the maximum of the
  likelihood that the campaigns were drawn from, is never behind by more than chance; orders that
  minimise contradictions learn from a pair only who won it, and fall behind;
- uneven: ORIGWMT, Bojar's rule and the win rate mix a system's worth with its opponents', so that
  they miss the order in the limit too; means over opponents and the model do not;
- duplicated: a tie won (ORIGWMT) lifts the copies and a tie lost (win rate) sinks them, however
  many judgments there are; what leaves ties out, or fits them, does not mind.
"""

from functools import cache

import numpy as np
import pytest

from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.bootstrap import draw_counts
from evenhand.ranking.methods import RULES
from evenhand.ranking.rules import Matches, plan_draws, replay
from experiments.campaign import WHOLE, generator
from experiments.koehn import SIZES, count, kendall, worlds

pytestmark = pytest.mark.slow

CAMPAIGNS = 50
SOLVED = 10
ALSO_SOLVED = (300, 1000, 5000) if WHOLE else (5000,)
"""Campaigns and sizes for the rules that solve an ordering problem: tenths of a second each."""
RUNS = 20
EXPERIMENT = 20
POOLED = ("origwmt", "bojar", "win-rate")
BY_OPPONENT = ("expected-wins", "expected-net-wins")
ORDERS = ("feedback-arc-set", "most-probable")
ZERO = "expected-wins-zero"
COUNTED = (*POOLED, *BY_OPPONENT, ZERO, *ORDERS)
MODEL = "bradley-terry"
MILLION = 1_000_000


def score(name, tally):
    if name == MODEL:
        return BradleyTerry(prior=1.0).fit(tally).log_worth
    return RULES[name].score(tally).values


def is_scored(tally):
    """Whether every system was preferred to another or another to it, as some rules ask."""
    try:
        RULES["bojar"].score(tally)
    except NotIdentified:
        return False
    return True


def skills(tallies, rng):
    """TrueSkill of many campaigns at once: (campaigns, K) means over resamples of each."""
    plans = [plan_draws(one, ()) for one in tallies]
    draws = [np.stack([draw_counts(one, (), rng).T for _ in range(RUNS)]) for one in plans]
    matches = round(tallies[0].n_comparisons) + 1
    found = replay(Matches.of(plans[0].pairs, np.concatenate(draws)), matches, rng)
    return found.reshape(len(tallies), RUNS, -1).mean(axis=1)


@cache
def results(arm):
    """τ by rule and number of judgments, (campaigns,) each; "limit" is one number."""
    world, number = worlds()[arm], list(worlds()).index(arm)
    drawn = [world.draw(generator(EXPERIMENT, number, r)) for r in range(CAMPAIGNS)]
    found = {}
    for n in SIZES:
        every = [count(pair[:n], outcome[:n]) for pair, outcome in drawn]
        tallies = [one for one in every if is_scored(one)]
        found["excluded", n] = CAMPAIGNS - len(tallies)
        for name in (*POOLED, *BY_OPPONENT, ZERO, MODEL):
            found[name, n] = [kendall(score(name, one), world.worth) for one in tallies]
        for name in ORDERS if n in ALSO_SOLVED and (WHOLE or arm == "balanced") else ():
            found[name, n] = [kendall(score(name, one), world.worth) for one in tallies[:SOLVED]]
        played = skills(tallies, generator(EXPERIMENT, number, 0, n))
        found["trueskill", n] = [kendall(one, world.worth) for one in played]
    average = world.expected(MILLION)
    for name in (*COUNTED, MODEL):
        found[name, "limit"] = [kendall(score(name, average), world.worth)]
    show(arm, found)
    return {key: np.array(values) for key, values in found.items()}


def show(arm, found):
    columns = [*SIZES, "limit"]
    out = [found["excluded", n] for n in SIZES]
    print(f"{arm}: {CAMPAIGNS} campaigns less {out}, mean τ at {columns}")  # noqa: T201 - an experiment shows its counts (pytest -rP)
    for name in (*COUNTED, "trueskill", MODEL):
        cells = [f"{np.mean(found[name, n]):.3f}" if (name, n) in found else "-" for n in columns]
        one = found.get((name, 1000), [])
        error = f"  (± {np.std(one, ddof=1) / len(one) ** 0.5:.3f} at 1000)" if one else ""
        print(f"  {name:18s} {' '.join(cells)}{error}")  # noqa: T201


def lead(arm, one, other, n):
    """Mean of τ(one) − τ(other) over the same campaigns, and its standard error."""
    taus = results(arm)
    pairs = min(len(taus[one, n]), len(taus[other, n]))
    gap = taus[one, n][:pairs] - taus[other, n][:pairs]
    return gap.mean(), gap.std(ddof=1) / np.sqrt(len(gap))


@pytest.mark.parametrize("arm", ["balanced", "uneven", "duplicated"])
def test_more_judgments_come_nearer_with_the_model(arm):
    means = [results(arm)[MODEL, n].mean() for n in SIZES]
    assert means == sorted(means)
    assert means[-1] >= 0.9
    assert results(arm)[MODEL, "limit"] == 1


@pytest.mark.parametrize("rule", COUNTED)
def test_where_all_meet_alike_every_rule_finds_the_order_in_the_limit(rule):
    assert results("balanced")[rule, "limit"] == 1


@pytest.mark.parametrize("rule", [*POOLED, *BY_OPPONENT, "trueskill"])
@pytest.mark.parametrize("n", [1000, 5000])
def test_where_all_meet_alike_no_rule_is_far_ahead_of_the_model_or_far_behind(rule, n):
    gap, error = lead("balanced", MODEL, rule, n)
    assert -3 * error <= gap <= 0.06


@pytest.mark.parametrize("rule", ORDERS)
def test_orders_that_ask_each_pair_only_who_won_fall_behind_the_model(rule):
    gap, error = lead("balanced", MODEL, rule, 5000)
    assert gap - 3 * error >= 0.02


@pytest.mark.parametrize("rule", POOLED)
def test_pooled_rates_are_misled_by_uneven_opponents_for_ever(rule):
    assert results("uneven")[rule, "limit"] <= 0.85
    for better in (MODEL, "expected-wins", "expected-net-wins"):
        gap, error = lead("uneven", better, rule, 5000)
        assert gap - 3 * error >= 0.1


@pytest.mark.parametrize("rule", [*BY_OPPONENT, *ORDERS])
def test_rules_that_take_opponents_one_by_one_find_the_order_in_the_limit(rule):
    assert results("uneven")[rule, "limit"] == 1


def test_the_model_needs_far_fewer_judgments_than_means_over_opponents_where_they_are_uneven():
    gap, error = lead("uneven", MODEL, "expected-wins", 1000)
    assert gap - 3 * error >= 0.05
    for means in BY_OPPONENT:  # three times the judgments are enough to come level
        gap = results("uneven")[means, 3000].mean() - results("uneven")[MODEL, 1000].mean()
        assert 0 <= gap <= 0.05


@pytest.mark.parametrize("rule", ["origwmt", "win-rate"])
def test_copies_are_lifted_by_ties_won_and_sunk_by_ties_lost_for_ever(rule):
    assert results("duplicated")[rule, "limit"] <= 0.8
    gap, error = lead("duplicated", "bojar", rule, 5000)
    assert gap - 3 * error >= 0.15


def test_counting_undecided_pairs_as_nothing_sinks_copies_for_ever():
    assert results("duplicated")[ZERO, "limit"] <= 0.8
    gap, error = lead("duplicated", "expected-wins", ZERO, 5000)
    assert gap - 3 * error >= 0.15


@pytest.mark.parametrize("rule", ["bojar", *BY_OPPONENT])
def test_rules_that_leave_ties_out_or_take_opponents_one_by_one_do_not_mind_copies(rule):
    assert results("duplicated")[rule, "limit"] == 1
