"""Servers are killed under load: what was acknowledged is there, once, and they start again."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import answering_judges
from evenhand.web.store.audit import check_store
from evenhand.web.store.store import Store
from postgres_server import Server, run_server
from stored_campaigns import fill, list_judgments, make_pairs

JUDGES = [f"j{n}" for n in range(8)]


class Judges:
    """The program of `answering_judges`, and what it told."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.stored: dict[tuple[int, str], int] = {}
        self.starts = self.ends = self.refused = self.pid = 0
        self.codes: list[int] = []
        self.bell = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            word, *more = line.split()
            with self.bell:
                if word == "stored":
                    _, ticket, key, number = more
                    self.stored[int(ticket), key] = int(number)
                elif word == "ready":
                    self.starts, self.pid = self.starts + 1, int(more[0])
                elif word == "refused":
                    self.refused += 1
                elif word == "ended":
                    self.ends += 1
                    self.codes.append(int(more[0]))
                self.bell.notify_all()

    def go(self) -> None:
        """Start a server, and wait until it is open."""
        starts, ends = self.starts, self.ends
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        with self.bell:
            assert self.bell.wait_for(lambda: self.starts > starts or self.ends > ends, 60)
        assert self.starts == starts + 1, "a server did not start again"

    def wait_for(self, stored: int) -> None:
        """Wait until so many answers were acknowledged."""
        with self.bell:
            assert self.bell.wait_for(lambda: len(self.stored) >= stored, 60)

    def kill(self) -> None:
        ends = self.ends
        os.kill(self.pid, signal.SIGKILL)
        with self.bell:
            assert self.bell.wait_for(lambda: self.ends > ends, 60)


@contextmanager
def run_judges(where: str) -> Iterator[Judges]:
    command = [sys.executable, answering_judges.__file__, where, *JUDGES]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield Judges(process)
        finally:
            process.kill()


def launch(where: str, items: int) -> None:
    with Store.open(where) as store:
        fill(store, make_pairs(items=items, judges=len(JUDGES), judges_per_item=4))


def check(where: str, judges: Judges) -> None:
    """Every acknowledged answer is there, once, under the number that was told."""
    with Store.open(where) as store:
        kept = [one for one in store.records() if one.kind == "judgment"]
        assert check_store(store).holds
        assert len(list(list_judgments(store))) == len(kept)
    numbers = {(one.ticket.number, one.key): one.number for one in kept if one.ticket}
    lost = [one for one, number in judges.stored.items() if numbers.get(one) != number]
    assert lost == []
    assert len({ticket for ticket, _ in numbers}) == len(kept), "a ticket was answered twice"
    print(f"{len(judges.stored):,} acknowledged, {len(kept):,} stored, 0 lost, 0 twice;", end=" ")  # noqa: T201 - counts of an experiment


def kill_often(where: str, times: int) -> None:
    draws = random.Random(20131)
    launch(where, times * 80)
    with run_judges(where) as judges:
        for turn in range(times):
            before = len(judges.stored)
            judges.go()
            if turn % 3:  # else perhaps before the first answer
                judges.wait_for(before + draws.randint(1, 40))
            time.sleep(draws.uniform(0, 0.1))
            judges.kill()
        time.sleep(0.2)  # the last lines of the pipe
        assert judges.codes == [-signal.SIGKILL] * times, "a server ended before it was killed"
        check(where, judges)
        print(f"{times} killed, {judges.starts} of {times} started")  # noqa: T201 - counts of an experiment
        assert len(judges.stored) > times


def test_five_kills_on_sqlite_lose_nothing(tmp_path: Path) -> None:
    kill_often(str(tmp_path / "campaign.db"), 5)


@pytest.mark.slow
def test_fifty_kills_on_sqlite_lose_nothing(tmp_path: Path) -> None:
    kill_often(str(tmp_path / "campaign.db"), 50)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    with run_server() as server:
        yield server


@pytest.mark.slow
def test_fifty_kills_on_postgresql_lose_nothing(postgres: Server) -> None:
    kill_often(postgres.make_database("kills"), 50)


@pytest.mark.slow
def test_postgresql_itself_is_killed_and_nothing_is_lost(postgres: Server) -> None:
    where = postgres.make_database("crashes")
    launch(where, 4_000)  # more than a fast machine answers between three crashes
    with run_judges(where) as judges:
        judges.go()
        for _ in range(3):
            before = len(judges.stored)
            time.sleep(0.4)
            postgres.end(signal.SIGKILL)
            postgres.start()
            judges.wait_for(before + 20)
        judges.kill()
        time.sleep(0.2)
        assert judges.refused > 0
        check(where, judges)
        print(f"3 crashes of PostgreSQL, {judges.refused} refusals, sent again")  # noqa: T201 - counts of an experiment
