"""Files that lie elsewhere: in a bucket, or on a web server.

    s3://bucket/votes/*.parquet     a bucket of Amazon's, or of a store of one's own
    gs://bucket/votes/              a bucket of Google's; a folder stands for the Parquet in it
    https://host/votes.csv          a file of a web server

Of Parquet, footers and the columns that are counted travel; DuckDB reads them through a file
system that is written here. Other files are copied to this machine first, since they must be read
whole anyway, and more than once.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.formats.stores.stored_file import StoredFile

__all__ = ["find_stored", "is_stored"]

_ROOMS: Final = {
    **dict.fromkeys(("s3", "gs", "gcs", "r2"), "buckets"),
    **dict.fromkeys(("http", "https"), "web_server"),
}
_ALIKE: Final = {"r2": "s3", "gcs": "gs"}  # Two names of one store


def is_stored(source: Any) -> bool:
    """Say whether a source is the URL of files elsewhere, or a list that holds one.

    >>> is_stored("s3://bucket/votes.parquet"), is_stored(["a.csv", "https://a.b/votes.csv"])
    (True, True)
    >>> is_stored("votes.csv"), is_stored("sc://host/votes")
    (False, False)
    """
    if isinstance(source, str):
        return _kind_of(source) in _ROOMS
    if not isinstance(source, list | tuple):
        return False
    return any(isinstance(one, str) and is_stored(one) for one in source)


def find_stored(source: str | Path | Sequence[str | Path]) -> list[StoredFile]:
    """Return the files that a URL, or a list of URLs, stands for; only their names are read."""
    named = [source] if isinstance(source, str | Path) else list(source)
    if any(not is_stored(name) for name in named):
        raise UnknownOption(
            "files in a bucket or on a web server are read by themselves: name nothing else beside"
            " them"
        )
    found: list[StoredFile] = []
    for name in map(str, named):
        found += import_module(f"evenhand.formats.stores.{_ROOMS[_kind_of(name)]}").find_files(name)
    _refuse_alike(found)
    return found


def _refuse_alike(files: Sequence[StoredFile]) -> None:
    """Refuse a file that is given twice, and two that messages could not tell apart."""
    known: dict[tuple[str, str], StoredFile] = {}
    shown: dict[str, StoredFile] = {}
    for file in files:
        kind = _kind_of(file.url)
        other = known.setdefault((_ALIKE.get(kind, kind), file.name), file)
        if other is not file:
            also = "" if other.url == file.url else f" (also as '{other}')"
            raise UnknownOption(f"'{file}' is given twice{also}: its judgments would count twice")
        if shown.setdefault(file.url, file) is not file:
            raise UnknownOption(
                f"'{file}' is given twice, and only what follows the ? or a ; differs, which is"
                " never shown: download the files"
            )


def _kind_of(text: str) -> str:
    kind, mark, _ = text.partition("://")
    return kind.lower() if mark else ""
