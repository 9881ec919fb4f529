"""Names of files for what may be called anything."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import count
from typing import Final

NAMELESS: Final = "unnamed"  # File of what has no letter or digit in its name


def name_files(names: Iterable[str]) -> dict[str, str]:
    """Write names so that any file system takes them and tells them apart."""
    wanted = {name: re.sub(r"[^\w.-]+", "-", name).strip("-.") for name in names}
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name, stem in wanted.items():
        tries = (f"{stem or NAMELESS}{f'-{n}' if n > 1 else ''}" for n in count(1))
        found[name] = next(file for file in tries if file.casefold() not in taken)
        taken.add(found[name].casefold())
    return found
