"""Each section of a report names commands that print its numbers."""

from __future__ import annotations

import json
import shlex
from functools import cache

import pytest
from click.testing import CliRunner

from evenhand.cli.main import main
from evenhand.datasets.simulated import draw_table
from markdown_pages import PRINTED, missing


def run(words):
    done = CliRunner().invoke(main, words, prog_name="evenhand")
    assert done.exit_code == 0, done.output
    return done.stdout


@cache
def run_both(command):
    """What a command prints: the text, and its JSON."""
    words = [word for word in shlex.split(command)[1:] if word != "--json"]
    written = run([*words, "--json"])
    return (run(words) if words[0] != "report" else "", written)


def numbers(value):
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from numbers(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


@pytest.fixture(scope="module")
def sections(tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "study.csv"
    file.write_text(draw_table("study_simulated"), encoding="utf-8")
    report = json.loads(run(["report", str(file), "--json"]))
    return [one for part in report["parts"] for one in part["sections"] if one["command"]]


def find_missing(section):
    """The numbers of a section that none of its commands prints, in text or JSON."""
    printed = [run_both(command) for command in section["command"].split(" && ")]
    text = " ".join(text for text, _ in printed).replace(",", "")
    exact = [one for _, written in printed for one in numbers(json.loads(written))]
    shares = [float(one) for one in PRINTED.findall(text)]  # whole percents
    for table in section["tables"]:
        for column in table["columns"]:
            if not column["title"]:
                continue  # the number of a line
            for value in numbers([row.get(column["key"]) for row in table["rows"]]):
                share = column["kind"] == "share" and round(100 * value) in shares
                if (
                    value
                    and not share
                    and not any(abs(one - value) <= 1e-9 * abs(value) for one in exact)
                ):
                    yield f"{table['name']} {column['key']} {value}"
    both = text + "".join(written for _, written in printed) + str([100 * one for one in exact])
    yield from missing(" ".join((*section["says"], *section["notes"])), both)


def test_every_number_of_a_section_is_in_what_its_commands_print(sections):
    assert len(sections) >= 14
    lost = {one["name"]: [*find_missing(one)] for one in sections}
    assert {name: some for name, some in lost.items() if some} == {}
