"""The tables of the first version, which a new database is given at once (`schema.py`)."""

revision = "0001"
down_revision = None
