"""Flags for judges who score: honest ones are seldom flagged, bad ones mostly found.

Campaigns as in rating_panels.py, 150 per arm, level .05. Beside ours: the rules of Hamon, Mostefa &
Arranz (2007), judges whose mean score lies beyond one standard deviation (two-sided) or whose mean
distance from others' scores of the same outputs lies above one, and the same with two.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from evenhand.data.rating_rows import RatingRows
from evenhand.judges.screening import see_judges
from experiments.campaign import generator, part_of
from experiments.rating_panels import BAD, HONEST, RatingPanel

pytestmark = pytest.mark.slow

EXPERIMENT = 41
LEVEL = 0.05
REPLICATES = part_of(150)
MOST = 0.05 + 3.09 * (0.0475 / REPLICATES) ** 0.5  # one-sided 99.9 % bound
ALL = tuple((kind, 3) for kind in BAD)
ARMS = {
    "clean 30": RatingPanel(each=30),
    "clean 60": RatingPanel(each=60),
    "clean 120": RatingPanel(each=120),
    "clean 60, 0-100": RatingPanel(each=60, points=100),
    "clean 120, 0-100": RatingPanel(each=120, points=100),
    "random 60": RatingPanel(each=60, bad=(("random", 3),)),
    "random 120": RatingPanel(each=120, bad=(("random", 3),)),
    "reversed 60": RatingPanel(each=60, bad=(("reversed", 3),)),
    "all 60": RatingPanel(each=60, bad=ALL),
    "all 60, 0-100": RatingPanel(each=60, bad=ALL, points=100),
    "clean 60, ceiling": RatingPanel(each=60, points=100, middle=95),
    "clean 60, quarters": RatingPanel(each=60, points=100, middle=60, steps=((1, 0.8), (25, 0.2))),
    "random 60, ceiling": RatingPanel(each=60, points=100, middle=95, bad=(("random", 3),)),
}
SAYS = {"random": "careless", "reversed": "reversed", "coarse": "coarse", "extreme": "extreme"}


@dataclass(frozen=True)
class Outcome:
    """What a rule did in the campaigns of one arm."""

    false_any: float
    false_share: float
    power: dict[str, float]


def flags_of_ours(rows: RatingRows) -> list[tuple[str, ...]]:
    return list(see_judges(rows, level=LEVEL).verdict.flags)


def flags_of_deviations(rows: RatingRows, k: float) -> list[tuple[str, ...]]:
    """Judges beyond k sd by mean score, or above k sd by mean distance from the others."""
    size = len(rows.judges)
    n = np.bincount(rows.judge, minlength=size)
    mean = np.bincount(rows.judge, rows.score, size) / n
    outputs = np.unique(rows.output, return_inverse=True)[1]
    order = np.argsort(outputs, kind="stable")
    table = rows.score[order].reshape(outputs.max() + 1, -1)
    judges = rows.judge[order].reshape(table.shape)
    apart = np.abs(table[:, :, None] - table[:, None, :]).sum(axis=2) / (table.shape[1] - 1)
    distance = np.bincount(judges.ravel(), apart.ravel(), size) / n
    outside = np.abs(mean - mean.mean()) > k * mean.std(ddof=1)
    outside |= distance > distance.mean() + k * distance.std(ddof=1)
    return [("outside",) if one else () for one in outside]


def judge_flags(panel: RatingPanel, found: list[list[tuple[str, ...]]]) -> Outcome:
    """Count honest judges flagged, and bad ones flagged for what they are (or at all)."""
    kinds = np.array(panel.kinds())
    flagged = np.array([[bool(flags) for flags in one] for one in found])
    false = flagged[:, kinds == HONEST].sum(axis=1)
    share = (false / np.maximum(flagged.sum(axis=1), 1)).mean()
    hit = {
        kind: np.mean(
            [
                SAYS[kind] in flags or "outside" in flags
                for one in found
                for flags, own in zip(one, kinds, strict=True)
                if own == kind
            ]
        )
        for kind in BAD
        if kind in kinds
    }
    return Outcome(float((false > 0).mean()), float(share), {k: float(v) for k, v in hit.items()})


def run_arm(number: int, panel: RatingPanel, replicates: int) -> dict[str, Outcome]:
    rules = {"ours": [], "1 sd": [], "2 sd": []}
    for replicate in range(replicates):
        rows = panel.draw(generator(EXPERIMENT, number, replicate))
        rules["ours"].append(flags_of_ours(rows))
        rules["1 sd"].append(flags_of_deviations(rows, 1.0))
        rules["2 sd"].append(flags_of_deviations(rows, 2.0))
    return {name: judge_flags(panel, found) for name, found in rules.items()}


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    """Ours in every arm; all rules are printed."""
    ours = {}
    lines = [f"\n{'arm':18} {'rule':5} {'any':>6} {'false':>6}  power"]
    for number, (name, panel) in enumerate(ARMS.items()):
        found = run_arm(number, panel, REPLICATES)
        ours[name] = found["ours"]
        for rule, outcome in found.items():
            power = ", ".join(f"{kind} {share:.2f}" for kind, share in outcome.power.items())
            shares = f"{outcome.false_any:6.3f} {outcome.false_share:6.3f}"
            lines.append(f"{name:18} {rule:5} {shares}  {power}")
    print("\n".join(lines))  # noqa: T201 - counts of an acceptance experiment
    return ours


def test_campaigns_of_honest_judges_seldom_have_a_flag(outcomes):
    clean = {name: one.false_any for name, one in outcomes.items() if name.startswith("clean")}
    assert {name: share for name, share in clean.items() if share > MOST} == {}


def test_few_of_the_flagged_are_honest(outcomes):
    shares = [one.false_share for name, one in outcomes.items() if not name.startswith("clean")]
    assert max(shares) <= MOST
    assert np.mean(shares) <= 0.08


@pytest.mark.parametrize(
    ("arm", "kind", "least"),
    [
        ("random 60", "random", 0.60),
        ("random 120", "random", 0.85),
        ("reversed 60", "reversed", 0.90),
        ("all 60", "random", 0.45),
        ("all 60", "reversed", 0.85),
        ("all 60", "coarse", 0.90),
        ("all 60", "extreme", 0.90),
        ("all 60, 0-100", "extreme", 0.90),
    ],
)
def test_bad_judges_are_mostly_found_for_what_they_are(outcomes, arm, kind, least):
    assert outcomes[arm].power[kind] >= least


def test_a_campaign_as_large_as_the_papers_has_no_false_flags_where_one_sd_has_many():
    """125 honest judges, 163 outputs each, two judges an output, 26 systems, five points."""
    panel = RatingPanel(judges=125, each=163, per_output=2, systems=26)
    many = {"ours": [], "1 sd": []}
    for replicate in range(20):
        rows = panel.draw(generator(EXPERIMENT, len(ARMS), replicate))
        many["ours"].append(sum(map(bool, flags_of_ours(rows))))
        many["1 sd"].append(sum(map(bool, flags_of_deviations(rows, 1.0))))
    ours, one_sd = (np.mean(many[rule]) for rule in many)
    print(f"\nof 125 honest judges flagged: ours {ours:.2f}, 1 sd {one_sd:.1f}")  # noqa: T201 - counts of an acceptance experiment
    assert np.mean([n > 0 for n in many["ours"]]) <= 0.05 + 3.09 * np.sqrt(0.0475 / 20)
    assert np.mean(many["1 sd"]) > 30
