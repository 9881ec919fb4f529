"""The page of all verbs: what `--help` says, and an example of the JSON, when the site is built.

The examples are the kept answers of `tests/corpus`, which are compared with what commands print.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import click

from evenhand.cli.main import GROUPS, main

ANSWERS = Path(__file__).parent.parent / "tests" / "corpus" / "answers"
WIDTH = 100
LONGEST = 60  # of a string in an example


def write_reference() -> str:
    """The page, as Markdown."""
    context = click.Context(main, info_name="evenhand")
    parts = [
        "# Reference of the command line",
        "Every verb with its options, as `evenhand VERB --help` prints them, and an example of its"
        " JSON: of each list the first entry, long strings cut.",
    ]
    for group, verbs in GROUPS.items():
        parts.append(f"## {group}")
        for verb in verbs:
            parts += [f"### evenhand {verb}", f"```text\n{_help(context, verb)}\n```"]
            parts += _example(verb)
    return "\n\n".join(parts) + "\n"


def _help(group: click.Context, verb: str) -> str:
    command = main.get_command(group, verb)
    assert command is not None
    size = {"terminal_width": WIDTH, "max_content_width": WIDTH}
    return command.get_help(click.Context(command, group, verb, **size))


def _example(verb: str) -> list[str]:
    """The JSON of the first kept command that has some, none where the verb prints no JSON."""
    path = ANSWERS / f"{verb}.jsonl.gz"
    if not path.exists() or verb == "report":  # docs/report.md has the contract of a report
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        answers = [answer for answer in map(json.loads, lines) if answer["form"] == "json"]
    objects = [answer for answer in answers if isinstance(answer["out"], dict)]
    if not objects:
        return []
    answer = min(objects, key=lambda one: "groups" in one["out"])  # the first without groups
    shown = json.dumps(_shorten(answer["out"]), indent=2, ensure_ascii=False)
    return [f"`evenhand {answer['words']} --json`:", f"```json\n{shown}\n```"]


def _shorten(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shorten(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_shorten(one) for one in value[:1]]
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, str) and len(value) > LONGEST:
        return f"{value[:LONGEST]}..."
    return value
