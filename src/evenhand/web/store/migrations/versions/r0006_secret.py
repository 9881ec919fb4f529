"""A key of the names that judges' pages have for tickets; campaigns launched before get one too."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("specs", sa.Column("secret", sa.Text, nullable=False, server_default=""))
    specs = sa.table("specs", sa.column("secret", sa.Text))
    op.execute(specs.update().values(secret=secrets.token_hex(32)))
