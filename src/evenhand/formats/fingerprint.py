"""Which file this is, without reading all of it.

A fingerprint is the size, the time of the last change and a SHA-256 of samples: 64 blocks of 64 kB,
evenly spread, first and last among them (a file of up to 4 MB is read whole). To digest a large
file whole would cost more than to add up its tally. Whoever writes a file changes its time and,
nearly always, its size or its end (Parquet keeps its statistics there); the samples catch a file
that was put in another's place with its time set back. What is not caught is a change in place,
of the same size, between the samples, with the time set back on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from evenhand.errors import UnknownFormat

BLOCK: Final = 2**16  # Bytes of one sample
BLOCKS: Final = 64  # Samples of a file that is larger than all of them together


def find_fingerprint(path: Path) -> Mapping[str, int | str]:
    """Return size (bytes), time of the last change (ns) and SHA-256 of samples of a file."""
    try:
        return _look_at(path)
    except OSError as error:
        raise UnknownFormat(f"'{path}' cannot be read: {error.strerror or error}") from None


def _look_at(path: Path) -> Mapping[str, int | str]:
    known = path.stat()
    digest, size = sha256(), known.st_size
    with path.open("rb") as file:
        if size <= BLOCK * BLOCKS:
            digest.update(file.read())
        else:
            for at in range(BLOCKS):
                file.seek((size - BLOCK) * at // (BLOCKS - 1))
                digest.update(file.read(BLOCK))
    return {"size": size, "changed": known.st_mtime_ns, "sha256": digest.hexdigest()}
