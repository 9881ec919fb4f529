"""Who is behind a pseudonym, apart from what they said; consent; logins of one person."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "people",
        sa.Column("judge", sa.Text, sa.ForeignKey("judges.name"), primary_key=True),
        sa.Column("platform", sa.Text, nullable=False),
        sa.Column("worker", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.UniqueConstraint("platform", "worker", name="people_worker"),
    )
    op.add_column("judges", sa.Column("consented", sa.BigInteger))
    op.add_column("judges", sa.Column("joined", sa.Text))
