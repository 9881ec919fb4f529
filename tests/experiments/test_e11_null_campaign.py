"""E11: how often does the command line find something where there is nothing?

Six systems that are all alike, twelve judges, 400 output pairs from 40 sources, three judges on
each: 1,200 judgments in a CSV file. Latent gaps of output pairs are N(0, 2 · .8²), tastes of judges
for systems N(0, .2²), their slopes exp(N(0, .25²)), ν = .5; the side does not matter. Drawn in
this order: pairs, sides, gaps, who judges, slopes, tastes, outcomes.

All four checks are read from `evenhand report --json`: an alarm is a decided pair (ranking), a
flagged judge (judges), p ≤ .01 for cycles (circles), or p ≤ .01 for the position (order). Pass:
each in at most its budget plus 3.09 √(budget (1 − budget) / 200) of 200 files, any of them in at
most .166. Each check must sound on most files that do have what it looks for.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from evenhand.cli.main import main
from experiments.campaign import generator, method_seed, part_of
from vote_campaigns import answer, deal, draw_judges

pytestmark = pytest.mark.slow

EXPERIMENT, R, SUBPROCESSES = 11, part_of(200), part_of(5)
SYSTEMS, JUDGES, PAIRS, ITEMS = 6, 12, 400, 40
GAP = 0.8 * sqrt(2)


def ask(words: list[str]) -> str:
    """What the command prints, in this process."""
    ran = CliRunner().invoke(main, words, prog_name="evenhand", catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    return ran.stdout


def words_of(file: Path, seed: int) -> list[str]:
    sections = ",".join(check.section for check in CHECKS.values())
    return ["report", str(file), "--sections", sections, "--seed", str(seed), "--json"]


def ask_report(file: Path, seed: int) -> dict[str, Any]:
    """The sections of the report, by name."""
    (part,) = json.loads(ask(words_of(file, seed)))["parts"]
    return {section["name"]: section for section in part["sections"]}


@dataclass(frozen=True)
class Check:
    """Something that the report may find.

    Attributes:
        section: whose JSON is read.
        budget: share of files in which it may be found where it is not there.
        alarms: whether the section says so.

    """

    section: str
    budget: float
    alarms: Callable[[Any], bool]

    def sounds(self, found: dict[str, Any]) -> bool:
        """Whether it alarms; a section that was not written cannot."""
        section = found[self.section]
        assert not section["not_run"], section["not_run"]
        return self.alarms(section)


def find_chance(section: Any) -> float:
    """The p-value of the check of a section."""
    (check,) = section["checks"]
    assert check["p"] is not None, check["says"]
    return float(check["p"])


def find_rows(section: Any, name: str) -> list[dict[str, Any]]:
    """The rows of a table of a section."""
    (rows,) = [table["rows"] for table in section["tables"] if table["name"] == name]
    return rows


def decides(section: Any) -> bool:
    """Whether any system is better than another."""
    return any(row["better_than"] > 0 for row in find_rows(section, "board"))


def flags(section: Any) -> bool:
    """Whether any judge is flagged."""
    return any(row["flags"] for row in find_rows(section, "flags"))


def tolerated(budget: float) -> float:
    return budget + 3.09 * sqrt(budget * (1 - budget) / R)


CHECKS = {
    "ranks": Check("ranking", 0.05, decides),
    "flags": Check("judges", 0.03, flags),
    "cycles": Check("circles", 0.01, lambda section: find_chance(section) <= 0.01),
    "position": Check("order", 0.01, lambda section: find_chance(section) <= 0.01),
}


@dataclass(frozen=True)
class World:
    """What there is to be found; nothing, if not said otherwise.

    Attributes:
        step: log-worth between neighbouring systems.
        circle: log-odds by which s0 beats s1, s1 beats s2 and s2 beats s0 beyond their worths.
        first: log-odds of the output on the left.
        careless: judges who answer at random.

    """

    step: float = 0.0
    circle: float = 0.0
    first: float = 0.0
    careless: int = 0

    def write(self, file: Path, rng: np.random.Generator) -> None:
        """Draw a campaign and write it as CSV."""
        pair = rng.integers(SYSTEMS * (SYSTEMS - 1) // 2, size=PAIRS)
        sides = np.array(np.triu_indices(SYSTEMS, 1))[:, pair]
        left, right = np.where(rng.random(PAIRS) < 0.5, sides, sides[::-1])
        gap = rng.normal(0, GAP, PAIRS) + self._lead(left, right)
        judge = deal(rng, JUDGES, 3 * PAIRS)
        slope, taste = draw_judges(rng, JUDGES, SYSTEMS)
        slope[: self.careless] = 0.0
        of = np.repeat(np.arange(PAIRS), 3)
        own = taste[judge, left[of]] - taste[judge, right[of]]
        said = answer(rng, slope[judge] * (gap[of] + own) + self.first)
        rows = zip(judge, of % ITEMS, left[of], right[of], said, strict=True)
        words = ("left", "tie", "right")
        lines = [f"j{j:02},i{i:02},s{a},s{b},{words[o]}" for j, i, a, b, o in rows]
        file.write_text("\n".join(["judge,item,left,right,outcome", *lines, ""]), "utf-8")

    def _lead(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """(n,) what the left output has ahead on average."""
        beats = (left < 3) & (right < 3)
        turn = np.where((right - left) % 3 == 1, 1, -1)
        return self.step * (right - left) + self.circle * beats * turn


def seed_of(replicate: int) -> int:
    return method_seed(EXPERIMENT, 0, replicate)


def write_null(folder: Path, replicate: int) -> Path:
    file = folder / f"null{replicate}.csv"
    World().write(file, generator(EXPERIMENT, 0, replicate))
    return file


def count_alarms(folder: Path) -> dict[str, int]:
    """Files in which each check alarms, in which any does, and in which judges are not judged."""
    count = dict.fromkeys((*CHECKS, "any", "abstains"), 0)
    for replicate in range(R):
        found = ask_report(write_null(folder, replicate), seed_of(replicate))
        alarms = {name: one.sounds(found) for name, one in CHECKS.items()}
        alarms["any"] = any(alarms.values())
        alarms["abstains"] = found["judges"]["checks"][0]["state"] == "cannot tell"
        for name, true in alarms.items():
            count[name] += true
    return count


def test_false_alarms_stay_within_their_budgets(tmp_path):
    count = count_alarms(tmp_path)
    abstains = count.pop("abstains")
    budgets = {name: check.budget for name, check in CHECKS.items()}
    most = {k: tolerated(b) for k, b in {**budgets, "any": sum(budgets.values())}.items()}
    shares = [f"{k} {n}/{R} = {n / R:.3f} (at most {most[k]:.3f})" for k, n in count.items()]
    said = f"E11 alarms: {'; '.join(shares)}; judges are not distinguished in {abstains}/{R}"
    print(said)  # noqa: T201 - an experiment shows its counts
    assert {name: n / R for name, n in count.items() if n / R > most[name]} == {}


@pytest.mark.parametrize(
    ("name", "world"),
    [
        ("ranks", World(step=0.4)),
        ("flags", World(step=0.5, careless=2)),
        ("cycles", World(circle=2.0)),
        ("position", World(first=0.6)),
    ],
)
def test_the_same_checks_sound_where_there_is_something(tmp_path, name, world):
    check, file, sounds = CHECKS[name], tmp_path / "something.csv", 0
    for replicate in range(5):
        world.write(file, generator(EXPERIMENT, 1, replicate))
        sounds += check.sounds(ask_report(file, seed_of(replicate)))
    assert sounds >= 3


@pytest.mark.parametrize("replicate", range(SUBPROCESSES))
def test_a_process_of_its_own_prints_the_same_bytes(tmp_path, replicate):
    words = words_of(write_null(tmp_path, replicate), seed_of(replicate))
    program = [sys.executable, "-m", "evenhand", *words]
    ran = subprocess.run(program, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
    own = ask(words).encode()
    same = sum(one == other for one, other in zip(ran.stdout, own, strict=False))
    print(f"{same} of {len(own)} bytes the same")  # noqa: T201 - an experiment shows its counts
    assert ran.stdout == own
