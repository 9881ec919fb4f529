from __future__ import annotations

import re
from pathlib import Path

import pytest

import evenhand as package
from evenhand.errors import UnknownOption

# Dras (2015), Table 1: R 4.2.2, glm(y ~ 0 + pair + o1 + o2 + o3 + g1, family = poisson)
LAMBDA = {"A": 0.400671143644859, "B": -1.09806814223783, "C": -1.54952425741054, "D": 0.0}


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
    assert re.search(r"rank +system +log-worth +95 % interval +Elo +worth", text)
    # 1000 + 400 log10(e) · 1.9248, the centred log-worth of A
    assert re.search(r"^ 1 +A +1\.92 +1\.\d\d to +2\.\d\d +1,334 +0\.658 ", text, re.MULTILINE)


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
    assert "bad: worths are not identified" in evenhand("rank", "mixed.csv", "--csv").err


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
    _, neighbours = text.split("Differences of neighbours at the top")
    assert re.search(r"^ s5 +s\d+ +0\.\d+ +\d\.\d+$", neighbours, re.MULTILINE)
    assert "... and 2,910 more" in text
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
    assert any(one["text"].startswith("26 of ") for one in found["findings"])
    assert len(found["groups"]["fr-en"]["systems"]) == 15


def test_blank_ranks_are_told_besides_blank_rankings(evenhand, rankings):
    """Of the four rankings with ranks, the last ranks one output of three."""
    text = evenhand("rank", rankings).out
    assert "1 of 5 rankings are blank and excluded" in text
    assert "2 of 12 ranks of the others are blank and not compared" in text
    found = evenhand("inspect", rankings, "--json").json["total"]
    assert (found["ranks"], found["blank_ranks"]) == (12, 2)
    assert "2 of 12 ranks of the others are blank" in " ".join(
        evenhand("inspect", rankings).out.split()
    )


def test_own_outcome_labels_are_declared_on_the_command_line(evenhand, folder):
    rows = ["A,B,A is better", "B,A,A is better", "A,B,=", "A,B,A is better"]
    Path("own.csv").write_text("\n".join(["left,right,vote", *rows]), encoding="utf-8")
    words = ["--outcome", "A is better=left", "--outcome", "==tie"]
    systems = evenhand("rank", "own.csv", *words, "--json").json["systems"]
    assert {one["system"]: (one["wins"], one["ties"], one["losses"]) for one in systems} == {
        "A": (2, 1, 1),
        "B": (1, 1, 2),
    }


def test_the_seed_that_help_shows_is_the_one_that_python_uses():
    """The option must not import numpy for its default, so it stands twice."""
    from evenhand.cli import options
    from evenhand.data import coding

    assert options.SEED == coding.SEED


def test_a_ranking_takes_no_reference_since_its_worths_are_less_their_mean(evenhand, table1):
    refused = evenhand("rank", table1, "--reference", "A", code=2).err
    assert "evenhand rank has no option --reference; fit has it" in refused
    for model in (package.BradleyTerry(reference="A"), package.PlackettLuce(reference="A")):
        with pytest.raises(UnknownOption, match="Leave reference='A' out"):
            package.rank(table1, model=model)
