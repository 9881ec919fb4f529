"""`evenhand gate` in a shell: exit codes, JUnit, a summary for a pull request, refusals."""

import csv
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from evenhand.cli.main import main


@pytest.fixture(scope="module")
def votes(tmp_path_factory):
    """A file of 2,000 votes: D is better than A, B as good, C worse; in German B is worse."""
    draw = np.random.default_rng(4)
    worths = {"A": 0.0, "B": 0.0, "C": -0.9, "D": 0.8}
    names, path = [*worths], tmp_path_factory.mktemp("gate") / "votes.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["left", "right", "winner", "judge", "item", "language"])
        for at in range(2000):
            one, other = draw.choice(names, 2, replace=False)
            far = worths[one] - worths[other]
            language = ["de", "fr"][at % 2]
            far += {(True, "B"): -2.0}.get((language == "de", one), 0.0)
            far -= {(True, "B"): -2.0}.get((language == "de", other), 0.0)
            won = "left" if draw.random() < 1 / (1 + np.exp(-far)) else "right"
            rows.writerow([one, other, won, f"j{at % 16}", f"i{at // 4}", language])
    return str(path)


def call(*words):
    return CliRunner().invoke(main, ["gate", *words])


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--new", "D", "--margin", ".05"], 0, "D may replace A and is better"),
        (["--new", "C", "--margin", ".05"], 1, "C is worse than A by more than the margin"),
        (
            ["--new", "D", "--new", "C", "--margin", ".05"],
            1,
            "C is worse than A by more than the margin; 1 of 2 pass",
        ),
        (
            ["--new", "D", "--margin", ".3", "--group-by", "language"],
            0,
            "D may replace A in de and fr.",
        ),
        (["--new", "B", "--margin", ".02", "--group-by", "language"], 1, "worse than A in de"),
    ],
)
def test_exit_codes(votes, words, code, says):
    found = call(votes, "--old", "A", *words)
    assert found.exit_code == code, found.output
    assert says in " ".join(found.output.split())


def test_junit_has_a_case_for_each_comparison(votes, tmp_path):
    path = tmp_path / "gate.xml"
    call(votes, "--old", "A", "--new", "D", "--new", "C", "--margin", ".05", "--junit", str(path))
    suite = ElementTree.fromstring(path.read_text())
    assert [one.get("name") for one in suite] == ["D may replace A", "C may replace A"]
    assert [one.get("type") for one in suite.iterfind("testcase/failure")] == ["worse"]
    told = call(votes, "--old", "A", "--new", "D", "--new", "C", "--margin", ".05", "--json")
    for case, one in zip(suite, json.loads(told.stdout)["comparisons"], strict=True):
        numbers = {of.get("name"): float(of.get("value")) for of in case.find("properties")}
        shown = ("value", "lower", "upper", "limit", "p", "judgments")
        assert [numbers[name] for name in shown] == pytest.approx(
            [one[name] for name in shown], rel=1e-5
        )
        assert (numbers["margin"], numbers["alpha"]) == (0.05, 0.05)


def test_junit_says_why_a_gate_was_refused(votes, tmp_path):
    path = tmp_path / "gate.xml"
    asked = ["--old", "A", "--new", "Z", "--margin", ".05", "--junit", str(path)]
    assert call(votes, *asked).exit_code == 2
    suite = ElementTree.fromstring(path.read_text())
    assert (suite.get("tests"), suite.get("errors")) == ("1", "1")
    assert suite.find("testcase/error").get("message").startswith("no system 'Z'")


def test_a_plan_and_its_digest(votes, tmp_path):
    plan = tmp_path / "gate.toml"
    plan.write_text('new = "D"\nold = "A"\nmargin = 0.05\ngroup_by = "language"\n')
    digest = hashlib.sha256(plan.read_bytes()).hexdigest()
    found = call(votes, "--plan", str(plan), "--sha256", digest)
    assert found.exit_code == 0, found.output
    assert digest in "".join(found.output.split())
    plan.write_text(plan.read_text().replace("0.05", "0.20"))
    found = call(votes, "--plan", str(plan), "--sha256", digest)
    assert found.exit_code == 2
    assert "it was changed" in " ".join(found.output.split())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--where", "language = 'fr'"], "1,000 of 2,000 rows, 8 of 16 judges"),
        (["--without", "j3,j4"], "2 of 16 judges (j3, j4)"),
        (["--without", "C"], "1 of 4 systems (C)"),
        (["--seed", "3"], "seed 3"),
        (["--outcome", "left=right", "--outcome", "right=left"], "--outcome"),
        (["--weight", "weight"], "--weight"),
        (["--missing", "unsure"], "--missing"),
        (["--system-separator", "+"], "--system-separator"),
        (["--column", "judge=language"], "--column, in Python columns="),
        (["--weights", "importance"], "--weights"),
        (["--from", "comparisons"], "--from"),
    ],
)
def test_what_is_chosen_beside_the_plan_is_named(votes, tmp_path, words, says):
    plan, path = tmp_path / "gate.toml", tmp_path / "weighted.csv"
    plan.write_text('new = "D"\nold = "A"\nmargin = 0.05\n')
    head, *rows = Path(votes).read_text().split()
    path.write_text("\n".join([f"{head},weight", *(f"{row},1" for row in rows)]))
    found = call(str(path), "--plan", str(plan), *words)
    said = " ".join(found.output.split())
    assert "Not in the plan: " in said, said
    assert says in said.partition("Not in the plan: ")[2].partition("Otherwise as planned")[0]
    assert "As planned in" not in said
    assert found.exit_code == 3
    assert said.startswith("Exploratory, so that nothing is decided by the plan. ")
    told = json.loads(call(str(path), "--plan", str(plan), *words, "--json").stdout)
    assert "unplanned" in [one["code"] for one in told["findings"]]
    assert "Not in the plan" not in call(str(path), "--plan", str(plan)).output


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ([], "say which system is new: --new"),
        (["--new", "B"], "say which system it may replace: --old"),
        (["--new", "B", "--old", "A"], "say how much worse it may be: --margin"),
        (["--new", "b", "--old", "A", "--margin", ".1"], "no system 'b'. Did you mean 'B'"),
        (["--new", "B", "--old", "A", "--margin", "5"], "of comparisons it is below .5"),
        (["--new", "B", "--old", "A", "--margin", "-1"], "it is 0 or more"),
        (["--sha256", "ab"], "name it (--plan FILE"),
        (["--plan", "none.toml"], "there is no file 'none.toml'"),
        (["--new", "B", "--old", "A", "--margin", ".1", "--group-by", "domain"], "domain"),
        (
            ["--new", "B", "--old", "A", "--margin", ".1", "--junit", "no/x.xml"],
            "cannot be written",
        ),
        (["--new", "B", "--old", "A", "--margin", ".1", "--summary", "no/x.md"], "cannot be writ"),
    ],
)
def test_refusals_are_one_line_with_a_remedy(votes, words, refusal):
    found = call(votes, *words)
    assert found.exit_code == 2
    assert refusal in " ".join(found.output.split())


RECIPE = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("table", "changed", "code"),
    [
        ("side_by_side_simulated", {}, 0),
        ("side_by_side_simulated", {"margin = 0.05": "margin = 0"}, 3),
        ("baseball1987", {'"new"': '"Baltimore"', '"old"': '"Milwaukee"'}, 1),
        ("baseball1987", {}, 2),
        ("side_by_side_simulated", {"alpha": "alfa"}, 2),
    ],
)
def test_the_steps_of_the_page_decide_on_bundled_battles(tmp_path, table, changed, code):
    """The plan and the steps of `docs/gate.md` end a shell as they end a run of CI."""
    (plan,) = re.findall(r"```toml\n(.*?)```", RECIPE, re.DOTALL)
    for old, new in changed.items():
        plan = plan.replace(old, new)
    (tmp_path / "gate.toml").write_text(plan, encoding="utf-8")
    digest = hashlib.sha256(plan.encode()).hexdigest()
    (step,) = re.findall(r"^- run: (evenhand gate .*)$", RECIPE, re.MULTILINE)
    battles = f"evenhand demo {table} -o votes.csv"
    (tmp_path / "evenhand").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m evenhand "$@"\n')
    (tmp_path / "evenhand").chmod(0o755)
    paths = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-ec", f"{battles}\n{step.replace('DIGEST', digest)}\necho passed"],
        cwd=tmp_path,
        env={**os.environ, **paths, "GITHUB_STEP_SUMMARY": "summary.md"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert done.stdout.endswith("passed\n") == (code == 0)
    assert (tmp_path / "gate.xml").exists()
    assert (tmp_path / "summary.md").exists() == (code != 2)


def test_decisions_in_one_summary_are_paragraphs(votes, tmp_path):
    summary = tmp_path / "summary.md"
    for new in "DC":
        call(votes, "--new", new, "--old", "A", "--margin", ".05", "--summary", str(summary))
    assert "\n\n**C is worse than A" in summary.read_text()
