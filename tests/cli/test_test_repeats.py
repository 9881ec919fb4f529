"""`evenhand test` where one judge gives many answers, and where none does."""

from pathlib import Path


def test_one_judge_is_said_in_the_singular_and_the_test_of_blocks_once(evenhand, folder):
    rows = ["a,b,left,j", "b,c,left,j", "a,c,left,j", "a,b,left,j"]
    Path(folder, "one.csv").write_text("\n".join(["left,right,outcome,judge", *rows]))
    text = " ".join(evenhand("test", "one.csv").out.split())
    assert "Judgments are not independent: 1 judge with all 4." in text
    assert "Not run: Friedman's test needs two complete blocks: 1 of 1 judge compared all 3" in text


def test_a_pair_that_differs_says_what_that_rests_on(evenhand, folder):
    rows = [f"a,b,left,j{i % 2}" for i in range(20)]
    Path(folder, "pair.csv").write_text("\n".join(["left,right,outcome,judge", *rows]))
    says = evenhand("test", "pair.csv", "--json").json["says"]
    assert says.endswith("if all judgments are independent.")
    alone = [f"a,b,left,j{i}" for i in range(20)]
    Path(folder, "alone.csv").write_text("\n".join(["left,right,outcome,judge", *alone]))
    assert "independent" not in evenhand("test", "alone.csv", "--json").json["says"]
