"""`evenhand report` of ratings: the ranking of `evenhand rank`, and what is refused."""

import polars as pl
import pytest

from rated_studies import make_rows


def test_report_rank_and_its_json_hold_the_same_numbers_and_the_same_first_sentence(
    evenhand, tmp_path
):
    rows = make_rows(worth={"a": 3.0, "b": 2.8, "refA": 4.0, "c": 0.0}, judges=7)
    rows = [row for at, row in enumerate(rows) if at % 7]
    path = str(tmp_path / "scores.csv")
    pl.DataFrame(rows).write_csv(path)
    for options in (
        [],
        ["--model", "mean", "--better", "lower"],
        ["--model", "z", "--cluster", "judge"],
    ):
        told = evenhand("rank", path, *options, "--json").json
        text = " ".join(evenhand("rank", path, *options).out.split())
        report = evenhand("report", path, *options, "--sections", "scores", "--json").json
        (part,) = report["parts"]
        (section,) = part["sections"]
        board, references = section["tables"]
        same = (
            "system",
            "estimate",
            "lower",
            "upper",
            "rank_lower",
            "rank_upper",
            "mean",
            "ratings",
            "stderr",
        )
        held, printed = (
            [[row[key] for key in same] for row in rows]
            for rows in (board["rows"], told["systems"])
        )
        assert held == printed
        assert references["rows"][0]["estimate"] == told["references"][0]["estimate"]
        assert part["signature"] == told["signature"]
        first = part["answer"][0]
        assert first == section["says"][0] == f"{told['says']}."
        assert text.startswith(first)
        assert all(f"{row['estimate']:.2f}" in text for row in board["rows"])


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    pl.DataFrame(make_rows(judges=4, items=8)).write_csv(path)
    return str(path)


def test_the_model_stands_in_every_command_and_in_the_methods(evenhand, scores):
    options = ("--model", "z", "--sections", "scores,methods", "--json")
    report = evenhand("report", scores, *options).json
    section, methods = report["parts"][0]["sections"]
    assert report["command"].endswith("--model z")
    assert section["command"].endswith("--model z")
    assert "standardised by judge" in methods["blocks"][0]["text"]
    assert "(Bojar et al., 2016)" in methods["blocks"][0]["text"]
    report = evenhand("report", scores, "--sections", "methods", "--json").json
    text = report["parts"][0]["sections"][0]["blocks"][0]["text"]
    assert "effects of judges and items removed (Frisch & Waugh, 1933; Lovell, 1963)" in text
