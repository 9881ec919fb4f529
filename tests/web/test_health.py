"""Whether the server can do its work, and what it writes of faults."""

import json
import logging
import os
import re
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import pytest
from starlette.testclient import TestClient

from evenhand.web import NotStored, Store
from evenhand.web import site as health
from evenhand.web import site as rates
from evenhand.web.app import JsonLines, TimedLines, make_app
from evenhand.web.site import Health, Rates, Site
from evenhand.web.store.audit import check_store
from served_campaigns import start
from stored_campaigns import fill, judge_next, take
from waiting import LONG


@pytest.fixture
def site(store: Store) -> Site:
    """A site whose health is asked of the store each time."""
    fill(store)
    made = Site(store)
    made.__dict__["health"] = Health(store, clock=iter(range(0, 10_000_000, 100)).__next__)
    return made


@pytest.fixture
def client(site: Site) -> Iterator[TestClient]:
    with TestClient(make_app(site), raise_server_exceptions=False) as opened:
        yield opened


def ask(client: TestClient) -> tuple[int, str]:
    told = client.get("/health")
    assert ("retry-after" in told.headers) == (told.status_code == 503)
    return told.status_code, told.text


@pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)
def test_it_reads_and_writes_and_changes_nothing(client: TestClient, store: Store) -> None:
    before = store.head()
    judge_next(store, "j0")
    assert ask(client) == (200, "well\n")
    assert check_store(store).holds
    assert store.head().number == before.number + 1


def test_it_reaches_the_disk(client: TestClient, store: Store, where: str) -> None:
    store.checkpoint()
    log = Path(f"{where}-wal")
    assert log.stat().st_size == 0
    assert ask(client) == (200, "well\n")
    assert log.stat().st_size > 4096


def test_a_database_that_another_program_holds_does_not_answer(
    client: TestClient, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "PATIENCE", 0.2)
    with closing(sqlite3.connect(where, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        assert ask(client) == (503, "the database does not answer\n")
        holder.execute("ROLLBACK")
    monkeypatch.setattr(health, "PATIENCE", 60)
    assert ask(client) == (200, "well\n")


def test_a_database_that_is_damaged_cannot_be_read(client: TestClient, where: str) -> None:
    with closing(sqlite3.connect(where)) as other:
        other.execute("DROP TABLE specs")
        other.execute("ALTER TABLE campaign RENAME TO gone")
        other.commit()
    status, words = ask(client)
    assert (status, words.startswith("the database cannot be read: ")) == (503, True)


def test_a_file_that_was_moved_takes_no_answer_until_it_is_back(
    client: TestClient, store: Store, where: str, tmp_path: Path
) -> None:
    """SQLite goes on writing into a file that has no name any more."""
    served = take(store, "j0")
    Path(where).rename(tmp_path / "elsewhere")
    assert ask(client)[0] == 503
    with pytest.raises(NotStored, match="was moved, deleted or emptied: put it back"):
        judge_next(store, "j0")
    (tmp_path / "elsewhere").rename(where)
    assert ask(client) == (200, "well\n")
    assert take(store, "j0").ticket == served.ticket


def test_a_file_that_is_emptied_in_its_place_takes_no_answer(
    client: TestClient, store: Store, where: str
) -> None:
    """SQLite goes on from what it remembers, and a kill loses all that was answered since."""
    take(store, "j0")
    os.truncate(where, 0)
    assert ask(client)[0] == 503
    with pytest.raises(NotStored, match="was moved, deleted or emptied"):
        judge_next(store, "j0")


def format_line(message: str, fault: BaseException | None = None) -> list[str]:
    found = logging.LogRecord("evenhand", logging.WARNING, "", 0, message, (), None)
    found.created = 0.25
    if fault is not None:
        found.exc_info = (type(fault), fault, fault.__traceback__)
    return TimedLines("%(message)s").format(found).splitlines()


def test_no_link_is_written_to_the_journal() -> None:
    secret = "x" * 40
    for path in (f"/j/{secret}", f"/study/a/{secret}/download", f"http://h/crowd/{secret}?a=b"):
        (line,) = format_line(f"could not send {path}")
        assert secret not in line


def test_a_record_of_the_log_is_one_line_of_json_whatever_is_in_it() -> None:
    secret = "x" * 40
    found = logging.LogRecord(
        "evenhand", logging.ERROR, "", 0, "evenhand: %s", ('a"\u2028\\',), None
    )
    found.created = 0.25
    with pytest.raises(ValueError, match="invalid literal") as raised:
        int(f"two\nlines of /j/{secret}")
    found.exc_info = (raised.type, raised.value, raised.tb)
    (line,) = JsonLines("%(message)s").format(found).splitlines()
    told = json.loads(line)
    assert secret not in line
    assert told.pop("trace").endswith("lines of /j/...'")
    message = 'evenhand: a"\u2028\\'
    assert told == {"time": "1970-01-01T00:00:00.250Z", "level": "error", "message": message}


def test_what_a_server_writes_after_its_start_has_the_time(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("item,A,B\n1,one,uno\n2,two,due\n")
    words = ("items.csv", "--port", "0")
    with start(tmp_path, *words, stderr=subprocess.PIPE) as server:
        assert server.stderr is not None
        rows = (tmp_path / "items.links.csv").read_text()
        address = rows.partition("judge-1,")[2].partition("/j/")[0]
        (tmp_path / "items.db").rename(tmp_path / "gone")
        with pytest.raises(OSError, match="503"):
            urlopen(f"{address}/health", timeout=LONG)
        server.send_signal(signal.SIGTERM)
        said = server.stderr.read().splitlines()
    line = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S.*"
    assert [one for one in said if not re.fullmatch(line, one)] == [
        "begins a new campaign in items.db"  # before the server listens
    ]
    assert any(
        "evenhand: the file of the database was moved, deleted or emptied" in one for one in said
    )


def test_a_bucket_fills_again_at_its_rate_and_not_above_its_brim() -> None:
    now = 0.0
    found = Rates(2, 3, clock=lambda: now)
    assert [found.take("ann") for _ in range(4)] == [True, True, True, False]
    now = 0.4
    assert not found.take("ann")
    now = 0.5
    assert [found.take("ann") for _ in range(2)] == [True, False]
    now = 100.0
    assert [found.take("ann") for _ in range(4)] == [True, True, True, False]


def test_of_too_many_names_the_one_that_came_longest_ago_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rates, "MAX_NAMES", 2)
    found = Rates(0.001, 1, clock=lambda: 0.0)
    assert [found.take(one) for one in ("ann", "ben", "ann", "cai", "ann", "ben")] == [
        True,
        True,
        False,
        True,
        False,
        True,
    ]
