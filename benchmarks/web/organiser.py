"""``python -m benchmarks.web.organiser``: judges' times while the organiser's page is open.

A campaign with stored answers is made once; each run gets a copy of its database and a server of
its own. Within a round the runs alternate (page closed, page open, downloads), and so do the
programs that are compared, so that other work on the machine falls on all of them alike.
"""

import csv
import random
import shutil
import statistics
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import click

from benchmarks.row import ROOT
from benchmarks.web import process
from benchmarks.web.measured import play
from benchmarks.web.servers import Served, free_port, running
from benchmarks.web.work import SENTENCE
from evenhand.web.store import judging

SYSTEMS = ("A", "B", "C", "D", "E")
JUDGES, PER_PAIR = 50, 8
POLL = {
    "closed": (),
    "open": ("", "/findings", "/board.json"),
    "overview": ("",),
    "findings": ("/findings",),
    "downloads": ("/download/comparisons.csv", "/download/log.jsonl"),
}
"""What is fetched again and again in each mode, behind the organiser's link."""
WARM = 5.0
"""Seconds of load before anything is counted."""


@dataclass(frozen=True)
class Row:
    """One run: milliseconds from when an answer is due to the next item.

    `looks` counts replies to the organiser's page; `look_s` is the longest of them. `wal_mb` is the
    largest size of SQLite's write-ahead log that was seen.
    """

    program: str
    database: str
    mode: str
    round: int
    stored: int
    offered: float
    judgments: int
    unanswered: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    looks: int
    look_s: float
    wal_mb: float
    load: float


def write_campaign(folder: Path, stored: int) -> Path:
    """Write a campaign with at least twice as many questions as are stored."""
    items = max(40, 2 * stored // (10 * PER_PAIR))
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "items.csv").open("w", newline="") as file:
        rows = ([f"i{n}", *(f"{one} {n}: {SENTENCE}" for one in SYSTEMS)] for n in range(items))
        csv.writer(file).writerows([("item", *SYSTEMS), *rows])
    path = folder / "load.toml"
    path.write_text(
        f'items = "items.csv"\njudges = {JUDGES}\n\n[design]\njudges_per_item = {PER_PAIR}\n\n'
        '[[tasks]]\nkind = "pair"\nname = "better"\n'
    )
    return path


def store_answers(folder: Path, stored: int) -> None:
    """Launch a campaign, and store answers of judges who prefer by name, some more than others."""
    from evenhand.web.store.judging import Answering, Reply
    from evenhand.web.store.store import Store

    luck, waiting = random.Random(1), deque()
    with served(folder, "", ""):
        pass  # launched, with links
    with Store.open(str(folder / "load.db")) as store:
        tickets = {one.name: store.do(judging.serve, one.name) for one in store.judges()}
        names = sorted(tickets)
        for turn in range(stored):
            if len(waiting) == JUDGES:
                done = waiting.popleft().result()
                tickets[done.next.ticket.judge] = done.next
            judge = names[turn % JUDGES]
            now = tickets[judge]
            first, second = now.ticket.systems
            sure = (first < second) ^ (luck.random() < 0.3 + 0.01 * (turn % JUDGES % 15))
            said = {"outcome": luck.choices(("tie", "left" if sure else "right"), (1, 9))[0]}
            reply = Reply(judge, now.ticket.number, said, now.key, seconds=luck.uniform(3, 20))
            waiting.append(store.write(Answering(reply)))
        while waiting:
            waiting.popleft().result()


class Page:
    """The organiser's page, polled by a thread."""

    def __init__(self, port: int, root: str, paths: tuple[str, ...], every: float) -> None:
        self.root, self.paths, self.every = f"http://127.0.0.1:{port}{root}", paths, every
        self.times: list[float] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._poll)

    def __enter__(self) -> "Page":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _poll(self) -> None:
        while not self._over.is_set():
            for path in self.paths:
                began = time.perf_counter()
                with suppress(OSError, HTTPException), urlopen(self.root + path) as reply:
                    while reply.read(65536):
                        if self._over.is_set():
                            break
                self.times.append(time.perf_counter() - began)
            self._over.wait(self.every if self.paths else 1.0)


@contextmanager
def served(folder: Path, source: str, database: str) -> Iterator[tuple[Served, str]]:
    """Serve a campaign with the program in a folder; give the organiser's path too."""
    port = free_port()
    command = [sys.executable, "-m", "evenhand", "serve", str(folder / "load.toml")]
    command += ["--port", str(port), *(["--database", database] if database else [])]
    own = {"PYTHONPATH": source} if source else {}
    with running(command, port, folder, own) as (pid, started):
        with (folder / "load.links.csv").open(newline="") as file:
            links = [(one["role"], urlsplit(one["link"]).path) for one in csv.DictReader(file)]
        judges = [path for role, path in links if role == "judge"]
        root = next(path for role, path in links if role == "admin")
        yield Served(port, pid, "evenhand", judges, started, started), root


class Wal:
    """The largest size of a write-ahead log, looked up by a thread."""

    def __init__(self, path: Path) -> None:
        self.path, self.most = path, 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> "Wal":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.2):
            with suppress(OSError):
                self.most = max(self.most, self.path.stat().st_size)


def run(made: Path, program: tuple[str, str], plan: dict[str, float], mode: str) -> Row:
    """Serve a copy of the campaign, and play judges for some seconds."""
    name, source = program
    folder = made.parent / "run"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(made, folder)
    paths, every = POLL[mode], 0.5 if mode == "downloads" else plan["poll"]
    with served(folder, source, "") as (one, root):
        pids = process.family(one.pid)
        play(one, WARM, plan["rate"], pids)
        load = process.load()
        with Page(one.port, root, paths, every) as page, Wal(folder / "load.db-wal") as wal:
            found = play(one, plan["seconds"], plan["rate"], pids)
    cuts = statistics.quantiles(found.times, n=100)
    return Row(
        program=name,
        database="sqlite",
        mode=mode,
        round=0,
        stored=int(plan["stored"]),
        offered=plan["rate"],
        judgments=found.judgments,
        unanswered=found.unanswered,
        p50_ms=cuts[49],
        p95_ms=cuts[94],
        p99_ms=cuts[98],
        looks=len(page.times),
        look_s=max(page.times, default=0.0),
        wal_mb=wal.most / 2**20,
        load=load,
    )


@click.command()
@click.option("--stored", default=30_000, show_default=True, help="Answers before a run.")
@click.option("--seconds", default=20.0, show_default=True, help="Of each run.")
@click.option("--rate", default=100.0, show_default=True, help="Judgments/s offered.")
@click.option("--poll", default=3.0, show_default=True, help="Seconds between looks at the page.")
@click.option("--rounds", default=3, show_default=True)
@click.option("--modes", default="closed,open,downloads", show_default=True)
@click.option("--against", default="", metavar="SRC", help="Source folder of another version.")
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / ".bench" / "organiser")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="Where the rows go.")
def main(
    *,
    stored: int,
    seconds: float,
    rate: float,
    poll: float,
    rounds: int,
    modes: str,
    against: str,
    folder: Path,
    csv_file: Path | None,
) -> None:
    """Measure judges' times at many stored answers, with the organiser's page closed and open."""
    made = folder / f"stored-{stored}"
    if not (made / "done").exists():
        shutil.rmtree(made, ignore_errors=True)
        write_campaign(made, stored)
        store_answers(made, stored)
        (made / "done").touch()
    plan = {"stored": float(stored), "seconds": seconds, "rate": rate, "poll": poll}
    programs = [("this", ""), *([("other", against)] if against else [])]
    rows: list[Row] = []
    for number in range(1, rounds + 1):
        for mode in modes.split(","):
            for program in programs:
                row = run(made, program, plan, mode)
                rows.append(Row(**{**asdict(row), "round": number}))
                click.echo(say(rows[-1]))
    for line in compare(rows):
        click.echo(line)
    if csv_file is not None:
        with csv_file.open("w", newline="") as file:
            writer = csv.DictWriter(file, [one.name for one in fields(Row)], lineterminator="\n")
            writer.writeheader()
            writer.writerows(asdict(row) for row in rows)


def say(row: Row) -> str:
    """One run in a line."""
    return (
        f"round {row.round}, {row.program:5} page {row.mode:9} p50 {row.p50_ms:6.1f}  p95"
        f" {row.p95_ms:6.1f}  p99 {row.p99_ms:6.1f} ms  ({row.judgments:,} answers,"
        f" {row.unanswered} unanswered, {row.looks} looks up to {row.look_s:.1f} s, WAL"
        f" {row.wal_mb:.0f} MB, load {row.load:.1f})"
    )


def compare(rows: list[Row]) -> Iterator[str]:
    """Medians over rounds of each quantile, as multiples of those with the page closed."""
    for program in dict.fromkeys(row.program for row in rows):
        for mode in dict.fromkeys(row.mode for row in rows if row.mode != "closed"):
            told = []
            for cut in ("p50_ms", "p95_ms", "p99_ms"):
                pairs = [
                    getattr(one, cut) / getattr(base, cut)
                    for one in rows
                    for base in rows
                    if (one.program, one.mode) == (program, mode)
                    and (base.program, base.mode, base.round) == (program, "closed", one.round)
                ]
                if pairs:
                    told.append(f"{cut[:3]} x {statistics.median(pairs):.2f}")
            yield f"{program}, {mode} against closed: {', '.join(told)} (median of the rounds)"


if __name__ == "__main__":
    main()
