"""E4: flags of judges of comparisons, with known truth.

Campaigns of `vote_campaigns.Panel`: 8 systems, 30 judges, three on each output pair; the first
three judges of the bad arms are careless (slope 0) or reversed (slope −1). Replicate r of arm a
draws from SeedSequence([20131, 4, a, r]); the method draws nothing. A flag is any at all, habits
included. Beside ours: judges whose mean agreement with the others on the same outputs lies more
than one or two standard deviations (ddof 1) below the mean of judges (Hamon et al. 2007).

Pass: an honest judge is flagged in at most .05 + 3.09 √(.0475 / 150) = .105 of clean campaigns;
mean share of honest judges among the flagged at most .105 in each arm and .08 pooled over bad
arms; share of bad judges found at least .60 (careless, 120 judgments each) and .90 (reversed, 60).
"""

from dataclasses import dataclass
from functools import cache
from math import sqrt

import numpy as np
import pytest

from evenhand.data.votes import Votes
from evenhand.judges.screening import screen_comparisons
from experiments.campaign import generator, part_of
from vote_campaigns import Panel, RankingPanel

REPLICATES = part_of(150)
TOLERANCE = 0.05 + 3.09 * sqrt(0.0475 / REPLICATES)
RULES = ("ours", "1 sd", "2 sd")


@dataclass(frozen=True, eq=False)
class Counts:
    """By rule: campaigns with an honest judge flagged, mean false discovery rate and power."""

    any_honest: dict[str, int]
    false: dict[str, float]
    power: dict[str, float]
    abstained: int


def agreements(votes: Votes) -> np.ndarray:
    """(J,) mean share of the other judges of an output pair who say the same."""
    pair = np.unique(votes.pair, return_inverse=True)[1].reshape(-1)
    table = np.zeros((pair.max() + 1, 3))
    np.add.at(table, (pair, votes.preferred + 1), 1)
    same, others = table[pair, votes.preferred + 1] - 1, table.sum(axis=1)[pair] - 1
    sums = (np.bincount(votes.judge, v, len(votes.judges)) for v in (same, others))
    return np.divide(*sums)


def flag_by_each_rule(votes: Votes) -> tuple[dict[str, np.ndarray], bool]:
    found = screen_comparisons(votes)
    ours = np.isin(votes.judges, [card.judge for card in found.flagged])
    targets = votes if votes.kind is None else votes.take(votes.kind == 0)
    one = agreements(targets)
    away = (one - one.mean()) / one.std(ddof=1)
    return {"ours": ours, "1 sd": away < -1, "2 sd": away < -2}, found.abstains is not None


@cache
def run(arm: int, panel: Panel | RankingPanel, replicates: int = REPLICATES) -> Counts:
    any_honest = dict.fromkeys(RULES, 0)
    false: dict[str, list[float]] = {rule: [] for rule in RULES}
    power: dict[str, list[float]] = {rule: [] for rule in RULES}
    abstained = 0
    for replicate in range(replicates):
        flags, abstains = flag_by_each_rule(panel.simulate(generator(4, arm, replicate)))
        abstained += abstains
        for rule, flagged in flags.items():
            honest = int(flagged[panel.bad :].sum())
            any_honest[rule] += honest > 0
            false[rule].append(honest / max(1, int(flagged.sum())))
            power[rule].append(float(flagged[: panel.bad].mean()) if panel.bad else 0.0)
    means = ({rule: float(np.mean(v)) for rule, v in one.items()} for one in (false, power))
    return Counts(any_honest, *means, abstained)


def show(name: str, panel: Panel | RankingPanel, counts: Counts, replicates: int) -> None:
    parts = [
        f"{rule}: any {counts.any_honest[rule]}/{replicates}, FDR {counts.false[rule]:.3f},"
        + (f" power {counts.power[rule]:.3f}" if panel.bad else " power -")
        for rule in RULES
    ]
    told = f"{name}, {panel.each} each (abstains {counts.abstained}): " + " | ".join(parts)
    print(told)  # noqa: T201 - counts of an acceptance experiment


CLEAN = {"clean 30": (0, Panel(30)), "clean 60": (1, Panel(60)), "clean 120": (2, Panel(120))}
BAD = {
    "careless 60": (3, Panel(60, bad=3)),
    "careless 120": (4, Panel(120, bad=3)),
    "reversed 60": (5, Panel(60, bad=3, value=-1.0)),
}
LEAST_POWER = {"careless 120": 0.60, "reversed 60": 0.90}


@pytest.mark.slow
@pytest.mark.parametrize("name", CLEAN)
def test_clean_campaigns_are_seldom_flagged_but_by_the_sd_rules(name):
    arm, panel = CLEAN[name]
    counts = run(arm, panel)
    show(name, panel, counts, REPLICATES)
    assert counts.any_honest["ours"] / REPLICATES <= TOLERANCE
    assert counts.any_honest["1 sd"] / REPLICATES >= 0.95
    assert counts.any_honest["2 sd"] / REPLICATES >= 0.35


@pytest.mark.slow
def test_bad_judges_are_found_with_few_honest_ones_among_them():
    false = []
    for name, (arm, panel) in BAD.items():
        counts = run(arm, panel)
        show(name, panel, counts, REPLICATES)
        false.append(counts.false["ours"])
        assert false[-1] <= TOLERANCE
        assert counts.power["ours"] >= LEAST_POWER.get(name, 0.0)
    assert np.mean(false) <= 0.08


@pytest.mark.slow
def test_in_rankings_the_ranking_is_what_counts():
    arms = {
        "rankings, clean": (6, RankingPanel(24)),
        "rankings, careless": (7, RankingPanel(24, bad=3)),
        "rankings, careless, few": (8, RankingPanel(12, bad=3)),
        "rankings, two judges a set": (9, RankingPanel(24, bad=3, shared=2)),
    }
    for name, (arm, panel) in arms.items():
        counts = run(arm, panel)
        show(name, panel, counts, REPLICATES)
        assert counts.false["ours"] <= TOLERANCE
        assert panel.bad == 0 or counts.power["ours"] >= 0.5


@pytest.mark.slow
def test_controls_repeats_and_time_add_power_and_few_false_flags():
    plain = run(3, Panel(60, bad=3))
    power = {}
    arms = {
        "clean, 5 controls, 6 repeats": (10, Panel(60, controls=5, repeats=6)),
        "careless, 6 repeats": (11, Panel(60, bad=3, repeats=6)),
        "careless, 5 controls": (12, Panel(60, bad=3, controls=5)),
        "careless, 5 controls, 6 repeats": (13, Panel(60, bad=3, controls=5, repeats=6)),
        "clean, seconds": (14, Panel(60, hurry=0.0)),
        "careless, quick": (15, Panel(60, bad=3, hurry=0.7)),
        "careless, no quicker": (16, Panel(60, bad=3, hurry=0.0)),
    }
    for name, (arm, panel) in arms.items():
        counts = run(arm, panel)
        show(name, panel, counts, REPLICATES)
        assert counts.false["ours"] <= TOLERANCE
        power[name] = counts.power["ours"] - plain.power["ours"]
    assert power["careless, 5 controls"] >= 0.2
    assert power["careless, 5 controls, 6 repeats"] >= 0.2
    assert power["careless, quick"] >= 0.05
