"""How the pair of a ticket was chosen, where a policy was asked."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("tickets", sa.Column("chosen", sa.Text, nullable=False, server_default=""))
