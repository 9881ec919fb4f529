"""Bring the tables of a database to the version of this program; all of it or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, inspect, text

from evenhand.errors import CampaignError
from evenhand.web.store.engine import WRITE, connect_to_read, read_url
from evenhand.web.store.schema import TABLES

VERSION: Final = "0006"  # The last of `migrations/versions/`
# Tables that every version has
OURS: Final = frozenset({"campaign", "judges", "log", "seats", "tickets"})
_LOCK: Final = 0x6576656E  # "even": one server at a time makes tables in PostgreSQL


def look(where: str) -> None:
    """Look at a SQLite file before anything of it is changed; its journal is, when it is opened."""
    url = read_url(where)
    path = Path(url.database or "")
    if url.get_backend_name() != "sqlite" or not path.is_file() or not path.stat().st_size:
        return
    engine = connect_to_read(where)
    try:
        with engine.connect() as connection:
            read_version(connection)
    finally:
        engine.dispose()


def read_version(connection: Connection) -> str:
    """Return the version of the tables, "" where there are none."""
    names, found = set(inspect(connection).get_table_names()), ""
    if "alembic_version" in names:
        told = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        found = str(told or "")
    shared = connection.dialect.name == "postgresql"
    strange = names & {"alembic_version", *TABLES.tables} if shared else names
    if not found and not strange - {"alembic_version"}:
        return ""
    if not found.isdigit() or len(found) != len(VERSION) or not names >= OURS:
        raise CampaignError("the database holds tables of another program: choose another one")
    return found


def migrate(engine: Engine, version: str = "head") -> None:
    """Make the tables, or bring older ones up to date."""
    with engine.connect() as connection:
        if read_version(connection) == VERSION:
            return
    with engine.connect().execution_options(**WRITE) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
        found = read_version(connection)
        if found > VERSION:
            raise CampaignError(
                f"the database is of version {found}, this program knows {VERSION}: it was written"
                " by a newer Evenhand; install that one"
            )
        _run(connection, version)


def _run(connection: Connection, version: str) -> None:
    """Run the migrations that are missing, within the caller's transaction."""
    from alembic.config import Config
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    script = ScriptDirectory.from_config(config)

    def upgrade(found: Any, _context: MigrationContext) -> Any:
        return script._upgrade_revs(version, found)

    context = MigrationContext.configure(connection, opts={"fn": upgrade})
    with Operations.context(context):
        context.run_migrations()
