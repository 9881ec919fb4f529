"""...IN WHOSE FILES: judgments read from files and data frames of many layouts, and written.

`reading.py` is the way in: `files/` opens what lies on disk, `frames.py` any data frame,
`registry.py` finds out which of `layouts/` it is, and the layout gives the columns their roles.
"""

from evenhand.formats.reading import read
from evenhand.formats.registry import FORMATS

__all__ = ["FORMATS", "read"]
