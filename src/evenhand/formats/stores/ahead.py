"""Parts of Parquet files that are about to be asked for, fetched ahead, several at a time.

DuckDB reads files elsewhere in one thread (see `connect_apart`), one footer after the other, then
the same columns of one row group after the other. Once two that follow each other were asked for,
the next ones are fetched while DuckDB counts. What is fetched in vain ends it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from importlib.util import find_spec
from itertools import islice
from threading import get_ident
from typing import Any, Final, TypeAlias

from evenhand.formats.stores.stored_file import StoredFile, say_changed
from evenhand.judgments.steadiness import watch_files
from evenhand.judgments.traffic import Traffic

DEPTH: Final = 8  # Parts that are fetched at once
# Most bytes that are fetched ahead; they lie outside the memory that DuckDB counts
HELD: Final = 1 << 26
TAIL: Final = 1 << 14  # Bytes of the end of a file that DuckDB asks for first
END: Final = 8  # Bytes behind the footer of a Parquet file: its length, and the mark of the format
# First byte of each column of a row group, and the one after its last
Spans: TypeAlias = list[tuple[int, int]]
Part: TypeAlias = tuple[str, int, int]  # URL, first byte, number of bytes


class Ahead:
    """Files as they are read one after the other."""

    def __init__(self, files: Sequence[StoredFile], traffic: Traffic, depth: int = DEPTH) -> None:
        self.files, self.traffic, self.depth = list(files), traffic, depth
        self.place = {file.url: i for i, file in enumerate(self.files)}
        self.groups: dict[str, list[Spans]] = {}
        self.coming: dict[Part, Future[bytes]] = {}
        self.ordered: set[Part] = set()
        self.before: dict[tuple[int, int], tuple[int, int]] = {}
        self.unchecked: dict[
            tuple[int, str], StoredFile
        ] = {}  # DuckDB reads in the caller's thread
        self.changed: set[str] = set()
        self.pool = ThreadPoolExecutor(depth)
        watch_files(self)

    def read(self, file: StoredFile, start: int, n: int) -> bytes:
        """Return n bytes of a file, fetched ahead or now; see to it that the next ones come."""
        self.unchecked[get_ident(), file.url] = file
        coming = self.coming.pop((file.url, start, n), None)
        found = self._fetch(file, start, n) if coming is None else coming.result()
        if start + n == file.size:
            self._learn(file, found)
            tail = n if n < file.size else max(n, TAIL)
            self._order([(one, max(one.size - tail, 0), tail) for one in self._after(file)])
        else:
            self._order(self._find_next(file, start, start + n))
        return found

    def begin(self, file: StoredFile) -> None:
        """Have a file checked that was changed before, even if DuckDB asks for no part of it.

        It keeps what it read, which is a mixture.
        """
        if file.url in self.changed:
            self.unchecked[get_ident(), file.url] = file

    def check(self) -> None:
        """Refuse files that changed since this thread checked them."""
        mine = [key for key in list(self.unchecked) if key[0] == get_ident()]
        files = [self.unchecked.pop(key) for key in mine]
        with ExitStack() as undo:
            undo.callback(self.unchecked.update, dict(zip(mine, files, strict=True)))
            same = list(self.pool.map(lambda file: file.store.is_same(file.name), files))
            undo.pop_all()
        self.changed |= {file.url for file, one in zip(files, same, strict=True) if not one}
        for file in files:
            if file.url in self.changed:
                raise say_changed(file.url)

    def _fetch(self, file: StoredFile, start: int, n: int) -> bytes:
        found = file.store.read(file.name, start, n)
        self.traffic.add(len(found))
        if len(found) < n:
            raise say_changed(file.url)
        return found

    def _after(self, file: StoredFile) -> list[StoredFile]:
        """Return the files that come next."""
        at = self.place[file.url] + 1
        return self.files[at : at + self.depth]

    def _learn(self, file: StoredFile, tail: bytes) -> None:
        """Learn from the end of a file where its columns lie, if that stands in it."""
        footer = int.from_bytes(tail[-END:-4], "little")
        if file.url in self.groups or footer + END > len(tail) or find_spec("pyarrow") is None:
            return
        from pyarrow import ArrowException, BufferReader
        from pyarrow.parquet import read_metadata

        try:
            known = read_metadata(BufferReader(tail))
        except (OSError, ArrowException):  # DuckDB will say what is wrong with it
            return
        self.groups[file.url] = [
            [_span(known.row_group(i).column(j)) for j in range(known.num_columns)]
            for i in range(known.num_row_groups)
        ]

    def _find_next(
        self, file: StoredFile, start: int, end: int
    ) -> list[tuple[StoredFile, int, int]]:
        """Return where the columns that lie from start to end lie in the row groups that follow."""
        groups = self.groups.get(file.url, [])
        for g, spans in enumerate(groups):
            first = next((j for j, span in enumerate(spans) if span[0] == start), None)
            last = next((j for j, span in enumerate(spans) if span[1] == end), None)
            if first is None or last is None:
                continue
            here = (self.place[file.url], g)
            known, self.before[first, last] = self.before.get((first, last)), here
            if known != self._precede(here):
                return []
            following = islice(self._follow(here), self.depth)
            return [
                (one, spans[first][0], spans[last][1] - spans[first][0]) for one, spans in following
            ]
        return []

    def _precede(self, here: tuple[int, int]) -> tuple[int, int]:
        """Return the place of the row group before one."""
        i, g = here
        if g:
            return i, g - 1
        return i - 1, len(self.groups.get(self.files[i - 1].url, [])) - 1 if i else -1

    def _follow(self, here: tuple[int, int]) -> Iterator[tuple[StoredFile, Spans]]:
        """Yield the row groups after one, of this file and of those that come next."""
        i, g = here
        for file in self.files[i:]:
            groups = self.groups.get(file.url, [])
            yield from ((file, spans) for spans in groups[g + 1 :])
            g = -1

    def _order(self, parts: Sequence[tuple[StoredFile, int, int]]) -> None:
        """Have parts fetched, unless what was fetched before was in vain."""
        held = sum(n for _, _, n in self.coming)
        for file, start, n in parts[: self.depth]:
            size = min(n, file.size)
            part = (file.url, start, size)
            if size and part not in self.ordered and held + size <= HELD:
                held += size
                self.ordered.add(part)
                self.coming[part] = self.pool.submit(self._fetch, file, start, size)
        if len(self.coming) > 4 * DEPTH:
            self.depth = 0
            self.coming.clear()


def _span(column: Any) -> tuple[int, int]:
    """Return where the pages of a column lie in a row group."""
    first = [column.data_page_offset, column.dictionary_page_offset]
    start = min(int(one) for one in first if one is not None)
    return start, start + int(column.total_compressed_size)
