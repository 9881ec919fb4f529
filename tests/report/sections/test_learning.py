"""Learning: sentences say what the table holds, and what is decided is never foreseen."""

import numpy as np
import pandas as pd

import evenhand
from evenhand.report.analysis import Analysis
from evenhand.report.sections.model import write_section_learning as write_section

COLUMNS = ["judge", "item", "left", "right", "outcome"]


def campaign(k=5, n=600, spread=0.6, seed=1, columns=COLUMNS):
    rng = np.random.default_rng(seed)
    worth = np.linspace(spread, -spread, k)
    rows = []
    for _ in range(n):
        a, b = rng.choice(k, 2, replace=False)
        won = rng.random() < 1 / (1 + np.exp(worth[b] - worth[a]))
        judge, item = f"j{rng.integers(12)}", f"q{rng.integers(30)}"
        rows.append((judge, item, f"S{a}", f"S{b}", "left" if won else "right"))
    return evenhand.read(pd.DataFrame(rows, columns=COLUMNS)[columns])


def test_today_is_the_board_and_sentences_are_the_rows():
    study = Analysis(campaign())
    section = write_section(study)
    rows = {row["times"]: row for row in section.tables[0].rows}
    decided = int((study.ranking.rank_sets.decided > 0).sum())
    assert 0 < decided < 10
    assert rows[1.0]["decided"] == rows[1.0]["lower"] == rows[1.0]["upper"] == decided
    assert rows[2.0]["judgments"] == 1200
    assert section.says[0].startswith(
        f"Today {decided} of 10 pairs are decided. Twice as many judgments (1,200) would probably"
        f" decide {rows[2.0]['lower']:.0f} to {rows[2.0]['upper']:.0f}"
    )
    assert section.figures[0].datasets["rows"] == section.tables[0].rows


def test_where_every_pair_is_decided_judgments_are_enough():
    section = write_section(Analysis(campaign(k=3, n=3_000, spread=2.0)))
    assert section.says == ("These judgments are enough: every pair of systems is decided.",)


def test_of_two_systems_a_chance_is_said():
    section = write_section(Analysis(campaign(k=2, n=60, spread=0.05)))
    chance = next(row["one_best"] for row in section.tables[0].rows if row["times"] == 2.0)
    assert f"with a probability of {100 * chance:.0f} %" in section.says[0]
