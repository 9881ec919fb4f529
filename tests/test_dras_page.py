"""Every number that docs/papers/dras2015.md shows is printed by the command beside it."""

import json
import re
import shlex

import pytest
from click.testing import CliRunner

from evenhand.cli.main import main
from markdown_pages import NUMBER, ROOT, blocks, commands, missing

PAGE = (ROOT / "docs" / "papers" / "dras2015.md").read_text(encoding="utf-8")


def rows(start, *, header=False):
    """The cells of the table whose header begins so, or of its header."""
    _, found, below = PAGE.partition(f"\n{start}")
    lines = (found.strip() + below.partition("\n\n")[0]).splitlines()
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    return cells[0] if header else cells[2:]


def run(line):
    words = shlex.split(line)[1:]
    done = CliRunner().invoke(main, words, prog_name="evenhand")
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The files that the page's commands and its hidden block write."""
    monkeypatch.chdir(tmp_path)
    for block in blocks(PAGE):
        if block.language == "python":
            exec(block.code, {})
        for command in commands(block.code) if block.language == "console" else ():
            run(command.line)


def test_a_number_that_is_not_printed_is_missed():
    assert missing("−0.6551 (0.2301), <.0001 of 61", '{"a": -0.65506, "b": 0.23002}') == [
        *("0.2301", "<.0001", "61")
    ]


@pytest.mark.parametrize("row", rows("| command |"), ids=lambda row: row[0].strip("`"))
def test_the_command_of_a_row_prints_the_numbers_of_its_row(row, files):
    command, shown, _ = row
    printed = run(command.strip("`"))
    shown = re.sub(r"`[^`]*`", "", shown)
    assert NUMBER.search(shown)
    assert missing(shown, printed) == []


@pytest.mark.parametrize("row", rows("| table | FILE |"), ids=lambda row: row[0])
def test_the_tests_of_a_pair_print_the_numbers_of_its_row(row, files):
    _, file, *shown = row
    assert missing(", ".join(shown), run(f"evenhand test {file.strip('`')} --json")) == []


@pytest.mark.parametrize("row", rows("| K or S |"), ids=lambda row: row[0].strip("`"))
def test_ties_by_weight_and_share_have_the_p_values_of_the_commands(row, files):
    (kind, _), shares = row[0].strip("`").split(":"), rows("| K or S |", header=True)
    command = f"evenhand test collins.csv --new reordered --ties-as {kind}:%s --json"
    assert f"$ {command % 0.25}\n" in PAGE
    for share, shown in zip(shares[1:], row[1:], strict=True):
        p = json.loads(run(command % float(share)))["pairs"][0]["p"]
        assert shown == ("<.0001" if p < 0.0001 else f"{p:.4f}"[1:])


def test_the_interactions_that_stand_out_are_two(files):
    """The sentence below the table: z of J3, and every other |z| below 1."""
    printed = run("evenhand fit table1.csv --judge-covariate judge --csv")
    header, *lines = [line.split(",") for line in printed.splitlines()]
    at = header.index("z")
    zs = {line[header.index("name")]: line[at] for line in lines if line[at]}
    judged = {name: float(z) for name, z in zs.items() if ":J" in name}
    assert {name: round(z, 1) for name, z in judged.items() if abs(z) >= 1} == {
        "o1:J3": -6.5,
        "o2:J3": -4.1,
    }
    assert "`o1:J3` (z −6.5) and `o2:J3` (z −4.1)" in PAGE
