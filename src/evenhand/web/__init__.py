"""Judgments asked for and kept on the web; `store/` loses nothing and lets no one in."""

from evenhand import lend_names

__getattr__, __dir__ = lend_names(__name__, __file__)
