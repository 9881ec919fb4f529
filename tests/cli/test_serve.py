"""`evenhand serve`, as a process of its own."""

import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner

from evenhand.cli.main import main
from evenhand.design.reading import read_campaign
from evenhand.web import Store
from evenhand.web.store.audit import audit
from stored_campaigns import judge_next
from waiting import LONG

ITEMS = "item,source,A,B\n1,eins,one,uno\n2,zwei,two,due\n"


@contextmanager
def serve(*words: str, end: signal.Signals = signal.SIGINT) -> Iterator[dict[str, str]]:
    """Serve, and give what was said by its label."""
    command = [sys.executable, "-m", "evenhand", "serve", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        lines = [server.stdout.readline().rstrip() for _ in range(3 if "--demo" in words else 2)]
        try:
            yield {one.partition(" ")[0]: one.partition(" ")[2].strip() for one in lines}
        finally:
            server.send_signal(end)
            assert server.wait(LONG) == 0


def fetch(address: str) -> str:
    with urlopen(Request(address), timeout=LONG) as found:
        return str(found.read().decode())


def launch(path: Path) -> None:
    """Begin a campaign in its database, as a server that has ended did."""
    with Store.open(str(path.with_suffix(".db"))) as store:
        assert store.launch(read_campaign(str(path)))


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_the_demo_prints_a_judges_link_that_works_and_leaves_nothing_behind(
    end: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with serve("--demo", "--port", "0", end=end) as said:
        assert said["serves"] == "A short try: 3 judges, 0 of 42 questions answered"
        assert "judge.js" in fetch(said["judge"])
        assert '"state":"item"' in fetch(f"{said['judge']}/item")
        assert "Pause" in fetch(said["admin"])
    assert list(tmp_path.iterdir()) == []


def test_the_head_of_the_log_is_printed_at_each_stop(tmp_path: Path) -> None:
    table, database = tmp_path / "items.csv", tmp_path / "items.db"
    table.write_text(ITEMS)
    command = [sys.executable, "-m", "evenhand", "serve", str(table), "--port", "0"]
    for _ in range(2):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            assert server.stdout.readline().startswith("serves")
            server.send_signal(signal.SIGTERM)
            last = server.stdout.read().splitlines()[-1]
            assert server.wait(LONG) == 0
        check = audit(str(database))
        assert last == f"head   {check.head}, the end of the log: note it elsewhere"


def test_a_link_of_the_organiser_is_shown_on_a_terminal(tmp_path: Path) -> None:
    table, (ours, theirs) = tmp_path / "items.csv", os.openpty()
    table.write_text(ITEMS)
    command = [sys.executable, "-m", "evenhand", "serve", str(table), "--port", "0"]
    with subprocess.Popen(command, stdout=theirs) as server, os.fdopen(ours) as shown:
        lines = [shown.readline() for _ in range(2)]
        server.send_signal(signal.SIGINT)
        assert server.wait(LONG) == 0
    os.close(theirs)
    assert lines[1].split()[1] in (tmp_path / "items.links.csv").read_text()


def test_a_table_is_served_again_with_the_same_links_and_none_is_printed(tmp_path: Path) -> None:
    table, links = tmp_path / "items.csv", tmp_path / "items.links.csv"
    table.write_text(ITEMS)
    with serve(str(table), "--port", "0", "--url", "https://example.org", "--prefix", "x") as said:
        assert set(said) == {"serves", "links"}
        assert "http" not in " ".join(said.values())  # others may read what is printed
        assert said["links"].startswith(str(links)[:40])
        assert stat.S_IMODE(links.stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "items.db").stat().st_mode) == 0o600
        first = links.read_text()
    assert "https://example.org/x/j/" in first
    with serve(str(table), "--port", "0", "--url", "https://example.org", "--prefix", "x"):
        assert links.read_text() == first


def test_a_port_that_is_taken_is_refused_with_a_remedy(tmp_path: Path) -> None:
    table = tmp_path / "items.csv"
    table.write_text(ITEMS)
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        found = CliRunner().invoke(main, ["serve", str(table), "--port", port])
    assert found.exit_code == 2
    assert "already in use: choose another port" in " ".join(found.output.split())


def test_a_second_server_is_refused_and_leaves_the_links_alone(tmp_path: Path) -> None:
    table, links = tmp_path / "items.csv", tmp_path / "items.links.csv"
    table.write_text(ITEMS)
    with serve(str(table), "--port", "0"):
        first = links.read_text()
        found = CliRunner().invoke(main, ["serve", str(table)])
        said = " ".join(found.output.split())
        assert (found.exit_code, links.read_text()) == (2, first)
        where = said.partition("another server of this campaign is running at ")[2].split(": ")[0]
        assert f"{where}/a/" in first
        assert fetch(f"{where}/health")
        with serve(str(table), "--port", "0", "--links", str(tmp_path / "other.csv")):
            assert links.read_text() == first
    assert list(tmp_path.glob(".*.lock")) == []


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is locked there")
def test_a_server_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    table = tmp_path / "items.csv"
    table.write_text(ITEMS)
    command = [sys.executable, "-m", "evenhand", "serve", str(table), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdout.readline().startswith("serves")
        server.kill()
    assert len(list(tmp_path.glob(".*.lock"))) == 1
    with serve(str(table), "--port", "0") as said:
        assert "links" in said


def test_another_campaign_in_the_same_database_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "items.csv"
    table.write_text(ITEMS)
    launch(table)
    table.write_text(ITEMS.replace("uno", "ein"))
    found = CliRunner().invoke(main, ["serve", str(table), "--port", "0"])
    assert (found.exit_code, "which began with a file" in " ".join(found.output.split())) == (
        2,
        True,
    )
    assert os.access(tmp_path / "items.db", os.R_OK)


def test_a_seat_with_two_logins_is_counted_once(tmp_path: Path) -> None:
    table = tmp_path / "items.csv"
    table.write_text(f"{ITEMS}3,drei,three,tre\n4,vier,four,quattro\n5,x,y,z\n6,a,b,c\n")
    with serve(str(table), "--port", "0") as said:
        assert said["serves"] == "items: 3 judges, 0 of 6 questions answered"
    with Store.open(str(tmp_path / "items.db")) as store:
        judge_next(store, "judge-1")
        store.revoke("judge-1")
        store.invite("new", seat="judge-1")
        store.revoke("judge-2")
        store.invite("spare", seat="")
    with serve(str(table), "--port", "0") as said:
        assert said["serves"] == "items: 2 judges, 1 free place, 1 of 6 questions answered"
    with Store.open(str(tmp_path / "items.db")) as store:
        store.pause()
    with serve(str(table), "--port", "0") as said:
        assert said["serves"].endswith(" answered; it is paused:")  # and the rest on the next line


def test_a_seed_that_others_may_know_is_warned_of(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text(ITEMS)
    drawn, named = tmp_path / "drawn.toml", tmp_path / "named.toml"
    drawn.write_text('items = "items.csv"\n')
    named.write_text('seed = 7\nitems = "items.csv"\n')
    launch(drawn)  # its seed is in the database now
    for path in (drawn, named, named):  # the last once more, now that it is launched
        command = [sys.executable, "-m", "evenhand", "serve", str(path), "--port", "0"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            assert server.stdout.readline().startswith("serves")
            server.send_signal(signal.SIGINT)
            told = server.communicate(timeout=LONG)[1]
            assert server.returncode == 0
        assert ("names its seed" in told) == (path == named)
