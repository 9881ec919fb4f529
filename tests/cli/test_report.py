"""`evenhand report`: a page, JSON, tables and figures; what it says can be had again."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from evenhand import datasets
from evenhand.cli.main import main
from evenhand.render.document import KINDS
from evenhand.report.analysis import PREFERENCE

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
VALUE = {"type": ["string", "number", "boolean", "null"]}


def _object(**fields: Any) -> dict[str, Any]:
    """These fields, all of them and no others."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _list(of: Any) -> dict[str, Any]:
    return {"type": "array", "items": of}


ROWS = _list({"type": "object", "additionalProperties": VALUE})
COLUMN = _object(key=TEXT, title=TEXT, kind=TEXT, says=TEXT)
CHECK = _object(
    name=TEXT,
    asks=TEXT,
    state={"enum": ["passed", "failed", "warning", "cannot tell", "not run"]},
    says=TEXT,
    recommendation=TEXT,
    p={"type": ["number", "null"]},
)
FIGURE = _object(
    name=TEXT, title=TEXT, alt=TEXT, datasets={"type": "object", "additionalProperties": ROWS}
)
TABLE = _object(
    name=TEXT,
    caption=TEXT,
    columns={**_list(COLUMN), "minItems": 1},
    rows=ROWS,
    lines=_list({"type": "integer"}),
)
SECTION = _object(
    name=TEXT,
    title=TEXT,
    not_run=TEXT,
    says=TEXTS,
    checks=_list(CHECK),
    figures=_list(FIGURE),
    tables=_list(TABLE),
    blocks=_list(_object(name=TEXT, title=TEXT, text=TEXT)),
    notes=TEXTS,
    command=TEXT,
)
PART = _object(
    name=TEXT,
    answer=TEXTS,
    signature=TEXT,
    key_checks=_list(CHECK),
    sections={**_list(SECTION), "minItems": 1},
)
CONTRACT = _object(
    title=TEXT,
    contract={"const": 1},
    version=TEXT,
    command={**TEXT, "pattern": "^evenhand report "},
    log_head=TEXT,
    log_check=TEXT,
    notes=TEXTS,
    excluded={"type": "array"},
    warnings={"type": "array"},
    overview={"anyOf": [{"type": "null"}, SECTION]},
    parts={**_list(PART), "minItems": 1},
)


FEW = ("--sections", "ranking,data")
UNBEATEN = "left,right,outcome\nA,B,left\nA,C,left\nB,C,left\nC,B,left\n"


def run_again(evenhand, command):
    """What a command of a report prints as JSON."""
    name, *words = shlex.split(command)
    assert name == "evenhand"
    return evenhand(*words, "--json").json


def understands(command):
    """A verb has all options of a command of a report; it refuses others."""
    _, verb_name, *words = shlex.split(command or "evenhand report FILE")
    main.get_command(None, verb_name).make_context(f"evenhand {verb_name}", words)


def test_the_page_is_written_and_the_answer_said(evenhand, table1):
    ran = evenhand("report", table1, *FEW, "-o", "r.html")
    page = Path("r.html").read_text("utf-8")
    assert "A is the best: better than each of the other 3" in page
    assert ran.out == ""
    assert "wrote  r.html" in ran.err
    assert "says   A is the best: better than each of the other 3" in ran.err


@pytest.mark.parametrize("name", ["dras2015_table1", "pudding"])
def test_the_json_of_each_bundled_table_keeps_the_contract(evenhand, folder, name):
    Path("t.csv").write_text(datasets.load(name).csv(), encoding="utf-8")
    found = evenhand("report", "t.csv", "--json").json
    jsonschema.validate(found, CONTRACT)
    assert [one["name"] for one in found["parts"][0]["sections"]] == list(PREFERENCE)
    for part in found["parts"]:
        made = {check["name"]: check for one in part["sections"] for check in one["checks"]}
        assert all(made[light["name"]] == light for light in part["key_checks"])
        for table in (table for one in part["sections"] for table in one["tables"]):
            keys = {column["key"] for column in table["columns"]}
            assert all(keys <= row.keys() for row in table["rows"])
            assert {column["kind"] for column in table["columns"]} <= KINDS.keys()


def test_the_command_in_the_report_makes_it_again(evenhand, tasks):
    asked = ["report", tasks, "--task", "one", "--where", "judge <> 'J3'", *FEW, "--title", "A B"]
    asked += ["--level", "0.9", "--seed", "7", "--ties", "rao-kupper", "--prior", "0.5"]
    asked += ["--column", "judge=judge", "--outcome", "left=left", "--outcome", "right=right"]
    found = evenhand(*asked, "--outcome", "tie=tie", "--json").json
    assert run_again(evenhand, found["command"]) == found
    assert found["title"] == "A B"


def test_the_command_of_the_ranking_gives_its_numbers(evenhand, table1):
    options = ("--level", "0.8", "--seed", "5", "--prior", "2")
    found = evenhand("report", table1, "--sections", "ranking", *options, "--json").json
    section = found["parts"][0]["sections"][0]
    board = section["tables"][0]["rows"]
    again = run_again(evenhand, section["command"])
    assert [row["system"] for row in again["systems"]] == [row["system"] for row in board]
    for key in ("lower", "upper", "stderr"):
        assert [row[key] for row in again["systems"]] == [row[key] for row in board]
    assert again["signature"] == found["parts"][0]["signature"]


def test_every_command_of_a_report_runs(evenhand, tasks):
    found = evenhand(
        "report", tasks, "--level", "0.9", "--seed", "7", "--prior", "1", "--json"
    ).json
    lines = {one["command"] for one in found["parts"][0]["sections"] if not one["not_run"]}
    for command in sorted({command for line in lines for command in line.split(" && ")}):
        understands(command)


def test_a_ranking_that_is_refused_is_the_headline_with_what_to_do(evenhand, folder):
    Path("v.csv").write_text(UNBEATEN)
    ran = evenhand("report", "v.csv", "-o", "r.json")
    (part,) = json.loads(Path("r.json").read_text("utf-8"))["parts"]
    assert part["answer"][0].startswith("No ranking: worths are not identified: nobody preferred")
    assert part["answer"][0].endswith("or pass --prior 1")
    assert "note   No ranking:" in ran.err
    assert part["sections"][0]["not_run"] != ""
    assert "says   " in evenhand("report", "v.csv", "--prior", "1", *FEW).err
