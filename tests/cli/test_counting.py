"""`evenhand rank --cache`: files are counted once, and rank as without it."""

import json

import pytest
from click.testing import CliRunner

from evenhand.cli.main import main
from evenhand.formats.files.opening import connect

VOTES = ["left,right,outcome,judge"]
ROWS = [("a", "b", "left"), ("b", "c", "left"), ("c", "a", "right"), ("b", "a", "left")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for day in range(3):
        rows = [f"{','.join(row)},j{at % 9}" for at in range(40) for row in [ROWS[(at + day) % 4]]]
        (tmp_path / f"day{day}.csv").write_text("\n".join([*VOTES, *rows, "c,b,left,j1"]) + "\n")
    return tmp_path


def run(*words: str):
    return CliRunner().invoke(main, ["rank", *words], prog_name="evenhand")


def answer(*words: str) -> dict:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_cache_changes_the_work_and_not_the_answer(folder):
    plain = answer("day*.csv")
    first, second = (answer("day*.csv", "--cache", "kept") for _ in range(2))
    for one in (first, second):
        assert one["signature"] == plain["signature"]
        assert one["systems"] == plain["systems"]
    assert len(list((folder / "kept").iterdir())) == 3
    said = run("day*.csv", "day0.csv", "--cache", "kept").output
    assert "day0.csv is given twice" in said
    text = run("day*.csv", "--cache", "kept").output
    assert "counted 0 of 3 files, the others before" in " ".join(text.split())


def test_a_group_may_be_named_by_the_files_own_column(folder):
    words = ("day*.csv", "--group-by", "judge", "--interval", "model")
    assert answer(*words, "--cache", "kept")["groups"] == answer(*words)["groups"]


@pytest.mark.parametrize(
    "words",
    [
        ("--merged", "+"),
        ("--judges", "judges.csv"),
        ("--method", "origwmt"),
        ("--mix", "judge=j1:0.5,j2:0.5"),
        ("--judge-cap", "median"),
        ("--control", "length"),
        ("--model", "random-judges"),
    ],
)
def test_what_needs_the_judgments_is_refused_beside_a_cache(words, folder):
    result = run("day0.csv", *words, "--cache", "kept")
    assert result.exit_code == 2
    assert "needs the judgments themselves" in " ".join(result.output.split())


def test_the_engine_keeps_to_the_memory_that_it_is_given(folder):
    def limit() -> str:
        return connect().execute("select current_setting('memory_limit')").fetchone()[0]

    before = limit()
    try:
        assert run("day0.csv", "--memory", "512MiB").exit_code == 0
        assert limit() == "512.0 MiB"
    finally:
        connect().execute(f"set memory_limit = '{before}'")
    result = run("day0.csv", "--memory", "much")
    assert result.exit_code == 2
    assert "'much' is no size" in result.output
