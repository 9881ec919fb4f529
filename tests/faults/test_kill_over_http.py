"""The running server is killed while judges answer: nothing that was acknowledged is lost."""

import random
import signal
import time
from pathlib import Path

import pytest

from evenhand.web.store.store import Store
from http_judges import Judges, check_stored, run_judges
from postgres_server import Server
from started_servers import Servers, run_servers, write_campaign

KILLED = -signal.SIGKILL


def kill_and_start(servers: Servers, judges: Judges, times: int) -> None:
    """Kill the server after some answers, or perhaps before it is open, and start it again."""
    draws = random.Random(20131)
    for turn in range(times):
        before = len(judges.stored)
        if turn and turn % 5 == 0:  # perhaps before it is open
            servers.begin()
            time.sleep(draws.uniform(0, 0.3))
        elif turn:
            servers.start()
        if turn % 5:
            judges.wait_for(before + draws.randint(1, 40))
        time.sleep(draws.uniform(0, 0.05))
        servers.end()


def kill_often(folder: Path, where: str, times: int) -> None:
    """Kill a server again and again, also before it is open; judges keep the links they have."""
    campaign = write_campaign(folder, items=times * 40)
    with run_servers(folder, campaign, "--database", where) as servers:
        servers.start()
        links = servers.tokens()
        tokens = [token for (role, _), token in links.items() if role == "judge"]
        with run_judges(servers.port, tokens) as judges:
            kill_and_start(servers, judges, times)
            servers.start()
            judges.wait_for(len(judges.stored) + 20)
            assert not judges.done, "the campaign was too short"
        assert servers.tokens() == links, "links changed"
        assert servers.end(signal.SIGTERM) == 0
        assert servers.codes[:-1] == [KILLED] * times, "a server ended before it was killed"
        assert "Traceback" not in servers.printed.read_text()
    assert judges.wrong == []
    kept = check_stored(where, judges.stored)
    print(  # noqa: T201 - counts of an experiment
        f"{times} killed, {times} of {times} started again, {judges.broken:,} connections broken; "
        f"{len(judges.stored):,} acknowledged, {len(kept):,} stored, 0 lost, 0 twice, "
        f"{judges.doubled:,} sent again after that"
    )
    assert len(judges.stored) > times


def test_five_kills_on_sqlite_lose_nothing(tmp_path: Path) -> None:
    kill_often(tmp_path, str(tmp_path / "campaign.db"), 5)


@pytest.mark.slow
def test_fifty_kills_on_sqlite_lose_nothing(tmp_path: Path) -> None:
    kill_often(tmp_path, str(tmp_path / "campaign.db"), 50)


def test_five_kills_on_postgresql_lose_nothing(postgres: Server, tmp_path: Path) -> None:
    kill_often(tmp_path, postgres.make_database("five"), 5)


@pytest.mark.slow
def test_fifty_kills_on_postgresql_lose_nothing(postgres: Server, tmp_path: Path) -> None:
    kill_often(tmp_path, postgres.make_database("fifty"), 50)


def test_a_server_that_is_killed_while_it_begins_a_campaign_loses_no_judges_link(
    tmp_path: Path,
) -> None:
    """Seats are given and links are written together, or neither."""
    draws = random.Random(20131)
    campaign, where = write_campaign(tmp_path, items=40), tmp_path / "campaign.db"
    with run_servers(tmp_path, campaign, "--database", str(where)) as servers:
        for _ in range(12):
            servers.begin()
            time.sleep(draws.uniform(0.02, 0.25))
            servers.end()
        servers.start()
        servers.end()
        links = servers.tokens()
    assert len([role for role, _ in links if role == "judge"]) == 8
    with Store.open(str(where)) as store:
        for (role, judge), token in links.items():
            found = store.identify(token)
            assert (found.role, found.judge) == (role, judge)
