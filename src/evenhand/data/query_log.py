"""What an engine was asked (the account of `--explain`), which files it read, names of copies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar
from weakref import WeakSet

if TYPE_CHECKING:
    import narwhals as nw


_ORIGINALS: Final[dict[str, str]] = {}


def call_copy(copy: str, original: str) -> None:
    """Have a copy called by the name of its original, in messages and in accounts."""
    _ORIGINALS[copy] = original


def forget_copies(copies: list[str]) -> None:
    for copy in copies:
        _ORIGINALS.pop(copy, None)


def name_originals(text: str) -> str:
    for copy, original in list(_ORIGINALS.items()):  # other threads copy
        text = text.replace(copy, original)
    return text


# The files that were opened last: an engine that broke off does not say which it read
LAST_OPENED: Final[list[str]] = []
# Bytes of a record of CSV at most. Reading in parallel takes no more memory up to this length.
LONGEST_LINE: Final = 8 << 20


def note_opened(files: Sequence[str]) -> None:
    LAST_OPENED[:] = files


# Whoever asks for parts of a file elsewhere while somebody overwrites it gets a mixture of two
# files: each of which parts came is looked at once more when a query has ended.


_OPEN: Final[WeakSet[Any]] = WeakSet()  # Each has `check`, which refuses what was changed
_LOCK: Final = Lock()


def watch_files(files: Any) -> None:
    with _LOCK:
        _OPEN.add(files)


_LONGEST: Final = 20_000  # Characters of a query that are kept: a table of labels may stand in it


@dataclass(frozen=True)
class Fetch:
    engine: str  # where it ran
    query: str  # its SQL, or its plan where the engine has no SQL; "" where rows lay in memory
    rows: int  # rows that left the engine
    columns: tuple[str, ...]  # their columns
    # in how many batches they came, where they were streamed; 0 where they came at once
    batches: int = 0
    # whether a temporary file holds what was streamed; else it was counted on the way
    filed: bool = field(default=True, repr=False)


Held = TypeVar("Held")
_ACCOUNT: ContextVar[list[Fetch] | None] = ContextVar("evenhand_fetches", default=None)
_TOLD: ContextVar[Callable[[int, int], None] | None] = ContextVar("evenhand_told", default=None)


@contextmanager
def hold(variable: ContextVar[Held], value: Held) -> Iterator[Held]:
    before = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(before)


@contextmanager
def watch_fetches() -> Iterator[list[Fetch]]:
    fetches: list[Fetch] = []
    with hold(_ACCOUNT, fetches):
        yield fetches


def watch_rows(tell: Callable[[int, int], None]) -> AbstractContextManager[Any]:
    """Have rows told while the context lasts, when they leave an engine batch by batch."""
    return hold(_TOLD, tell)


def note_rows(done: int, total: int) -> None:
    tell = _TOLD.get()
    if tell is not None:
        tell(done, total)


def note_query(
    frame: nw.LazyFrame[Any] | nw.DataFrame[Any],
    columns: Sequence[str],
    rows: int,
    batches: int = 0,
    *,
    filed: bool = True,
) -> None:
    with _LOCK:
        files = list(_OPEN)
    for one in files:
        one.check()
    account = _ACCOUNT.get()
    if account is None:
        return
    query = name_originals(_write_query(frame))
    shown = query if len(query) <= _LONGEST else f"{query[: _LONGEST - 1]}…"
    name: str = frame.implementation.value
    engine = {"pyspark[connect]": "spark connect", "pyspark": "spark"}.get(name, name)
    if frame.implementation.is_ibis():  # the database behind it
        native: Any = frame.to_native()
        engine = f"{native.get_backend().name} (by ibis)"
    account.append(Fetch(engine, shown, rows, tuple(columns), batches, filed))


def _write_query(frame: nw.LazyFrame[Any] | nw.DataFrame[Any]) -> str:
    native: Any = frame.to_native()
    engine = frame.implementation
    if engine.is_duckdb():
        return str(native.sql_query())
    if engine.is_ibis():
        import ibis

        return str(ibis.to_sql(native))
    if engine.is_pyspark():
        return str(native._jdf.queryExecution().optimizedPlan().toString())
    if engine.is_pyspark_connect():
        return str(native._explain_string(mode="extended"))
    return str(native.explain()) if engine.is_polars() and hasattr(native, "explain") else ""
