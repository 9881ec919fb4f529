"""What stands inside a page: JSON, or letters that a browser unpacks where it would be long."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any, Final

# Most letters of JSON that stand in the page as they are; more of it is packed
PLAIN: Final = 100_000


def pack(text: str) -> str:
    """Return a text packed by gzip, as letters; the same text gives the same letters.

    >>> len(pack("evenhand" * 1000)) < 100
    True
    """
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def write_json(value: Any) -> str:
    r"""Write JSON that may stand in a page: nothing in it ends a script.

    >>> write_json("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def embed(name: str, value: Any, most: int = PLAIN) -> str:
    """Write the element of a page that holds a value."""
    text = write_json(value)
    if len(text) > most:
        return f'<script type="application/gzip" id="{name}">{pack(text)}</script>'
    return f'<script type="application/json" id="{name}">{text}</script>'
