"""`evenhand compare --nested`, as people and machines read it."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from evenhand import read, tabulate_models
from evenhand.cli.running import VerbResult


def test_table_1_prints_the_deviances_of_the_paper_corrected(evenhand, table1):
    # tests/golden/02: 30.4554 on 8 and 220.9466 on 9; 107.5000 on 35 by judge
    text = evenhand("compare", "--nested", table1).out
    assert re.search(r"^ worths \+ ties +4 +30\.4554 +8 ", text, re.MULTILINE)
    assert re.search(r"^ worths, γ = 0 +3 +220\.9466 +9 ", text, re.MULTILINE)
    assert re.search(r"^ \+ worths by judge +13 +107\.5000 +35 ", text, re.MULTILINE)
    assert re.search(r"^ worths differ by judge +173\.41 +9 +< 0\.001", text, re.MULTILINE)
    assert "take judgments as independent" in " ".join(text.split())


def test_a_named_covariate_takes_the_place_of_the_judges(evenhand, folder):
    path = Path(folder, "votes.csv")
    lines = ["left,right,outcome,judge,group"]
    for judge in range(6):
        group = "crowd" if judge % 2 else "expert"
        won, lost = (8, 4) if judge % 2 else (4, 8)
        for outcome, times in (("left", won), ("right", lost), ("tie", 3)):
            lines += [f"x,y,{outcome},j{judge},{group}"] * times
    path.write_text("\n".join(lines))
    text = " ".join(
        evenhand("compare", "--nested", "votes.csv", "--judge-covariate", "group").out.split()
    )
    assert "+ worths by group" in text
    assert "+ worths by judge" not in text
    assert "worths differ by group 8.16 1 " in text  # 2 Σ O ln(O/E): 24 and 12 of 36


def test_a_group_without_a_fit_says_why_beside_the_others(evenhand, folder):
    rows = ["task,left,right,outcome", *(f"a,x,y,{o}" for o in ("left", "right", "tie"))]
    rows += ["b,x,y,left", "b,x,y,left"]
    Path(folder, "tasks.csv").write_text("\n".join(rows))
    text = evenhand("compare", "--nested", "tasks.csv").out
    assert re.search(r"^b ─+\nerror", text, re.MULTILINE)


def test_a_covariate_of_one_level_in_one_task_leaves_the_rest_of_the_table(evenhand, folder):
    rows = ["task,lang,left,right,outcome"]
    for task, langs in (("one", "e"), ("two", "ef")):
        rows += [f"{task},{x},A,B,{o}" for x in langs for o in ("left", "right", "right", "tie")]
    Path(folder, "tasks.csv").write_text("\n".join(rows))
    found = evenhand(
        "compare", "--nested", "tasks.csv", "--judge-covariate", "lang", "--json"
    ).json["groups"]
    assert found["one"]["refused"]["+ worths by lang"] == "lang has one value only"
    assert "+ worths by lang" in [row["name"] for row in found["two"]["models"]]


@pytest.mark.parametrize("verb", ["compare --nested", "bias"])
def test_no_advice_names_options_that_the_verb_has_not(evenhand, folder, verb):
    rows = ["left,right,outcome"] + ["A,B,left"] * 3 + ["B,A,right"] * 3
    Path(folder, "won.csv").write_text("\n".join(rows))
    said = " ".join(evenhand(*verb.split(), "won.csv", code=2).err.split())
    assert said.endswith("collect comparisons that may contradict this")
    assert "--" not in said
    assert "--prior 1" in evenhand("rank", "won.csv", code=2).err


def test_no_advice_on_one_row_names_options_either(evenhand, folder):
    rows = ["left,right,outcome"] + [f"A,B,{o}" for o in ("left", "right", "tie")]
    Path(folder, "fixed.csv").write_text("\n".join(rows))
    said = evenhand("compare", "--nested", "fixed.csv", "--json").json["refused"]["+ order"]
    assert said.endswith("; show pairs in both orders")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--judge-covariate", "nativ"), "column 'nativ' not found"),
        (("--group-by", "judge", "--judge-covariate", "judge"), "tells groups apart"),
        (("--weights", "importance", "--weight", "weight"), "have no likelihood"),
        (("--json", "--csv"), "exclude each other"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(evenhand, table1, words, said):
    ran = evenhand("compare", "--nested", table1, *words, code=2)
    assert said in " ".join(ran.err.split())
    assert "Traceback" not in ran.err


def test_says_is_a_digest_of_the_tests_with_the_next_command(evenhand, table1):
    says = evenhand("compare", "--nested", table1, "--json").json["says"]
    assert says[0].startswith(
        "If judgments are independent, systems differ; ties need a parameter; worths differ by"
        " judge (see "
    )
    assert "see fit --judge-covariate judge" in says[0]
    assert "order matters" not in says[0]  # it does not
    assert says[1] == "Smallest AIC: + worths by judge."
    text = " ".join(evenhand("compare", "--nested", table1).out.split())
    assert text.startswith(f"{says[0]} {says[1]}")


def test_deviances_of_finer_tables_are_named(evenhand, table1):
    findings = evenhand("compare", "--nested", table1, "--json").json["findings"]
    (finer,) = (one["text"] for one in findings if one["code"] == "finer-tables")
    assert finer.startswith("Deviances by judge are of finer tables of counts")


@pytest.mark.parametrize("columns", [56, 60, 80])
def test_the_table_fits_a_narrow_terminal(columns, table1):
    text = VerbResult({"": tabulate_models(read(table1))}, {}, []).text(columns)
    lines = click.unstyle(text).splitlines()
    assert max(map(len, lines)) <= columns
    assert ("deviance" in text.partition("Tests")[0]) == (columns == 80)


def test_tables_of_judges_can_be_joined(evenhand, folder):
    sides = ("x,y", "y,x")
    outcomes = ("left", "right", "tie")
    rows = [f"{side},{won},j{i}" for side in sides for won in outcomes for i in range(4)] * 3
    Path(folder, "votes.csv").write_text("\n".join(["left,right,outcome,judge", *rows]))
    native = [f"j{i},{'yes' if i % 2 else 'no'}" for i in range(4)]
    Path(folder, "judges.csv").write_text("\n".join(["judge,native", *native]))
    words = ("--judges", "judges.csv", "--judge-covariate", "native", "--json")
    found = evenhand("compare", "--nested", "votes.csv", *words).json
    assert "+ worths by native" in [row["name"] for row in found["models"]]
    for verb in ("test", "bias"):
        grouped = evenhand(verb, "votes.csv", "--judges", "judges.csv", "--group-by", "native").out
        assert "no ──" in grouped
        assert "yes ──" in grouped
