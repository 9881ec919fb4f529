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
    """Return what was found in each group, and why there is nothing for the others."""
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
