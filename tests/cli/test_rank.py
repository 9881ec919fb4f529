from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from evenhand import datasets

# Dras (2015), Table 1: R 4.2.2, glm(y ~ 0 + pair + o1 + o2 + o3 + g1, family = poisson)
LAMBDA = {"A": 0.400671143644859, "B": -1.09806814223783, "C": -1.54952425741054, "D": 0.0}

KEYS = [
    *("signature", "level", "method", "rank_interval", "n_judgments", "n_comparisons"),
    *("n_judges", "effective_judges", "systems"),
]
SYSTEM_KEYS = [
    *("system", "log_worth", "stderr", "lower", "upper", "rank", "rank_lower", "rank_upper"),
    *("cluster", "wins", "ties", "losses"),
]


def test_json_is_the_documented_contract(evenhand, table1):
    found = evenhand("rank", table1, "--json").json
    assert set(KEYS) <= set(found)
    assert found["signature"].startswith("evenhand ")
    assert (found["level"], found["rank_interval"]) == (0.95, "marginal")
    assert (found["n_judgments"], found["n_comparisons"], found["n_judges"]) == (960, 960, 4)
    assert found["effective_judges"] == pytest.approx(4)  # four judges of 240 answers each
    assert [set(SYSTEM_KEYS) <= set(row) for row in found["systems"]] == [True] * 4


def test_counts_and_worths_of_table_1_are_those_of_the_paper_and_of_r(evenhand, table1):
    systems = evenhand("rank", table1, "--json").json["systems"]
    # Dras (2015), section 2: first preferences and the order A-D-B-C
    assert [(row["system"], row["wins"]) for row in systems] == [
        ("A", 402),
        ("D", 334),
        ("B", 127),
        ("C", 54),
    ]
    centre = sum(LAMBDA.values()) / 4
    for row in systems:
        assert row["log_worth"] == pytest.approx(2 * (LAMBDA[row["system"]] - centre), abs=2e-6)
        assert row["lower"] < row["log_worth"] < row["upper"]
        assert row["rank_lower"] <= row["rank"] <= row["rank_upper"]


def test_worth_and_elo_are_further_columns(evenhand, table1):
    plain = evenhand("rank", table1, "--json").json["systems"][0]
    assert not {"elo", "worth"} & set(plain)
    systems = evenhand("rank", table1, "--json", "--elo", "--worth").json["systems"]
    assert sum(row["worth"] for row in systems) == pytest.approx(1)
    # the same fit in R: worth of A
    assert systems[0]["worth"] == pytest.approx(0.65838289143318, abs=1e-6)
    assert sum(row["elo"] for row in systems) / 4 == pytest.approx(1000)
    text = evenhand("rank", table1, "--elo", "--worth").out
    assert re.search(r"rank +system +log-worth +Elo +worth", text)
    # 1000 + 400 log10(e) · 1.9248, the centred log-worth of A
    assert re.search(r"^ 1 +A +1\.92 +1334 +0\.658 ", text, re.MULTILINE)


def test_csv_holds_what_json_holds(evenhand, table1):
    systems = evenhand("rank", table1, "--json").json["systems"]
    rows = list(csv.DictReader(io.StringIO(evenhand("rank", table1, "--csv").out)))
    assert [list(row) for row in rows] == [list(row) for row in systems]
    for row, system in zip(rows, systems, strict=True):
        assert row == {key: str(value) for key, value in system.items()}


def test_what_csv_has_no_place_for_goes_to_the_error_stream(evenhand, table1):
    assert "about these 4 judges only" in evenhand("rank", table1, "--csv").err


def test_latex_is_a_booktabs_table_with_the_signature_as_a_comment(evenhand, folder):
    Path("odd.csv").write_text(
        "left,right,outcome\na_b,50%,left\n50%,a_b,left\na_b,50%,left\n", encoding="utf-8"
    )
    lines = evenhand("rank", "odd.csv", "--latex").out.splitlines()
    assert lines[0].startswith("% evenhand ")
    for word in (r"\toprule", r"\midrule", r"\bottomrule", r"\end{tabular}"):
        assert lines.count(word) == 1
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert [row.split(" & ")[1] for row in body] == [r"a\_b", r"50\%"]
    assert all(row.count("&") == 3 and row.endswith(r"\\") for row in body)
    assert "| davidson |" in evenhand("rank", "odd.csv").out


def test_the_terminal_says_what_was_read_what_was_done_and_what_came_out(evenhand, table1):
    lines = evenhand("rank", table1).out.splitlines()
    assert lines[0] == "about these 4 judges only"
    said = "\n".join(lines)
    for label in ("read ", "model", "says ", "sign "):
        assert re.search(rf"^{label}  \S", said, re.MULTILINE)
    assert "960 judgments, 4 judges, 4 systems, 4 % ties" in said
    assert re.search(r"^ 1 +A +1\.92 .*●.* 3 of 3$", said, re.MULTILINE)


def test_piped_output_is_plain_and_fits_80_columns(evenhand, tasks):
    text = evenhand("rank", tasks, "--elo", "--worth").out
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_colour_only_adds_and_can_be_forbidden(evenhand, table1):
    plain = evenhand("rank", table1).out
    coloured = evenhand("rank", table1, color=True).out
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert evenhand("rank", table1, color=True, NO_COLOR="1").out == plain


def test_clusters_are_parted_by_a_rule(evenhand, table1):
    clusters = [row["cluster"] for row in evenhand("rank", table1, "--json").json["systems"]]
    assert clusters == [1, 2, 3, 4]
    assert evenhand("rank", table1).out.count("\n ┈┈┈") == 3


def test_long_names_are_cut_in_the_middle_but_only_on_the_terminal(evenhand, folder):
    name = "newstest2012.fr-en." + "constrained-" * 9 + "primary"
    Path("long.csv").write_text(
        f"left,right,outcome\n{name},B,left\nB,{name},left\n", encoding="utf-8"
    )
    text = evenhand("rank", "long.csv").out
    row = next(line for line in text.splitlines() if "●" in line and " B " not in line)
    assert re.search(r" newst\w*….*primary ", row)
    assert len(row) <= 80
    systems = evenhand("rank", "long.csv", "--json").json["systems"]
    assert name in [row["system"] for row in systems]
    assert name in evenhand("rank", "long.csv", "--csv").out


def test_wide_letters_do_not_break_the_columns(evenhand, folder):
    Path("wide.csv").write_text(
        "left,right,outcome\n系统一,B,left\nB,系统一,left\n系统一,B,left\n", encoding="utf-8"
    )
    rows = [line for line in evenhand("rank", "wide.csv").out.splitlines() if "●" in line]
    # each of the three letters of the first row takes two columns of a terminal
    assert rows[0].index("0.") + 3 == rows[1].index("-0.") + 1


def test_several_tasks_are_ranked_each_by_itself_and_a_line_says_so(evenhand, tasks):
    found = evenhand("rank", tasks, "--json").json
    assert list(found["groups"]) == ["one", "two"]
    assert set(KEYS) <= set(found["groups"]["one"])
    best = {name: group["systems"][0]["system"] for name, group in found["groups"].items()}
    assert best == {"one": "A", "two": "C"}  # task two has every preference turned round
    text = evenhand("rank", tasks).out
    assert "2 values of task, each ranked by itself" in text
    assert text.count("\nsign  ") == 2


def test_one_task_can_be_chosen(evenhand, tasks):
    found = evenhand("rank", tasks, "--task", "two", "--json").json
    assert "groups" not in found
    assert found["systems"][0]["system"] == "C"


def test_groups_can_be_any_column(evenhand, table1):
    groups = evenhand("rank", table1, "--group-by", "judge", "--json").json["groups"]
    assert list(groups) == ["J1", "J2", "J3", "J4"]
    # Dras (2015), Table 1, J3: A is preferred to B 33 times, to C 33, to D 3
    rows = {row["system"]: row for row in groups["J3"]["systems"]}
    assert rows["A"]["wins"] == 33 + 33 + 3
    names = [
        row.split(",")[:2]
        for row in evenhand("rank", table1, "--group-by", "judge", "--csv").out.splitlines()
    ]
    assert names[0] == ["group", "system"]
    assert len(names) == 1 + 4 * 4


def test_a_group_that_cannot_be_ranked_is_named_and_the_others_are_ranked(evenhand, folder):
    Path("mixed.csv").write_text(
        "task,left,right,outcome\ngood,A,B,left\ngood,B,A,left\nbad,A,B,left\n", encoding="utf-8"
    )
    found = evenhand("rank", "mixed.csv", "--json").json
    assert list(found["groups"]) == ["good"]
    assert "worths are not identified" in found["refused"]["bad"]
    assert re.search(
        r"^error  worths are not identified", evenhand("rank", "mixed.csv").out, re.MULTILINE
    )
    assert "bad is not ranked" in evenhand("rank", "mixed.csv", "--csv").err


def test_where_is_a_condition_on_the_files_own_columns(evenhand, table1):
    Path("own.csv").write_text(
        Path(table1).read_text().replace("judge,", "annotator,", 1), encoding="utf-8"
    )
    found = evenhand("rank", "own.csv", "--where", "annotator <> 'J3'", "--json").json
    assert (found["n_judgments"], found["n_judges"]) == (720, 3)


def test_columns_and_weight_can_be_named(evenhand, table1):
    text = Path(table1).read_text()
    Path("odd.csv").write_text(
        text.replace("judge,left,right,outcome,weight", "who,x,y,said,times", 1), encoding="utf-8"
    )
    words = ["--column", "judge=who", "--column", "left=x", "--column", "right=y"]
    words += ["--column", "outcome=said", "--weight", "times"]
    odd = evenhand("rank", "odd.csv", *words, "--json").json
    assert odd["systems"] == evenhand("rank", table1, "--json").json["systems"]


def test_several_files_are_read_as_one(evenhand, table1):
    header, *rows = Path(table1).read_text().splitlines()
    for name, part in (("a.csv", rows[::2]), ("b.csv", rows[1::2])):
        Path(name).write_text("\n".join([header, *part]) + "\n", encoding="utf-8")
    both = evenhand("rank", "a.csv", "b.csv", "--json").json
    assert both["signature"] == evenhand("rank", table1, "--json").json["signature"]


def test_without_judges_a_line_says_what_is_assumed(evenhand, modpref):
    line = "no judge column: intervals assume independent judgments"
    assert line in evenhand("rank", modpref).out
    assert line in evenhand("rank", modpref, "--json").json["notes"]


def test_blank_rankings_are_counted_and_reported(evenhand, rankings):
    text = evenhand("rank", rankings).out
    assert "1 of 5 rankings are blank: left out" in text
    assert "1 ranking of one output only: nothing to compare" in text
    assert "3 rankings → 9 comparisons" in text
    assert (
        "1 of 5 rankings are blank: left out" in evenhand("rank", rankings, "--json").json["notes"]
    )


@pytest.mark.parametrize("interval", ["sandwich", "model", "bootstrap"])
def test_every_kind_of_interval_names_itself(evenhand, modpref, interval):
    found = evenhand("rank", modpref, "--interval", interval, "--json").json
    assert interval in found["method"]
    assert found["systems"][0]["lower"] < found["systems"][0]["upper"]


def test_a_higher_level_is_wider_and_a_seed_stands_in_the_signature(evenhand, modpref):
    narrow = evenhand("rank", modpref, "--level", ".8", "--json").json
    wide = evenhand("rank", modpref, "--level", ".99", "--seed", "7", "--json").json
    assert wide["systems"][0]["upper"] > narrow["systems"][0]["upper"]
    assert "seed=7" in wide["signature"]


@pytest.mark.parametrize("ties", ["rao-kupper", "glenn-david", "half-win", "discard", "none"])
def test_every_treatment_of_ties_can_be_asked_for(evenhand, table1, ties):
    found = evenhand("rank", table1, "--ties", ties, "--json").json
    assert f"| {ties} |" in found["signature"]
    assert [row["system"] for row in found["systems"]] == ["A", "D", "B", "C"]


def test_a_prior_gives_the_unbeaten_a_finite_worth(evenhand, folder):
    Path("always.csv").write_text("left,right,outcome\nA,B,left\nA,B,left\n", encoding="utf-8")
    assert "--prior 1" in evenhand("rank", "always.csv", code=2).err
    found = evenhand("rank", "always.csv", "--prior", "1", "--json").json
    assert found["systems"][0]["system"] == "A"
    assert "prior 1" in found["signature"]


@pytest.mark.parametrize(
    ("name", "first"), [("b.json", "{"), ("b.csv", "s"), ("b.tex", "%"), ("b.txt", "a")]
)
def test_the_ending_of_the_output_file_chooses_the_format(evenhand, table1, name, first):
    ran = evenhand("rank", table1, "-o", name)
    assert (ran.out, ran.err.splitlines()[-1]) == ("", f"wrote  {name}")
    assert Path(name).read_text(encoding="utf-8")[0] == first


def test_a_file_holds_what_the_terminal_would_show(evenhand, table1):
    evenhand("rank", table1, "--json", "-o", "board.txt")
    assert Path("board.txt").read_text() == evenhand("rank", table1, "--json").out


def test_too_many_systems_for_intervals_get_differences_of_neighbours(evenhand, folder):
    k = 3_010
    lines = [
        f"s{i},s{(i + step) % k},{said}"
        for i in range(k)
        for step in (1, 7, 50)
        for said in ("left", "right", "tie")
    ]
    Path("many.csv").write_text("left,right,outcome\n" + "\n".join([*lines, "s5,s6,left"]) + "\n")
    text = evenhand("rank", "many.csv").out
    assert re.search(r"^pairs  s5 − s\d+ 0\.\d+ \(s\.e\. \d\.\d+\)$", text, re.MULTILINE)
    assert "●" not in text
    found = evenhand("rank", "many.csv", "--json").json
    assert found["systems"][0]["system"] == "s5"
    assert (found["systems"][0]["lower"], found["systems"][0]["cluster"]) == (None, None)
    assert "too many for standard errors" in evenhand("fit", "many.csv").out


def test_wmt12_in_its_original_layout_gives_eight_rankings(evenhand, data_folder):
    file = data_folder / "wmt12_rankings" / "wmt12.RNK_results.csv"
    found = evenhand("rank", str(file), "--json").json
    # statmt.org/wmt12: eight language pairs; the data set's README: 26 blank rankings
    assert list(found["groups"]) == [
        *("cs-en", "de-en", "en-cs", "en-de", "en-es", "en-fr", "es-en", "fr-en"),
    ]
    assert any(note.startswith("26 of ") for note in found["notes"])
    assert len(found["groups"]["fr-en"]["systems"]) == 15


def test_the_bundled_tables_can_all_be_ranked(evenhand):
    for name in datasets.names():
        evenhand("demo", name, "-o", f"{name}.csv")
        assert len(evenhand("rank", f"{name}.csv", "--json").json["systems"]) > 1
