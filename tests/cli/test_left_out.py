"""A refusal that says to leave a system out prints the option that does it."""

import re
import shlex
from pathlib import Path

import pytest

from evenhand.errors import quote_word

ROWS = [("B", "C", o) for o in ("left", "left", "right", "tie")] * 4
ROWS += [("C", "B", o) for o in ("left", "right", "tie")] * 4


def write_votes(name, columns, extra):
    rows = [*ROWS, *[("B", "A's", "right")] * 3, *[("A's", "C", "left")] * 3]
    judged = [(*row, f"j{number % 3}") for number, row in enumerate([*rows, *extra])]
    lines = [",".join(row) for row in [(*columns, "judge"), *judged]]
    Path(name).write_text("\n".join(lines), encoding="utf-8")


def advice(said):
    found = re.search(r"leave (?:it|them) out \((--without .*)\)(?:, or pass --prior 1)?$", said)
    return shlex.split(found[1])


@pytest.mark.parametrize("columns", [("left", "right", "outcome"), ("system one", "b", "outcome")])
@pytest.mark.parametrize("verb", ["compare --nested", "rank", "robustness"])
def test_the_command_with_the_option_that_is_printed_runs(evenhand, folder, verb, columns):
    write_votes("votes.csv", columns, [])
    named = ("--column", f"left={columns[0]}", "--column", f"right={columns[1]}")
    words = (*verb.split(), "votes.csv", *(named if columns[0] != "left" else ()))
    option = advice(" ".join(evenhand(*words, code=2).err.split()))
    assert option == ["--without", "system=A's"]
    said = " ".join(evenhand(*words, *option).out.split())
    assert "1 of 3 systems (A's)" in said
    assert "A's" not in said.replace("1 of 3 systems (A's)", "")


def test_what_was_excluded_before_stays_so(evenhand, folder):
    write_votes("votes.csv", ("left", "right", "outcome"), [("C", "D", "left")] * 3)
    words = ("compare", "--nested", "votes.csv", "--without", "D")
    option = advice(" ".join(evenhand(*words, code=2).err.split()))
    ranked = evenhand("rank", *words[2:], *option, "--json").json["systems"]
    assert {row["system"] for row in ranked} == {"B", "C"}


@pytest.mark.parametrize("odd", ['o"r', "o, r", "$x", r"a\b", "judge=j1", "j1"])
def test_whatever_the_name_the_option_leaves_that_system_out(evenhand, folder, odd):
    held = [f"{a},{b},{c},j{i % 3}" for i, (a, b, c) in enumerate(ROWS)]
    quoted = '"' + odd.replace('"', '""') + '"'
    lost = [f"B,{quoted},right,j0"] * 3 + [f"{quoted},C,left,j1"] * 3
    Path("votes.csv").write_text(
        "\n".join(["left,right,outcome,judge", *held, *lost]), encoding="utf-8"
    )
    option = advice(" ".join(evenhand("rank", "votes.csv", code=2).err.split()))
    ranked = evenhand("rank", "votes.csv", *option, "--json").json
    assert {row["system"] for row in ranked["systems"]} == {"B", "C"}
    assert ranked["n_judges"] == 3


@pytest.mark.parametrize("name", ["\"left\" <> 'A'", "a <> '$x'", "a <> '`x!'", r"a <> '\'"])
def test_a_shell_reads_the_condition_as_one_word(name):
    assert shlex.split(quote_word(name)) == [name]
