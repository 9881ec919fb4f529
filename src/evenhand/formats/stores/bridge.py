"""The way from DuckDB to files elsewhere: a file system as fsspec defines it, for reading alone.

DuckDB asks for footers and for the chunks of the columns that a query needs. It may use a handle
here in several threads at once, which put it to a place and read there; so each thread has a place
of its own. A table of files elsewhere is for one thread all the same: DuckDB waits for Python while
it reads, and another thread that asks it something meanwhile makes Python wait for DuckDB.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from io import SEEK_CUR, SEEK_END
from threading import local
from typing import Final

from fsspec import AbstractFileSystem

from evenhand.formats.stores.ahead import Ahead
from evenhand.formats.stores.stored_file import StoredFile
from evenhand.judgments.traffic import Traffic

# When every file was changed, as far as DuckDB is concerned: none changes while it is read
_THEN: Final = datetime(2000, 1, 1, tzinfo=UTC)


class Bridge(AbstractFileSystem):  # type: ignore[misc] # fsspec ships no annotations
    """Files by their URLs."""

    protocol = ("s3", "gs", "gcs", "r2", "https", "http")
    cachable = False

    def hold(self, files: Sequence[StoredFile], traffic: Traffic) -> Bridge:
        """Take the files that may be read, and the account of what is."""
        self.files = {file.url: file for file in files}
        self.ahead = Ahead(list(files), traffic)
        return self

    def open(self, path: str, mode: str = "rb") -> Handle:
        """Open a file."""
        if mode != "rb":
            raise PermissionError(f"{path} is read, never written")
        self.ahead.begin(self.files[path])
        return Handle(self.files[path], self.ahead)

    def glob(self, path: str) -> list[str]:
        """Return the file of this name."""
        return [path] if path in self.files else []

    def exists(self, path: str) -> bool:
        """Say whether there is such a file."""
        return path in self.files

    def size(self, path: str) -> int:
        """Return the bytes of a file."""
        return self.files[path].size

    def modified(self, path: str) -> datetime:  # noqa: ARG002 - as fsspec has it
        """Return when a file was changed."""
        return _THEN


class Handle:
    """An open file."""

    mode = "rb"

    def __init__(self, file: StoredFile, ahead: Ahead) -> None:
        self.file, self.ahead = file, ahead
        self.place = local()

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place."""
        base = {SEEK_CUR: self.tell(), SEEK_END: self.file.size}.get(whence, 0)
        self.place.at = base + offset
        return self.tell()

    def tell(self) -> int:
        """Return the place."""
        return getattr(self.place, "at", 0)

    def read(self, n: int = -1) -> bytes:
        """Read from the place on."""
        at = self.tell()
        wanted = self.file.size - at if n < 0 else min(n, self.file.size - at)
        if wanted <= 0:
            return b""
        found = self.ahead.read(self.file, at, wanted)
        self.place.at = at + len(found)
        return found

    def close(self) -> None:
        """Close the file, which holds nothing open."""
