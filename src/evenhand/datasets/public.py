"""Judgments that others published: where they are, and their files in a folder of this machine.

public.toml names each set by its folder. `find` looks for it in the folder that the variable
EVENHAND_DATA names, then among the fetched ones; `fetch` downloads what is missing and lets in
only files with the published SHA-256.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from evenhand.errors import UnknownFormat, require_option

HOST: Final = "https://raw.githubusercontent.com"
MAX_SECONDS: Final = 60.0  # that a server may be silent


@dataclass(frozen=True, slots=True)
class PublicFile:
    path: str  # in the repository; its last part is the name here
    commit: str
    size: int  # bytes
    sha256: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class PublicSet:
    name: str  # of its folder
    title: str
    repository: str  # OWNER/NAME
    commit: str
    licence: str
    citation: str = ""
    command: str = ""  # a verb to try, with a file's name; empty where nothing is fetched
    by_hand: str = ""  # what of the repository to get where no digest is known
    files: tuple[PublicFile, ...] = ()

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    def address(self, file: PublicFile, host: str = HOST) -> str:
        return f"{host}/{self.repository}/{file.commit}/{file.path}"


@dataclass(frozen=True, slots=True)
class Fetched:
    folder: Path
    downloaded: tuple[str, ...]  # names of files; the others were there


@cache
def public_sets() -> Mapping[str, PublicSet]:
    text = files("evenhand.datasets").joinpath("public.toml").read_text(encoding="utf-8")
    return {name: _read_set(name, entry) for name, entry in tomllib.loads(text).items()}


def _read_set(name: str, entry: dict[str, Any]) -> PublicSet:
    commit = entry["commit"]
    listed = tuple(PublicFile(**{"commit": commit, **file}) for file in entry.pop("files", ()))
    return PublicSet(name=name, files=listed, **entry)


def cache_folder() -> Path:
    """Return where fetched sets are: `evenhand` in XDG_CACHE_HOME, which is ~/.cache if unset."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "evenhand"


def find(name: str) -> Path | None:
    """Return the folder of a set: in that of EVENHAND_DATA, else among the fetched; else None."""
    require_option("set", name, tuple(public_sets()))
    *given, fetched = _places(name)
    if given and given[0].is_dir():
        return given[0]
    whole = all((fetched / file.name).is_file() for file in public_sets()[name].files)
    return fetched if fetched.is_dir() and whole else None


def _places(name: str) -> list[Path]:
    named = os.environ.get("EVENHAND_DATA")
    return [*([Path(named, name)] if named else []), cache_folder() / name]


def fetch(public: PublicSet, into: Path | None = None, *, host: str = HOST) -> Fetched:
    """Bring the files of a set to a folder of its name, and check every one's SHA-256.

    Args:
        public: one of `public_sets()`.
        into: the folder to hold that of the set. By default a complete folder that `find` would
            look at is taken as it is, else the cache folder.
        host: where the repositories are.

    Raises:
        UnknownFormat: no digest is known, a file is another than the published one, or it
            cannot be downloaded; says what to do.
        OSError: the folder cannot be written.

    """
    if not public.files:
        raise UnknownFormat(
            f"{public.name} is not fetched: no SHA-256 of its files is known. Get {public.by_hand}"
            f" by hand: https://github.com/{public.repository}/tree/{public.commit}"
            f" (licence: {public.licence})"
        )
    places = [into / public.name] if into else _places(public.name)
    for folder in places[:-1]:
        if all(_hash(folder / file.name) == file.sha256 for file in public.files):
            return Fetched(folder, ())
    folder = places[-1]
    missing = []
    for file in public.files:
        there = _hash(folder / file.name)
        if there is None:
            missing.append(file)
        elif there != file.sha256:
            raise UnknownFormat(
                f"'{folder / file.name}' is not the published file: its SHA-256 is {there},"
                f" published {file.sha256}; move it away to have it downloaded"
            )
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
    for file in missing:
        _download(public.address(file, host), file, folder)
    return Fetched(folder, tuple(file.name for file in missing))


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
                        break  # more than is published: the digest cannot agree
                    digest.update(chunk)
                    out.write(chunk)
        except httpx2.HTTPStatusError as fault:
            raise _refuse(address, f"HTTP {fault.response.status_code}", file, folder) from None
        except httpx2.HTTPError as fault:
            raise _refuse(address, str(fault) or type(fault).__name__, file, folder) from None
        if size > file.size:
            raise UnknownFormat(
                f"{address} has more than the published {file.size:,} bytes"
                f" (SHA-256 {file.sha256}); nothing was kept"
            )
        if digest.hexdigest() != file.sha256:
            raise UnknownFormat(
                f"{address} is not the published file: its SHA-256 is {digest.hexdigest()},"
                f" published {file.sha256}; nothing was kept"
            )
        part.replace(folder / file.name)


def _refuse(address: str, reason: str, file: PublicFile, folder: Path) -> UnknownFormat:
    return UnknownFormat(
        f"{address} cannot be downloaded ({' '.join(reason.split())}): put {file.name}"
        f" into '{folder}' by hand and try again"
    )
