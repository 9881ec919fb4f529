"""A line of the log as it is kept, in the database and as JSON Lines."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from evenhand.errors import UnknownFormat
from evenhand.web.store.chain import canonical


@dataclass(frozen=True)
class Line:
    """A record as it is kept."""

    number: int  # its place in the log, from 1
    body: str  # what the hash covers, as JSON in canonical form
    hash: str  # of the body and the line before, in hexadecimal digits
    # the answer, as sealed JSON; None where there is none, or where it was erased
    said: str | None = None
    note: str | None = None  # what else may be personal, such as a comment; None as for `said`

    def write(self) -> str:
        """Return it as a line of a file, without its end."""
        whole: dict[str, Any] = {"body": json.loads(self.body), "hash": self.hash}
        for name in ("said", "note"):
            sealed = getattr(self, name)
            if sealed is not None:
                whole[name] = json.loads(sealed)
        return canonical(whole)


def read_line(text: str, number: int) -> Line:
    r"""Read a line of a file; whatever was not written by `Line.write` is refused."""
    try:
        whole = json.loads(text)
        if not isinstance(whole, dict) or canonical(whole) != text:
            raise UnknownFormat("it is not as it was written")
    except (ValueError, RecursionError):
        raise UnknownFormat("it is not as it was written") from None
    parts = {name: whole.get(name) for name in ("body", "said", "note")}
    if set(whole) - {"hash", *parts} or not isinstance(whole.get("hash"), str):
        raise UnknownFormat("it is not as it was written")
    if not all(one is None or isinstance(one, dict) for one in parts.values()):
        raise UnknownFormat("it is not as it was written")
    if parts["body"] is None:
        raise UnknownFormat("it is not as it was written")
    texts = {name: None if one is None else canonical(one) for name, one in parts.items()}
    return Line(
        number=number,
        body=texts["body"] or "",
        hash=whole["hash"],
        said=texts["said"],
        note=texts["note"],
    )
