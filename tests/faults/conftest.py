"""PostgreSQL for tests that end it, or that kill what writes into it."""

from collections.abc import Iterator

import pytest

from postgres_server import Server, run_server


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    with run_server() as server:
        yield server
