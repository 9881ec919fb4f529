"""Labels of outcomes as people write them are known unasked, and `--outcome` adds to them."""

import pytest

TIES = (
    *("tie", "Tie", "draw", "equal", "same", "both", "neither", "both_bad", "bothbad", "both bad"),
    *("tie (bothbad)", "tie (both bad)", "bothbad_vote", "both_good", "no preference", "a=b"),
)
SIDES = {
    "left": ("left", "a", "A", "model_a", "1", "a>b", "leftvote"),
    "right": ("right", "b", "B", "model_b", "2", "b>a", "a<b", "rightvote"),
}
MISSING = ("NaN", "nan", "NA", "N/A", "", "None", "null")


@pytest.fixture
def write(folder):
    """Write votes on two models, one a label, and return the name of the file."""

    def write_votes(*labels, header="model_a,model_b,winner"):
        lines = [f"X,Y,{label}" for label in labels]
        (folder / "votes.csv").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
        return "votes.csv"

    return write_votes


def test_known_labels_are_counted_without_asking_and_missing_ones_as_missing(evenhand, write):
    path = write(*TIES, *SIDES["left"], *SIDES["right"], *MISSING)
    ranked = evenhand("rank", path, "--json").json
    of_x = next(row for row in ranked["systems"] if row["system"] == "X")
    counts = [len(SIDES["left"]), len(TIES), len(SIDES["right"])]
    assert [of_x["wins"], of_x["ties"], of_x["losses"]] == counts
    (missing,) = ranked["excluded"]
    assert (missing["code"], missing["rows"]) == ("no-outcome", len(MISSING))
    said = " ".join(evenhand("rank", path).out.split())
    assert f"excluded: {len(MISSING)} of {sum(counts) + len(MISSING)} rows, the outcome is" in said


@pytest.mark.parametrize(
    "declared", [("X is great=left",), ("0=tie",), ("X is great=left", "0=tie")]
)
def test_a_declared_label_adds_to_the_known(evenhand, write, declared):
    own = [one.partition("=")[0] for one in declared]
    path = write("model_a", "model_b", "both_bad", "1", "2", *own)
    options = [word for one in declared for word in ("--outcome", one)]
    ranked = evenhand("rank", path, *options, "--json").json
    of_x = next(row for row in ranked["systems"] if row["system"] == "X")
    wins, ties = ("X is great" in own) + 2, ("0" in own) + 1
    assert [of_x["wins"], of_x["ties"], of_x["losses"]] == [wins, ties, 2]


def test_a_number_that_turns_the_sides_turns_the_scores_of_winners_and_it_is_said(evenhand, write):
    said = " ".join(evenhand("rank", write("0", "1", "1"), "--outcome", "0=left").out.split())
    assert "column 'winner' is the score of the right output: 1 where it won" in said


@pytest.mark.parametrize("word", ["skip", "Skipped", "can't decide", "can’t decide", "Don't know"])
def test_a_judge_who_gives_no_answer_is_counted_and_named(evenhand, write, word):
    path = write("model_a", "model_b", "tie", word, word)
    ranked = evenhand("rank", path, "--json").json
    assert ranked["n_judgments"] == 3
    (missing,) = ranked["excluded"]
    assert (missing["code"], missing["rows"], missing["of_rows"]) == ("no-outcome", 2, 5)
    assert f"the outcome is missing or no answer: '{word}' (2)" in missing["reason"]
    counted = evenhand("rank", path, "--outcome", f"{word}=tie", "--json").json
    assert counted["n_judgments"] == 5
