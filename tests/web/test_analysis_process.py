"""What is computed on answers runs in a process of its own, which judges never wait for."""

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from starlette.testclient import TestClient

from evenhand.web import Site, Store, make_app
from evenhand.web import analysis_process as room
from evenhand.web.analysis import Analysis
from evenhand.web.analysis_process import AnalysisProcess
from evenhand.web.links import read_links
from evenhand.web.store import people
from followed_campaigns import judge_some, make
from started_servers import Servers, run_servers, write_campaign
from stored_campaigns import fill, judge_next

PARTS = ("findings", "board.json", "promises")
FILES = ("download/comparisons.csv", "download/log.jsonl", "export/arena?pass=t")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")


def wait_for(ready: Callable[[], object], seconds: float = 300.0) -> None:
    """Wait until something is so."""
    until = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.02)


USUAL = "from evenhand.web import analysis_worker as one; one.lower_priority = int; one.main()"
"""The process at the usual priority: while other tests run, it would wait for all of them."""


@pytest.fixture(autouse=True)
def patient(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait long for the first answer, and do not wait for other tests."""
    monkeypatch.setattr(room, "FIRST", 300.0)
    if "lowest_priority" not in request.node.name:
        monkeypatch.setattr(room, "COMMAND", (sys.executable, "-P", "-c", USUAL))


@contextmanager
def computing(store: Store) -> Iterator[tuple[TestClient, AnalysisProcess]]:
    """A site whose analysis runs in a process of its own, as `evenhand serve` has it."""
    process = AnalysisProcess(store)
    process.begin()
    try:
        wait_for(lambda: process.pid)
        with TestClient(
            make_app(Site(store, worker=process)), raise_server_exceptions=False
        ) as one:
            yield one, process
    finally:
        process.end()


def forbid(*_: Any, **__: Any) -> Any:
    raise AssertionError("computed in the server's process")


def strip(text: str) -> dict[str, Any] | str:
    """What was computed, without the time at which it was."""
    if not text.startswith("{"):
        return "".join(part.partition('"')[2] for part in text.split('data-when="'))
    told = json.loads(text)
    return {
        name: value
        for name, value in told.items()
        if name not in ("now", "mark", "pace", "done_by")
    }


@pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)
def test_another_process_computes_all_and_gives_what_this_one_would(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, make())
    judge_some(store, 120)
    root = f"/a/{store.do(people.replace_link, 'admin').token}"
    with TestClient(make_app(Site(store))) as client:
        right = {path: client.get(f"{root}/{path}").text for path in (*PARTS, *FILES)}
    monkeypatch.setattr(Analysis, "answer", forbid)
    for name in (
        "dashboard.find",
        "dashboard.LiveLeaderboards.catch_up",
        "analysis.count_promises",
    ):
        monkeypatch.setattr(f"evenhand.web.{name}", forbid)
    for name in ("rows", "records", "lines"):
        monkeypatch.setattr(f"evenhand.web.store.queries.Readable.{name}", forbid)
    with computing(store) as (client, _):
        for path in PARTS:
            assert strip(client.get(f"{root}/{path}").text) == strip(right[path]), path
        for path in FILES:
            assert client.get(f"{root}/{path}").text == right[path] != "", path
    print(f"{len(right)} parts and files are equal")  # noqa: T201 - the count of what was compared


def test_a_refusal_crosses_with_its_number(store: Store) -> None:
    fill(store, make())
    root = f"/a/{store.do(people.replace_link, 'admin').token}"
    with computing(store) as (client, _):
        nothing = client.get(f"{root}/export/arena?pass=t")
        unknown = client.get(f"{root}/export/mqm-tsv?pass=t")
        missing = client.get(f"{root}/download/ratings.csv")
    assert (nothing.status_code, nothing.json()["word"]) == (422, "invalid")
    assert "nothing of 't' was judged yet" in nothing.json()["error"]
    assert (unknown.status_code, unknown.json()["word"]) == (409, "refused")
    assert missing.status_code == 404


@LINUX
def test_the_process_has_the_lowest_priority_one_thread_of_algebra_and_no_secret_in_sight(
    store: Store,
) -> None:
    fill(store, make())
    with computing(store) as (client, process):
        client.get(f"/a/{store.do(people.replace_link, 'admin').token}/findings")
        proc = Path(f"/proc/{process.pid}")
        threads = [int(one.name) for one in (proc / "task").iterdir()]
        assert {os.sched_getscheduler(one) for one in threads} == {os.SCHED_IDLE}
        stats = [(proc / "task" / str(one) / "stat").read_text() for one in threads]
        assert {one.rpartition(")")[2].split()[16] for one in stats} == {"19"}
        assert int((proc / "oom_score_adj").read_text()) == 900
        environment = (proc / "environ").read_bytes().split(b"\0")
        assert b"OPENBLAS_NUM_THREADS=1" in environment
        assert store.engine.url.database is not None
        assert store.engine.url.database.encode() not in (proc / "cmdline").read_bytes()


def test_a_process_that_is_killed_is_said_on_the_page_and_in_the_log_and_starts_again(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(room, "AGAIN", 3600.0)
    links = fill(store, make())
    judge_some(store, 30)
    root = f"/a/{store.do(people.replace_link, 'admin').token}"
    with caplog.at_level(logging.WARNING, "evenhand"), computing(store) as (client, process):
        before = client.get(f"{root}/findings").text
        os.kill(process.pid, signal.SIGKILL)
        wait_for(lambda: not process.pid)
        wait_for(lambda: caplog.records)
        page, board = (client.get(f"{root}/{path}") for path in ("findings", "board.json"))
        file = client.get(f"{root}/download/log.jsonl")
        assert client.get(f"/j/{links['j0']}/item").json()["state"] in ("item", "consent")
        judge_next(store, "j0")
    assert "The analysis process was ended by SIGKILL at " in page.text
    assert page.text.endswith(before)  # the last result, with its time
    assert 'What is shown is of <time data-when="' in page.text
    for reply in (board, file):  # nothing was computed before
        assert (reply.status_code, reply.json()["word"]) == (503, "not-computed")
        assert "was ended by SIGKILL" in reply.json()["error"]
    (line,) = [one.getMessage() for one in caplog.records]
    assert line == (
        "evenhand: the analysis process was ended by SIGKILL;"
        " it is started again after 3600 seconds"
    )
    monkeypatch.setattr(room, "AGAIN", 0.0)
    with computing(store) as (client, process):
        first = process.pid
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: process.pid not in (0, first))
        assert "was ended by" not in client.get(f"{root}/findings").text


@LINUX
def test_judges_go_on_while_the_process_hangs_and_the_page_says_so(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "SOON", 0.2)
    links = fill(store, make())
    judge_some(store, 30)
    root = f"/a/{store.do(people.replace_link, 'admin').token}"
    with computing(store) as (client, process):
        before = [client.get(f"{root}/{path}").text for path in PARTS]
        first = process.pid
        os.kill(first, signal.SIGSTOP)
        judge_next(store, "j0")
        for turn in range(40):  # more looks than questions may wait
            found = client.get(f"{root}/{PARTS[turn % 3]}").text
            if turn < 3:
                assert "The analysis process does not respond." in found
        assert json.loads(client.get(f"{root}/board.json").text)["judged"] == 30
        assert client.get(f"{root}/findings").text.endswith(before[0])
        assert client.get(f"/j/{links['j0']}/item").json()["state"] in ("item", "consent")
        monkeypatch.setattr(room, "AGAIN", 0.0)
        with monkeypatch.context() as patch:  # silent for longer than is allowed: it is ended
            patch.setattr(room, "SILENT", 0.0)
            client.get(f"{root}/findings")
        wait_for(lambda: process.pid not in (0, first))
        wait_for(lambda: json.loads(client.get(f"{root}/board.json").text)["judged"] == 31)


def find_page(servers: Servers) -> str:
    """The address of the organiser's page."""
    return f"http://127.0.0.1:{servers.port}/a/{read_links(servers.links)['admin', '']}"


def answer_one(link: str) -> None:
    """Answer a judge's first question."""
    with urlopen(f"{link}/item") as reply:
        item = json.load(reply)
    said = {"ticket": item["ticket"], "key": item["key"], "answer": {"outcome": "left"}}
    asked = Request(f"{link}/answer", json.dumps(said).encode())
    asked.add_header("Content-Type", "application/json")
    with urlopen(asked) as reply:
        assert "receipt" in json.load(reply)


def list_children(pid: int) -> list[int]:
    """Processes that a process started and that still run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def find_temporary(pid: int) -> list[Path]:
    """The folder of temporary files of an analysis process; just forked, it has none yet."""
    environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    made = [one for one in environment if one.startswith(b"TMPDIR=") and b"evenhand-" in one]
    return [Path(one.removeprefix(b"TMPDIR=").decode()) for one in made]


def is_answered(address: str) -> bool:
    try:
        with urlopen(address) as reply:
            return int(reply.status) == 200
    except HTTPError:
        return False


def maps_analyses(pid: int) -> bool:
    """Whether a process has loaded what reads the tables that are analysed."""
    return "duckdb" in Path(f"/proc/{pid}/maps").read_text()


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@LINUX
@pytest.mark.parametrize(
    ("end", "when"),
    [
        (signal.SIGTERM, "early"),
        (signal.SIGKILL, "early"),
        (signal.SIGTERM, "at rest"),
        (signal.SIGKILL, "at rest"),
        (signal.SIGKILL, "asked"),
    ],
)
def test_the_process_ends_with_the_server_and_leaves_no_files(
    tmp_path: Path, end: signal.Signals, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with run_servers(tmp_path, write_campaign(tmp_path, 20)) as servers:
        servers.start()
        wait_for(lambda: list_children(servers.pid))
        (worker,) = list_children(servers.pid)
        wait_for(lambda: find_temporary(worker))
        (folder,) = find_temporary(worker)
        assert folder.is_dir()
        if when == "at rest":  # after some seconds nobody asked
            wait_for(lambda: "numpy" in Path(f"/proc/{worker}/maps").read_text())
        if when == "asked":  # a question is on its way when the server ends
            link = find_page(servers)
            asking = f"import urllib.request as u; u.urlopen('{link}/findings')"
            client = subprocess.Popen([sys.executable, "-c", asking], stderr=subprocess.DEVNULL)
            time.sleep(0.3)
        servers.end(end)
        wait_for(lambda: is_gone(worker))
        wait_for(lambda: not folder.exists())
        if when == "asked":
            client.kill()
            client.wait()
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("said", [b"", b'{"where":"sqlite:///answers.db","now":0}\n'])
def test_a_process_whose_server_ends_before_it_asks_loads_no_library_and_leaves_no_files(
    tmp_path: Path, said: bytes
) -> None:
    folder = tmp_path / "evenhand-x"
    folder.mkdir()
    command = [
        *(sys.executable, "-P", "-X", "importtime"),
        "-m",
        "evenhand.web.analysis_worker",
        str(folder),
    ]
    done = subprocess.run(command, input=said, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
    loaded = {line.rpartition(b"|")[2].strip() for line in done.stderr.splitlines()}
    assert b"msgspec" in loaded
    assert loaded.isdisjoint([b"evenhand.web.analysis", b"sqlalchemy", b"Traceback"])
    assert not folder.exists()


@LINUX
def test_no_module_of_the_analyses_is_loaded_by_a_server_that_shows_them(tmp_path: Path) -> None:
    """Read from the files that the processes have mapped: DuckDB, which reads tables, is in one."""
    with run_servers(tmp_path, write_campaign(tmp_path, 20)) as servers:
        servers.start()
        link, tokens = find_page(servers), read_links(servers.links)
        (first, *_) = sorted(key for key in tokens if key[0] == "judge")
        answer_one(f"http://127.0.0.1:{servers.port}/j/{tokens[first]}")
        for path in ("", "/findings", "/board.json", "/promises", "/download/comparisons.csv"):
            wait_for(partial(is_answered, link + path))
        (worker,) = list_children(servers.pid)
        wait_for(lambda: maps_analyses(worker))
        assert not maps_analyses(servers.pid)


CUT = 'import os; os.write(1, b\'{"number":1,"answer":{"body":"<p>\')'


def test_a_process_that_ends_in_the_middle_of_a_message_is_started_again(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fill(store, make())
    judge_some(store, 30)
    working = room.COMMAND
    monkeypatch.setattr(room, "COMMAND", (sys.executable, "-P", "-c", CUT))
    monkeypatch.setattr(room, "AGAIN", 0.0)
    process = AnalysisProcess(store)
    with caplog.at_level(logging.WARNING, "evenhand"):
        process.begin()
        try:
            wait_for(lambda: caplog.records, 60)
            monkeypatch.setattr(room, "COMMAND", working)
            root = f"/a/{store.do(people.replace_link, 'admin').token}"
            with TestClient(make_app(Site(store, worker=process))) as client:
                wait_for(lambda: "The analysis" not in client.get(f"{root}/findings").text, 60)
        finally:
            process.end()
    assert "the analysis process ended with code 0" in caplog.records[0].getMessage()
