"""One file for each family of outside layouts; each layout is a `Layout` of `formats/table.py`."""
