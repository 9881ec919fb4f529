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


def test_the_four_tables_stand_below_the_flags(evenhand, scores):
    text = evenhand("judges", scores, "--hamon").out
    titles = ["j00: careless", "\nn-agreement", "\nFleiss' κ", "\nJudges outside", "\nSystems sc"]
    assert [text.index(title) for title in titles] == sorted(text.index(one) for one in titles)


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


def test_tasks_have_tables_of_their_own_and_flags_together(evenhand, scores):
    frame = pl.read_csv(scores).with_columns(task=pl.lit("one"))
    pl.concat([frame, frame.with_columns(task=pl.lit("two"))]).write_csv("tasks.csv")
    groups = evenhand("judges", "tasks.csv", "--json").json["groups"]
    assert list(groups) == ["all tasks", "one", "two"]
    assert groups["all tasks"]["screening"]["judges"] == JUDGES
    assert groups["one"]["screening"] is None
    assert groups["one"]["diagnosis"]["deleted"] == groups["two"]["diagnosis"]["deleted"]


def test_figures_are_written_as_svg_and_png(evenhand, scores, folder):
    evenhand("judges", scores, "--figures", "drawn")
    names = {path.name for path in (folder / "drawn").iterdir()}
    assert {
        "systems.svg",
        "systems.png",
        "judges-mean-fluency.svg",
        "removal-adequacy.png",
    } <= names
    assert (folder / "drawn" / "systems.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / "drawn" / "judges-distance-fluency.svg").read_text()


def test_figures_of_comparisons_show_how_judges_follow_the_others(evenhand, votes, folder):
    ran = evenhand("judges", votes, "--figures", "drawn", "--figures-as", "svg")
    assert [path.name for path in (folder / "drawn").iterdir()] == ["slopes.svg"]
    assert ran.err == "wrote  1 figure to drawn\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--scale", "5-1"], "a low end comes first"),
        (["--scale", "1-4"], "not on the scale"),
        (["--merge", "x"], "write 1+2,4+5"),
        (["--easy", "none.txt"], "cannot be read"),
        (["--reference-system", "Z"], "reference 'Z' is none of the systems"),
        (["--input-type", "inptu"], "column 'inptu' not found"),
        (["--fdr", "2"], "level"),
        (["--sd", "-1"], "-1 sd is no limit"),
        (["--ddof", "2"], "ddof"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(evenhand, scores, words, said):
    ran = evenhand("judges", scores, *words, code=2)
    assert said in ran.err
    assert ran.err.startswith("error")


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


def test_latex_is_mathematics_where_it_should_be(evenhand, four):
    text = evenhand("judges", four, "--latex", "--hamon").out
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert r"$\kappa$" in body
    assert r"$\rho$" in body
    assert "$-0.803$" in body
    assert not any(sign in body for sign in "κρ—")


def test_n_agreement_has_the_steps_of_all_criteria_up_to_the_last(evenhand, folder):
    rows = [(j, i, s, v, "short") for j, i, s, v in LINES]
    rows += [(j, i, s, 3 * v, "long") for j, i, s, v in LINES]
    columns = ["judge", "item", "system", "score", "criterion"]
    pl.DataFrame(rows, schema=columns, orient="row").write_csv("two.csv")
    text = evenhand("judges", "two.csv", "--hamon").out
    (header,) = [line for line in text.splitlines() if "n = 0" in line]
    assert "n = 12" in header


def test_csv_names_the_methods_by_which_a_judge_is_outside(evenhand, four):
    header, *rows = evenhand("judges", four, "--csv").out.splitlines()
    at = header.split(",").index("outside")
    outside = {row.split(",")[0]: row.split(",")[at] for row in rows}
    assert outside == {"w": "", "x": "", "y": "", "z": "mean-score mean-agreement"}


@pytest.mark.parametrize(
    "words",
    [
        ("--sd", "1"),
        ("--ddof", "1"),
        ("--version", "first"),
        ("--across", "each"),
        ("--match", "any"),
        ("--mean-score", "mean"),
        ("--group-by", "judge"),
        ("--hamon",),
    ],
)
def test_options_of_ratings_are_refused_for_comparisons_whatever_their_value(
    evenhand, votes, words
):
    assert f"{words[0]} is for ratings" in evenhand("judges", votes, *words, code=2).err


def test_why_nobody_can_be_flagged_is_said_once(evenhand, folder):
    """Three judges are too few."""
    rows = [f"{item},{judge},x,y,left" for item in range(9) for judge in "abc"]
    Path("few.csv").write_text("\n".join(["item,judge,left,right,outcome", *rows, ""]))
    text = " ".join(evenhand("judges", "few.csv").out.split())
    assert text.count("too few to define usual behaviour") == 1
    assert "Nobody is called careless or reversed: 3 judges are too few" in text
