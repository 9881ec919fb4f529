"""Older databases are brought up to date; newer ones and other programs' are refused."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from evenhand.errors import CampaignError, UnknownOption
from evenhand.web import Store
from evenhand.web.store import database
from evenhand.web.store.audit import audit, check_store
from evenhand.web.store.database import VERSION, connect, read_version, say_fault
from evenhand.web.store.queries import open_launched
from evenhand.web.store.schema import TABLES
from migrations import TO_FIRST, write_second
from stored_campaigns import fill, judge_next, list_judgments


@pytest.fixture
def second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Go on as a program of a second version of the tables would."""
    write_second(tmp_path / "revisions")

    def go_on() -> None:
        monkeypatch.setattr(database, "MIGRATIONS", tmp_path / "revisions")
        monkeypatch.setattr(database, "VERSION", "0008")

    return go_on


def make_older(store: Store, *orders: str) -> None:
    """Give a database the tables before revision 0008."""
    with store.engine.begin() as connection:
        for order in (*TO_FIRST, *orders):
            connection.execute(text(order))
    store.close()


def test_a_new_database_has_the_tables_of_the_schema_and_the_last_version(
    where: str, store: Store
) -> None:
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), TABLES) == []
        assert read_version(connection) == VERSION


def test_an_older_file_is_brought_up_to_date_and_keeps_its_judgments(
    where: str, store: Store, second: Callable[[], None]
) -> None:
    fill(store)
    record = judge_next(store, "j0")
    head = store.head()
    make_older(store)
    second()
    with pytest.raises(CampaignError, match="'evenhand serve' brings them up to date"):
        audit(where, head)
    with Store.open(where) as later:
        assert list(list_judgments(later)) == [record]
        assert check_store(later, head).holds
        later.join("j1", "j0")
        assert judge_next(later, "j0").number > record.number


def test_a_database_without_the_key_of_its_tickets_is_not_served(store: Store) -> None:
    fill(store)
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE specs SET secret = ''"))
    with pytest.raises(CampaignError, match="lost the key of its tickets"):
        store.name_ticket("j0", 0)


@pytest.mark.parametrize("version", ["0001", "0002", "0006", "9999"])
def test_a_database_of_an_unknown_version_is_refused_with_what_to_do(
    where: str, store: Store, version: str
) -> None:
    """Of a newer Evenhand, or of commits before the first release, which used 0001 to 0006."""
    with store.engine.begin() as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{version}'"))
    words = f"of version {version}, which .* another Evenhand made it, newer or never released"
    for use in (Store.open, open_launched):
        with pytest.raises(CampaignError, match=words):
            use(where)


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
    where: str, store: Store, second: Callable[[], None]
) -> None:
    fill(store)
    make_older(store, "CREATE TABLE specs (campaign INTEGER)")
    second()
    with pytest.raises(CampaignError):
        Store.open(where)
    engine = connect(where)
    with engine.connect() as connection:
        assert read_version(connection) == "0007"
        found = connection.execute(text("SELECT count(*) FROM judges")).scalar()
    engine.dispose()
    assert found == 2


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


@pytest.mark.parametrize("address", ["mysql://x", "://", "http://a/b", "sqlite://"])
def test_addresses_that_are_no_database_are_refused(address: str) -> None:
    with pytest.raises(UnknownOption):
        Store.open(address)
