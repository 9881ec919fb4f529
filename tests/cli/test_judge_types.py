"""LLM judges among people: marked by judge_type they are left out, named like one asked about."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand
from evenhand.cli.main import main

PEOPLE = ["ann", "bob", "cem", "dee", "eve", "fay"]
BESIDE = ("excluded", "signature", "notes", "findings", "seconds", "llm")
UNIFORM = ["--model", "uniform"]
"""What `compare` takes here: which models it fits is no matter."""
VERBS = ["rank", "test", "fit", "robustness", "bias", "compare", "agreement", "judges", "variance"]


def write(path, *, marked=True, people=True, llm="gpt-4", types=("human", "llm")):
    """People prefer a to b to c by 3 of 4; the LLM always the reverse."""
    rows = []
    for at in range(72 if people else 0):
        left, right = [("a", "b"), ("b", "c"), ("a", "c")][at % 3]
        winner = "left" if (at + at // 12) % 4 else "right"
        if at % 2:
            left, right, winner = right, left, {"left": "right", "right": "left"}[winner]
        rows.append([PEOPLE[at // 12], types[0], f"i{at % 12}", left, right, winner])
    rows += [
        [llm, types[1], f"i{at}", left, right, "tie" if at == 11 else "right"]
        for at in range(12)
        for left, right in [("a", "b"), ("b", "c"), ("a", "c")]
    ]
    rows = rows if marked else [[row[0], *row[2:]] for row in rows]
    header = ["judge", *["judge_type"] * marked, "item", "left", "right", "winner"]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return str(path)


def run(*words):
    return CliRunner().invoke(main, [*words])


def numbers_of(value):
    """All of an answer but what says which rows it is of, and times."""
    if isinstance(value, dict):
        return {key: numbers_of(one) for key, one in value.items() if key not in BESIDE}
    return [numbers_of(one) for one in value] if isinstance(value, list) else value


def people_alone(path):
    kept = path.with_name("people.csv")
    with path.open() as file:
        rows = [row for row in csv.reader(file) if row[1] != "llm"]
    with kept.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return str(kept)


@pytest.mark.parametrize("verb", VERBS)
def test_verdicts_of_marked_judges_change_no_number(verb, tmp_path):
    both = write(tmp_path / "both.csv")
    alone = people_alone(tmp_path / "both.csv")
    more = UNIFORM if verb == "compare" else []
    found, expected = (json.loads(run(verb, one, *more, "--json").output) for one in (both, alone))
    said = [one for one in found["excluded"] if one["code"] == "llm-judges"]
    assert [(one["rows"], one["of_rows"], one["judge_names"]) for one in said] == [
        (36, 108, ["gpt-4"])
    ]
    assert numbers_of(found) == numbers_of(expected)


def test_named_as_llm_judges_they_help(tmp_path):
    both = write(tmp_path / "both.csv")
    for ranking in (
        evenhand.rank(both, llm_judges=["gpt-4"]),
        evenhand.rank(evenhand.read(both), llm_judges=["gpt-4"]),
    ):
        assert ranking.fused is not None
        assert ranking.fused.n_verdicts == 36
        assert not ranking.excluded
    made = json.loads(run("rank", str(both), "--llm-judges", "gpt-4", "--json").output)
    assert made["excluded"] == []


def test_the_report_is_of_people(tmp_path):
    both = write(tmp_path / "both.csv")
    reports = [
        json.loads(run("report", one, "--sections", "ranking", "--json").stdout)
        for one in (both, people_alone(tmp_path / "both.csv"))
    ]
    assert [one["code"] for one in reports[0]["excluded"]] == ["llm-judges"]
    boards = [one["parts"][0]["sections"][0]["tables"][0]["rows"] for one in reports]
    assert boards[0] == boards[1]


SAYS = ["rank", "test", "fit", "robustness", "bias", "agreement", "judges", "inspect"]


@pytest.mark.parametrize("verb", SAYS)
def test_types_that_are_unknown_are_said_and_count_as_people(verb, tmp_path):
    unknown = "LLM_judge" if verb == "rank" else "robot"
    path = write(tmp_path / "other.csv", types=("human", unknown), llm="m1")
    made = " ".join(run(verb, path).output.split())
    assert f"warning judge_type says {unknown} of m1, counted as people" in made
    assert evenhand.rank(path).n_judgments == 108
    if verb in ("rank", "agreement"):  # who is named as an LLM is not counted as people
        assert "judge_type says" not in run(verb, path, "--llm-judges", "m1").output


def test_a_judge_of_two_types_is_refused(tmp_path):
    path = tmp_path / "both.csv"
    rows = Path(write(path)).read_text().splitlines()
    rows[1:3] = [row.replace("ann,human", "ann,llm") for row in rows[1:3]]
    path.write_text("\n".join(rows) + "\n")
    for words in (("rank",), ("inspect",), ("replace", "--epsilon", ".2")):
        made = run(words[0], str(path), *words[1:])
        assert made.exit_code == 2
        assert "ann is marked as LLM in some rows" in made.output
        assert "write one type for each judge" in made.output


@pytest.mark.parametrize(
    "name",
    [
        *("gpt-4", "openai/gpt-4o", "claude-3-opus", "Llama-3", "qwen2.5", "judge-llm", "lmjudge"),
        *("gpt", "ChatGPT", "llm:gpt4"),
        *("prometheus", "auto-j", "skywork-reward"),
        *("gemini", "Gemini", "gemini2", "grok", "grok-3"),
    ],
)
def test_a_judge_named_like_an_llm_is_asked_about(name, tmp_path):
    path = write(tmp_path / "unmarked.csv", marked=False, llm=name)
    findings = evenhand.rank(path).notes
    (asked,) = [one for one in findings if one.code == "named-like-llms"]
    assert name in asked
    assert evenhand.rank(path).n_judgments == 108


@pytest.mark.parametrize(
    "name", ["claude", "gemma", "o12", "mistry", "phil", "judge-4", "grokowski"]
)
def test_people_are_not(name, tmp_path):
    path = write(tmp_path / "unmarked.csv", marked=False, llm=name)
    assert all(one.code != "named-like-llms" for one in evenhand.rank(path).notes)


def test_a_marked_judge_who_is_not_named_is_no_person(tmp_path):
    both = write(tmp_path / "both.csv")
    with Path(both).open() as file:
        rows = list(csv.reader(file))
    third = [["gpt-3" if one == "gpt-4" else one for one in row] for row in rows if "gpt-4" in row]
    more = tmp_path / "more.csv"
    with more.open("w", newline="") as file:
        csv.writer(file).writerows([*rows, *third])
    expected = json.loads(run("rank", str(both), "--llm-judges", "gpt-4", "--json").output)
    found = json.loads(run("rank", str(more), "--llm-judges", "gpt-4", "--json").output)
    assert numbers_of(found) == numbers_of(expected)
    said = [one for one in found["excluded"] if one["code"] == "llm-judges"]
    assert [one["judge_names"] for one in said] == [["gpt-3"]]
    in_python = evenhand.rank(more, llm_judges="gpt-4")
    assert [one.judge_names for one in in_python.excluded] == [("gpt-3",)]
    assert in_python.n_judgments == found["n_judgments"]


@pytest.mark.parametrize("kind", ["votes", "scores"])
def test_judges_excludes_llm_judges_who_are_named(kind, tmp_path):
    """Cards are those of people alone, and another verb is named for LLM judges."""
    path, people = tmp_path / "both.csv", tmp_path / "people.csv"
    header = {"votes": "judge,item,left,right,winner", "scores": "judge,item,system,score"}[kind]
    rows = []
    for at in range(1200):
        judge = ["gpt-4", "lm", *(f"p{one}" for one in range(10))][at % 12]
        said = {"votes": f"a,b,{'left' if at % 7 % 3 else 'right'}", "scores": f"a,{1 + at % 5}"}
        rows.append(f"{judge},i{at // 24},{said[kind]}")
    for file, own in ((path, rows), (people, [one for one in rows if one[0] == "p"])):
        file.write_text("\n".join([header, *own]))
    named = json.loads(run("judges", str(path), "--llm-judges", "gpt-4,lm", "--json").output)
    alone = json.loads(run("judges", str(people), "--json").output)
    assert named["screening"]["cards"] == alone["screening"]["cards"]
    (out,) = named["excluded"]
    assert (out["code"], out["judge_names"], out["rows"]) == ("llm-judges", ["gpt-4", "lm"], 200)
    codes = [[one["code"] for one in each["findings"]] for each in (named, alone)]
    assert ["llm-judges-apart" in one for one in codes] == [True, False]
    assert "named-like-llms" not in codes[0]
    cards = evenhand.screen_judges(path, llm_judges=["gpt-4", "lm"]).cards
    assert {one.judge for one in cards} == {f"p{one}" for one in range(10)}
    made = run("judges", str(path), "--llm-judges", "gpt-5")
    assert "no judge 'gpt-5'. Did you mean 'gpt-4'?" in made.output
    with pytest.raises(evenhand.InvalidJudgments, match="tables that were read"):
        evenhand.screen_judges(
            evenhand.read(path).rows() if kind == "scores" else evenhand.read(path).votes(),
            llm_judges="lm",
        )


def test_other_types_of_people_are_noted(tmp_path):
    beside = write(tmp_path / "beside.csv", types=("native", "llm"))
    path = write(tmp_path / "own.csv", types=("native", "learner"), llm="gil")
    for one, n, warned in ((beside, 72, True), (path, 108, False)):
        found = json.loads(run("rank", one, "--json").output)
        said = [(one["severity"], one["values"]["types"][-1]) for one in types_in(found)]
        assert said == [("warning" if warned else "info", "native")]
        assert evenhand.rank(one).n_judgments == n


def types_in(found):
    return [one for one in found["findings"] if one["code"].startswith("judge-types")]


def test_an_empty_type_is_said_with_its_judges(tmp_path):
    people = write(tmp_path / "half.csv", types=("", "llm"))
    (said,) = types_in(json.loads(run("rank", people, "--json").output))
    assert said["severity"] == "info"
    assert said["values"] == {"types": ["nothing"], "judges": PEOPLE}
    llm = write(tmp_path / "llm.csv", types=("human", ""))  # named like an LLM, and not marked
    (said,) = types_in(json.loads(run("rank", llm, "--json").output))
    assert (said["severity"], said["values"]["judges"]) == ("warning", ["gpt-4"])


ASKED = ["inspect", "rank", "test", "fit", "bias", "compare", "agreement", "judges"]


@pytest.mark.parametrize("verb", ASKED)
@pytest.mark.parametrize("marked", [False, True])
def test_every_verb_asks_about_names_unless_judge_type_says_it(verb, marked, tmp_path):
    path = write(tmp_path / "votes.csv", marked=marked)
    ways = (UNIFORM, ["--nested"]) if verb == "compare" else ([],)
    for more in ways:
        words = [verb, path, *more]
        assert run(*words).output.count("Named like LLMs") == (not marked)
