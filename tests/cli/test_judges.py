"""`evenhand judges`."""

import re
import shlex
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand import read
from four_judges import LINES
from golden_numbers import golden

JUDGES = 20


@pytest.fixture
def scores(folder: Path) -> str:
    """Twenty judges score 3 systems x 60 items under two criteria; j00 scores at random."""
    rng = np.random.default_rng(5)
    rows = []
    for item in range(60):
        for k, system in enumerate("ABC"):
            truth = 2 + k * 0.8 + rng.normal(0, 1)
            for judge in rng.choice(JUDGES, 4, replace=False):
                for criterion in ("adequacy", "fluency"):
                    noisy = rng.uniform(1, 5) if judge == 0 else truth + rng.normal(0, 0.5)
                    score = int(np.clip(round(noisy), 1, 5))
                    rows.append((f"j{judge:02d}", str(item), system, criterion, score))
    columns = ["judge", "item", "system", "criterion", "score"]
    pl.DataFrame(rows, schema=columns, orient="row").write_csv("scores.csv")
    return "scores.csv"


@pytest.fixture
def votes(folder: Path) -> str:
    """Twelve judges compare 4 systems on 40 items; j00 answers the contrary."""
    rng = np.random.default_rng(7)
    worth = {"A": 2.0, "B": 0.7, "C": -0.7, "D": -2.0}
    rows = []
    for item in range(120):
        left, right = rng.choice(list(worth), 2, replace=False)
        gap = worth[left] - worth[right] + rng.normal(0, 1)
        for judge in rng.choice(12, 4, replace=False):
            sign = -1 if judge == 0 else 1
            won = rng.random() < 1 / (1 + np.exp(-sign * gap))
            rows.append((f"j{judge:02d}", str(item), left, right, "left" if won else "right"))
    columns = ["judge", "item", "left", "right", "outcome"]
    pl.DataFrame(rows, schema=columns, orient="row").write_csv("votes.csv")
    return "votes.csv"


def test_what_excludes_the_flagged_can_be_copied(evenhand, votes):
    """Also where a name has a blank or a quote, and its column is a word of SQL."""
    name, column = "Ann O'Brien of the second year", "order"
    text = Path(votes).read_text().replace("j00", name).replace("judge,", f"{column},", 1)
    Path("odd.csv").write_text(text)
    words = ["odd.csv", "--column", f"judge={column}"]
    said = evenhand("judges", *words).out
    (line,) = [one for one in said.splitlines() if "--without" in one]
    option, python = re.search(
        "(--without .*), in Python (.*)\\.", said.replace("\n       ", " ")
    ).groups()
    assert option in line
    excluded = evenhand("judges", *words, *shlex.split(option), "--json").json["excluded"]
    assert [one["judge_names"] for one in excluded] == [[name]]
    judgments = read("odd.csv", columns={"judge": column})
    (exclusion,) = eval(f"judgments.{python}", {"judgments": judgments}).excluded
    assert exclusion.judge_names == (name,)


def test_a_careless_judge_of_ratings_is_flagged_with_a_card(evenhand, scores):
    text = evenhand("judges", scores, "--scale", "1-5").out
    assert "j00: careless" in text
    assert text.startswith("1 of 20 judges is flagged")
    assert "without the judge: " in text, "the card says what excluding the judge changes"
    assert "Fleiss" not in text


def test_a_reversed_judge_of_comparisons_is_flagged(evenhand, votes):
    found = evenhand("judges", votes, "--json").json
    assert found["screening"]["flagged"] == ["j00"]
    card = found["screening"]["cards"][0]
    assert card["judge"] == "j00"
    assert card["flags"] == ["reversed"]
    assert card["effect"]
    assert found["diagnosis"] is None


def test_the_golden_campaign_gives_its_numbers_through_the_command(evenhand, folder):
    one = golden("09_hamon_judge_diagnosis", "hamon")
    rows = [
        (f"J{judge}", str(segment), one.input["systems"][system], score)
        for segment, system, judge, _, score in one.input["records"]
    ]
    frame = pl.DataFrame(rows, schema=["judge", "item", "system", "score"], orient="row")
    frame.write_csv("golden.csv")
    found = evenhand("judges", "golden.csv", "--scale", "1-5", "--json").json["diagnosis"]
    kappa = one.expected["kappa"] if "kappa" in one.expected else one.expected["fleiss"]
    expected = kappa["kappa"] if isinstance(kappa, dict) else kappa
    assert found["agreement"][-1]["kappa"] == pytest.approx(expected, abs=1e-9)


@pytest.fixture
def four(folder: Path) -> str:
    """Four judges, whose numbers are worked out by hand."""
    columns = ["judge", "item", "system", "score"]
    pl.DataFrame(LINES, schema=columns, orient="row").write_csv("four.csv")
    return "four.csv"


def test_table_4_has_each_number_in_its_column(evenhand, four):
    text = evenhand("judges", four, "--remove", "mean-score").out
    (line,) = [one for one in text.splitlines() if " the choice " in one]
    assert line.split() == [
        *("all", "scores", "the", "choice", "25", "%"),
        *("0.993", "1.000", "-0.803", "2.00", "4.67"),
    ]
    (header,) = [one for one in text.splitlines() if "r of removed" in one and "lost" in one]
    assert header.split() == [
        *("scores", "without", "lost", "r", "ρ", "r", "of", "removed", "kept", "removed"),
    ]
    assert "The choice: outside by mean score" in " ".join(text.split())
