"""File names: one, several, or a pattern; what is not there is named with what is near."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from glob import escape, glob, has_magic
from pathlib import Path
from typing import Final

from evenhand.errors import MissingFile, UnknownFormat, UnknownOption, end, listing
from evenhand.formats.addresses import is_address, show_address

# How like a name must be to be suggested: data.csv for dta.csv, but not a.csv for b.csv
ALIKE: Final = 0.8
_URL: Final = re.compile(r"https?:/", re.IGNORECASE)
_OTHER_URL: Final = re.compile(r"(ftp|hf|file):/", re.IGNORECASE)
# What may hold a password, and is no file
_LIKE_URL: Final = re.compile(r"\w{2,}\s*:/.*@|\w{2,}\s*:/+[^?]*\?.*=")


def find_files(source: str | Path | Sequence[str | Path]) -> list[Path]:
    """Return the files that a name, a pattern or a list of them stands for."""
    named = [source] if isinstance(source, str | Path) else list(source)
    if not named:
        raise UnknownOption("no file was given: name at least one")
    for name in named:
        if not str(name).strip():
            raise UnknownOption("the name of a file is empty: name a file")
        if _URL.match(str(name)):
            raise UnknownFormat(
                f"'{show_address(str(name))}' is a web address: URLs are not read here,"
                " download the file"
            )
        if _OTHER_URL.match(str(name)):
            raise UnknownFormat(
                f"'{show_address(str(name))}' is not read: of the web only http and https are;"
                " download the file, and name it by its path"
            )
        if is_address(str(name)):
            raise UnknownFormat(
                f"'{show_address(str(name))}' is the URL of a table: name it alone, without files"
                " or a cache"
            )
        if _LIKE_URL.search(str(name)) and not Path(name).exists():
            raise UnknownFormat(
                f"'{show_address(str(name))}' is neither a file nor a URL of a table: write"
                " KIND://PLACE, as in postgres://HOST/DB?table=NAME"
            )
    paths = [path for name in named for path in _expand(Path(name).expanduser())]
    for path in paths:
        _refuse_absent(path)
    _refuse_twice(paths)
    return paths


def name_files(paths: Sequence[object]) -> str:
    """Return what several files are called in messages.

    >>> name_files([Path("a.csv"), Path("b.csv"), Path("c.csv")])
    'a.csv and 2 more'
    """
    more = len(paths) - 1
    return f"{paths[0]} and {more:,} more" if more else str(paths[0])


def duckdb_name(path: Path) -> str:
    """Return a path as DuckDB takes it, where * ? [ would otherwise be a pattern."""
    return escape(str(path))


def _expand(path: Path) -> list[Path]:
    """Return the files of a pattern, sorted; a name without a pattern stands for itself.

    A folder stands for the Parquet files in it and below; names that begin with _ or a full stop
    are those of other programs.
    """
    if path.is_dir():
        return _parts_of(path) or [path]
    if not has_magic(str(path)) or path.exists():
        return [path]
    found = sorted(Path(name) for name in glob(str(path), recursive=True))  # noqa: PTH207 - of any root
    files = [one for one in found if one.is_file()]
    if not files:
        raise MissingFile(f"no file matches '{path}'")
    return files


def _parts_of(folder: Path) -> list[Path]:
    """Return the Parquet files in a folder and below, sorted."""
    found = [one for one in folder.rglob("*.parquet") if one.is_file()]
    hidden = ("_", ".")
    return sorted(
        one
        for one in found
        if not any(part.startswith(hidden) for part in one.relative_to(folder).parts)
    )


def _refuse_twice(paths: Sequence[Path]) -> None:
    """Refuse a file that is given twice, under one name or under several."""
    known: dict[tuple[int, int], list[str]] = {}
    for path in paths:
        found = path.stat()
        known.setdefault((found.st_dev, found.st_ino), []).append(str(path))
    twice = [names for names in known.values() if len(names) > 1]
    if twice:
        said = [" and ".join(dict.fromkeys(names)) for names in twice]
        other = any(len(set(names)) > 1 for names in twice)
        what = "is one file under several names" if other else "is given twice"
        raise UnknownOption(f"{listing(sorted(said))} {what}: its judgments would count twice")


def _refuse_absent(path: Path) -> None:
    try:
        if path.is_file():
            return
        if path.is_symlink():
            raise MissingFile(f"'{path}' is a link to '{path.readlink()}', where there is no file")
        if path.is_dir():
            raise UnknownFormat(
                f"'{path}' is a folder without Parquet files: name a file in it, or a pattern such"
                f" as '{path / '*.csv'}'"
            )
        if path.exists():
            raise UnknownFormat(f"'{path}' is not a regular file: save it as one first")
        folder = path.parent
        near = _near(path) if folder.is_dir() else None
    except OSError as error:
        raise UnknownFormat(f"'{path}' cannot be opened: {error.strerror or error}") from None
    if near is None:
        raise MissingFile(f"there is no file '{path}', nor a folder '{folder}'")
    raise MissingFile(f"there is no file '{path}'{end(near)}")


def _near(path: Path) -> str:
    """Suggest a file of the same folder, under the name that would open it."""
    files = [str(one) for one in path.parent.iterdir() if one.is_file()]
    named = {Path(one).name: one for one in files}
    near = get_close_matches(path.name, named, n=1, cutoff=ALIKE)
    return f" Did you mean '{named[near[0]]}'?" if near else ""
