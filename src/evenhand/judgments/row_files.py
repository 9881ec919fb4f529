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
        """Add numbers at the end, which are those of the rows after so many.

        Raises:
            UnknownOption: the disk has no room.

        """
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
    """A column of numbers in a file.

    Attributes:
        file: holds the numbers and nothing else.
        dtype: what they are.
        size: how many they are.
        squared: whether each is squared when it is read.

    """

    file: OpenFile
    dtype: np.dtype[Any]
    size: int
    squared: bool = False

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


Column: TypeAlias = "NDArray[Any] | FiledColumn"
"""Numbers that can be sliced, in memory or in a file."""


def write_columns(
    batches: Iterable[Mapping[str, NDArray[Any]]], kinds: Mapping[str, DTypeLike]
) -> dict[str, FiledColumn]:
    """Write the columns of batches into a temporary file each.

    Args:
        batches: some rows at a time, by column.
        kinds: column → the type it is kept in.

    Raises:
        UnknownOption: the disk has no room; says where, and how to take another.

    >>> batches = [{"x": np.array([1.0, 2.0])}, {"x": np.array([3.0])}]
    >>> column = write_columns(batches, {"x": np.float64})["x"]
    >>> len(column), column[1:3].tolist(), column.squares[1:3].tolist()
    (3, [2.0, 3.0], [4.0, 9.0])
    """
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
