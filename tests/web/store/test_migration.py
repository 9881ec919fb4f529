"""Older databases are brought up to date; newer ones and other programs' are refused."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from evenhand.data.coding import SEED
from evenhand.errors import CampaignError, UnknownOption
from evenhand.web import Site, Store, make_app
from evenhand.web.store import judging, people
from evenhand.web.store.audit import audit, check_store
from evenhand.web.store.database import VERSION, connect, read_version, say_fault
from evenhand.web.store.schema import TABLES
from migrations import TO_FIRST
from stored_campaigns import fill, judge_next, list_judgments, make_pairs


def test_migrations_make_the_tables_of_the_schema(where: str, store: Store) -> None:
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), TABLES) == []
        assert read_version(connection) == VERSION


def test_an_older_file_is_brought_up_to_date_and_keeps_its_judgments(
    where: str, store: Store
) -> None:
    """Version 0001 had nobody behind a pseudonym, no consent and no joined logins."""
    fill(store)
    record = judge_next(store, "j0")
    head = store.head()
    with store.engine.begin() as connection:
        for order in TO_FIRST:
            connection.execute(text(order))
    store.close()
    with Store.open(where) as later:
        assert list(list_judgments(later)) == [record]
        assert check_store(later, head).holds
        later.do(people.consent, "j0")
        later.join("j1", "j0")
        assert judge_next(later, "j0").number > record.number


@pytest.mark.parametrize("sound", [True, False])
def test_a_file_of_older_tables_is_verified_and_stays_as_it_is(
    tmp_path: Path, *, sound: bool
) -> None:
    path = tmp_path / "old.db"
    with Store.open(str(path)) as store:
        fill(store)
        judge_next(store, "j0")
        head = store.head()
        with store.engine.begin() as connection:
            if not sound:
                connection.execute(text("UPDATE log SET body = replace(body, 'j0', 'j1')"))
            for order in TO_FIRST:
                connection.execute(text(order))
    before = path.read_bytes()
    found = audit(str(path), head)
    assert (found.holds, path.read_bytes()) == (sound, before)
    assert not sound or found.head == head


def test_a_campaign_that_was_launched_before_seeds_were_drawn_is_served_as_before(
    where: str, store: Store
) -> None:
    """It keeps its seed and its tickets; a page that was open sends the number of its ticket."""
    planned = make_pairs()
    links = fill(store, replace(planned, seed=SEED))
    served = store.do(judging.serve, "j0")
    assert served is not None
    with store.engine.begin() as connection:
        connection.execute(text("ALTER TABLE specs DROP COLUMN secret"))
        connection.execute(text("UPDATE alembic_version SET version_num = '0005'"))
    store.close()
    with Store.open(where) as later:
        assert not later.launch(planned)
        with pytest.raises(CampaignError, match="said something else"):
            later.launch(replace(planned, seed=7))
        assert check_store(later).holds
        with TestClient(make_app(Site(later))) as client:
            client.post(f"/j/{links['j0']}/consent", json={})
            shown = client.get(f"/j/{links['j0']}/item").json()
            assert shown["ticket"] == later.name_ticket("j0", served.ticket.number)
            sent = {"key": served.key, "answer": {"outcome": "left"}}
            old, new = served.ticket.number, shown["ticket"]
            told = [
                client.post(f"/j/{links['j0']}/answer", json={**sent, "ticket": one}).json()
                for one in (old, new)
            ]
        assert told[0] == told[1]
        assert [one.ticket for one in list_judgments(later)] == [served.ticket]


def test_a_database_without_the_key_of_its_tickets_is_not_served(store: Store) -> None:
    fill(store)
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE specs SET secret = ''"))
    with pytest.raises(CampaignError, match="lost the key of its tickets"):
        store.name_ticket("j0", 0)


def test_a_newer_database_is_refused(where: str, store: Store) -> None:
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(CampaignError, match="newer Evenhand"):
        Store.open(where)


def test_a_database_of_another_program_is_refused(where: str) -> None:
    engine = connect(where)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE judges (x INTEGER)"))
    engine.dispose()
    with pytest.raises(CampaignError, match="another program"):
        Store.open(where)


@pytest.mark.parametrize(
    "orders",
    [
        ["CREATE TABLE songs (x INTEGER)"],
        ["CREATE TABLE alembic_version (version_num TEXT)", "CREATE TABLE songs (x INTEGER)"],
        [
            "CREATE TABLE alembic_version (version_num TEXT)",
            "INSERT INTO alembic_version VALUES ('0001_init')",
        ],
        [
            "CREATE TABLE alembic_version (version_num TEXT)",
            "INSERT INTO alembic_version VALUES ('ab12')",
            "CREATE TABLE songs (x INTEGER)",
        ],
        [
            "CREATE TABLE alembic_version (version_num TEXT)",
            "INSERT INTO alembic_version VALUES ('0001')",
        ],
    ],
)
def test_a_file_of_another_program_is_refused_and_stays_as_it_was(
    tmp_path: Path, orders: list[str], where: str
) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        for order in orders:
            other.execute(order)
        other.commit()
    before = path.read_bytes()
    with pytest.raises(CampaignError, match="another program"):
        Store.open(str(path))
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.glob("other.db*")] == ["other.db"]


def test_postgresql_may_hold_tables_of_other_names_beside_ours(where: str) -> None:
    if "://" not in where:
        pytest.skip("a SQLite file is ours alone")
    engine = connect(where)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE songs (x INTEGER)"))
    engine.dispose()
    with Store.open(where) as store:
        fill(store)
        assert check_store(store).holds


def test_a_migration_that_breaks_off_leaves_the_older_file(
    where: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    with store.engine.begin() as connection:
        for order in (*TO_FIRST, "ALTER TABLE judges ADD COLUMN joined TEXT"):
            connection.execute(text(order))
    store.close()
    with pytest.raises(CampaignError):
        Store.open(where)
    engine = connect(where)
    with engine.connect() as connection:
        assert read_version(connection) == "0001"
        found = connection.execute(text("SELECT count(*) FROM judges")).scalar()
    engine.dispose()
    assert found == 2


@pytest.mark.parametrize("address", ["mysql://x", "://", "http://a/b", "sqlite://"])
def test_addresses_that_are_no_database_are_refused(address: str) -> None:
    with pytest.raises(UnknownOption):
        Store.open(address)


def test_what_sqlite_cannot_do_is_said_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UnknownOption, match="see that its folder is there"):
        connect(str(tmp_path / "nowhere" / "x.db"))
    for said, remedy in (
        ("unable to open database file", "its folder is there"),
        ("disk I/O error", "is not full"),
        ("attempt to write a readonly database", "may be written by you"),
    ):
        fault = OperationalError("BEGIN", None, sqlite3.OperationalError(said))
        assert say_fault(fault).startswith(f"{said}; see that ")
        assert remedy in say_fault(fault)
    odd = OperationalError("BEGIN", None, sqlite3.OperationalError("something else"))
    assert say_fault(odd) == "something else"


def test_a_store_without_a_campaign_says_so(store: Store) -> None:
    with pytest.raises(CampaignError, match="no campaign was launched"):
        _ = store.campaign
    assert list(store.records()) == []
    check = check_store(store)
    assert (check.bad, "nothing was launched" in check.reason) == (1, True)
