"""The command line in this process, in an empty folder, and files to give it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from evenhand import datasets
from evenhand.cli.main import main


class Ran(NamedTuple):
    """What a command printed on each stream, and its exit code."""

    out: str
    err: str
    code: int

    @property
    def json(self) -> Any:
        """The output as JSON; NaN and Infinity are errors, as in most languages."""

        def refuse(name: str) -> None:
            raise AssertionError(f"{name} is no JSON")

        return json.loads(self.out, parse_constant=refuse)


Evenhand = Callable[..., Ran]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the working directory of the test."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def evenhand(folder: Path) -> Evenhand:
    """`evenhand("rank", "x.csv")` runs the command; whatever is not a refusal is raised."""

    def run(*words: str, code: int = 0, color: bool = False, **env: str) -> Ran:
        result = CliRunner(env=env).invoke(main, words, prog_name="evenhand", color=color)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return Ran(result.stdout, result.stderr, result.exit_code)

    return run


@pytest.fixture
def table1(folder: Path) -> str:
    """Dras (2015), Table 1: four systems, four judges."""
    return _write("dras2015_table1", "table1.csv")


@pytest.fixture
def modpref(folder: Path) -> str:
    """Dras (2015), Figure 1(c): one pair, no judges."""
    return _write("dras2015_modpref", "modpref.csv")


@pytest.fixture
def collins(folder: Path) -> str:
    """Collins et al. (2005), Table 2, pooled."""
    return _write("collins2005", "collins.csv")


@pytest.fixture
def tasks(folder: Path) -> str:
    """Table 1 twice: as task "one", and with every preference turned round as task "two"."""
    turned = {"left": "right", "right": "left", "tie": "tie"}
    header, *rows = datasets.load("dras2015_table1").csv().splitlines()
    lines = [f"task,{header}"]
    for judge, left, right, outcome, weight in (row.split(",") for row in rows):
        lines.append(f"one,{judge},{left},{right},{outcome},{weight}")
        lines.append(f"two,{judge},{left},{right},{turned[outcome]},{weight}")
    Path("tasks.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "tasks.csv"


@pytest.fixture
def rankings(folder: Path) -> str:
    """Five rankings by two judges, one of them blank, one of a single output."""
    lines = ["judge,item,ranking,system,rank"]
    ranks = {
        "r1": ("j1", (1, 2, 3)),
        "r2": ("j1", (2, 1, 2)),
        "r3": ("j2", (3, 1, 1)),
        "r4": ("j2", ("", "", "")),
        "r5": ("j1", (1, "", "")),
    }
    for ranking, (judge, given) in ranks.items():
        for system, rank in zip("ABC", given, strict=True):
            lines.append(f"{judge},i{ranking[1]},{ranking},{system},{rank}")
    Path("rankings.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "rankings.csv"


def _write(name: str, path: str) -> str:
    Path(path).write_text(datasets.load(name).csv(), encoding="utf-8")
    return path
