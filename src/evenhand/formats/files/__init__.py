"""Files on disk: which they are, what they hold, and how DuckDB reads them without a copy."""

from evenhand.formats.files.opening import open_files

__all__ = ["open_files"]
