"""One result for each group; a group that has none says why, unless it is the only one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from evenhand.errors import NotConverged, NotIdentified

Part = TypeVar("Part")
Found = TypeVar("Found")


def work_on_groups(
    groups: Mapping[str, Part], work: Callable[[Part], Found], *, alone: bool
) -> tuple[dict[str, Found], dict[str, str]]:
    """Return what was found in each group, and why there is nothing for the others.

    Args:
        groups: by name.
        work: what to do with each.
        alone: whether the only group is not called one: its result stands under "", and what it
            refuses is raised.

    Raises:
        NotIdentified: no group has a result; says why.
        NotConverged: the same of the only one.

    >>> work_on_groups({"fr-en": 1, "de-en": 2}, lambda n: n + 1, alone=False)
    ({'fr-en': 2, 'de-en': 3}, {})
    """
    found: dict[str, Found] = {}
    refused: dict[str, str] = {}
    for name, part in groups.items():
        try:
            found["" if alone else name] = work(part)
        except (NotIdentified, NotConverged) as refusal:
            if alone:
                raise
            refused[name] = str(refusal)
    if not found:
        raise NotIdentified("; ".join(f"{name}: {why}" for name, why in refused.items()))
    return found, refused
