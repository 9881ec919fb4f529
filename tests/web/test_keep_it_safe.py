"""The page docs/keep-it-safe.md keeps its word: its commands are run, its limits are true."""

import configparser
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click
import pytest

from evenhand.cli.main import main
from evenhand.web import Limits, Store
from evenhand.web import limits as connections
from evenhand.web import site as health
from evenhand.web.links import read_links
from evenhand.web.store.audit import check_store
from http_judges import check_stored, run_judges
from markdown_pages import ROOT, blocks
from postgres_server import Server
from served_campaigns import start
from started_servers import find_port
from stored_campaigns import fill, judge_next, make_pairs

PAGE = (ROOT / "docs" / "keep-it-safe.md").read_text("utf-8")
CAMPAIGN = """\
name = "spring"
judges = 2
items = "items.csv"
[[tasks]]
kind = "pair"
name = "better"
"""
BACKUP, DUMP, RESTORE, LOAD, NOTHING, HEALTH, _CONTAINER = (
    one.code for one in blocks(PAGE) if one.language == "sh"
)
UNIT, NGINX, CADDY = (one.code for one in blocks(PAGE) if one.language == "text")


def run(script: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run a block of the page."""
    places = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return subprocess.run(
        ["sh", "-e", "-c", script],
        env={**os.environ, "PATH": places, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("campaign.toml").write_text(CAMPAIGN)
    rows = (f"{n},one {n},uno {n}\n" for n in range(20))
    Path("items.csv").write_text("item,A,B\n" + "".join(rows))
    return tmp_path


@contextmanager
def serve(port: int = 0, end: signal.Signals = signal.SIGTERM) -> Iterator[str]:
    """Serve the campaign; give its address."""
    with start(Path(), "campaign.toml", "--port", str(port), end=end):
        rows = Path("campaign.links.csv").read_text()
        yield rows.partition("judge-1,")[2].partition("/j/")[0]


def count(database: str) -> int:
    with closing(sqlite3.connect(database)) as opened:
        return int(opened.execute("SELECT count(*) FROM log WHERE kind = 'judgment'").fetchone()[0])


def test_a_backup_is_made_while_it_runs_and_restored(folder: Path) -> None:
    with serve(end=signal.SIGKILL):
        tokens = read_links(Path("campaign.links.csv"))
        with Store.open("campaign.db") as store:
            for _ in range(3):
                judge_next(store, "judge-1")
            shutil.copy("campaign.db", "plain-copy.db")
            assert count("plain-copy.db") == 0, "a plain copy has what is in the log beside it"
            done = run(BACKUP)
            assert done.returncode == 0, done.stderr
            judge_next(store, "judge-1")
        assert run(BACKUP).returncode != 0, "a backup was replaced"
    assert count("campaign-backup.db") == 3
    assert {Path(one).stat().st_mode & 0o077 for one in ("campaign-backup.db",)} == {0}
    restored = run(RESTORE)
    assert restored.returncode == 0, restored.stderr
    with serve():
        assert read_links(Path("campaign.links.csv")) == tokens
    assert (count("campaign.db"), count("lost/campaign.db")) == (3, 4)


@pytest.mark.slow
def test_no_answer_that_was_acknowledged_before_a_backup_is_lost_by_a_restore(
    folder: Path,
) -> None:
    """Judges answer over HTTP while it is made; then the machine of the server is lost."""
    rows = (f"{n},one {n},uno {n}\n" for n in range(1_000))
    Path("items.csv").write_text("item,A,B\n" + "".join(rows))
    port = find_port()
    with serve(port, end=signal.SIGKILL):
        links = read_links(Path("campaign.links.csv"))
        tokens = [token for (role, _), token in links.items() if role == "judge"]
        with run_judges(port, tokens) as judges:
            judges.wait_for(20)
            before = dict(judges.stored)
            done = run(BACKUP)
            assert done.returncode == 0, done.stderr
            judges.wait_for(len(judges.stored) + 5)
        assert (judges.wrong, judges.refused, judges.done) == ([], 0, 0)
    restored = run(RESTORE)
    assert restored.returncode == 0, restored.stderr
    kept = check_stored("campaign.db", before)
    assert len(before) <= len(kept) < len(judges.stored) == count("lost/campaign.db")
    with serve(port):  # who was at an answer after the backup is asked it again
        with run_judges(port, tokens) as again:
            again.wait_for(10)
        assert again.wrong == []


def test_a_head_that_was_noted_shows_that_a_backup_is_older(folder: Path) -> None:
    with Store.open("campaign.db") as store:
        fill(store, make_pairs())
        run(BACKUP.replace("cp campaign.links", "true campaign.links"))
        judge_next(store, "j0")
        head = store.head()
    shutil.move("campaign-backup.db", "older.db")
    command = f"evenhand check %s --head {head.number}:{head.hash}"
    assert run(command % "campaign.db").returncode == 0
    assert run(command % "older.db").returncode == 2
    assert run("evenhand check older.db").returncode == 0


def test_a_backup_on_a_server_is_made_and_restored(folder: Path, postgres: Server) -> None:
    if shutil.which("pg_dump") is None:
        pytest.skip("no pg_dump")
    first, second = postgres.make_database("dumped"), postgres.make_database("loaded")
    with Store.open(first) as store:
        fill(store, make_pairs())
        judge_next(store, "j0")
        done = run(DUMP, EVENHAND_DATABASE=first)
        head = store.head()
    assert done.returncode == 0, done.stderr
    done = run(LOAD, EVENHAND_DATABASE=second)
    assert done.returncode == 0, done.stderr
    with Store.open(second) as store:
        assert check_store(store, head).holds


def test_health_is_asked_as_the_page_says(folder: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl")
    with serve() as address:
        done = run(HEALTH.replace("http://127.0.0.1:8000", address))
        assert (done.returncode, done.stdout) == (0, "well\n"), done.stderr
        Path("campaign.db").rename("gone")
    assert health.HEALTH_REST == 5  # "at most once in five seconds"


def test_the_unit_starts_a_command_that_is_there(folder: Path) -> None:
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(UNIT)
    program, verb, campaign, *words = unit["Service"]["ExecStart"].split()
    assert (Path(program).name, verb, campaign) == ("evenhand", "serve", "campaign.toml")
    command = main.get_command(click.Context(main), "serve")
    assert command is not None
    context = command.make_context("serve", [campaign, *words])
    assert context.params["proxy"] == ("127.0.0.1",)
    assert int(unit["Service"]["LimitNOFILE"]) > Limits().connections
    if shutil.which("systemd-analyze"):
        text = UNIT.replace(program, sys.executable)
        Path("evenhand.service").write_text(text.replace("User=evenhand\n", "User=root\n"))
        done = run("systemd-analyze verify ./evenhand.service")
        assert [line for line in done.stderr.splitlines() if "evenhand.service" in line] == []


def test_proxies_and_server_say_the_same() -> None:
    words = UNIT.partition("ExecStart=")[2].splitlines()[0]
    port, prefix = (words.partition(f"{one} ")[2].split()[0] for one in ("--port", "--prefix"))
    for text in (NGINX, CADDY):
        assert f"127.0.0.1:{port}" in text
        assert f"{prefix}/" in text
        most = re.search(r"(?:max_body_size|max_size) (\d+)k", text, re.IGNORECASE)
        assert most is not None
        assert int(most[1]) * 1000 > Limits().body  # so that Evenhand says it in words
    assert f"client_header_timeout {Limits().head}s;" in NGINX
    assert f"client_body_timeout {Limits().body_time}s;" in NGINX


def test_the_limits_of_the_page_are_those_of_the_server() -> None:
    limits = Limits()
    for row in (
        f"| {limits.head} seconds, {connections.HEAD // 1024} KiB |",
        f"| {limits.body_time} seconds, {limits.body // 1024} KiB |",
        f"| {limits.idle} seconds |",
        f"| {connections.STEP // 1024} KiB in {limits.stall} seconds |",
        f"| connections | {limits.connections:,}, or as many as open files allow |",
        f"| {limits.per_address} from one address that is not a named proxy |",
    ):
        assert row in PAGE
