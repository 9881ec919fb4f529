"""Where judgments lie, and what a file is: addresses, names, compression, first bytes.

What is shown of a URL is made of the parts that hold none: its kind, the place and what is asked
for. A password, a token and every setting stay out, and are taken out of what others say.
"""

from __future__ import annotations

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from glob import escape, glob, has_magic
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal
from urllib.parse import quote as quote_url
from urllib.parse import unquote
from weakref import finalize

from evenhand.data.engine import explained, quote
from evenhand.data.query_log import call_copy, forget_copies, name_originals
from evenhand.errors import (
    MissingFile,
    NoRows,
    UnknownFormat,
    UnknownOption,
    listing,
    sentence_hint,
    write_word,
)

if TYPE_CHECKING:
    import duckdb


ASKED: Final = ("table", "path")  # What a URL asks for; all other settings belong to the engine
_ADDRESS: Final = re.compile(r"([a-z][a-z0-9+.-]*)://(.*)", re.IGNORECASE | re.DOTALL)
_WEB: Final = ("http", "https", "ftp", "hf", "file")  # Addresses of files that are not read
# Kinds without user and password; an @ belongs to the path
_PATHS: Final = ("s3", "gs", "gcs", "r2", "duckdb", "spark")
# Characters below which a setting is no secret, and would be taken out of every word
SHORT: Final = 3


@dataclass(frozen=True)
class Address:
    scheme: str  # its kind, in small letters, such as "sc"
    place: str  # host and port, or nothing
    path: str  # what follows the place, with its slash
    query: Mapping[str, str]  # "table" or "path" → what the URL asks for
    # everything else that it says, in order
    settings: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    # user and password as they stand before @, or nothing
    user: str = field(default="", repr=False)

    def __str__(self) -> str:
        query = "&".join(f"{name}={value}" for name, value in self.query.items())
        return f"{self.scheme}://{self.place}{self.path}" + (f"?{query}" if query else "")

    @property
    def secrets(self) -> list[str]:
        """What must not be said again, longest first."""
        parts = [self.user, *self.user.split(":", 1)[1:], *(value for _, value in self.settings)]
        spelled = {form for part in parts for form in (part, unquote(part))}
        return sorted((one for one in spelled if len(one) > SHORT), key=len, reverse=True)

    def clean(self, message: object) -> str:
        """Return what somebody else said in one line, without the secrets of this URL."""
        lines = [line.strip() for line in str(message).splitlines() if line.strip()]
        text = lines[0] if lines else type(message).__name__
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text.rstrip(".")

    def require(self, names: Sequence[str]) -> tuple[str, str]:
        given = [name for name in ASKED if name in self.query]
        if len(given) == 1 and given[0] in names:
            return given[0], self.query[given[0]]
        wanted = " or ".join(f"{name}=…" for name in names)
        raise UnknownOption(f"'{self}' must say what to read: add ?{wanted} to it")


def is_address(text: str) -> bool:
    match = _ADDRESS.match(text)
    return match is not None and match[1].lower() not in _WEB


def show_address(text: str) -> str:
    front = re.split(r"[?&;#]", text)[0]
    if "@" in text[len(front) :] and "@" not in front:  # of a setting, or of a password
        front = re.split("/+", front)[0] + "//***"
    return re.sub(r"(//?).*@", r"\1", front)


def read_address(text: str) -> Address:
    # Settings stand behind `?`, joined by `&`, or behind `;` as Spark writes them.
    match = _ADDRESS.match(text)
    if match is None:
        raise UnknownOption(f"'{text}' is no URL of a table: expected KIND://PLACE")
    front, *words = re.split(r"[?&;]", match[2])
    # Refuse a user or password that would be taken for a place, a path or a setting
    scheme, head = match[1].lower(), re.split(r"[/?;&]", match[2])[0]
    as_user = re.search(r":(?!\d*$)", head) is not None and "@" in match[2]  # no host with its port
    if scheme not in _PATHS and "@" not in head and ("@" in front[len(head) :] or as_user):
        raise UnknownOption(
            f"a user or password of this {scheme}:// URL holds / ? ; or & as it is: write %2F, %3F,"
            " %3B, %26"
        )
    place, slash, path = front.partition("/")
    user, _, place = place.rpartition("@")
    pairs = [tuple(word.partition("=")[::2]) for word in words if word]
    address = Address(scheme, place, slash + path, {}, user=user)
    if not all(value for _, value in pairs):
        raise UnknownOption(f"'{address}' has a setting without a value: write NAME=VALUE")
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise UnknownOption(f"'{address}' has a setting twice: say it once")
    query = {name: unquote(value) for name, value in pairs if name in ASKED}
    settings = tuple((name, value) for name, value in pairs if name not in ASKED)
    return replace(address, query=query, settings=settings)


def is_remote(source: Any) -> bool:
    """Say whether a source is the URL of files elsewhere, or a list that holds one."""
    if isinstance(source, str):
        return re.match(r"(s3|gs|gcs|r2|https?)://", source, re.IGNORECASE) is not None
    return isinstance(source, list | tuple) and any(
        isinstance(one, str) and is_remote(one) for one in source
    )


_HOST: Final = re.compile(r"([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?", re.IGNORECASE)
_USUAL_PORTS: Final = {"http": ":80", "https": ":443"}
# Signs of a URL that stay as they are; others are written in ASCII
_PLAIN_SIGNS: Final = "/:?&=%+,;@~!$'()*[]#"


def read_web_address(text: str) -> tuple[str, str]:
    """Return an address as it is asked for, and as it is shown."""
    # Shown is neither what follows `?`, such as a signature, nor a setting within the path, such as
    # `;jsessionid=…`. Kind and host are written small and a usual port is left out, so that one
    # file has one name.
    kind, _, rest = text.partition("#")[0].partition("://")
    place = re.split("[/?]", rest)[0]
    if not _HOST.fullmatch(place):
        raise UnknownOption(
            f"'{show_address(text)}' holds a user or a password, or no host: write"
            " https://HOST/PATH, or download the file"
        )
    kind = kind.lower()
    whole = f"{kind}://{place.lower().removesuffix(_USUAL_PORTS[kind])}{rest[len(place) :]}"
    shown = re.sub(r";\w+=[^/;]*", "", whole.partition("?")[0])
    if "*" in shown:
        raise UnknownOption(f"'{shown}' is a pattern, and web servers list no files: name each one")
    return quote_url(whole, safe=_PLAIN_SIGNS), shown


# DuckDB reads a cut-off gzip file up to the cut and says nothing when the cut falls between lines.
# Both kinds are checked to their end: gzip by unpacking it once (its checksum stands last),
# Zstandard by walking its block headers.
Compression = Literal["none", "gzip", "zstd"]

GZIP: Final = b"\x1f\x8b"
ZSTD: Final = b"\x28\xb5\x2f\xfd"
_CHUNK: Final = 1 << 20


def read_gzip_head(path: Path, size: int) -> bytes:
    head = b""
    try:
        with gzip.open(path) as file:
            while chunk := file.read(_CHUNK):
                if len(head) < size:
                    head += chunk[: size - len(head)]
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise _damaged(path, "gzip") from None
    return head


def check_zstd(path: Path) -> None:
    """Walk the frames and blocks of a Zstandard file (RFC 8878, section 3.1) to its end."""
    size = path.stat().st_size
    with path.open("rb") as file:
        while file.tell() < size:
            for end in _ends(file, path):
                if end > size:
                    raise _damaged(path, "Zstandard")
                file.seek(end)


def _ends(file: BinaryIO, path: Path) -> Iterator[int]:
    magic = int.from_bytes(_take(file, 4, path), "little")
    if magic & 0xFFFFFFF0 == 0x184D2A50:  # a skippable frame
        length = int.from_bytes(_take(file, 4, path), "little")
        yield file.tell() + length
        return
    if magic != int.from_bytes(ZSTD, "little"):
        raise _damaged(path, "Zstandard")
    descriptor = _take(file, 1, path)[0]
    single = descriptor >> 5 & 1
    content = (single, 2, 4, 8)[descriptor >> 6]
    dictionary = (0, 1, 2, 4)[descriptor & 3]
    yield file.tell() + (1 - single) + dictionary + content
    last = 0
    while not last:
        header = int.from_bytes(_take(file, 3, path), "little")
        last, kind, length = header & 1, header >> 1 & 3, header >> 3
        yield file.tell() + (1 if kind == 1 else length)  # kind 1 repeats one byte
    if descriptor >> 2 & 1:
        yield file.tell() + 4


def _take(file: BinaryIO, n: int, path: Path) -> bytes:
    data = file.read(n)
    if len(data) < n:
        raise _damaged(path, "Zstandard")
    return data


def _damaged(path: Path, kind: str) -> UnknownFormat:
    return UnknownFormat(f"{path} is not a whole {kind} file: it is cut off or damaged")


# How like a name must be to be suggested: data.csv for dta.csv, but not a.csv for b.csv
ALIKE: Final = 0.8
_URL: Final = re.compile(r"https?:/", re.IGNORECASE)
_OTHER_URL: Final = re.compile(r"(ftp|hf|file):/", re.IGNORECASE)
# What may hold a password, and is no file
_LIKE_URL: Final = re.compile(r"\w{2,}\s*:/.*@|\w{2,}\s*:/+[^?]*\?.*=")


def find_files(source: str | Path | Sequence[str | Path]) -> list[Path]:
    named = [source] if isinstance(source, str | Path) else list(source)
    if not named:
        raise UnknownOption("no data were given: name a file, or pass rows")
    for name in named:
        if not str(name).strip():
            raise UnknownOption("the name of a file is empty: name a file")
        fault = ""
        if _URL.match(str(name)):
            fault = "a web address: URLs are not read here, download the file"
        elif _OTHER_URL.match(str(name)):
            fault = (
                "not read: of the web only http and https are; download the file, and name it by"
                " its path"
            )
        elif is_address(str(name)):
            fault = "the URL of a table: name it alone, without files"
        elif _LIKE_URL.search(str(name)) and not Path(name).exists():
            fault = (
                "neither a file nor a URL of a table: write KIND://PLACE, as in"
                " postgres://HOST/DB?table=NAME"
            )
        if fault:
            raise UnknownFormat(f"'{show_address(str(name))}' is {fault}")
    paths = [path for name in named for path in _expand(Path(name).expanduser())]
    for path in paths:
        _refuse_absent(path)
    known: dict[tuple[int, int], list[str]] = {}
    for path in paths:
        status = path.stat()
        known.setdefault((status.st_dev, status.st_ino), []).append(str(path))
    twice = [names for names in known.values() if len(names) > 1]
    if twice:
        clauses = [" and ".join(dict.fromkeys(names)) for names in twice]
        other = any(len(set(names)) > 1 for names in twice)
        what = "is one file under several names" if other else "is given twice"
        raise UnknownOption(f"{listing(sorted(clauses))} {what}: its judgments would count twice")
    return paths


def name_files(paths: Sequence[object]) -> str:
    more = len(paths) - 1
    return f"{paths[0]} and {more:,} more" if more else str(paths[0])


def duckdb_name(path: Path) -> str:
    """Return a path as DuckDB takes it, where * ? [ would otherwise be a pattern."""
    return escape(str(path))


def write_csv_table(
    paths: Sequence[Path], columns: Sequence[str], compression: str, *, header: bool, more: str
) -> str:
    """Return the SQL of text columns of CSV files, of which nothing is guessed.

    more: further settings, such as the delimiter.
    """
    files = ", ".join(quote(duckdb_name(path)) for path in paths)
    types = ", ".join(f"{quote(column)}: 'VARCHAR'" for column in columns)
    return (
        f"read_csv([{files}], auto_detect = false, header = {str(header).lower()}, columns ="
        f" {{{types}}}, compression = '{compression}', hive_partitioning = false, {more})"
    )


# Settings by which each line is read as it is, in one column: no text holds the delimiter
AS_LINES: Final = "delim = '\x1f\x1e\x1f\x1e', quote = '', escape = '', strict_mode = false"


def _expand(path: Path) -> list[Path]:
    """Return the files of a pattern, sorted; a name without a pattern stands for itself."""
    # A folder stands for the Parquet files in it and below; names that begin with _ or a full stop
    # are those of other programs.
    if path.is_dir():
        parts = [
            part
            for part in path.rglob("*.parquet")
            if part.is_file()
            and not any(name.startswith(("_", ".")) for name in part.relative_to(path).parts)
        ]
        return sorted(parts) or [path]
    if not has_magic(str(path)) or path.exists():
        return [path]
    matches = sorted(Path(name) for name in glob(str(path), recursive=True))  # noqa: PTH207 - of any root
    files = [one for one in matches if one.is_file()]
    if not files:
        raise MissingFile(f"no file matches '{path}'")
    return files


def is_workbook(path: Path) -> bool:
    if not path.is_file():  # of a pipe nothing is taken
        return False
    try:
        with path.open("rb") as file:
            if file.read(len(ZIP)) != ZIP:
                return False
    except OSError:
        return False
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(path) as archive:
            return _BOOK in archive.namelist()
    except (OSError, BadZipFile):
        return False


def refuse_columns_twice(columns: Sequence[str], where: str) -> None:
    folded = [one.casefold() for one in columns]
    twice = [one for at, one in enumerate(columns) if folded[at] in folded[:at]]
    if twice:
        raise UnknownFormat(
            f"column '{twice[0]}' appears twice in the header of {where} (capitals do not tell"
            " columns apart): rename one"
        )


def _refuse_absent(path: Path) -> None:
    try:
        if path.is_file():
            return
        if path.is_symlink():
            raise MissingFile(f"'{path}' is a link to '{path.readlink()}', where there is no file")
        if path.is_dir():
            if (path / "human-scores").is_dir():
                raise UnknownFormat(
                    f"'{path}' is a folder of mt-metrics-eval: evenhand metrics"
                    f" {write_word(str(path))} compares its metrics with people; other verbs read a"
                    " file of human-scores"
                )
            endings = {one.suffix for one in path.iterdir()} & {".csv", ".tsv", ".jsonl", ".xlsx"}
            pattern = f", or a pattern such as '{path / f'*{min(endings)}'}'" if endings else ""
            raise UnknownFormat(
                f"'{path}' is a folder without Parquet files: name a file in it{pattern}"
            )
        if path.exists():
            raise UnknownFormat(f"'{path}' is not a regular file: save it as one first")
        folder = path.parent
        here = [str(one) for one in folder.iterdir() if one.is_file()] if folder.is_dir() else None
    except OSError as error:
        raise UnknownFormat(f"'{path}' cannot be opened: {error.strerror or error}") from None
    if here is None:
        raise MissingFile(f"there is no file '{path}', nor a folder '{folder}'")
    named = {Path(one).name: one for one in here}
    near = get_close_matches(path.name, named, n=1, cutoff=ALIKE)
    hint = f" Did you mean '{named[near[0]]}'?" if near else ""
    raise MissingFile(f"there is no file '{path}'{sentence_hint(hint)}")


Kind = Literal["delimited", "json", "parquet", "arrow", "workbook"]

SIZE: Final = 1 << 20  # Bytes looked at
_LINES: Final = 100
# What to do with a file that holds nothing
ROWS_NEEDED: Final = "write one judgment a row into it, below a header if it is CSV"
# How judgments leave a campaign
DOWNLOAD: Final = (
    "download comparisons.csv (or rankings.csv, ratings.csv) under “Download” on the organiser's"
    " page, whose link evenhand serve prints"
)
ZIP: Final = b"PK\x03\x04"  # First bytes of an archive, such as a workbook
_OLD_WORKBOOK: Final = b"\xd0\xcf\x11\xe0"  # Those of old workbooks, and of locked ones
_BOOK: Final = "xl/workbook.xml"  # What an archive holds that is a workbook
SQLITE: Final = b"SQLite format 3\0"  # First bytes of a database of SQLite
_FOREIGN: Final = {
    ZIP: (
        "a spreadsheet that is damaged or no .xlsx, or another zip archive: save the sheet again as"
        " .xlsx or CSV (UTF-8)"
    ),
    _OLD_WORKBOOK: (
        "an old spreadsheet, or one with a password: save the sheet as .xlsx without a password, or"
        " as CSV (UTF-8)"
    ),
    b"%PDF": "a PDF document: save the judgments as CSV (UTF-8)",
    b"BZh": "packed with bzip2: unpack it, or pack it with gzip or Zstandard",
    b"\xfd7zXZ": "packed with xz: unpack it, or pack it with gzip or Zstandard",
    b"<!DOCTYPE": "a web page: download the file itself, a login or an error page was saved",
    b"<html": "a web page: download the file itself, a login or an error page was saved",
    b"<?xml": "XML: save the judgments as CSV (UTF-8) or JSON Lines",
    b"ORC": "an ORC file: read it with pyarrow or Polars and pass the frame",
    SQLITE: (
        "a database: the verbs of evenhand read that of a campaign, alone; of any other write a"
        " table as CSV, or name it, as in 'sqlite://votes.db?table=votes' (with evenhand[ibis])"
    ),
}

# What stands before text of two or four bytes a letter
_MARKS: Final = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")  # Bytes that no text has
# How a file of Arrow begins: as a file, as a stream, as Feather of before 2020
_ARROW: Final = (b"ARROW1", b"\xff\xff\xff\xff", b"FEA1")
# Largest file that is looked through for letters and line ends that need a copy
LOOKED_THROUGH: Final = 64 << 20

REWRITTEN: Final = 1 << 30  # Largest file that is

_DATABASES: Final = {".db", ".sqlite", ".sqlite3", ".duckdb"}


def is_database(name: str) -> bool:
    """Say whether a name is of a whole database, as that of a campaign is, and not of a table."""
    if name.startswith("postgresql://"):
        return "table=" not in name
    with suppress(OSError, ValueError):
        if Path(name).is_file():
            with Path(name).open("rb") as file:
                return file.read(len(SQLITE)) == SQLITE
    return False


@dataclass(frozen=True)
class Head:
    path: Path  # the file
    kind: Kind  # what it holds
    compression: Compression  # how it is packed
    text: str = ""  # its first characters; empty for Parquet and workbooks
    whole: bool = False  # whether `text` is all there is
    encoding: str = ""  # what Python calls its encoding; "" for UTF-8
    ends: bool = False  # whether its lines may end in several ways


def read_head(path: Path, connection: duckdb.DuckDBPyConnection) -> Head:
    try:
        with path.open("rb") as file:
            start, rest = file.read(SIZE), b""
            compression: Compression = "zstd" if start.startswith(ZSTD) else "none"
            compression = "gzip" if start.startswith(GZIP) else compression
            parquet = start.startswith(b"PAR1")
            if compression == "none" and not parquet and path.stat().st_size <= LOOKED_THROUGH:
                rest = file.read()
        if compression == "gzip":
            start = read_gzip_head(path, SIZE)
        elif compression == "zstd":
            check_zstd(path)
            # Python can unpack a Zstandard file only from 3.14
            table = write_csv_table([path], ["line"], "zstd", header=False, more=AS_LINES)
            with explained(str(path)):
                rows = connection.execute(f"from {table} limit {_LINES}").fetchall()
            start = "\n".join("" if line is None else line for (line,) in rows).encode()
    except OSError as error:
        raise UnknownFormat(f"'{path}' cannot be read: {error.strerror or error}") from None
    if start.startswith(b"PAR1") or suffix_of(path) in {".parquet", ".pq"}:
        if not start:
            raise NoRows(f"{path} is empty: {ROWS_NEEDED}")
        if not start.startswith(b"PAR1"):
            raise UnknownFormat(f"{path} is not a Parquet file, whatever its name says")
        if compression != "none":
            raise UnknownFormat(f"{path} is a packed Parquet file: unpack it ({compression}) first")
        return Head(path, "parquet", "none")
    if start.startswith(_ARROW):
        return Head(path, "arrow", compression)
    for magic, words in _FOREIGN.items():
        if start.startswith(magic):
            raise UnknownFormat(f"{path} is {words}")
    if start[8:12] == b"DUCK":
        raise UnknownFormat(
            f"{path} is a DuckDB database: name its table, as in duckdb://{path}?table=NAME"
        )
    wide = _tell_wide(start)
    if b"\x00" in start and not wide:
        raise UnknownFormat(
            f"{path} is not text: neither CSV, JSON Lines nor Parquet; save the judgments as one"
            " of these"
        )
    whole = len(start) < SIZE and compression != "zstd"
    text, encoding = _decode(path, start, wide, rest)
    content = start + rest
    returns, news = content.count(b"\r"), content.count(b"\n")  # those in quotes are among them
    alike = returns == content.count(b"\r\n") == news and b"\r\r\n" not in content
    ends = wide != "" or (returns > 0 and news > 0 and not alike)
    first = text.lstrip()[0]
    delimited = suffix_of(path) in {".csv", ".tsv", ".tab", ".txt"}
    kind: Kind = "json" if first == "{" or (first == "[" and not delimited) else "delimited"
    if kind != "json" and suffix_of(path) in {".json", ".jsonl", ".ndjson"}:
        raise UnknownFormat(
            f"{path} is not JSON: it begins with '{first}', not with an object or a list; if it is"
            " CSV, give it a name that ends in .csv"
        )
    return Head(path, kind, compression, text, whole, encoding, ends)


def _tell_wide(start: bytes) -> str:
    """Return the name of UTF-16 or UTF-32, told by the mark before it or by zero bytes, or ""."""
    for mark, name in _MARKS.items():
        if start.startswith(mark):
            return name
    first, second = (start[at:40:2].strip(b"\x00") for at in (0, 1))
    if len(start) < 2 or bool(first) == bool(second):
        return ""
    return "utf-16-le" if first else "utf-16-be"


def _decode(path: Path, start: bytes, encoding: str, rest: bytes) -> tuple[str, str]:
    """Return the first characters of a file, and its encoding; "" for UTF-8.

    rest: what else was read of it, to be looked through.
    """
    whole = len(start) < SIZE
    for name in (encoding,) if encoding else ("utf-8-sig", "cp1252", "latin-1"):
        try:
            text = codecs.getincrementaldecoder(name)().decode(start, final=whole)
            if not encoding and not rest.isascii():
                codecs.getincrementaldecoder(name)().decode(start + rest)
        except UnicodeDecodeError as error:
            # Text in Latin-1 has a byte for each letter; a file in UTF-8 with a damaged place has
            # other letters, of several bytes, that are sound
            content = start + rest
            one_byte = content.decode("utf-8", "ignore").isascii()
            if encoding or not one_byte or _CONTROLS.search(content):
                line = start.count(b"\n", 0, error.start) + rest.count(
                    b"\n", 0, max(error.start - len(start), 0)
                )
                what = encoding[:6].upper() if encoding else "UTF-8"
                raise UnknownFormat(
                    f"line {line + 1:,} of {path} is not {what} text (byte"
                    f" {content[error.start]:#04x}): save the file as UTF-8"
                ) from None
            continue
        if not text.strip() and suffix_of(path) in _DATABASES:
            raise UnknownFormat(
                f"{path} is empty: a database that has lost what it held; restore it from a copy"
            )
        if not text.strip():
            raise NoRows(f"{path} is empty: {ROWS_NEEDED}")
        return text, "" if name == "utf-8-sig" else name
    raise AssertionError("every byte is a character of Latin-1")


def suffix_of(path: Path) -> str:
    """Return the suffix that tells the kind, without that of a packer."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in {".gz", ".zst", ".gzip", ".zstd"}:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


# DuckDB reads UTF-8 with one kind of line ends: files of another encoding, and those whose lines
# end in several ways, are rewritten before they are read. Line numbers stay.
END: Final = re.compile(r"\r+\n|\n|\r")
# A field in quotes, whose own line ends are part of it
QUOTED: Final = re.compile(r'("(?:[^"]|"")*")')
NUMBERS: Final = count()


class Copies:
    """Rewritten files: called like their originals, and kept as long as those who read them."""

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        self._paths: list[str] = []

    def write(self, name: str, original: str, content: bytes) -> Path:
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="evenhand-")
        copy = Path(self._folder.name, str(len(self._paths)), name)
        copy.parent.mkdir()
        copy.write_bytes(content)
        self._paths.append(str(copy))
        call_copy(str(copy), name_originals(original))
        return copy

    def keep_with(self, owner: Any) -> None:
        finalize(owner, self.drop)

    def drop(self) -> None:
        forget_copies(self._paths)
        if self._folder is not None:
            self._folder.cleanup()


def rewrite(head: Head, copies: Copies, *, quoted: bool) -> Head:
    """Return the head of a copy in UTF-8 with one kind of line ends, where a file needs one.

    quoted: whether quotation marks bound fields, whose own line ends stay as they are.
    """
    if head.compression == "zstd" or not (head.encoding or head.ends):
        return head
    size = head.path.stat().st_size
    if size > REWRITTEN:
        raise UnknownFormat(
            f"{head.path} is no UTF-8 text whose lines end alike, and with {size:,} bytes too large"
            " to be rewritten before it is read: save it as such"
        )
    content = head.path.read_bytes()
    content = gzip.decompress(content) if head.compression == "gzip" else content
    text = content.decode(head.encoding or "utf-8-sig")
    if head.kind == "delimited":
        parts = QUOTED.split(text) if quoted else [text]
        bare = "".join(parts[::2])
        if not head.encoding and len(set(END.findall(bare))) < 2 and "\r\r" not in bare:
            return head
        parts[::2] = [END.sub("\n", part) for part in parts[::2]]
        text = "".join(parts)
    name = head.path.name
    name = name.removesuffix(head.path.suffix) if head.compression == "gzip" else name
    copy = copies.write(name, str(head.path), text.encode())
    return replace(
        head, path=copy, compression="none", text=text[:SIZE], whole=len(text) <= SIZE, ends=False
    )


# JSON Lines that were put into one object, under the name of their campaign.
_NAME: Final = r'"((?:[^"\\]|\\.)*)"\s*:\s*\['
# Campaigns without annotations may stand before the first one that has some
_WRAPPED: Final = re.compile(rf"\s*\{{\s*(?:{_NAME}\s*\]\s*,\s*)*{_NAME}\s*\{{")
_KEYS: Final = ("annotation", "item", "user_id", "item_i", "actions")
CAMPAIGN: Final = "campaign_id"


def is_wrapped(head: Head) -> bool:
    """Say whether a file is Pearmut's download: campaigns by name, each a list of annotations."""
    match = _WRAPPED.match(head.text)
    if match is None or set(match.groups()) & set(_KEYS):
        return False
    return all(f'"{key}"' in head.text for key in ("annotation", "user_id"))


def open_wrapped(connection: duckdb.DuckDBPyConnection, head: Head) -> duckdb.DuckDBPyRelation:
    if head.compression != "none":
        raise UnknownFormat(f"{head.path} is a packed download: unpack it first")
    try:
        campaigns = json.loads(head.path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError):
        raise UnknownFormat(f"{head.path} is not whole JSON: it is damaged or cut off") from None
    lines: list[dict[str, Any]] = []
    for name, given in campaigns.items():
        if not isinstance(given, list) or not all(isinstance(line, dict) for line in given):
            raise UnknownFormat(f"campaign '{name}' of {head.path} is no list of annotations")
        lines += [{**line, CAMPAIGN: name} for line in given]
    names = dict.fromkeys([CAMPAIGN, *_KEYS, *(key for line in lines for key in line)])
    return hold_objects(connection, lines, list(names))


def hold_objects(
    connection: duckdb.DuckDBPyConnection,
    objects: Iterable[Mapping[str, Any]],
    columns: Sequence[str],
) -> duckdb.DuckDBPyRelation:
    """Put objects into the engine as rows of text, through a file that need not stay."""
    table, longest = f"evenhand_rows_{next(NUMBERS)}", 1 << 24
    types = ", ".join(f"{quote(column)}: 'VARCHAR'" for column in columns)
    with TemporaryDirectory(prefix="evenhand-") as folder:
        path = Path(folder) / "rows.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for one in objects:
                longest = max(longest, file.write(json.dumps(one) + "\n"))
        connection.execute(
            f"create temp table {table} as select * from read_json({quote(str(path))}, format ="
            f" 'newline_delimited', columns = {{{types}}}, maximum_object_size = {longest})"
        )
    return connection.table(table)
