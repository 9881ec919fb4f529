"""Compressed files: the first bytes, and whether the file is whole.

DuckDB reads a cut-off gzip file up to the cut and says nothing when the cut falls between lines,
so that the rest of the judgments would be gone without a word. Both kinds are checked to their
end: gzip by unpacking it once (its checksum stands last), Zstandard by walking its block headers.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, Literal

from evenhand.errors import UnknownFormat

Compression = Literal["none", "gzip", "zstd"]

GZIP: Final = b"\x1f\x8b"
ZSTD: Final = b"\x28\xb5\x2f\xfd"
_CHUNK: Final = 1 << 20


def tell_compression(start: bytes) -> Compression:
    """Return how a file is compressed, by its first bytes whatever it is called."""
    if start.startswith(GZIP):
        return "gzip"
    return "zstd" if start.startswith(ZSTD) else "none"


def read_gzip_head(path: Path, size: int) -> bytes:
    """Return the first bytes of what a gzip file holds, after reading it to its end."""
    head = b""
    try:
        with gzip.open(path) as file:
            while chunk := file.read(_CHUNK):
                if len(head) < size:
                    head += chunk[: size - len(head)]
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise _damaged(path, "gzip") from None
    return head


def check_zstd(path: Path) -> None:
    """Walk the frames and blocks of a Zstandard file (RFC 8878, section 3.1) to its end."""
    size = path.stat().st_size
    with path.open("rb") as file:
        while file.tell() < size:
            for end in _ends(file, path):
                if end > size:
                    raise _damaged(path, "Zstandard")
                file.seek(end)


def _ends(file: BinaryIO, path: Path) -> Iterator[int]:
    """Yield the end of each part of one frame; the caller moves there."""
    magic = int.from_bytes(_take(file, 4, path), "little")
    if magic & 0xFFFFFFF0 == 0x184D2A50:  # a skippable frame
        length = int.from_bytes(_take(file, 4, path), "little")
        yield file.tell() + length
        return
    if magic != int.from_bytes(ZSTD, "little"):
        raise _damaged(path, "Zstandard")
    descriptor = _take(file, 1, path)[0]
    single = descriptor >> 5 & 1
    content = (single, 2, 4, 8)[descriptor >> 6]
    dictionary = (0, 1, 2, 4)[descriptor & 3]
    yield file.tell() + (1 - single) + dictionary + content
    last = 0
    while not last:
        header = int.from_bytes(_take(file, 3, path), "little")
        last, kind, length = header & 1, header >> 1 & 3, header >> 3
        yield file.tell() + (1 if kind == 1 else length)  # kind 1 repeats one byte
    if descriptor >> 2 & 1:
        yield file.tell() + 4


def _take(file: BinaryIO, n: int, path: Path) -> bytes:
    found = file.read(n)
    if len(found) < n:
        raise _damaged(path, "Zstandard")
    return found


def _damaged(path: Path, kind: str) -> UnknownFormat:
    return UnknownFormat(f"{path} is not a whole {kind} file: it is cut off or damaged")
