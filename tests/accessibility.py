"""What axe-core says of a page.

axe-core is not ours to distribute; EVENHAND_AXE names its axe.min.js (npm install axe-core).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest


def read_axe() -> str:
    """Return the program of axe-core; skip the test where it is not named."""
    named = os.environ.get("EVENHAND_AXE")
    if not named or not Path(named).is_file():
        pytest.skip("EVENHAND_AXE does not name axe.min.js (npm install axe-core)")
    return Path(named).read_text(encoding="utf-8")


def inspect(page: Any, axe: str, what: str = "") -> list[str]:
    """Return what axe finds on a page of some name, one line for each rule and element."""
    start = f"{what}: " if what else ""
    if page.evaluate("typeof axe") == "undefined":  # once for each page that is loaded
        page.evaluate(axe)
    told = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{start}{one['impact']} {one['id']}: {node['target']} {node['html'][:120]}"
        for one in told["violations"]
        for node in one["nodes"]
    ]
