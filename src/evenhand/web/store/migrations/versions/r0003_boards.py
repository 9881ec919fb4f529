"""Boards of the passes, as they were after some record of the log."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "boards",
        sa.Column("task", sa.Text, primary_key=True),
        sa.Column("record", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
