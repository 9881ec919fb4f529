"""A file elsewhere: its name without secrets, its size, and how its bytes are had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import BinaryIO, Final, Protocol

from evenhand.errors import MissingFile, UnknownFormat

PARQUET: Final = (".parquet", ".pq")  # Suffixes of the files that are read where they lie
Stamp = Mapping[str, int | str]


class Store(Protocol):
    """What holds files: a bucket or a web server."""

    def stamp(self, name: str) -> Stamp:
        """Return what changes when a file changes; nothing where the store does not tell."""

    def read(self, name: str, start: int, n: int) -> bytes:
        """Return n bytes of a file from one on."""

    def is_same(self, name: str) -> bool:
        """Say whether a file is still the one that was first looked at."""

    def copy(self, name: str, into: BinaryIO) -> int:
        """Write a file into another, from its beginning to its end; return its bytes."""


@dataclass(frozen=True, eq=False)
class StoredFile:
    """A file of a store."""

    url: str  # how it is called in messages; without user, password and settings
    size: int  # bytes; 0 where the store does not tell before they have come
    name: str = field(repr=False)  # how the store calls it; may hold a secret
    store: Store = field(repr=False)  # who has it
    in_parts: bool = True  # whether parts of it can be asked for

    def __str__(self) -> str:
        return self.url

    @property
    def stays(self) -> bool:
        """Whether it is read where it lies: Parquet, of which parts can be asked for."""
        return self.in_parts and self.path.suffix.lower() in PARQUET

    @cached_property
    def path(self) -> PurePosixPath:
        """Folders and name."""
        return PurePosixPath("/" + self.url.split("://", 1)[1])

    @property
    def folders(self) -> list[str]:
        """Folders named like `day=1`."""
        return [part for part in self.path.parent.parts if "=" in part]

    def find_fingerprint(self) -> Stamp:
        """Return what says which file this is, and changes when it does.

        Its size, and what the store tells: ETag, time of the last change. Empty where it tells
        neither of the two. Two files of one store never share it.
        """
        stamp = self.store.stamp(self.name)
        return {"url": self.url, "size": self.size, **stamp} if stamp else {}


def say_gone(url: str) -> MissingFile:
    """Say that a file was taken away, or replaced by a shorter one, since it was found."""
    return MissingFile(f"'{url}' was changed or taken away while it was read: try again")


def say_changed(url: str) -> UnknownFormat:
    """Say that a file is another one than it was when reading began."""
    return UnknownFormat(f"'{url}' was changed while it was read: try again")
