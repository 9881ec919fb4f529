"""Evenhand: from judgments of language systems to a ranking that can be believed.

    >>> import evenhand
    >>> evenhand.__version__
    '0.2.0'

The public names stand in `__init__.pyi`, and are imported when they are first used (PEP 562):
`import evenhand` costs next to nothing, and `evenhand --help` needs neither numpy nor DuckDB.
"""

from evenhand.public_names import lazy_names

__version__ = "0.2.0"
__getattr__, __dir__ = lazy_names(__name__, __file__)
