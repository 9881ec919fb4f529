"""Judgments that others published: where they are, and their files in a folder of this machine.

public.toml names each set by its folder. `find` looks for it in the folder that the variable
EVENHAND_DATA names, then among the fetched ones; `fetch` downloads what is missing, lets in only
files with the SHA-256 of public.toml, and makes of them the table that pages and tests read.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from evenhand.errors import UnknownFormat, listing, require_option

HOST: Final = "https://raw.githubusercontent.com"
MAX_SECONDS: Final = 60.0  # that a server may be silent


class ByHand(UnknownFormat):
    """A set has to be got by hand, and is not there."""


@dataclass(frozen=True, slots=True)
class PublicFile:
    path: str  # in the repository; its last part is the name here
    commit: str
    size: int  # bytes
    sha256: str
    repository: str  # OWNER/NAME
    remade: bool = False  # the digest is of a file made again from the published one's rows

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def expected(self) -> str:
        """The digest, and whose it is."""
        whose = "of a copy made again from its rows" if self.remade else "published"
        return f"{whose} {self.sha256}"


@dataclass(frozen=True, slots=True)
class PublicSet:
    name: str  # of its folder
    title: str
    repository: str  # OWNER/NAME
    commit: str
    licence: str
    citation: str = ""
    command: str = ""  # a verb to try, with a file's name; by default `inspect` of the table
    by_hand: str = ""  # what of the repository to get where no digest is known
    parts: tuple[str, ...] = ()  # patterns of the files, of a set by hand, that become `table`
    files: tuple[PublicFile, ...] = ()
    table: str = ""  # the file that pages and tests read; empty where they read the published files
    holds: str = ""  # columns of the table
    sql: str = ""  # a query on the files of the folder that returns the table

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    def is_whole(self, folder: Path) -> bool:
        """Say whether a folder has what pages and tests read."""
        needed = (self.table,) if self.table else tuple(file.name for file in self.files)
        return all((folder / name).is_file() for name in needed)


@dataclass(frozen=True, slots=True)
class Fetched:
    folder: Path
    downloaded: tuple[str, ...] = ()  # names of files; the others were there
    checked: bool = False  # every file has its SHA-256
    made: bool = False  # the table was made now


@cache
def public_sets() -> Mapping[str, PublicSet]:
    sets = {}
    for name, one in _read_entries().items():
        if isinstance(one, dict):
            place = {key: one[key] for key in ("repository", "commit")}
            listed = tuple(PublicFile(**{**place, **file}) for file in one.pop("files", ()))
            parts = tuple(one.pop("parts", ()))
            sets[name] = PublicSet(name=name, files=listed, parts=parts, **one)
    return sets


def _read_entries() -> dict[str, Any]:
    text = files("evenhand.datasets").joinpath("public.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def cache_folder() -> Path:
    """Return where fetched sets are: `evenhand` in XDG_CACHE_HOME, which is ~/.cache if unset."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "evenhand"


def find(name: str) -> Path | None:
    """Return the folder of a set: in that of EVENHAND_DATA, else among the fetched; else None."""
    require_option("set", name, tuple(public_sets()))
    public = public_sets()[name]
    return next((folder for folder in _places(name) if public.is_whole(folder)), None)


def _places(name: str) -> list[Path]:
    named = os.environ.get("EVENHAND_DATA")
    return [*([Path(named, name)] if named else []), cache_folder() / name]


def fetch(public: PublicSet, into: Path | None = None, *, host: str = HOST) -> Fetched:
    """Bring the files of a set to a folder of its name, check their SHA-256, and make its table.

    Args:
        public: one of `public_sets()`.
        into: the folder to hold that of the set. By default a complete folder that `find` would
            look at is taken as it is, else the cache folder.
        host: where the repositories are.

    Raises:
        UnknownFormat: no digest is known and the files are not there, a file is another than that
            of the digest, or it cannot be downloaded; says what to do.
        OSError: the folder cannot be written.
    """
    places = [into / public.name] if into else _places(public.name)
    if not public.files:
        return _take_by_hand(public, places, into)
    for folder in places:
        if all(_hash(folder / file.name) == file.sha256 for file in public.files):
            return Fetched(folder, checked=True, made=_make(public, folder))
        if public.table and public.is_whole(folder):
            return Fetched(folder)
    missing = []
    for file in public.files:
        there = _hash(folder / file.name)
        if there is None:
            missing.append(file)
        elif there != file.sha256:
            raise UnknownFormat(
                f"'{folder / file.name}' is another file: its SHA-256 is {there},"
                f" {file.expected}; move it away to have it downloaded"
            )
    if missing:
        with _creating(folder):
            for file in missing:
                _download(f"{host}/{file.repository}/{file.commit}/{file.path}", file, folder)
    names = tuple(file.name for file in missing)
    return Fetched(folder, names, checked=True, made=_make(public, folder))


def _take_by_hand(public: PublicSet, places: list[Path], into: Path | None) -> Fetched:
    for folder in places:
        if public.is_whole(folder):
            return Fetched(folder)
        if public.parts and all(any(folder.glob(part)) for part in public.parts):
            return Fetched(folder, made=_make(public, folder))
    holds = f" with {public.holds}" if public.holds else ""
    then = f"pages and tests read {public.table}{holds}"
    if public.parts:
        command = ["evenhand", "demo", "--fetch", public.name]
        command += ["--into", str(into)] if into else []
        then = f"put {listing(public.parts)} into '{places[0]}'"
        then += f", and `{shlex.join(command)}` makes {public.table}"
    raise ByHand(
        f"{public.name} is not fetched: no SHA-256 of its files is known. Get {public.by_hand} by"
        f" hand, https://github.com/{public.repository}/tree/{public.commit} (licence:"
        f" {public.licence}); {then}"
    )


def _make(public: PublicSet, folder: Path) -> bool:
    """Make the table of the files in its folder where it is not there; return whether it was."""
    if not public.sql or public.is_whole(folder):
        return False
    import duckdb

    with TemporaryDirectory(prefix=".make-", dir=folder) as place, duckdb.connect() as engine:
        part = Path(place, public.table)
        try:
            engine.execute("set file_search_path = $1", [str(folder)])
            engine.execute(_read_entries()["sql"])
            engine.sql(public.sql).write_parquet(str(part))
        except duckdb.Error as fault:
            reason = str(fault).partition("\n")[0]
            raise UnknownFormat(
                f"the files in '{folder}' are not as published: {public.table} cannot be made of"
                f" them ({reason}); move them away and try again"
            ) from None
        part.replace(folder / public.table)
    return True


@contextmanager
def _creating(folder: Path) -> Iterator[None]:
    """Create a folder, and remove it and those above that were created if it stays empty."""
    created = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        with suppress(OSError):  # not empty
            for one in created:
                one.rmdir()


def _hash(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def _download(address: str, file: PublicFile, folder: Path) -> None:
    """Write a file under a temporary name, check its digest, and only then give it its name."""
    import httpx2

    digest, size = hashlib.sha256(), 0
    with TemporaryDirectory(prefix=".fetch-", dir=folder) as place:
        part = Path(place, file.name)
        try:
            with (
                httpx2.stream("GET", address, follow_redirects=True, timeout=MAX_SECONDS) as answer,
                part.open("wb") as out,
            ):
                answer.raise_for_status()
                for chunk in answer.iter_bytes():
                    size += len(chunk)
                    if size > file.size:
                        break  # the digest cannot agree
                    digest.update(chunk)
                    out.write(chunk)
        except httpx2.HTTPStatusError as fault:
            raise _refuse(address, f"HTTP {fault.response.status_code}", file, folder) from None
        except httpx2.HTTPError as fault:
            raise _refuse(address, str(fault) or type(fault).__name__, file, folder) from None
        found = f"its SHA-256 is {digest.hexdigest()},"
        if size > file.size:
            found = f"it has more than {file.size:,} bytes; SHA-256"
        if size > file.size or digest.hexdigest() != file.sha256:
            raise UnknownFormat(
                f"{address} is another file: {found} {file.expected}; nothing was kept"
            )
        part.replace(folder / file.name)


def _refuse(address: str, reason: str, file: PublicFile, folder: Path) -> UnknownFormat:
    return UnknownFormat(
        f"{address} cannot be downloaded ({' '.join(reason.split())}): put {file.name}"
        f" into '{folder}' by hand and try again"
    )
