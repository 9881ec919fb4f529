"""Judgments read from files and data frames of many layouts, and written.

`reading.py` is the way in: `files.py` opens what lies on disk, `registry.py` finds out which of
`layouts/` it is, and the layout gives the columns their roles. Layouts that nest or spread a
judgment over rows go through `records.py`. `inspection.py` says what is there, `writing.py` is
the way out, `exports.py` the formats of other projects.
"""

from evenhand import lend_names

__getattr__, __dir__ = lend_names(__name__, __file__)
