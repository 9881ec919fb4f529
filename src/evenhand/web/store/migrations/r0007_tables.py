"""The tables of the first release, which a new database is given at once (`schema.py`)."""

# Commits before the first release used 0001 to 0006 for other tables: those numbers stay unused.
revision = "0007"
down_revision = None
