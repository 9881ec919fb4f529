"""What is asked, apart from the end of the log: that row is rewritten at every commit."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Move the campaign as it was launched to a table of its own."""
    op.create_table(
        "specs",
        sa.Column(
            "campaign",
            sa.Integer,
            sa.ForeignKey("campaign.id"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.execute("INSERT INTO specs (campaign, body) SELECT id, spec FROM campaign")
    op.drop_column("campaign", "spec")
