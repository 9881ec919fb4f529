"""The campaign, seats, judges, links, tickets, leases and the log."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "campaign",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("assignment", sa.Text, nullable=False),
        sa.Column("spec", sa.Text, nullable=False),
        sa.Column("paused", sa.Boolean, nullable=False),
        sa.Column("tickets", NUMBER, nullable=False),
        sa.Column("head_number", NUMBER, nullable=False),
        sa.Column("head_hash", sa.Text, nullable=False),
        sa.Column("head_at", sa.BigInteger, nullable=False),
    )
    _make_judges()
    _make_questions()
    op.create_table(
        "log",
        sa.Column("number", NUMBER, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("judge", sa.Text, nullable=False),
        sa.Column("ticket", NUMBER),
        sa.Column("key", sa.Text),
        sa.Column("replaces", NUMBER, unique=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("said", sa.Text),
        sa.Column("note", sa.Text),
        sa.Column("hash", sa.Text, nullable=False),
        sa.UniqueConstraint("ticket", "key", name="log_key"),
    )
    op.create_index("log_judge", "log", ["judge", "number"])


def _make_judges() -> None:
    op.create_table(
        "seats",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("holder", sa.Text),
    )
    op.create_table(
        "judges",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("seat", sa.Text, sa.ForeignKey("seats.name"), nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("made", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "tokens",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("judge", sa.Text, nullable=False),
        sa.Column("made", sa.BigInteger, nullable=False),
    )
    op.create_index("tokens_judge", "tokens", ["judge"])


def _make_questions() -> None:
    op.create_table(
        "tickets",
        sa.Column("number", NUMBER, primary_key=True, autoincrement=False),
        sa.Column("seat", sa.Text, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("state", sa.SmallInteger, nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("item", sa.Text, nullable=False),
        sa.Column("systems", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("again", NUMBER),
        sa.Column("expected", sa.Text, nullable=False),
        sa.Column("record", NUMBER),
    )
    op.create_index("tickets_next", "tickets", ["seat", "state", "number"])
    op.create_table(
        "leases",
        sa.Column("judge", sa.Text, primary_key=True),
        sa.Column("ticket", NUMBER, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("since", sa.BigInteger, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
    )
