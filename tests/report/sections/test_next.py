"""Next: the open pairs at the top, and numbers of judgments against closed forms."""

import re

import numpy as np
import pandas as pd
import pytest

import evenhand
from evenhand.design.power import find_critical, find_times
from evenhand.report.analysis import Analysis
from evenhand.report.answer import find_open
from evenhand.report.sections.data import _say_range
from evenhand.report.sections.data import write_section_next as write_section


def campaign(worth, n, seed=1, judges=12):
    rng = np.random.default_rng(seed)
    names, rows = list(worth), []
    for _ in range(n):
        a, b = rng.choice(names, 2, replace=False)
        won = rng.random() < 1 / (1 + np.exp(worth[b] - worth[a]))
        rows.append((f"j{rng.integers(judges)}", a, b, "left" if won else "right"))
    return evenhand.read(pd.DataFrame(rows, columns=["judge", "left", "right", "outcome"]))


def test_the_number_that_is_said_is_that_of_the_closed_form():
    study = Analysis(campaign({"A": 0.3, "B": 0.0}, 300))
    ranking = study.ranking
    section = write_section(study)
    error = ranking.pair_stderr[0, 1]
    today = 2 * ranking.log_worth[0] / error
    times = find_times(today, today, find_critical(ranking), 0.8)
    chances = ranking.fit.predict([("A", "B")])[0]
    model = 1 / (chances[0] * chances[2] * 300)  # variance of a log-odds in the model
    alone = (times - 1) / (chances[0] * chances[2] / max(error**2 / model, 1) * error**2)
    number = int(re.match(r"About ([\d,]+) more judgments \(", section.says[0])[1].replace(",", ""))
    assert number == pytest.approx(alone, rel=0.05)  # two digits
    assert not section.tables  # one pair: nothing to choose


def test_open_pairs_are_those_of_the_first_system_that_has_any():
    ranking = evenhand.rank(campaign({"A": 3.0, "B": 0.0, "C": 0.0, "D": -3.0}, 800, seed=4))
    assert (ranking.rank_upper[0], ranking.systems[0]) == (1, "A")
    pairs = [[ranking.systems[place] for place in pair] for pair in find_open(ranking)]
    assert sorted(pairs[0]) == ["B", "C"]
    assert len(pairs) == 1


def test_where_all_is_decided_nothing_is_needed():
    section = write_section(Analysis(campaign({"A": 2.0, "B": 0.0, "C": -2.0}, 2_000)))
    assert section.says[0] == "Every pair of systems is decided."
    assert [table.name for table in section.tables] == ["pairs"]


def test_ends_that_nobody_collects_are_said_in_words():
    assert _say_range(23.4, 47e6, 40_000) == "23 or more"
    assert _say_range(0.2, 1_234.0, 40_000) == "1 to 1,200"
    assert _say_range(3.16, None, 100) == "3 or more; if the two do not differ, no number is enough"


def test_two_that_hardly_differ_get_no_number_of_judgments():
    rows = [("A", "B", "left")] * 101 + [("A", "B", "right")] * 100
    data = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))
    section = write_section(Analysis(data))
    assert section.says[0].startswith("Nothing shows that A and B differ.")


def test_pairs_that_are_listed_are_those_that_the_verb_chooses():
    data = campaign({"A": 0.3, "B": 0.0, "C": -0.2, "D": -0.3}, 300)
    chosen = evenhand.choose_pairs(data, n=6)
    section = write_section(Analysis(data))
    (table,) = (table for table in section.tables if table.name == "pairs")
    assert [(row["left"], row["right"], row["reason"]) for row in table.rows] == [
        (one.left, one.right, one.reason) for one in chosen.pairs
    ]
