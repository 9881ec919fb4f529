"""A second version of the tables, for tests of upgrades: as yet there is one."""

import shutil
from pathlib import Path

from evenhand.web.store import database

# How the tables of a new database become those before revision 0008
TO_FIRST = (
    "ALTER TABLE campaign ADD COLUMN spec TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE campaign ADD COLUMN secret TEXT NOT NULL DEFAULT ''",
    "UPDATE campaign SET spec = (SELECT body FROM specs), secret = (SELECT secret FROM specs)",
    "DROP TABLE specs",
    "DROP TABLE boards",
    "ALTER TABLE judges DROP COLUMN joined",
)
REVISION = """
import sqlalchemy as sa
from alembic import op

from evenhand.web.store.schema import TABLES

revision = "0008"
down_revision = "0007"


def upgrade():
    op.add_column("judges", sa.Column("joined", sa.Text))
    for name in ("boards", "specs"):
        TABLES.tables[name].create(op.get_bind())
    op.execute("INSERT INTO specs SELECT id, spec, secret FROM campaign")
    op.drop_column("campaign", "spec")
    op.drop_column("campaign", "secret")
"""


def write_second(folder: Path) -> None:
    """Write the revisions of a program whose second version adds a column, and moves another."""
    shutil.copytree(database.MIGRATIONS, folder)
    (folder / "r0008_specs.py").write_text(REVISION)
