"""`evenhand watch --live` on a terminal and in a pipe, while judges answer."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from evenhand.cli.watch_screen import WAITS
from http_judges import fetch
from ranking.anytime.arrivals import draw_table
from served_campaigns import Served, serve
from started_servers import run_servers, write_campaign
from waiting import LONG
from watched import ENTER, LEAVE, Watched, watch_in_pipe, watch_on_terminal


@dataclass
class Answering:
    """A campaign that is served, and judges who prefer A.

    Attributes:
        port: of the server.
        judges: paths of their pages.

    """

    port: int
    judges: list[str]

    def judge(self, number: int) -> None:
        """Answer so many questions in turn."""
        for turn in range(number):
            path = self.judges[turn % len(self.judges)]
            item = fetch(self.port, f"{path}/item").json
            better = "left" if item["outputs"][0]["text"].startswith("a") else "right"
            sent = {"ticket": item["ticket"], "key": item["key"], "answer": {"outcome": better}}
            assert fetch(self.port, f"{path}/answer", sent).status == 200


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Served]]:
    folder = tmp_path_factory.mktemp("served")
    path = write_campaign(folder, items=60)
    with serve(path) as served:
        yield folder, served


@pytest.fixture
def judges(campaign: tuple[Path, Served]) -> Answering:
    served = campaign[1]
    return Answering(served.port, list(served.judges.values()))


def says_judged(number: int) -> Any:
    def met(watched: Watched) -> bool:
        return any(f"judged {number} of 240" in line for line in watched.screen)

    return met


def read_judged(folder: Path) -> int:
    """How many judgments the log in the database holds now."""
    from evenhand.web.store.queries import open_to_read

    return sum(one.done for one in open_to_read(str(folder / "campaign.db")).judges())


@pytest.mark.parametrize("file", ["campaign.db", "campaign.links.csv"])
def test_the_screen_follows_the_judges_and_the_terminal_is_left_clean(
    file: str, campaign: tuple[Path, Served], judges: Answering
) -> None:
    folder, served = campaign
    before = read_judged(folder)
    with watch_on_terminal("--live", file, folder=folder) as watched:
        watched.wait_for(says_judged(before))
        judges.judge(16)
        watched.wait_for(says_judged(before + 16))
        watched.wait_for(
            lambda one: any("A leads now" in line or "A is decided" in line for line in one.screen)
        )
        watched.resize(10, 70)
        watched.wait_for(lambda one: len(one.screen) == 10)
        assert watched.end() == 0
    assert watched.out.count(ENTER) == watched.out.count(LEAVE) == 1
    assert "\x1b[?25h" in watched.out.rpartition(LEAVE)[0][-40:] + watched.out.rpartition(LEAVE)[2]
    last = watched.out.rpartition(LEAVE)[2]
    assert f"{before + 16} of 240" in last  # the last board stays
    assert served.admin not in watched.out
    assert served.admin.rpartition("/")[2] not in watched.out


def test_a_terminal_that_is_ended_by_a_signal_is_clean(campaign: tuple[Path, Served]) -> None:
    folder, _ = campaign
    with watch_on_terminal("--live", "campaign.db", folder=folder) as watched:
        watched.wait_for(lambda one: any("judged" in line for line in one.screen))
        assert watched.end(signal.SIGTERM) == 143
    assert watched.out.count(ENTER) == watched.out.count(LEAVE) == 1


def test_without_colour_the_screen_says_the_same(campaign: tuple[Path, Served]) -> None:
    folder, _ = campaign
    with watch_on_terminal("--live", "campaign.db", folder=folder, NO_COLOR="1") as watched:
        watched.wait_for(lambda one: any("decided rank" in line for line in one.screen))
        watched.end()
    assert "\x1b[32m" not in watched.out
    assert "\x1b[33m" not in watched.out


def test_in_a_pipe_each_change_is_a_line_and_the_secret_in_none(
    campaign: tuple[Path, Served], judges: Answering
) -> None:
    folder, served = campaign
    before = read_judged(folder)
    link = f"http://127.0.0.1:{served.port}{served.admin}"
    with watch_in_pipe("--live", link, folder=folder) as watched:
        watched.wait_for(lambda one: len(one.lines) == 1)
        judges.judge(8)
        watched.wait_for(lambda one: f"{before + 8} judged" in one.lines[-1])
        assert watched.end() == 0
    assert f"{before} judged, {240 - before} remain; " in watched.lines[0]
    assert len(set(watched.lines)) == len(watched.lines) <= 9
    assert "\x1b" not in watched.out
    assert (folder / "errors.txt").read_text().splitlines() == [f"waits  {WAITS}"]
    assert served.admin.rpartition("/")[2] not in watched.out


def test_json_is_a_line_for_each_change(campaign: tuple[Path, Served], judges: Answering) -> None:
    folder, _ = campaign
    before = read_judged(folder)
    with watch_in_pipe("--live", "--json", "campaign.db", folder=folder) as watched:
        watched.wait_for(lambda one: len(one.lines) == 1)
        judges.judge(8)
        watched.wait_for(lambda one: json.loads(one.lines[-1])["judged"] == before + 8)
        watched.end()
    told = [json.loads(line) for line in watched.lines]
    decided = [one["passes"][0]["board"]["decided"] for one in told if one["passes"][0]["board"]]
    assert [one["judged"] for one in told] == sorted({one["judged"] for one in told})
    for early, late in pairwise(decided):
        assert early == late[: len(early)]


def test_a_server_that_goes_away_is_waited_for(tmp_path: Path) -> None:
    path = write_campaign(tmp_path, items=20)
    errors = tmp_path / "told.txt"
    with run_servers(tmp_path, path) as servers:
        servers.start()
        tokens = servers.tokens()
        links = [f"/j/{token}" for (role, _), token in tokens.items() if role == "judge"]
        judges = Answering(servers.port, links)
        with watch_in_pipe("--live", "links.csv", folder=tmp_path, errors=errors) as watched:
            watched.wait_for(lambda one: "0 judged" in one.out)
            servers.end()
            watched.wait_for(lambda one: one.read(0.1) and "away" in errors.read_text())
            servers.start()
            watched.wait_for(lambda one: one.read(0.1) and "back" in errors.read_text())
            judges.judge(4)
            watched.wait_for(lambda one: "4 judged" in one.out)
            assert watched.end() == 0
    assert "does not answer" in errors.read_text()
    assert tokens["admin", ""] not in errors.read_text() + watched.out


def test_a_file_that_grows_is_followed_and_half_a_line_waits(tmp_path: Path) -> None:
    table, path = draw_table(200).write_csv().encode(), tmp_path / "votes.csv"
    half = table[: len(table) // 2]
    path.write_bytes(half)
    whole = half.count(b"\n") - 1
    with watch_on_terminal("--live", "votes.csv", "--order", "second", folder=tmp_path) as watched:
        watched.wait_for(lambda one: any(f"judged {whole} votes" in line for line in one.screen))
        watched.wait_for(
            lambda one: any("a line that is not whole wait" in line for line in one.screen)
        )
        path.write_bytes(table)
        watched.wait_for(lambda one: any("judged 200 votes" in line for line in one.screen))
        watched.wait_for(lambda one: not any("not whole" in line for line in one.screen))
        assert watched.end() == 0


def test_the_board_of_a_file_is_kept_when_it_ends(tmp_path: Path) -> None:
    draw_table(200).write_csv(tmp_path / "votes.csv")
    words = ("--live", "votes.csv", "--order", "second", "--state", "board.json")
    with watch_in_pipe(*words, folder=tmp_path) as watched:
        watched.wait_for(lambda one: "200 judged" in one.out)
        watched.end()
    assert json.loads((tmp_path / "board.json").read_text())


SLOW = """
import time
import duckdb
from evenhand.cli.watch_screen import follow

class Slow:
    title = "slow"
    def look(self):
        engine = duckdb.connect(config={"threads": "1"})
        while True:  # takes the interpreter's lock again and again, within C++
            engine.execute("select sum(random()) from range(100000)").fetchall()
    def close(self):
        pass

class Lingering:
    def __del__(self):
        time.sleep(0.3)

lingering = Lingering()  # an interpreter on a busy core takes its time to end
follow(Slow(), 1.0, as_json=False)
"""


@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_a_look_that_takes_long_is_left_without_a_crash(how: signal.Signals, code: int) -> None:
    words = [sys.executable, "-c", SLOW]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert WAITS in process.stderr.readline()
        process.send_signal(how)
        assert process.stderr.read() == ""
    assert process.returncode == code


def test_what_ends_it_is_one_line_on_a_clean_terminal(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    draw_table(100).write_csv(path)
    with watch_on_terminal("--live", "votes.csv", "--order", "second", folder=tmp_path) as watched:
        watched.wait_for(lambda one: any("judged 100" in line for line in one.screen))
        path.write_text("left,right\n")
        while watched.read():
            pass
        assert watched.process.wait(LONG) == 2
    assert watched.out.rpartition(LEAVE)[2].count("error") == 1
    assert "was cut or rewritten" in " ".join(watched.out.rpartition(LEAVE)[2].split())
