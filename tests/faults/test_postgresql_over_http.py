"""PostgreSQL goes away, comes back, or only reads, while the server runs."""

import signal
from pathlib import Path

import pytest

from http_judges import Told, check_stored, fetch
from patient_judge import Judge, check_refusal
from postgres_server import Server
from started_servers import run_servers, write_campaign


def check_page(told: Told, *secrets: object) -> None:
    """The page says what is the matter, and no path, no address and nothing of SQL."""
    assert told.status == 503
    assert "The server cannot save anything right now" in told.body
    assert "is kept on this device" in told.body
    for word in ("sqlite", "SQL", "/tmp", "socket", "postgres", "Traceback", *map(str, secrets)):
        assert word not in told.body


def test_postgresql_goes_away_and_comes_back(postgres: Server, tmp_path: Path) -> None:
    campaign, where = write_campaign(tmp_path, items=40), postgres.make_database("away")
    with run_servers(tmp_path, campaign, EVENHAND_DATABASE=where) as servers:
        servers.start()
        judge = Judge(servers)
        judge.begin()
        assert judge.send().status == 200
        for how in (signal.SIGINT, signal.SIGKILL):
            postgres.end(how)
            try:
                for _ in range(2):
                    check_refusal(judge.send())
                links = servers.tokens()
                other = f"/j/{links['judge', 'judge-2']}"  # who was not here a moment ago
                page = fetch(servers.port, other, accept="text/html")
                check_page(page, postgres.folder, where)
                check_refusal(fetch(servers.port, f"/a/{links['admin', '']}"))
            finally:
                postgres.start()
            assert judge.send().status == 200
        servers.end()
        printed = servers.printed.read_text()
    assert "Traceback" not in printed
    assert "evenhand: the database " in printed
    assert len(check_stored(where, judge.stored)) == 3


@pytest.mark.parametrize("on", ["DATABASE readonly", "ROLE judge"])
def test_a_postgresql_that_only_reads_takes_nothing(
    postgres: Server, tmp_path: Path, on: str
) -> None:
    """As a standby that was not promoted, or an administrator who forbids writing."""
    database = f"readonly_{on.split(maxsplit=1)[0].lower()}"
    campaign, where = write_campaign(tmp_path, items=40), postgres.make_database(database)
    on = on.replace("readonly", database)
    with run_servers(tmp_path, campaign, EVENHAND_DATABASE=where) as servers:
        servers.start()
        judge = Judge(servers)
        judge.begin()
        assert judge.send().status == 200
        postgres.run(f"ALTER {on} SET default_transaction_read_only = on")
        try:
            postgres.drop_connections(database)
            check_refusal(judge.send())
            check_refusal(judge.send())
        finally:
            postgres.run(f"ALTER {on} RESET default_transaction_read_only", writes=True)
            postgres.drop_connections(database)
        assert judge.send().status == 200
        servers.end()
        assert "cannot execute" in servers.printed.read_text()
    assert len(check_stored(where, judge.stored)) == 2
