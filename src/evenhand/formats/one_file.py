"""One file of several that are counted one by one: on this machine, or elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from evenhand.errors import UnknownOption
from evenhand.formats.files.head import suffix_of
from evenhand.formats.files.names import find_files
from evenhand.formats.files.opening import open_files
from evenhand.formats.fingerprint import find_fingerprint
from evenhand.formats.stores import find_stored, is_stored
from evenhand.formats.stores.stored_file import StoredFile
from evenhand.formats.table import Table

OneFile: TypeAlias = Path | StoredFile


def find_each(source: str | Path | Sequence[str | Path]) -> Sequence[OneFile]:
    """Return the files that a name, a URL, a pattern, a folder or a list of them stands for."""
    return find_stored(source) if is_stored(source) else find_files(source)


def measure(file: OneFile) -> int:
    """Return the bytes of a file; 0 where its store does not tell."""
    return file.size if isinstance(file, StoredFile) else file.stat().st_size


def name_folders(file: OneFile) -> list[str]:
    """Return the folders of a file that are named like `day=1`."""
    if isinstance(file, StoredFile):
        return file.folders
    return [part for part in file.parent.parts if "=" in part]


def identify(file: OneFile) -> Mapping[str, int | str]:
    """Return what says which file this is, and changes when the file does.

    Its ending is a part of it: it says how the file is to be read.
    """
    if isinstance(file, Path):
        return {**find_fingerprint(file), "kind": suffix_of(file)}
    found = file.find_fingerprint()
    if not found:
        raise UnknownOption(
            f"'{file}' may change without a word: its server tells neither ETag nor Last-Modified,"
            " so that no count of it can be kept; leave --cache out, or download the file"
        )
    return found


def open_one(file: OneFile, *, among: bool) -> Table:
    """Open a file as a table."""
    if isinstance(file, Path):
        return open_files(file, among=among)
    from evenhand.formats.stores.opening import open_stored

    return open_stored([file], among=among)
