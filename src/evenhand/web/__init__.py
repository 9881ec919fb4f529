"""Judgments asked for and kept on the web; `store/` loses nothing and lets no one in."""

from evenhand.public_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
