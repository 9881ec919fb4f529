from __future__ import annotations

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
