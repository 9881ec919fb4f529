from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest


def test_what_cannot_be_ranked_is_seen_before(evenhand, folder):
    Path("apart.csv").write_text(
        "left,right,outcome\nA,B,left\nB,A,left\nC,D,left\nD,C,left\n", encoding="utf-8"
    )
    assert "2 groups of systems were never compared" in evenhand("inspect", "apart.csv").out
    Path("always.csv").write_text("left,right,outcome\nA,B,left\n", encoding="utf-8")
    assert "Some worths are infinite" in " ".join(evenhand("inspect", "always.csv").out.split())


def test_judges_of_ratings_whose_names_nearly_agree_are_pointed_out(evenhand, folder):
    rows = [("Gus", "1", "a", 3), ("gus", "2", "a", 4), ("x", "1", "A", 2)]
    text = "judge,item,system,score\n" + "\n".join(",".join(map(str, row)) for row in rows)
    (folder / "case.csv").write_text(text + "\n")
    said = evenhand("inspect", "case.csv").out.replace("\n       ", " ")
    assert "'Gus' and 'gus' are taken for two judges" in said
    assert "'A' and 'a' are taken for two systems" in said


def test_rows_that_were_pasted_twice_are_counted(evenhand, folder):
    rows = [f"{judge},{item},A,B,left\n" for judge in "xyz" for item in "123"]
    text = "judge,item,left,right,outcome\n" + "".join([*rows, *rows[:4]])
    Path("twice.csv").write_text(text, encoding="utf-8")
    found = evenhand("inspect", "twice.csv", "--json").json["findings"]
    assert [one["values"]["rows"] for one in found if one["code"] == "identical-rows"] == [4]
    said = evenhand("inspect", "twice.csv").out.replace("\n        ", " ")
    assert "4 rows equal another row in every column (lines 2 and 11, 3 and 12, 4 and 13" in said
    # without judges or items the same row is just another answer
    Path("bare.csv").write_text("left,right,outcome\nA,B,left\nA,B,left\n", encoding="utf-8")
    assert "identical" not in evenhand("inspect", "bare.csv", "--json").out


def test_a_score_far_from_all_others_is_named(evenhand, folder):
    rows = [f"j{n % 3},i{n // 6},{'AB'[n % 2]},{n % 5 + 1}\n" for n in range(60)]
    head = "judge,item,system,score\n"
    Path("good.csv").write_text(head + "".join(rows), encoding="utf-8")
    Path("slip.csv").write_text(head + "".join(rows) + "j0,i9,A,55\n", encoding="utf-8")
    assert "far-score" not in evenhand("inspect", "good.csv", "--json").out
    said = evenhand("inspect", "slip.csv").out.replace("\n        ", " ")
    assert "warning 1 score of 55 (line 62), all others from 1 to 5: if it is a slip" in said


@pytest.mark.parametrize("slip", ["8", "0", "-1"])
def test_a_score_off_a_scale_that_all_others_make_is_named(evenhand, folder, slip):
    rows = [f"j{n % 3},i{n // 6},{'AB'[n % 2]},{n % 5 + 1}\n" for n in range(40)]
    text = "judge,item,system,score\n" + "".join(rows)
    Path("slip.csv").write_text(f"{text}j0,i9,A,{slip}\n", encoding="utf-8")
    findings = evenhand("inspect", "slip.csv", "--json").json["findings"]
    (found,) = [one for one in findings if one["code"] == "far-score"]
    assert found["values"]["score"] == float(slip)
    assert "(line 42)" in found["text"]
    # one slip does not hide another
    Path("two.csv").write_text(f"{text}j0,i9,A,{slip}\nj0,i9,B,55\n", encoding="utf-8")
    findings = evenhand("inspect", "two.csv", "--json").json["findings"]
    found = [one["values"]["score"] for one in findings if one["code"] == "far-score"]
    assert found == [55, float(slip)]
    # Ten is the end of another scale, and 6 may be one
    Path("six.csv").write_text(f"{text}j0,i9,A,6\n", encoding="utf-8")
    assert "far-score" not in evenhand("inspect", "six.csv", "--json").out


@pytest.mark.parametrize("verb", ["inspect", "judges", "rank"])
def test_judges_on_a_shorter_scale_than_the_others_are_named(verb, evenhand, folder):
    scores = ((j, i, s, (i * 7 + j) % 5 + 1) for j in range(4) for i in range(12) for s in "AB")
    lines = [f"j{j},i{i},{s},{score * (1 if j < 2 else 20)}" for j, i, s, score in scores]
    text = "\n".join(["judge,item,system,score", *lines])
    Path("scales.csv").write_text(text, encoding="utf-8")
    result = evenhand(verb, "scales.csv", "--json").json
    (found,) = [one for one in result["findings"] if one["code"] == "short-scales"]
    values = {"judges": ["j0", "j1"], "own": 5, "highest": 100, "of": ""}
    assert (found["severity"], found["values"]) == ("warning", values)


def test_rows_of_a_wide_table_are_named_by_their_lines_in_the_file(evenhand, folder):
    rows = [f"j{n % 4},i{n // 4},{n % 5 + 1},{n % 3 + 1},{n * 7 % 5 + 1}" for n in range(40)]
    rows[20] = "j0,i5,1,,88"  # one system has no score
    text = "\n".join(["judge,item,sysA,sysB,sysC", *rows, rows[4]])
    Path("wide.csv").write_text(text, encoding="utf-8")
    said = " ".join(evenhand("inspect", "wide.csv").out.split())
    assert "1 score of 88 (line 22)" in said
    assert "3 rows equal another row in every column (lines 6 and 42)" in said
    assert "scale" not in said  # one slip is none


def test_all_missing_columns_are_asked_for_at_once_as_words_of_a_shell(evenhand, folder):
    Path("sheet.csv").write_text("Judge,Sys A,Sys B,verdict\nx,A,B,left\n", encoding="utf-8")
    said = evenhand("inspect", "sheet.csv", code=2).err
    assert "Are they 'Sys A' and 'Sys B'?" in said
    options = re.search(r"Say which they are: (.*), in Python", said)[1]
    assert evenhand("inspect", "sheet.csv", *shlex.split(options)).code == 0


def test_a_declared_scale_is_checked_by_inspect_and_report(evenhand, folder):
    """Scores of 2 to 4 on a scale of 1 to 5: the scale of agreement, diagnosis and methods."""
    rows = [
        f"j{judge},i{item},{system},{2 + (item + judge * (item % 2) + (system == 'B')) % 3}"
        for judge in range(4)
        for item in range(8)
        for system in "AB"
    ]
    text = "\n".join(["judge,item,system,score", *rows])
    Path("scores.csv").write_text(text, encoding="utf-8")
    said = " ".join(evenhand("inspect", "scores.csv", "--scale", "1-5").out.split())
    assert "All scores are on the scale 1 to 5." in said
    refused = evenhand("inspect", "scores.csv", "--scale", "1-3", code=2).err
    lines = [at for at, row in enumerate(rows, start=2) if row.endswith("4")]
    where = ", ".join(map(str, lines[:5]))
    refused = " ".join(refused.split())
    assert f"{len(lines)} scores are not on the scale 1 to 3: 4 (lines {where}); correct" in refused
    assert "--missing" not in refused  # a third of all scores
    cured = evenhand("inspect", "scores.csv", "--scale", "1-3", "--missing", "4").out
    assert "All scores are on the scale 1 to 3." in " ".join(cured.split())
    words = ("--scale", "1-5", "--sections", "scoring,scorers,methods", "--json")
    report = evenhand("report", "scores.csv", *words).json["parts"][0]
    sections = {one["name"]: one for one in report["sections"]}
    (written,) = (
        one["text"] for one in sections["methods"]["blocks"] if one["name"] == "methods.txt"
    )
    assert "Krippendorff's α, on the scale 1 to 5, declared (" in written
    for name in ("scoring", "scorers"):
        command = shlex.split(sections[name]["command"])[1:]
        assert "--scale" in command
        assert evenhand(*command).out
    Path("votes.csv").write_text("left,right,outcome\nA,B,left\nB,A,left\n", encoding="utf-8")
    for verb in ("inspect", "report"):
        refused = evenhand(verb, "votes.csv", "--scale", "1-5", code=2).err
        assert "scale '1-5' is of scores, and votes.csv holds none" in " ".join(refused.split())
    assert "scale 'x' is none" in evenhand("report", "scores.csv", "--scale", "x", code=2).err


def test_a_misspelt_system_is_asked_about(evenhand, folder):
    rows = [f"{a},{b},{o}" for a, b in ("AB", "BC", "CA") for o in ("left", "right", "tie")] * 5
    named = {"A": "opus", "B": "lark", "C": "gpt-4"}
    text = "\n".join(["left,right,outcome", *rows])
    for letter, name in named.items():
        text = re.sub(rf"\b{letter}\b", name, text)
    Path("votes.csv").write_text(f"{text}\nopsu,lark,right\n", encoding="utf-8")
    said = " ".join(evenhand("rank", "votes.csv", code=2).err.split())
    assert 'correct "opsu" if it is "opus"' in said
    Path("votes.csv").write_text(f"{text}\ngpt-5,lark,right\n", encoding="utf-8")
    assert "correct" not in evenhand("rank", "votes.csv", code=2).err  # another version


def test_comparisons_are_counted_beside_judgments_where_outputs_are_merged(evenhand, folder):
    """The share of ties is of them."""
    text = "left,right,outcome,system_separator\nA+B,C,tie,+\nA,C,left,+\nB,A,left,+\n"
    Path("merged.csv").write_text(text, encoding="utf-8")
    said = evenhand("inspect", "merged.csv").out
    assert said.startswith("merged.csv: 3 judgments → 4 comparisons, 3 systems, 50 % ties.")
