"""How tables of an older version become those of `schema.py`; `database.py` runs what one lacks."""
