"""Where names are taken, one name is a list of one: its letters are no names."""

from __future__ import annotations

from collections.abc import Iterable


def take_names(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return names that were given as a list, or one name by itself.

    >>> take_names("judge"), take_names(["judge", "item"]), take_names(())
    (('judge',), ('judge', 'item'), ())
    """
    return (names,) if isinstance(names, str) else tuple(names)
