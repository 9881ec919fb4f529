"""How often labels that models call at least 95 % probable are right, by answers a judge.

The shares are those of the table in docs/models/labels.md: 12 judges, two labels, accuracies of
judges drawn evenly between `low` and .95, 20 crowds. Where judges gave few answers, their
reliability is weakly known, and the models go on as if it were known.
"""

from typing import NamedTuple

import numpy as np
import pytest

from evenhand import MACE, DawidSkene
from evenhand.models.labels import MIN_ANSWERS_PER_JUDGE, SURE_PROBABILITY
from label_crowds import Crowd, coded, draw_pairs

CROWDS = 20
JUDGES = 12
MODELS = {"MACE": MACE(), "Dawid-Skene": DawidSkene()}


class Design(NamedTuple):
    """A lowest accuracy of judges, and answers of each unit and of each judge."""

    low: float
    each: int
    per_judge: int


class Sure(NamedTuple):
    """Of labels that are called sure: how probable they are said to be, and how many are right."""

    said: float
    right: float


def draw(seed: int, design: Design) -> Crowd:
    """Two labels; judges are right at one rate of their own, whatever the label."""
    rng = np.random.default_rng(seed)
    units = JUDGES * design.per_judge // design.each
    truth, accuracy = rng.integers(0, 2, units), rng.uniform(design.low, 0.95, JUDGES)
    unit, judge = draw_pairs(rng, (units, JUDGES), design.each)
    right = rng.random(len(unit)) < accuracy[judge]
    label = np.where(right, truth[unit], 1 - truth[unit])
    return Crowd(coded(np.stack([unit, judge, label]), (units, JUDGES, 2)), truth, accuracy)


def measure(name: str, design: Design) -> Sure:
    """Fit 20 crowds, and pool what is called sure."""
    said, right = [], []
    for seed in range(CROWDS):
        crowd = draw(seed, design)
        fit = MODELS[name].fit(crowd.answers)
        sure = fit.confidence >= SURE_PROBABILITY
        said.append(fit.confidence[sure])
        right.append(fit.best[sure] == crowd.truth[sure])
    return Sure(float(np.concatenate(said).mean()), float(np.concatenate(right).mean()))


TABLE = {
    ("MACE", 0.55, 4): [(0.989, 0.948), (0.988, 0.963), (0.986, 0.980)],
    ("Dawid-Skene", 0.55, 4): [(0.992, 0.925), (0.988, 0.956), (0.987, 0.973)],
    ("MACE", 0.4, 3): [(0.988, 0.857), (0.985, 0.941), (0.984, 0.934)],
    ("Dawid-Skene", 0.4, 3): [(0.990, 0.849), (0.985, 0.923), (0.983, 0.945)],
}
"""(model, low, each): what is said, and what is right, at 50, 100 and 200 answers a judge."""
CELLS = [
    (name, Design(low, each, answers), Sure(*cell))
    for (name, low, each), row in TABLE.items()
    for answers, cell in zip((50, 100, 200), row, strict=True)
]


def check_cell(name: str, design: Design, known: Sure) -> None:
    assert measure(name, design) == pytest.approx(known, abs=0.0051)


@pytest.mark.parametrize("name", MODELS)
def test_at_50_answers_a_judge_sure_labels_are_wrong_four_times_as_often_as_said(name):
    check_cell(name, *next(one[1:] for one in CELLS if one[0] == name))
    said, right = TABLE[name, 0.55, 4][0]
    assert 1 - right > 4 * (1 - said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "design", "known"),
    [one for one in CELLS if one[1] != Design(0.55, 4, 50)],  # looked at in every run
    ids=str,
)
def test_every_cell_of_the_table_on_the_page_is_what_is_measured(name, design, known):
    check_cell(name, design, known)


def test_the_note_beside_labels_says_the_worst_of_the_table():
    worst = [max(1 - row[column][1] for row in TABLE.values()) for column in range(2)]
    (note,) = (
        one for one in MACE().fit(draw(0, Design(0.55, 4, 50)).answers).notes if "too high" in one
    )
    assert [f"{100 * share:.0f} %" for share in worst] == ["15 %", "8 %"]
    assert "up to 15 % of the labels called" in note
    assert "wrong at 50 answers per judge, up to 8 % at 100" in note


def test_no_note_is_given_from_200_answers_a_judge_on():
    assert MIN_ANSWERS_PER_JUDGE == 200
    fit = DawidSkene().fit(draw(0, Design(0.55, 4, 250)).answers)
    assert not any("too high" in one for one in fit.notes)
