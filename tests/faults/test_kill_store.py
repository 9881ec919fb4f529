"""The process is killed while older tables are brought up to date, and while SQLite's log is."""

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from evenhand.web.store import database
from evenhand.web.store.audit import check_store
from evenhand.web.store.database import connect, read_version
from evenhand.web.store.store import Store
from migrations import TO_FIRST, write_second
from stored_campaigns import fill, judge_next, list_judgments, make_pairs

PROGRAM = Path(__file__).with_name("killed_writers.py")


@contextmanager
def run_writers(*arguments: str) -> Iterator[Any]:
    path = ":".join(one for one in sys.path if one)
    with subprocess.Popen(
        [sys.executable, str(PROGRAM), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": path},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def tell(process: Any, where: Path, what: int | str) -> None:
    process.stdin.write(json.dumps([str(where), what]) + "\n")
    process.stdin.flush()


def test_a_kill_at_each_step_of_a_migration_leaves_the_older_tables_or_the_newer_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, revisions = tmp_path / "old.db", tmp_path / "revisions"
    write_second(revisions)
    with Store.open(str(old)) as store:
        fill(store)
        records = [judge_next(store, "j0")]
        head = store.head()
        with store.engine.begin() as connection:
            for order in TO_FIRST:
                connection.execute(text(order))
    monkeypatch.setattr(database, "MIGRATIONS", revisions)
    monkeypatch.setattr(database, "VERSION", "0008")
    versions = []
    with run_writers(str(revisions)) as process:
        for last in count(step=2):
            where = tmp_path / f"{last}.db"
            shutil.copy(old, where)
            tell(process, where, last)
            code = int(process.stdout.readline())
            engine = connect(str(where))
            with engine.connect() as connection:
                versions.append(read_version(connection))
            engine.dispose()
            if last % 10 == 0 or versions[-1] == "0008":  # each of them takes a moment
                with Store.open(str(where)) as store:
                    assert list(list_judgments(store)) == records
                    assert check_store(store, head).holds
                    judge_next(store, "j1")
            if code == 0:
                break
            assert code == -signal.SIGKILL
    assert versions == sorted(versions)
    assert {*versions} == {"0007", "0008"}
    assert versions.count("0007") > 7


@pytest.mark.slow
def test_a_kill_while_the_log_of_sqlite_is_brought_into_the_file_loses_no_answer(
    tmp_path: Path,
) -> None:
    where, luck = tmp_path / "c.db", random.Random(20131)
    with Store.open(str(where)) as store:
        fill(store, make_pairs(items=4_000, judges=1))
    said: list[str] = []
    kills = halfway = 0
    while kills < 3 or (not halfway and kills < 30):  # on a fast disk few kills fall within it
        kills += 1
        with run_writers() as process:
            tell(process, where, "write")
            for _ in range(luck.randrange(3)):
                said += iter(process.stdout.readline, "checkpoint\n")
            said += iter(process.stdout.readline, "checkpoint\n")
            time.sleep(luck.uniform(0, 0.003))
            process.kill()
            left = process.stdout.read().splitlines(keepends=True)
        said += [one for one in left if one.endswith("\n") and one != "checkpoint\n"]
        beside = where.with_name("c.db-wal")
        halfway += beside.exists() and beside.stat().st_size > 0
        with Store.open(str(where)) as store:
            stored = [one.hash for one in list_judgments(store)]
            assert [one.strip() for one in said] == stored[: len(said)]
            assert len(stored) <= len(said) + 3  # what was stored, and not said yet
            assert check_store(store).holds
    assert halfway >= 1
    assert len(said) >= 60


HALF_WRITTEN = """
import os, signal, sqlite3, sys
writes = sqlite3.connect(sys.argv[1], isolation_level=None)
for order in ("PRAGMA cache_size = 1", "BEGIN", "CREATE TABLE half (written)"):
    writes.execute(order)
writes.executemany("INSERT INTO half VALUES (?)", [("x" * 4000,)] * 50)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_database_that_was_being_made_at_the_kill_is_made_anew(tmp_path: Path) -> None:
    where, journal = tmp_path / "new.db", tmp_path / "new.db-journal"
    ended = subprocess.run([sys.executable, "-c", HALF_WRITTEN, str(where)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert where.stat().st_size > 0
    assert journal.exists()
    database.look(str(where))
    assert not journal.exists()
    with Store.open(str(where)) as store:
        fill(store)
        assert judge_next(store, "j0").number == store.head().number
