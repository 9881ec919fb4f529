"""A site in memory of the process: requests without a port.

Its store is a SQLite file; modules whose tests shall also run on PostgreSQL say

    pytestmark = pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)
"""

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from browsers import open_browser
from evenhand.web import Site, Store, make_app
from postgres_server import Server, run_server
from stored_campaigns import HandClock

_NUMBERS = count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server for all tests of a process; each test takes a database of its own."""
    with run_server() as server:
        yield server


@pytest.fixture(scope="session")
def tables_in_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the tables of an empty store: making them takes longer than most tests."""
    made = tmp_path_factory.mktemp("tables") / "empty.db"
    Store.open(str(made)).close()
    return made


@pytest.fixture(scope="session")
def tables_on_server(postgres: Server) -> str:
    """The name of a database with the tables of an empty store."""
    Store.open(postgres.make_database("tables")).close()
    return "tables"


@pytest.fixture
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database: empty, or with tables already where a store is asked for."""
    ready = "store" in request.fixturenames
    if getattr(request, "param", "sqlite") == "sqlite":
        path = tmp_path / "campaign.db"
        if ready:
            shutil.copy(request.getfixturevalue("tables_in_file"), path)
        yield str(path)
        return
    server: Server = request.getfixturevalue("postgres")
    like = request.getfixturevalue("tables_on_server") if ready else "template1"
    name = f"t{next(_NUMBERS)}"
    yield server.make_database(name, like=like)
    server.drop_database(name)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def store(where: str, clock: HandClock) -> Iterator[Store]:
    """An empty store, whose tickets are lent for 60 seconds."""
    with Store.open(where, lease=60, start=clock.start) as opened:
        yield opened


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    with TestClient(make_app(Site(store)), raise_server_exceptions=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened
