"""`--control` under rank and fit."""

from pathlib import Path

import polars as pl
import pytest

from controlled_rows import simulate


@pytest.fixture
def votes(folder: Path) -> str:
    """Rows with a length and a count of lists."""
    simulate(8).write_csv("votes.csv")
    return "votes.csv"


def test_rank_says_what_is_held_equal_and_what_that_changes(evenhand, votes):
    ran = evenhand("rank", votes, "--control", "length", "--control", "lists")
    assert "length held equal, lists held equal" in ran.out
    assert "note   length: log-odds" in ran.out
    assert "than without controls" in ran.out or "places without and with" in ran.out
    assert "control length + control lists" in ran.out.replace("\n       ", " ")


def test_fit_prints_the_coefficient_on_the_scale_of_lambda_and_in_both_units(evenhand, votes):
    found = evenhand("fit", votes, "--control", "length", "--json").json
    (row,) = [one for one in found["coefficients"] if one["name"] == "control1"]
    (control,) = found["controls"]
    assert row["label"] == "length"
    assert control["estimate"] == pytest.approx(2 * row["estimate"])
    assert found["settings"]["controls"] == ["length"]
    text = evenhand("fit", votes, "--control", "length").out
    lines = text.partition("Effects of controls")[2].splitlines()
    numbers = (f"{control[key]:z.3f}" for key in ("estimate", "stderr"))
    assert lines[2].split()[:3] == ["length", *numbers]


def test_rank_and_fit_have_the_digest_of_the_same_judgments(evenhand, votes):
    signed = [
        evenhand(verb, votes, "--control", "length", "--json").json["signature"]
        for verb in ("rank", "fit")
    ]
    digests = {signature.rpartition("sha256 ")[2] for signature in signed}
    assert len(digests) == 1


@pytest.mark.parametrize("verb", ["rank", "fit"])
def test_a_misspelt_column_is_refused_in_a_line(evenhand, votes, verb):
    ran = evenhand(verb, votes, "--control", "lenght", code=2)
    assert ran.err.startswith(
        "error  column 'lenght' not found in votes.csv. Did you mean 'length'?"
    )


def test_two_columns_without_a_name_are_told_how_to_be_written(evenhand, votes):
    said = evenhand("rank", votes, "--control", "length,lists", code=2).err
    assert "write --control NAME=length,lists" in said.replace("\n       ", " ")


@pytest.mark.parametrize("verb", ["rank", "fit"])
def test_a_column_of_one_side_is_asked_about(evenhand, votes, verb):
    one_side = pl.read_csv(votes).with_columns(pl.col("length").abs())
    one_side.write_csv("sides.csv")

    def ask(file, control):
        found = evenhand(verb, file, "--control", control, "--json").json
        return [one["text"] for one in found["findings"]]

    note = "length is never below 0. Is it a difference, left minus right?"
    assert [one for one in ask("sides.csv", "length") if one.startswith(note)]
    one_side.with_columns(-pl.col("length")).write_csv("below.csv")
    notes = ask("below.csv", "length")
    assert [one for one in notes if one.startswith("length is never above 0")]
    both = [*ask("sides.csv", "d=length,lists"), *ask(votes, "length")]
    assert not [one for one in both if "is never" in one]


def test_what_is_held_has_a_level_a_p_and_a_sentence(evenhand, votes):
    words = ["--control", "length", "--control", "lists"]
    (control, _) = evenhand("rank", votes, *words, "--level", ".9", "--json").json["controls"]
    text = " ".join(evenhand("rank", votes, *words, "--level", ".9").out.split())
    ends = f"90 % {control['lower']:.3f} to {control['upper']:.3f}, p "
    assert ends in text
    sure = control["lower"] > 0 or control["upper"] < 0
    assert ("of it is preferred" in text) == sure


@pytest.mark.parametrize("form", ["--csv", "--latex"])
def test_tables_keep_what_controls_do(evenhand, votes, form):
    ran = evenhand("rank", votes, "--control", "length", form)
    said = " ".join((ran.err if form == "--csv" else ran.out).split())
    assert "length: log-odds" in said
    assert "without controls" in said


def test_two_columns_of_lengths_have_two_signatures(evenhand, votes):
    frame = pl.read_csv(votes)
    frame.with_columns(pl.col("length").reverse()).write_csv("other.csv")
    for verb in ("rank", "fit"):
        first, other = (
            evenhand(verb, name, "--control", "length", "--json").json["signature"]
            for name in (votes, "other.csv")
        )
        assert first != other
        assert first.split("sha256")[-1] == other.split("sha256")[-1]


def test_a_name_of_two_columns_is_refused_with_what_works(evenhand, folder):
    rows = simulate(8)
    sides = rows.with_columns(length_a=pl.col("length") + 7, length_b=pl.lit(7))
    sides.drop("length").write_csv("sides.csv")
    rows.write_csv("votes.csv")
    refused = evenhand("rank", "sides.csv", "--control", "length", code=2).err
    assert "Did you mean" not in refused
    copied = refused.partition("write ")[2].partition(",")[0] + ",length_b"
    assert copied == "--control length=length_a,length_b"
    (held,) = evenhand("rank", "sides.csv", *copied.split(), "--json").json["controls"]
    (known,) = evenhand("rank", "votes.csv", "--control", "length", "--json").json["controls"]
    assert held["estimate"] == pytest.approx(known["estimate"])
