"""The section of a report on people's ranking with the help of LLM judges."""

import csv
import json
import shlex

import numpy as np
import pytest
from click.testing import CliRunner

import evenhand
import verdict_campaigns
from evenhand.cli.main import main
from evenhand.errors import UnknownOption
from evenhand.report.html import find_hero
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


def test_the_joint_ranking_is_the_first_answer_of_the_page(tables):
    people, llm = tables
    made = evenhand.make_report(people, llm=llm, sections=["ranking", "llm"])
    joint, alone = evenhand.rank(people, llm=llm), evenhand.rank(people)
    (part,) = made.parts
    assert part.answer[0] == joint.document().answer[0]
    assert f"By people alone: {alone.document().answer[0]}" in part.answer
    assert part.signature == joint.signature
    first, second = part.sections
    assert (first.name, second.title) == ("llm", "Who is better, by people alone")
    assert find_hero(part) == (0, 0)
    (drawn,) = first.figures
    shown = {row["system"]: row["estimate"] for row in next(iter(drawn.datasets.values()))}
    assert shown == pytest.approx(dict(zip(joint.systems, joint.worth.tolist(), strict=True)))
    assert "evenhand replace FILE --llm VERDICTS --epsilon .15" in first.notes[-1]


def run_report(*words):
    return CliRunner().invoke(main, ["report", *words, "--sections", "llm,ranking", "--json"])


def test_llm_judges_of_one_file(tables, tmp_path):
    people, llm = tables
    renamed = {**llm, "judge": ["gpt-4o"] * len(llm["judge"])}
    both = {name: people[name] + renamed[name] for name in people}
    one = write_csv(tmp_path / "all.csv", both)
    asked = run_report(one, "--llm-judges", "gpt-4o")
    found = json.loads(asked.stdout)
    two = json.loads(
        run_report(
            write_csv(tmp_path / "people.csv", people),
            "--llm",
            write_csv(tmp_path / "llm.csv", renamed),
        ).stdout
    )
    assert found["parts"][0]["answer"] == two["parts"][0]["answer"]
    assert found["warnings"] == []
    first, second = found["parts"][0]["sections"]
    rows = [one["tables"][0]["rows"] for one in (first, second)]
    for ours, theirs in zip(rows, two["parts"][0]["sections"], strict=True):
        expected = {row["system"]: row["lower"] for row in theirs["tables"][0]["rows"]}
        assert {row["system"]: row["lower"] for row in ours} == pytest.approx(expected)
    assert shlex.split(found["command"])[-2:] == ["--llm-judges", "gpt-4o"]
    again = CliRunner().invoke(main, [*shlex.split(second["command"])[1:], "--json"])
    ranked = [row["system"] for row in json.loads(again.stdout)["systems"]]
    assert ranked == [row["system"] for row in rows[1]]
    # unasked, the question is put once and on the first screen
    unasked = CliRunner().invoke(main, ["report", one, "--sections", "ranking,judges", "--json"])
    assert "Named like LLMs" in " ".join(unasked.stderr.split())
    assert unasked.stdout.count("Named like LLMs") == 1
    misspelt = run_report(one, "--llm-judges", "gpt-4")
    assert misspelt.exit_code == 2
    assert "Did you mean 'gpt-4o'?" in misspelt.stderr


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
    made = run_report(first, "--llm", other)
    assert made.exit_code == 2
    assert "names of systems and items must be the same in both" in made.stderr
