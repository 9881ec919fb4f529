"""A connection is used again while it is fresh, and given back after a fault or a pause."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from evenhand.web.store.database import FRESH, WriteConnection, connect


class Fault(RuntimeError):
    """What goes wrong."""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = connect(str(tmp_path / "a.db"))
    with made.begin() as connection:
        connection.execute(text("CREATE TABLE log (number INTEGER)"))
    yield made
    made.dispose()


def count(engine: Engine) -> int:
    with engine.connect() as connection:
        return int(connection.execute(text("SELECT count(*) FROM log")).scalar() or 0)


def write(pen: WriteConnection) -> object:
    with pen.begin() as connection:
        connection.execute(text("INSERT INTO log VALUES (1)"))
        return connection


def break_off(pen: WriteConnection) -> None:
    with pen.begin() as connection:
        connection.execute(text("INSERT INTO log VALUES (2)"))
        raise Fault


def test_one_connection_commits_again_and_again_until_it_rests(engine: Engine) -> None:
    now = 0.0
    pen = WriteConnection(engine, clock=lambda: now)
    first = write(pen)
    assert write(pen) is first
    assert count(engine) == 2
    now += 2 * FRESH
    assert write(pen) is not first
    assert first.closed  # type: ignore[attr-defined]
    pen.close()
    assert engine.pool.status().endswith("Current Checked out connections: 0")


def test_after_a_fault_nothing_is_written_and_the_next_one_takes_another_connection(
    engine: Engine,
) -> None:
    pen = WriteConnection(engine)
    first = write(pen)
    with pytest.raises(Fault):
        break_off(pen)
    assert first.closed  # type: ignore[attr-defined]
    assert count(engine) == 1
    write(pen)
    assert count(engine) == 2
    pen.close()
    pen.close()


def test_no_lock_is_held_between_two_commits(engine: Engine) -> None:
    pen, other = WriteConnection(engine), WriteConnection(engine)
    write(pen)
    write(other)
    write(pen)
    assert count(engine) == 3
    pen.close()
    other.close()
