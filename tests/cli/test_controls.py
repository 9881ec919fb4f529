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


def test_what_is_held_has_a_level_a_p_and_a_sentence(evenhand, votes):
    words = ["--control", "length", "--control", "lists"]
    (control, _) = evenhand("rank", votes, *words, "--level", ".9", "--json").json["controls"]
    text = " ".join(evenhand("rank", votes, *words, "--level", ".9").out.split())
    ends = f"90 % {control['lower']:.3f} to {control['upper']:.3f}, p "
    assert ends in text
    sure = control["lower"] > 0 or control["upper"] < 0
    assert ("of it is preferred" in text) == sure


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
