"""The head of a campaign's log stands in what is made of its database, with the command for it."""

import re
import shlex
from html import unescape
from pathlib import Path

import pytest

from evenhand.web.store.store import Store
from followed_campaigns import judge_some, make
from stored_campaigns import fill


@pytest.fixture
def head(folder: Path) -> str:
    """A campaign's database with a name that a shell needs quoted; the end of its log."""
    with Store.open("our votes.db") as store:
        fill(store, make())
        judge_some(store, 60)
        return str(store.head())


def run(evenhand, command: str, code: int = 0):
    program, *words = shlex.split(command)
    assert program == "evenhand"
    return evenhand(*words, code=code)


def test_a_report_names_the_end_of_the_log_and_what_shows_a_cut(evenhand, head):
    evenhand("report", "our votes.db", "--sections", "ranking", "--tables", "tables")
    page = Path("report.html").read_text(encoding="utf-8")
    told = evenhand("report", "our votes.db", "--sections", "ranking", "--json").json
    command = f"evenhand check 'our votes.db' --head {head}"
    assert (told["log_head"], told["log_check"]) == (head, command)
    (shown,) = re.findall(r'<code data-path="/log_check">(.*?)</code>', page)
    assert unescape(shown) == command
    assert f'<code data-path="/log_head">{head}</code>' in page
    assert command in Path("tables", "about.txt").read_text(encoding="utf-8")
    assert "nothing was cut or rewritten" in run(evenhand, command).out


def test_the_head_of_a_report_finds_an_end_that_was_cut(evenhand, head):
    told = evenhand("report", "our votes.db", "--sections", "ranking", "--json").json
    evenhand("check", "our votes.db", "--write-log", "whole.jsonl")
    lines = Path("whole.jsonl").read_bytes().splitlines(keepends=True)
    Path("cut.jsonl").write_bytes(b"".join(lines[:-1]))
    evenhand("check", "cut.jsonl")  # by itself it looks whole
    command = told["log_check"].replace("'our votes.db'", "cut.jsonl")
    assert f"Record {len(lines)}" in run(evenhand, command, code=2).err


def test_a_file_has_no_log(evenhand, table1):
    told = evenhand("report", table1, "--sections", "ranking", "--json").json
    assert (told["log_head"], told["log_check"]) == ("", "")


def test_watch_names_the_command_by_the_database(evenhand, head):
    *_, last = evenhand("watch", "our votes.db").out.splitlines()
    what, command = last.split(maxsplit=1)
    assert (what, command) == ("check", f"evenhand check 'our votes.db' --head {head}")
    assert evenhand("watch", "our votes.db", "--json").json["check"] == command
    assert "nothing was cut or rewritten" in run(evenhand, command).out


def test_what_was_added_after_the_noted_head_may_be_cut(evenhand, head):
    """A head of record 40 says nothing of later records."""
    evenhand("check", "our votes.db", "--write-log", "whole.jsonl")
    lines = Path("whole.jsonl").read_bytes().splitlines(keepends=True)
    Path("first.jsonl").write_bytes(b"".join(lines[:40]))
    noted = evenhand("check", "first.jsonl", "--json").json["head"]
    Path("cut.jsonl").write_bytes(b"".join(lines[:-5]))
    said = " ".join(evenhand("check", "cut.jsonl", "--head", noted).out.split())
    assert "nothing was cut or rewritten up to record 40." in said


@pytest.mark.parametrize("name", ["none.jsonl", "none.db", "none.toml"])
@pytest.mark.parametrize("more", [[], ["--head", f"3:{'ab' * 32}"]])
def test_a_file_that_is_not_there_is_said_to_lack(evenhand, folder, name, more):
    assert f"there is no file '{name}'" in evenhand("check", name, *more, code=2).err
