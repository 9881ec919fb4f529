"""A text file that grows at its end: lines that are whole, each read once.

A line that is only half written waits until the rest of it is there. What was read must stay as it
is: a file that is cut, or written anew, is refused.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from evenhand.errors import InvalidJudgments, MissingFile, UnknownFormat, end, suggest

QUOTED: Final = (".csv",)  # Endings of files in which a line may go on within quotes
KINDS: Final = (*QUOTED, ".tsv", ".jsonl", ".ndjson")  # Endings of files that can grow line by line
TAIL: Final = 256  # Bytes before the end of what was read that are compared at each look


class GrowingFile:
    """A file that somebody else writes.

    offset: bytes that were read.
    waiting: bytes behind them of a line that is not whole yet.
    """

    def __init__(self, path: Path) -> None:
        """Read nothing yet."""
        if path.suffix.lower() not in KINDS:
            raise UnknownFormat(
                f"'{path}' cannot be watched while it grows: only {', '.join(KINDS)} grow line by"
                " line; look at it without --live"
            )
        self.path, self.offset, self.waiting = path, 0, 0
        self._quoted = path.suffix.lower() in QUOTED
        self._tail = b""

    def read_new(self) -> bytes:
        r"""Return the whole lines that were not read before."""
        try:
            with self.path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                file.seek(max(0, self.offset - len(self._tail)))
                if size < self.offset or file.read(len(self._tail)) != self._tail:
                    raise InvalidJudgments(
                        f"'{self.path}' was cut or written anew: what is decided rests on lines"
                        " that stay; begin anew with the new file"
                    )
                fresh = file.read() if size > self.offset else b""
        except FileNotFoundError:
            near = [one.name for one in self.path.parent.glob("*")]
            raise MissingFile(
                f"there is no file '{self.path}'{end(suggest(self.path.name, near))}"
            ) from None
        whole = fresh[: self._find_end(fresh)]
        self.offset, self.waiting = self.offset + len(whole), len(fresh) - len(whole)
        self._tail = (self._tail + whole)[-TAIL:]
        return whole

    def _find_end(self, fresh: bytes) -> int:
        """Return where the last whole line ends; within quotes no line does."""
        last = fresh.rfind(b"\n") + 1
        if self._quoted:
            while last and fresh.count(b'"', 0, last) % 2:
                last = fresh.rfind(b"\n", 0, last - 1) + 1
        return last
