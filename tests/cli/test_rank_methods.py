"""`evenhand rank --method`: one rule's board, several methods side by side, merged outputs."""

import pytest

from evenhand.render.text import shorten
from ranking.simple_rules import use_rules


@pytest.fixture
def rules(monkeypatch):
    return use_rules(monkeypatch)


def test_a_bootstrap_gives_rules_ranges_by_judge_wider_than_by_comparison(evenhand, tmp_path):
    """Of 10 judges 7 always prefer a: √(.7 · .3 / 10) = .145, and √(.7 · .3 / 1000) = .0145."""
    rows = [f"a,b,{'a' if j < 7 else 'b'},j{j}" for j in range(10) for _ in range(100)]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(["left,right,winner,judge", *rows]) + "\n")
    ask = ("rank", str(path), "--method", "win-rate", "--interval", "bootstrap", "--json")
    by_judge, apart = (evenhand(*ask, *more).json for more in ((), ("--cluster", "judgment")))
    assert by_judge["systems"][0]["stderr"] == pytest.approx(0.1449, rel=0.08)
    assert apart["systems"][0]["stderr"] == pytest.approx(0.01449, rel=0.08)
    assert [one["cluster"] for one in by_judge["systems"]] == [1, 1]
    assert [one["cluster"] for one in apart["systems"]] == [1, 2]
    assert "drawn=judge" in by_judge["signature"]


def test_settings_that_a_rule_takes_with_a_bootstrap_say_so(evenhand, table1):
    refused = evenhand("rank", table1, "--method", "win-rate", "--cluster", "judge", code=2).err
    assert "--cluster with --method win-rate needs --interval bootstrap" in refused
    own = evenhand(
        *("rank", table1, "--method", "trueskill", "--interval", "bootstrap"),
        *("--cluster", "judge"),
        code=2,
    ).err
    assert "trueskill draws comparisons" in own


def test_all_methods_stand_side_by_side_in_the_order_of_the_default(evenhand, table1, rules):
    text = evenhand("rank", table1, "--method", "all").out
    lines = text.splitlines()
    # by hand: lot has B C D A, of whose six pairs only B before C is the others'
    assert lines[0] == "Methods order 5 of 6 pairs differently."
    start = lines.index(" method         distance  systems, best first")
    assert lines[start + 1 : start + 5] == [
        " bradley-terry         0  A, D, B, C",
        " wins                  0  A, D, B, C",
        " fewest-losses         0  A, D, B, C",
        " lot                   5  B, C, D, A",
    ]
    assert "A before D: 3 of 4 methods, not lot" in lines
    assert "D before B: 3 of 4 methods, not lot" in lines  # the majority's order, not of names
    assert "warning never gives no scores: never says anything." in lines
    assert lines[-1].endswith(("sha256", *"0123456789abcdef"))


def test_shortened_names_stay_different_and_are_never_empty():
    assert shorten(["a.", "a.b"]) == (["a.", "a.b"], "")
    assert shorten(["a.x", "a.x.b"]) == (["x", "x.b"], "names without 'a.'")
    assert shorten(["one"]) == (["one"], "")
    assert shorten(["x-a-z", "x-b-z"]) == (["a", "b"], "names without 'x-' and '-z'")
    assert shorten(["ab1", "ab2"]) == (["ab1", "ab2"], "")


def test_merged_outputs_are_read_on_the_command_line(evenhand, folder):
    lines = ["ranking,system,rank", "r1,A+B,1", "r1,C,2", "r2,C,1", "r2,A,2", "r2,B,2"]
    (folder / "merged.csv").write_text("\n".join(lines))
    found = evenhand("rank", "merged.csv", "--system-separator", "+", "--json").json
    assert {row["system"]: (row["wins"], row["losses"]) for row in found["systems"]} == {
        "A": (1, 1),
        "B": (1, 1),
        "C": (2, 2),
    }
    assert (found["n_judgments"], found["n_comparisons"]) == (2, 5)
    said = " ".join(one["text"] for one in found["findings"])
    assert "1 of 4 names stand for several systems, such as 'A+B'" in said
    assert "named like" not in evenhand("inspect", "merged.csv", "--system-separator", "+").out
    hint = "1 of 4 systems is named like several of the others, 'A+B'"
    assert hint in " ".join(evenhand("inspect", "merged.csv").out.split())
    assert hint in evenhand("rank", "merged.csv", code=2).err
    fitted = evenhand("fit", "merged.csv", "--system-separator", "+", "--json").json
    assert fitted["n_comparisons"] == 5
    evenhand("convert", "merged.csv", "--system-separator", "+", "--comparisons", "-o", "pairs.csv")
    assert evenhand("inspect", "pairs.csv", "--json").json["total"]["comparisons"] == 5


def test_merged_ratings_are_of_each_system_and_an_empty_sign_keeps_names(evenhand, folder, table1):
    (folder / "ratings.csv").write_text("system,score\nA+B,3\n")
    found = evenhand("inspect", "ratings.csv", "--system-separator", "+", "--json").json
    assert any("that of each" in one["text"] for one in found["findings"])
    kept = evenhand("rank", table1, "--system-separator", "", "--json").json
    assert kept["systems"] == evenhand("rank", table1, "--json").json["systems"]
