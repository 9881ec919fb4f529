"""Columns of numbers in temporary files: as many rows as the disk has room for.

They are sliced like arrays, and nothing but the slice is in memory. The files have no name where
the system allows that, so that nothing is left of them, whatever becomes of the process.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from tempfile import TemporaryFile, gettempdir
from typing import IO, Any, Final, TypeAlias
from weakref import finalize

import numpy as np
from numpy.typing import DTypeLike, NDArray

from evenhand.errors import UnknownOption

MB: Final = 1e6


class OpenFile:
    """A temporary file, which is closed when nobody refers to it any more."""

    def __init__(self) -> None:
        self.file: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed by the line below
        finalize(self, _close, self.file)

    def write(self, values: NDArray[Any], rows: int) -> None:
        """Add numbers at the end, which are those of the rows after so many."""
        try:
            self.file.write(values.view(np.uint8).data)
            self.file.flush()
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            raise UnknownOption(
                f"no room for the rows in {gettempdir()}: it was full after {rows:,} of them; set"
                " TMPDIR to a folder with more room"
            ) from None

    def read(self, start: int, into: NDArray[Any]) -> None:
        """Fill an array from where a number of it stands."""
        self.file.seek(start * into.dtype.itemsize)
        self.file.readinto(into.view(np.uint8))  # type: ignore[attr-defined]


def _close(file: IO[bytes]) -> None:
    """Close a file of which nothing is needed any more, be it that the disk has no room for it."""
    with suppress(OSError):
        file.close()


@dataclass(frozen=True, eq=False)
class FiledColumn:
    """A column of numbers in a file."""

    file: OpenFile  # holds the numbers and nothing else
    dtype: np.dtype[Any]  # what they are
    size: int  # how many they are
    squared: bool = False  # whether each is squared when it is read

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        """Read consecutive rows."""
        start, stop, _ = rows.indices(self.size)
        found = np.empty(max(stop - start, 0), dtype=self.dtype)
        self.file.read(start, found)
        return found * found if self.squared else found

    @property
    def squares(self) -> FiledColumn:
        """The same numbers, squared."""
        return replace(self, squared=True)

    @property
    def megabytes(self) -> float:
        """Room on the disk."""
        return self.size * self.dtype.itemsize / MB


# Numbers that can be sliced, in memory or in a file
Column: TypeAlias = "NDArray[Any] | FiledColumn"


def write_columns(
    batches: Iterable[Mapping[str, NDArray[Any]]], kinds: Mapping[str, DTypeLike]
) -> dict[str, FiledColumn]:
    """Write the columns of batches into a temporary file each."""
    files = {name: OpenFile() for name in kinds}
    size = 0
    for batch in batches:
        taken = 0
        for name, kind in kinds.items():
            values = np.ascontiguousarray(batch[name], dtype=kind)
            files[name].write(values, size)
            taken = len(values)
        size += taken
    return {name: FiledColumn(files[name], np.dtype(kind), size) for name, kind in kinds.items()}
