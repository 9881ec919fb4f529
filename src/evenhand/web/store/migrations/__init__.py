"""How the tables came to be, version by version; `database.py` runs what a database lacks."""
