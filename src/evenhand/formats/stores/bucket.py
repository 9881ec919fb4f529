"""A bucket as a store of files: which there are, and their bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import Any, BinaryIO, Final

from evenhand.errors import MissingFile, UnknownFormat, end
from evenhand.formats.addresses import Address
from evenhand.formats.files.names import ALIKE
from evenhand.formats.stores.bucket_faults import faults_of
from evenhand.formats.stores.patterns import is_pattern, match_pattern, split_pattern
from evenhand.formats.stores.stored_file import Stamp, StoredFile, say_changed, say_gone

CHUNK: Final = 1 << 22  # Bytes that are copied at once
# What a store says of a file → what it is called here
TOLD: Final = {"ETag": "etag", "Last-Modified": "changed"}


@dataclass(frozen=True, eq=False)
class Bucket:
    """A bucket."""

    address: Address  # the URL that was given
    endpoint: str  # where the store is, if it is no public one
    system: Any = field(repr=False)  # pyarrow's file system
    _open: dict[str, Any] = field(default_factory=dict, repr=False)
    _sizes: dict[str, int] = field(default_factory=dict, repr=False)

    def find(self, name: str) -> list[StoredFile]:
        """Return the files that a name, a pattern or a folder stands for, sorted."""
        with faults_of(self.address, self.endpoint):
            infos = (self._match(name) if is_pattern(name) else []) or self._expand(name)
            if not infos:
                raise self._say_missing(name)
        found = sorted((str(info.path), int(info.size)) for info in infos)
        self._sizes.update(found)
        return [
            StoredFile(f"{self.address.scheme}://{path}", size, path, self) for path, size in found
        ]

    def _match(self, pattern: str) -> list[Any]:
        folder, below = split_pattern(pattern)
        rule, root = match_pattern(pattern), f"{self.address.place}/"
        infos = self._list(folder, below=below)
        return [info for info in infos if rule.fullmatch(info.path.removeprefix(root))]

    def _expand(self, name: str) -> list[Any]:
        """Return one file, or the Parquet files of a folder and below."""
        from pyarrow.fs import FileType

        place = self.address.place
        (info,) = self.system.get_file_info([f"{place}/{name}" if name else place])
        if info.type == FileType.File:
            return [info]
        if info.type != FileType.Directory:
            return []
        found = [one for one in self._list(name, below=True) if _is_part(one.path, info.path)]
        if not found:
            raise UnknownFormat(
                f"'{self.address}' is a folder without Parquet files: name a file in it, or a"
                f" pattern such as '{str(self.address).rstrip('/')}/*.csv'"
            )
        return found

    def _list(self, folder: str, *, below: bool) -> list[Any]:
        """Return the files of a folder, those of folders in it with `below`."""
        from pyarrow.fs import FileSelector, FileType

        place = f"{self.address.place}/{folder}".rstrip("/")
        try:
            infos = self.system.get_file_info(FileSelector(place, recursive=below))
        except FileNotFoundError:
            return []
        return [info for info in infos if info.type == FileType.File]

    def _say_missing(self, name: str) -> MissingFile:
        """Say that a file is not there, and what is near."""
        from pyarrow.fs import FileType

        place = self.address.place
        (info,) = self.system.get_file_info([place])
        if info.type == FileType.NotFound:
            return MissingFile(f"'{self.address}': there is no bucket '{place}'")
        if is_pattern(name):
            return MissingFile(f"no file of the bucket matches '{self.address}'")
        folder, _, last = name.rpartition("/")
        near = {PurePosixPath(one.path).name: one.path for one in self._list(folder, below=False)}
        found = get_close_matches(last, near, n=1, cutoff=ALIKE)
        hint = f" Did you mean '{self.address.scheme}://{near[found[0]]}'?" if found else ""
        return MissingFile(f"'{self.address}': the bucket has no such file or folder{end(hint)}")

    def stamp(self, name: str) -> Stamp:
        """Return ETag and time of the last change, as they were when the file was first opened."""
        with faults_of(self.address, self.endpoint):
            stamp = _take_stamp(self._file(name))
            if stamp:
                return stamp
            (info,) = self.system.get_file_info([name])
            return {"changed": int(info.mtime_ns)} if info.mtime_ns else {}

    def is_same(self, name: str) -> bool:
        """Say whether a file is still the one that was first opened; one request."""
        with faults_of(self.address, self.endpoint):
            then = self._file(name)
            try:
                now = self.system.open_input_file(name)
            except FileNotFoundError:
                return False
            return bool(then.size() == now.size() and then.metadata() == now.metadata())

    def read(self, name: str, start: int, n: int) -> bytes:
        """Return n bytes of a file from one on."""
        with faults_of(self.address, self.endpoint):
            return bytes(self._file(name).read_at(n, start))

    def copy(self, name: str, into: BinaryIO) -> int:
        """Write a file into another; return its bytes."""
        with faults_of(self.address, self.endpoint):
            file = self._file(name)
            size = int(file.size())
        starts = range(0, size, CHUNK)
        into.writelines(self.read(name, start, min(CHUNK, size - start)) for start in starts)
        if not self.is_same(name):
            raise say_changed(f"{self.address.scheme}://{name}")
        return size

    def _file(self, name: str) -> Any:
        """Open a file once: each opening asks the store for its size."""
        found = self._open.get(name)
        if found is None:  # two threads may open it at once, and one of the two is kept
            found = self._open.setdefault(name, self._open_first(name))
        return found

    def _open_first(self, name: str) -> Any:
        url = f"{self.address.scheme}://{name}"
        try:
            found = self.system.open_input_file(name)
        except FileNotFoundError:
            raise say_gone(url) from None
        if found.size() != self._sizes.get(name, found.size()):
            raise say_changed(url)
        return found


def _is_part(path: str, folder: str) -> bool:
    """Say whether a file is a part of a folder's table; _ and . begin names of other programs."""
    parts = PurePosixPath(path).relative_to(PurePosixPath(folder)).parts
    return path.endswith(".parquet") and not any(part.startswith(("_", ".")) for part in parts)


def _take_stamp(file: Any) -> Stamp:
    """Return what a store said of an open file."""
    said = {_text(key): _text(value) for key, value in file.metadata().items()}
    return {short: said[long] for long, short in TOLD.items() if said.get(long)}


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
