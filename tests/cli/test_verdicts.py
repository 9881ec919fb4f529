"""`rank --llm`, `next --for-llm` and `replace` on files."""

import csv
import json
import shlex
from pathlib import Path

import numpy as np
import pytest

import verdict_campaigns
from verdict_campaigns import Design


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verdicts")
    campaign = verdict_campaigns.draw(Design(judgments=360, items=120), np.random.default_rng(2))
    people, verdicts = campaign.tables()
    both = {name: people[name] + verdicts[name] for name in people}
    coded = {
        **verdicts,
        "item": verdicts["item"],
        "winner": [{"left": "L", "right": "R", "tie": "0"}[one] for one in verdicts["winner"]],
    }
    for name, table in (
        ("people", people),
        ("verdicts", verdicts),
        ("both", both),
        ("coded", coded),
    ):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow([("seg" if name == "coded" and one == "item" else one) for one in table])
            rows.writerows(zip(*table.values(), strict=True))
    return lambda name: str(folder / f"{name}.csv")


def test_two_files_and_one(files, evenhand):
    two = evenhand("rank", files("people"), "--llm", files("verdicts"), "--json").out
    one = evenhand("rank", files("both"), "--llm-judges", "llm", "--json").out
    one, two = json.loads(one), json.loads(two)
    assert two["llm"]["weight"] == pytest.approx(one["llm"]["weight"], rel=1e-9)
    assert two["n_judges"] == 12


def test_published_methods_are_shown_for_comparison(files, evenhand):
    asked = ("rank", files("people"), "--llm", files("verdicts"), "--llm-method", "ppi++")
    found = json.loads(evenhand(*asked, "--json").out)
    assert found["llm_method"] == "ppi++"
    assert 0 < found["weight"] < 1
    assert len(found["systems"]) == 6
    assert [one["code"] for one in found["findings"]][-1] == "verdicts-not-clustered"
    said = evenhand(*asked, "--lambda", "0").out
    assert "for comparison: intervals ignore judges and items" in said
    assert "λ = 0.00" in said


def rewrite(files, path, change):
    """Write the verdicts again, each row as `change` makes it."""
    with Path(files("verdicts")).open(newline="") as file:
        rows = [change(at, row) for at, row in enumerate(csv.DictReader(file))]
    with path.open("w", newline="") as file:
        written = csv.DictWriter(file, [*rows[0]])
        written.writeheader()
        written.writerows(rows)
    return str(path)


def add_probability(at, row, *, winner=None, contrary=0):
    likely = {"left": 0.8, "tie": 0.5, "right": 0.2}[row["winner"]]
    likely = 1 - likely if at < contrary else likely
    row = row if winner is None else {**row, "winner": winner}
    return {**row, "probability_left": likely}


def test_verdicts_that_are_no_answers_are_excluded_as_people_s_are(files, evenhand, tmp_path):
    path = rewrite(
        files,
        tmp_path / "errors.csv",
        lambda at, row: {**row, "winner": "error"} if at < 3 else row,
    )
    refused = " ".join(evenhand("rank", files("people"), "--llm", path, code=2).err.split())
    assert "if error is no answer, exclude it (--missing 'error', in Python" in refused
    words = ("rank", files("people"), "--llm", path, "--missing", "error", "--unpaired", "drop")
    every = json.loads(evenhand("rank", files("people"), "--llm", files("verdicts"), "--json").out)
    found = json.loads(evenhand(*words, "--json").out)
    assert found["llm"]["n_verdicts"] == every["llm"]["n_verdicts"] - 3


def test_a_probability_stands_for_an_empty_outcome(files, evenhand, tmp_path):
    path = rewrite(files, tmp_path / "one.csv", lambda at, row: add_probability(at, row, winner=""))
    with Path(files("people")).open(newline="") as file:
        people = [{**row, "probability_left": ""} for row in csv.DictReader(file)]
    with Path(path).open("a", newline="") as file:
        csv.DictWriter(file, [*people[0]]).writerows(people)
    beside = rewrite(files, tmp_path / "two.csv", add_probability)
    one = json.loads(evenhand("rank", path, "--llm-judges", "llm", "--json").out)
    two = json.loads(evenhand("rank", files("people"), "--llm", beside, "--json").out)
    assert one["llm"]["weight"] == pytest.approx(two["llm"]["weight"], rel=1e-9)
    assert one["n_judgments"] == two["n_judgments"] == 360


def test_what_people_should_judge(files, evenhand):
    llm = ("--for-llm", files("verdicts"), "--batch", "20")
    rows = [*csv.DictReader(evenhand("next", *llm, "--csv").out.splitlines())]
    assert [*rows[0]] == ["item", "left", "right", "sampling_probability"]
    assert len(rows) == 20
    both = ("next", files("people"), *llm, "--policy", "uncertainty")
    told = json.loads(evenhand(*both, "--json").out)
    codes = [one["code"] for one in told["findings"]]
    assert told["says"][0].endswith("with verdicts that people have not judged.")
    assert {"sampling-recorded", "sampled-before", "uncertainty-gains-little"} <= {*codes}
    said = " ".join(evenhand(*both).out.split())
    assert "Do not expect fewer judgments" in said
    for words, says in (
        ((*llm, "--policy", "voi"), "random | uncertainty"),
        ((*llm, "--top-k", "2"), "does nothing with --for-llm"),
        ((), "needs FILE, or --for-llm VERDICTS"),
    ):
        assert says in evenhand("next", *words, code=2).err


@pytest.mark.parametrize(
    ("name", "words", "says"),
    [
        ("people", ("--llm", "people"), "that of verdicts holds LLM judges alone"),
        ("verdicts", ("--llm", "people"), "Are the two files exchanged? --llm takes the verdicts"),
        ("people", ("--llm", "verdicts", "--order-effect"), "an order effect"),
        ("people", ("--llm-judges", "lm"), "no judge 'lm'"),
        ("people", ("--unpaired", "drop"), "give verdicts"),
        ("people", ("--lambda", ".5"), "give verdicts"),
        ("people", ("--llm", "verdicts", "--llm-method", "ppi++", "--elo"), "leave it out"),
        ("people", ("--llm", "verdicts", "--llm-method", "ppi++", "--group-by", "seg"), "--group"),
    ],
)
def test_refusals(files, evenhand, name, words, says):
    words = [files(word) if word in ("people", "verdicts") else word for word in words]
    assert says in evenhand("rank", files(name), *words, code=2).err


def test_commands_of_a_report_name_columns_of_the_verdicts_for_verdicts_alone(
    files, evenhand, tmp_path
):
    """Two tasks: the verdicts, whose items are called seg, are opened for each."""
    for name in ("people", "verdicts"):
        with Path(files(name)).open(newline="") as file:
            header, *rows = csv.reader(file)
        header = ["seg" if name == "verdicts" and one == "item" else one for one in header]
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            tasks = [[*row, task] for task in ("de", "fr") for row in rows]
            csv.writer(file).writerows([[*header, "task"], *tasks])
    people, verdicts = (str(tmp_path / f"{name}.csv") for name in ("people", "verdicts"))
    page, column = str(tmp_path / "page.json"), ("--column", "item=seg")
    evenhand("report", people, "--llm", verdicts, *column, "--sections", "ranking,llm", "-o", page)
    parts = json.loads(Path(page).read_text())["parts"]
    sections = [{one["name"]: one for one in part["sections"]} for part in parts]
    assert [one["llm"]["not_run"] for one in sections] == ["", ""]
    commands = [one[name]["command"] for one in sections for name in ("ranking", "llm")]
    for command in commands:
        evenhand(*shlex.split(command)[1:])
    assert [("seg" in one, "--llm" in one) for one in commands] == [(False,) * 2, (True,) * 2] * 2


def find_note(evenhand, *words):
    findings = json.loads(evenhand("rank", *words, "--json").out)["findings"]
    return [one for one in findings if one["code"] == "verdict-probabilities"]


def test_outcomes_contrary_to_probabilities_are_counted(files, evenhand, tmp_path):
    for contrary, severity in ((0, "note"), (400, "warning")):
        path = rewrite(
            files,
            tmp_path / "likely.csv",
            lambda at, row, n=contrary: add_probability(at, row, contrary=n),
        )
        (found,) = find_note(evenhand, files("people"), "--llm", path)
        assert (found["severity"], found["values"]["contrary"]) == (severity, contrary)


def test_names_that_differ_are_shown(files, evenhand, tmp_path):
    sides = ("left", "right")
    path = rewrite(
        files,
        tmp_path / "capitals.csv",
        lambda _, row: {name: one.upper() if name in sides else one for name, one in row.items()},
    )
    said = " ".join(evenhand("rank", files("people"), "--llm", path, code=2).err.split())
    assert "people's judgments and in the verdicts differ only in capitals: s00 and S00" in said
    path = rewrite(files, tmp_path / "items.csv", lambda _, row: {**row, "item": f"z{row['item']}"})
    assert "no item is" in evenhand("rank", files("people"), "--llm", path, code=2).err
