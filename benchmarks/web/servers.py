"""Servers to be measured: each is set up, started, and ended in a folder of its own."""

import csv
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit, urlunsplit

from benchmarks.measure import Failed
from benchmarks.row import ROOT
from benchmarks.startup import evenhand
from benchmarks.web.work import Work, write_evenhand, write_pearmut

PATIENCE = 180.0
"""Seconds that a server may take to start."""
Command = list[str]


@dataclass(frozen=True)
class Served:
    """A server that takes requests: how to talk to it as whom, and what its start took."""

    port: int
    pid: int
    talk: str
    judges: list[str]
    launch_s: float
    start_s: float


@contextmanager
def serve_evenhand(folder: Path, work: Work, *, database: str = "") -> Iterator[Served]:
    """Launch a new campaign, end the server, start it again, and let it be measured."""
    port, path = free_port(), write_evenhand(folder, work)
    command = [*evenhand(), "serve", str(path), "--port", str(port)]
    command += ["--database", database] if database else []
    with running(command, port, folder) as (_, launched):
        pass
    with (folder / "load.links.csv").open(newline="") as file:
        links = [one["link"] for one in csv.DictReader(file) if one["role"] == "judge"]
    judges = [urlsplit(one).path for one in links]
    with running(command, port, folder) as (pid, started):
        yield Served(port, pid, "evenhand", judges, launched, started)


@contextmanager
def serve_postgres(folder: Path, work: Work, *, server: str) -> Iterator[Served]:
    """The same on a database of a PostgreSQL server, made for this and dropped after it."""
    import psycopg

    name = f"evenhand_bench_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            parts = urlsplit(server)
            with serve_evenhand(
                folder, work, database=urlunsplit(parts._replace(path=f"/{name}"))
            ) as one:
                yield one
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def serve_pearmut(folder: Path, work: Work, program: Path) -> Iterator[Served]:
    """Add a campaign, start the server, and let it be measured."""
    port, path = free_port(), write_pearmut(folder, work)
    own = {"PEARMUT_ROOT": str(folder)}
    (folder / "data" / "progress").mkdir(parents=True)
    (folder / "data" / "campaigns").mkdir()
    began = time.perf_counter()
    add = [str(program), "add", str(path)]
    added = subprocess.run(
        add, cwd=folder, env=os.environ | own, capture_output=True, text=True, check=False
    )
    took = time.perf_counter() - began
    if added.returncode:
        raise Failed(f"pearmut add: {(added.stderr or added.stdout).strip().splitlines()[-1]}")
    progress = json.loads((folder / "data" / "progress" / "load.json").read_text())
    users = [parse_qs(urlsplit(one["url"]).query)["user_id"][0] for one in progress.values()]
    with running([str(program), "run", "--port", str(port)], port, folder, own) as (pid, started):
        yield Served(port, pid, "pearmut", users, took + started, started)


@contextmanager
def serve_bare(folder: Path, work: Work) -> Iterator[Served]:
    """Start the floor: an endpoint that stores nothing."""
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.web.bare", str(port)]
    with running(command, port, folder, {"PYTHONPATH": str(ROOT)}) as (pid, started):
        judges = [f"/j/{n}" for n in range(work.judges)]
        yield Served(port, pid, "evenhand", judges, started, started)


@contextmanager
def running(
    command: Command, port: int, folder: Path, own: Mapping[str, str] | None = None
) -> Iterator[tuple[int, float]]:
    """Start a process; give its id and the seconds until it took a connection, and end it."""
    began = time.perf_counter()
    with (folder / f"server-{port}.log").open("w+") as log:
        process = subprocess.Popen(
            command, cwd=folder, stdout=log, stderr=log, env=os.environ | (own or {})
        )
        try:
            while not _answers(port):
                if process.poll() is not None or time.perf_counter() - began > PATIENCE:
                    log.seek(0)
                    said = log.read().strip().splitlines() or ["nothing said"]
                    raise Failed(f"{Path(command[0]).name} did not start: {said[-1]}")
                time.sleep(0.01)
            yield process.pid, time.perf_counter() - began
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def free_port() -> int:
    """A port that is free at the moment."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _answers(port: int) -> bool:
    """Say whether a request gets a reply; a port that only listens gives none."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=0.5) as line:
            line.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return line.recv(12).startswith(b"HTTP/1.1")
    except OSError:
        return False
