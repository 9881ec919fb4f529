"""How the tables of a new database become those of the first version."""

TO_FIRST = (
    "ALTER TABLE campaign ADD COLUMN spec TEXT NOT NULL DEFAULT ''",
    "UPDATE campaign SET spec = (SELECT body FROM specs)",
    "DROP TABLE specs",
    "ALTER TABLE tickets DROP COLUMN chosen",
    "DROP TABLE boards",
    "DROP TABLE people",
    "ALTER TABLE judges DROP COLUMN consented",
    "ALTER TABLE judges DROP COLUMN joined",
    "UPDATE alembic_version SET version_num = '0001'",
)
