r"""The hash chain: each record holds the digest of the record before it.

    hash of record n = sha256(body of record n), in hexadecimal digits,
    body of record n = {"before": hash of record n−1, "number": n, "kind": ..., ...},
    hash of record 0 = 64 zeros,

with bodies as JSON in canonical form: names sorted, no blanks, UTF-8. So no record can be changed,
left out, added or moved without changing all hashes after it (Haber & Stornetta 1991). What a
person may ask to have deleted is not in the body but beside it, as JSON with 128 random bits; the
body holds its digest. While it is there the digest proves it; when it is deleted the chain still
holds, and the digest does not give it away.

When not to trust it: whoever holds the file can write a new one. The chain proves that a log is the
one whose last hash (its head) was noted elsewhere before; keep heads apart from the log.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

GENESIS: Final = "0" * 64  # What stands before the first record
_WRITER: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


def canonical(value: Mapping[str, Any]) -> str:
    """Write a value in canonical form.

    >>> canonical({"b": 1, "a": "ü"})
    '{"a":"ü","b":1}'
    """
    return _WRITER.encode(value)


def seal(value: Mapping[str, Any]) -> str:
    """Write what may be deleted, with 128 random bits that keep its digest from being guessed."""
    return canonical({**value, "salt": secrets.token_hex(16)})


def digest(text: str) -> str:
    """Return the sha256 of a body, or of what may be deleted, in hexadecimal digits.

    >>> digest("{}")[:16]
    '44136fa355b3678a'
    """
    return sha256(text.encode()).hexdigest()
