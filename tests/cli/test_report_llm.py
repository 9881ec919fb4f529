"""The section of a report on people's ranking with the help of LLM judges."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

import evenhand
import verdict_campaigns
from evenhand.cli.main import main
from evenhand.errors import UnknownOption
from verdict_campaigns import Design


@pytest.fixture(scope="module")
def tables():
    campaign = verdict_campaigns.draw(Design(), np.random.default_rng(3))
    return campaign.tables()


def list_sections(report):
    return {one.name: one for part in report.parts for one in part.sections}


def test_the_section_says_what_rank_says(tables):
    people, llm = tables
    made = evenhand.make_report(people, llm=llm, sections=["ranking", "llm"])
    section = list_sections(made)["llm"]
    expected = evenhand.rank(people, llm=llm)
    assert list(section.says[:1]) == [str(expected.document().answer[0])]
    (table, *_) = section.tables
    assert [row["system"] for row in table.rows] == list(expected.systems)
    assert [row["estimate"] for row in table.rows] == pytest.approx(expected.worth.tolist())
    assert [row["lower"] for row in table.rows] == pytest.approx(expected.lower.tolist())


def test_without_verdicts_there_is_no_section(tables):
    people, _ = tables
    made = evenhand.make_report(people, sections=["ranking"])
    assert "llm" not in list_sections(made)
    with pytest.raises(UnknownOption, match="--llm VERDICTS"):
        evenhand.make_report(people, sections=["llm"])


def write_csv(path, table):
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(table)
        rows.writerows(zip(*table.values(), strict=True))
    return str(path)


def report(*words):
    made = CliRunner().invoke(main, ["report", *words, "--sections", "llm", "--json"])
    assert made.exit_code == 0, made.output
    (part,) = json.loads(made.stdout)["parts"]
    (section,) = part["sections"]
    return section


def test_the_command_and_verdicts_that_do_not_fit(tables, tmp_path):
    people, llm = tables
    first = write_csv(tmp_path / "people.csv", people)
    second = write_csv(tmp_path / "llm.csv", llm)
    assert report(first, "--llm", second)["title"] == "With the verdicts of LLM judges"
    # one task of a campaign, which people's file does not name
    named = {"task": ["preference"] * len(llm["item"]), **llm}
    third = write_csv(tmp_path / "named.csv", named)
    assert report(first, "--llm", third)["says"] == report(first, "--llm", second)["says"]
    other = write_csv(tmp_path / "other.csv", {**llm, "item": [f"z{one}" for one in llm["item"]]})
    why = report(first, "--llm", other)["not_run"]
    assert "names of systems and items must be the same in both" in why
