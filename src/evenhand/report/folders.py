"""Folders that are written to: looked at before the work begins, made when it is done."""

from __future__ import annotations

from collections.abc import Mapping
from errno import EACCES, ENOTDIR
from os import W_OK, X_OK, access, strerror
from pathlib import Path

from evenhand.errors import UnknownOption


def check_folder(folder: Path, what: str) -> None:
    """Refuse a folder that cannot be written to; make nothing."""
    try:
        there = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    except OSError as error:
        raise refuse_folder(folder, what, error) from None
    if not there.is_dir():
        raise refuse_folder(folder, what, NotADirectoryError(ENOTDIR, strerror(ENOTDIR)))
    if not access(there, W_OK | X_OK):
        raise refuse_folder(folder, what, PermissionError(EACCES, strerror(EACCES)))


def fill_folder(folder: Path, what: str, files: Mapping[str, bytes]) -> list[Path]:
    """Write files into a folder, which is made where it is not there."""
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
            written.append(folder / name)
    except OSError as error:
        raise refuse_folder(folder, what, error) from None
    return written


def refuse_folder(folder: Path, what: str, error: OSError) -> UnknownOption:
    """Return the refusal of a folder."""
    reason = (error.strerror or str(error)).lower()
    return UnknownOption(f"{what} cannot be written to '{folder}': {reason}")
