"""What the refusals of the corpus say to do can be copied: what they name is there, and helps."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from corpus import inputs
from corpus.answers import read_kept
from corpus.runner import DATA, Case, read_cases
from evenhand.cli.main import MEANT, VERBS, main

REFUSED = [
    case
    for case in read_cases()
    if case.section == "refusals" and not case.needs_data and case.words and case.words[0] in VERBS
]
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
# Options with a value that stands in the refusal as it is typed
LITERAL = re.compile(r'--where "(?:[^"\\]|\\.)*"|--prior 1\b')


def list_options(verb: str) -> set[str]:
    command = main.get_command(click.Context(main), verb)
    assert command is not None
    return {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {
        "--help",
        "--version",
    }


def list_refusals() -> Iterator[tuple[Case, str]]:
    kept = read_kept()
    for case in REFUSED:
        answer = kept.get((case.name, "text"))
        if answer is not None:
            yield case, " ".join(answer["err"].split())


def test_every_option_and_verb_that_a_refusal_names_is_there() -> None:
    missing = []
    for case, said in list_refusals():
        # of the verb that was called, or of one that is named before the option
        verbs = {case.words[0], *re.findall(r"evenhand ([a-z]+)", said)}
        missing += [f"{case.name}: evenhand {one}" for one in verbs if one not in {*VERBS, *MEANT}]
        there = set().union(*(list_options(one) for one in verbs if one in VERBS))
        typed = {word.partition("=")[0] for word in case.words}
        missing += [
            f"{case.name}: {one}" for one in OPTION.findall(said) if one not in there | typed
        ]
    assert missing == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("inputs")
    inputs.make_inputs(where)
    for table, file in inputs.DEMOS.items():
        CliRunner().invoke(main, ["demo", table, "-o", str(where / file)])
    return where


def test_a_remedy_that_can_be_copied_leads_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    tried, same = 0, []
    for case, said in list_refusals():
        for remedy in LITERAL.findall(said):
            if DATA in remedy or "…" in remedy:
                continue
            words = [*case.words, *shlex.split(remedy)]
            result = CliRunner().invoke(main, words, prog_name="evenhand")
            again = " ".join(result.output.split())
            tried += 1
            if result.exit_code and again == said:
                same.append(f"{case.name}: {remedy}")
    assert same == []
    assert tried >= 5
