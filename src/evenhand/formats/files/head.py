"""What kind of file it is, told by its first bytes and not by its name alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from evenhand.errors import UnknownFormat
from evenhand.formats.files.compression import (
    Compression,
    check_zstd,
    read_gzip_head,
    tell_compression,
)
from evenhand.formats.files.names import duckdb_name
from evenhand.judgments.refusals import explain

if TYPE_CHECKING:
    import duckdb

Kind = Literal["delimited", "json", "parquet"]

SIZE: Final = 1 << 20  # Bytes looked at
_LINES: Final = 100
# What to do with a file that holds nothing
ROWS_NEEDED: Final = "write a header and one judgment a row into it"
# A delimiter that no text holds, so that a line is read as it is
_NOWHERE: Final = "\x1f\x1e\x1f\x1e"
# How judgments leave a campaign
DOWNLOAD: Final = (
    "download comparisons.csv (or rankings.csv, ratings.csv) under “Download” on the organiser's"
    " page, whose link evenhand serve prints"
)
_FOREIGN: Final = {
    b"PK\x03\x04": "a spreadsheet or another zip archive: save the sheet as CSV (UTF-8)",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet: save the sheet as CSV (UTF-8)",
    b"\xff\xfe\x00\x00": "UTF-32 text: save it as UTF-8",
    b"\x00\x00\xfe\xff": "UTF-32 text: save it as UTF-8",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
    b"%PDF": "a PDF document: save the judgments as CSV (UTF-8)",
    b"BZh": "packed with bzip2: unpack it, or pack it with gzip or Zstandard",
    b"\xfd7zXZ": "packed with xz: unpack it, or pack it with gzip or Zstandard",
    b"<!DOCTYPE": "a web page: download the file itself, a login or an error page was saved",
    b"<html": "a web page: download the file itself, a login or an error page was saved",
    b"<?xml": "XML: save the judgments as CSV (UTF-8) or JSON Lines",
    b"ARROW1": "an Arrow file: read it with pyarrow or Polars and pass the frame",
    b"ORC": "an ORC file: read it with pyarrow or Polars and pass the frame",
    b"SQLite format 3": (
        f"a database: of a campaign {DOWNLOAD}; attach any other with DuckDB and pass a relation"
    ),
}


_DATABASES: Final = {".db", ".sqlite", ".sqlite3", ".duckdb"}


@dataclass(frozen=True)
class Head:
    """The beginning of a file."""

    path: Path  # the file
    kind: Kind  # what it holds
    compression: Compression  # how it is packed
    text: str = ""  # its first characters; empty for Parquet
    whole: bool = False  # whether `text` is all there is


def read_head(path: Path, connection: duckdb.DuckDBPyConnection) -> Head:
    """Look at the first bytes of a file and tell what it is."""
    try:
        with path.open("rb") as file:
            start = file.read(SIZE)
        compression = tell_compression(start)
        if compression == "gzip":
            start = read_gzip_head(path, SIZE)
        elif compression == "zstd":
            check_zstd(path)
            start = _read_zstd_lines(path, connection)
    except OSError as error:
        raise UnknownFormat(f"'{path}' cannot be read: {error.strerror or error}") from None
    if start.startswith(b"PAR1") or _suffix(path) in {".parquet", ".pq"}:
        return _parquet(path, start, compression)
    _refuse_foreign(path, start)
    whole = len(start) < SIZE and compression != "zstd"
    text = _decode(path, start)
    return Head(path, _text_kind(path, text), compression, text, whole)


def _parquet(path: Path, start: bytes, compression: Compression) -> Head:
    if not start:
        raise UnknownFormat(f"{path} is empty: {ROWS_NEEDED}")
    if not start.startswith(b"PAR1"):
        raise UnknownFormat(f"{path} is not a Parquet file, whatever its name says")
    if compression != "none":
        raise UnknownFormat(f"{path} is a packed Parquet file: unpack it ({compression}) first")
    return Head(path, "parquet", "none")


def _refuse_foreign(path: Path, start: bytes) -> None:
    for magic, words in _FOREIGN.items():
        if start.startswith(magic):
            raise UnknownFormat(f"{path} is {words}")
    if start[8:12] == b"DUCK":
        raise UnknownFormat(
            f"{path} is a DuckDB database: name its table, as in duckdb://{path}?table=NAME"
        )
    if start[1:40:2].strip(b"\x00") == b"" and start[:1].isascii() and len(start) > 1:
        raise UnknownFormat(f"{path} looks like UTF-16 text: save it as UTF-8")
    if b"\x00" in start:
        raise UnknownFormat(
            f"{path} is not text: neither CSV, JSON Lines nor Parquet; save the judgments as one"
            " of these"
        )


def _decode(path: Path, start: bytes) -> str:
    """Return the beginning as text, without its byte order mark."""
    try:
        text = start.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if len(start) < SIZE or error.start < len(start) - 4:  # else the cut split a character
            line = start.count(b"\n", 0, error.start) + 1
            byte = start[error.start]
            raise UnknownFormat(
                f"line {line:,} of {path} is not UTF-8 text (byte {byte:#04x}): save the file as"
                " UTF-8"
            ) from None
        text = start[: error.start].decode("utf-8-sig")
    if not text.strip() and _suffix(path) in _DATABASES:
        raise UnknownFormat(
            f"{path} is empty: a database that has lost what it held; restore it from a copy"
        )
    if not text.strip():
        raise UnknownFormat(f"{path} is empty: {ROWS_NEEDED}")
    return text


def _text_kind(path: Path, text: str) -> Kind:
    first = text.lstrip()[0]
    delimited = _suffix(path) in {".csv", ".tsv", ".tab", ".txt"}
    if first == "{" or (first == "[" and not delimited):
        return "json"
    if _suffix(path) in {".json", ".jsonl", ".ndjson"}:
        raise UnknownFormat(
            f"{path} is not JSON: it begins with '{first}', not with an object or a list"
        )
    return "delimited"


def _suffix(path: Path) -> str:
    """Return the suffix that tells the kind, without that of a packer."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in {".gz", ".zst", ".gzip", ".zstd"}:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def suffix_of(path: Path) -> str:
    """Return the suffix that tells the kind of a file: ".csv" of "a.csv.gz"."""
    return _suffix(path)


def _read_zstd_lines(path: Path, connection: duckdb.DuckDBPyConnection) -> bytes:
    """Return the first lines of a Zstandard file; Python can unpack one only from 3.14."""
    import duckdb

    name = duckdb_name(path).replace("'", "''")
    try:
        rows = connection.execute(
            f"select line from read_csv('{name}', auto_detect = false, header = false,"
            f" columns = {{'line': 'VARCHAR'}}, delim = '{_NOWHERE}', quote = '', escape = '',"
            f" strict_mode = false, compression = 'zstd') limit {_LINES}"
        ).fetchall()
    except duckdb.Error as error:
        raise explain(error, str(path)) from None
    return "\n".join("" if line is None else line for (line,) in rows).encode()
