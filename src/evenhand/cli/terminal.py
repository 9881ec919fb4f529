"""The terminal: how wide it is, and what only the command line says."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from typing import Any

from evenhand.render.text import PLAIN

MIN_COLUMNS, MAX_COLUMNS = 60, 120


def columns_of_terminal() -> int:
    """Return how many columns to fill: 80 in a pipe, else the terminal's within reason."""
    if not sys.stdout.isatty():
        return PLAIN
    return min(max(shutil.get_terminal_size((PLAIN, 24)).columns, MIN_COLUMNS), MAX_COLUMNS)


def show_gap(gap: Any) -> str:
    """Say how much more a way to predict is off than the first."""
    return f"{gap.value:+.2g} ({gap.lower:+.2g} to {gap.upper:+.2g})"


def say_outputs(outputs: Mapping[str, int]) -> str:
    """Say which systems are judged, and how many outputs there are of each.

    >>> say_outputs({"old": 12, "new": 9})
    'old (12), new (9)'
    """
    return ", ".join(f"{name} ({n:,})" for name, n in outputs.items())
