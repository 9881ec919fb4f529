"""Files that lie elsewhere: in a bucket (s3://, r2://, gs://), or on a web server.

Parquet of a bucket stays where it lies: DuckDB reads footers and the columns that are counted
through fsspec. All else is copied to this machine first, since it must be read whole anyway.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cached_property
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from shutil import disk_usage
from tempfile import TemporaryDirectory, gettempdir
from threading import get_ident
from time import sleep
from typing import Any, BinaryIO, Final
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener
from weakref import finalize

import narwhals as nw

from evenhand.data.engine import explained
from evenhand.data.query_log import call_copy, forget_copies, name_originals, watch_files
from evenhand.errors import EvenhandError, MissingFile, UnknownFormat, UnknownOption, sentence_hint
from evenhand.formats import file_heads as names
from evenhand.formats.files import connect_apart, open_files, open_parquet
from evenhand.formats.table import Table

try:
    from fsspec import AbstractFileSystem
    from fsspec.spec import AbstractBufferedFile
except ModuleNotFoundError:  # files of web servers are read without it
    AbstractFileSystem = AbstractBufferedFile = object

TRIES: Final = 3
CHUNK: Final = 1 << 22  # Bytes that are copied at once


@dataclass(frozen=True, eq=False)
class RemoteFile:
    url: str  # as it is shown: without user, password and signature
    name: str = field(repr=False)  # as it is asked for; may hold a secret
    size: int = 0  # bytes when it was found in a bucket
    address: names.Address | None = None  # what named it in a bucket
    system: Any = field(default=None, repr=False)  # pyarrow's file system; None for a web server

    @cached_property
    def opened(self) -> Any:  # once: each opening asks the store
        return self.system.open_input_file(self.name)

    def read(self, start: int, stop: int) -> bytes:
        with _faults_of(self.address):
            try:
                part = self.opened.read_at(stop - start, start)
            except FileNotFoundError:
                raise _say_gone(self.url) from None
        if len(part) < stop - start or self.opened.size() != self.size:
            raise _say_changed(self.url)
        return bytes(part)

    def is_same(self) -> bool:
        """Say whether a file of a bucket is the one that was first read; one request."""
        with _faults_of(self.address):
            try:
                now = self.system.open_input_file(self.name)
            except FileNotFoundError:
                return False
            return bool(now.size() == self.size and now.metadata() == self.opened.metadata())


def find_remote(source: str | Path | Sequence[str | Path]) -> list[RemoteFile]:
    urls = [source] if isinstance(source, str | Path) else list(source)
    if not all(map(names.is_remote, urls)):
        raise UnknownOption(
            "files in a bucket or on a web server are read by themselves: name nothing else beside"
            " them"
        )
    files: list[RemoteFile] = []
    for url in map(str, urls):
        if url.lower().startswith("http"):
            address, shown = names.read_web_address(url)
            files.append(RemoteFile(shown, address))
        else:
            files += _find_in_bucket(url)
    known: dict[str, RemoteFile] = {}
    for file in files:
        other = known.setdefault(re.sub("^r2:", "s3:", file.url), file)  # two names of one store
        if other.name != file.name:
            raise UnknownOption(
                f"'{file.url}' is given twice, and only what follows the ? or a ; differs, which is"
                " never shown: download the files"
            )
        if other is not file:
            also = "" if other.url == file.url else f" (also as '{other.url}')"
            raise UnknownOption(
                f"'{file.url}' is given twice{also}: its judgments would count twice"
            )
    return files


def open_remote(
    files: Sequence[RemoteFile], opening: Callable[[list[str | Path]], Table] = open_files
) -> Table:
    kinds = {file.url.lower().endswith((".parquet", ".pq")): file for file in files}
    if len(kinds) > 1:
        raise UnknownFormat(
            f"{kinds[True].url} is Parquet and {kinds[False].url} is not: files read together must"
            " be of one kind"
        )
    urls = [file.url for file in files]
    name = names.name_files(urls)
    if False in kinds or not all(file.system for file in files):
        if len(files) > 1 and "=" in gettempdir():
            raise UnknownOption(
                f"copies of the files would lie in {gettempdir()}, where a folder named like"
                " NAME=VALUE is read as a column: set TMPDIR to another folder"
            )
        folder = TemporaryDirectory(prefix="evenhand-")
        copies: list[str] = []
        with ExitStack() as undo:
            undo.callback(folder.cleanup)
            undo.callback(forget_copies, copies)
            try:
                _refuse_size(sum(file.size for file in files))
                for i, file in enumerate(files):
                    copies.append(str(_copy(file, Path(folder.name, str(i)))))
                table = opening([Path(copy) for copy in copies])
            except EvenhandError as error:
                raise type(error)(name_originals(str(error))) from None
            except OSError as error:
                if error.errno not in _NO_ROOM:
                    raise
                raise UnknownOption(
                    f"{names.name_files([file.url for file in files])} cannot be copied to"
                    f" {gettempdir()} ({error.strerror}): set TMPDIR to a folder with more room, or"
                    " download what is read"
                ) from None
            undo.pop_all()
        finalize(table.connection, forget_copies, copies)
        finalize(table.connection, folder.cleanup)
        return replace(table, name=name, paths=())
    connection = connect_apart()
    bucket_files = BucketFiles(files)
    connection.register_filesystem(bucket_files)
    watch_files(bucket_files)
    with explained(name):
        relation, mixed = open_parquet(connection, urls, name, folders=len(files) > 1)
    return Table(nw.from_native(relation), name, connection, mixed=mixed)


class BucketFiles(AbstractFileSystem):  # type: ignore[misc] # fsspec ships no annotations
    # Whoever asks for parts of a file while somebody overwrites it gets a mixture of two files. So
    # each file of which parts came is looked at once more at the end of a query (`check`).

    protocol = ("s3", "gs", "r2")
    cachable = False
    __eq__, __hash__ = object.__eq__, object.__hash__  # fsspec's are by what it was made of

    def __init__(self, files: Sequence[RemoteFile]) -> None:
        super().__init__()
        self.files = {file.url: file for file in files}
        self.unchecked: set[tuple[int, str]] = set()  # thread, URL
        self.changed: set[str] = set()

    def open(self, path: str, mode: str = "rb") -> Any:
        if path in self.changed:  # DuckDB keeps parts of it, and may ask for no other
            self.unchecked.add((get_ident(), path))
        return _OpenFile(self, path, mode, cache_type="none", size=self.files[path].size)

    def info(self, path: str) -> dict[str, Any]:
        return {"name": path, "size": self.files[path].size, "type": "file"}

    def glob(self, path: str) -> list[str]:  # a name may hold the signs of patterns
        return [path]

    def modified(self, path: str) -> datetime:  # noqa: ARG002 - as fsspec has it
        return datetime(2000, 1, 1, tzinfo=UTC)  # for DuckDB none changes while it is read

    def check(self) -> None:
        mine = {key for key in self.unchecked.copy() if key[0] == get_ident()}
        if not mine:
            return
        files = [self.files[url] for _, url in mine]
        with ThreadPoolExecutor(8) as pool:
            same = list(pool.map(RemoteFile.is_same, files))
        self.unchecked -= mine
        changed = {file.url for file, is_same in zip(files, same, strict=True) if not is_same}
        self.changed |= changed
        if changed:
            raise _say_changed(min(changed))


class _OpenFile(AbstractBufferedFile):  # type: ignore[misc]
    def _fetch_range(self, start: int, stop: int) -> bytes:
        part: bytes = self.fs.files[self.path].read(start, stop)
        self.fs.unchecked.add((get_ident(), self.path))
        return part


# Faults for which another folder helps; the last is of a name that no copy can have
_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.ENAMETOOLONG)


def _refuse_size(size: int) -> None:
    free = disk_usage(gettempdir()).free
    if size > free:
        raise OSError(errno.ENOSPC, f"{size:,} bytes, {free:,} free")


def _copy(file: RemoteFile, folder: Path) -> Path:
    path = PurePosixPath("/" + file.url.split("://", 1)[1])
    name = path.name
    if name in ("", ".", "..") or len(name.encode()) > 100:
        name = "judgments" + "".join(path.suffixes[-2:])[-25:]
    copy = folder.joinpath(*(part for part in path.parent.parts if "=" in part), name)
    copy.parent.mkdir(parents=True)
    with copy.open("wb") as into:
        if file.system is None:
            _download(file, into)
        else:
            for start in range(0, file.size, CHUNK):
                into.write(file.read(start, min(start + CHUNK, file.size)))
            if not file.is_same():
                raise _say_changed(file.url)
    call_copy(str(copy), file.url)
    return copy


PATIENCE: Final = 30.0  # Seconds without a byte after which a server does not answer
PAUSE: Final = 0.5  # Seconds before a busy server is asked again; twice as many the next time
# How a page begins, or what a store sends instead of a file
_PAGE: Final = re.compile(rb"\s*<(?:!doctype|html|\?xml)", re.IGNORECASE)


class _Redirects(HTTPRedirectHandler):
    def redirect_request(self, req: Request, *about: Any) -> Request | None:
        before, after = urlsplit(req.full_url), urlsplit(about[-1])
        if after.scheme not in ("https", before.scheme):
            raise UnknownFormat(
                f"'{names.read_web_address(req.full_url)[1]}' points to"
                f" {after.scheme}://{after.hostname}, which is not followed from"
                f" {before.scheme}://: give the address of the file itself"
            )
        return super().redirect_request(req, *about)


def _download(file: RemoteFile, into: BinaryIO) -> None:
    host, opener = urlsplit(file.url).netloc, build_opener(_Redirects)
    for turn in range(TRIES):
        try:
            with opener.open(Request(file.name), timeout=PATIENCE) as answer:
                return _save(answer, file.url, into)
        except EvenhandError:
            raise
        except HTTPError as error:
            error.close()
            status = f"(HTTP status {error.code})"
            if error.code in (404, 410):
                raise MissingFile(f"'{file.url}': {host} has no such file {status}") from None
            if error.code in (401, 403, 407):
                raise UnknownFormat(
                    f"'{file.url}': {host} lets nobody in without permission {status}; an address"
                    " that was signed may have run out: download the file"
                ) from None
            if error.code not in (429, 500, 502, 503, 504) or turn + 1 == TRIES:
                raise UnknownFormat(f"'{file.url}': {host} refuses {status}") from None
        except (OSError, HTTPException, ValueError) as error:
            if getattr(error, "errno", None) in _NO_ROOM:
                raise
            reason = getattr(error, "reason", error)
            words = getattr(reason, "strerror", None) or getattr(reason, "verify_message", None)
            what = str(words or type(reason).__name__).lower()
            raise UnknownFormat(f"'{file.url}': {host} does not answer ({what})") from None
        sleep(PAUSE * 2**turn)
    return None


def _save(answer: Any, url: str, into: BinaryIO) -> None:
    length = answer.headers.get("Content-Length", "")
    size, done = int(length) if length.isdecimal() else 0, 0
    _refuse_size(size)
    while chunk := answer.read(CHUNK):
        if not done and (answer.headers.get_content_type() == "text/html" or _PAGE.match(chunk)):
            raise UnknownFormat(
                f"'{url}' is a web page and no file: give the address of the file itself"
            )
        into.write(chunk)
        done += len(chunk)
    if done < size:
        raise UnknownFormat(f"'{url}' is not whole: {done:,} of {size:,} bytes came; try again")


def _find_in_bucket(text: str) -> list[RemoteFile]:
    front = re.split("[?;&]", text)[0]
    address = names.read_address(front)
    scheme = address.scheme.replace("gcs", "gs")
    address = replace(address, scheme=scheme)
    shown = f"{scheme}://{address.place.rpartition('@')[2]}{address.path}"
    if front != text or "@" in address.place or address.user:
        raise UnknownOption(
            f"'{shown}' says too much: keys of a bucket are taken from the environment"
            " (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), not from the URL; a ? ; or & in a name"
            " is written *"
        )
    if not address.place:
        raise UnknownOption(f"'{shown}' names no bucket: write {scheme}://BUCKET/PATH")
    if any(find_spec(name) is None for name in ("pyarrow", "fsspec")):
        raise UnknownFormat(
            f"'{address}' lies in a bucket, which is read with pyarrow and fsspec: pip install"
            " 'evenhand[s3]', or download the file"
        )
    with _faults_of(address):
        system = _connect(address)
        infos = _expand(system, address, f"{address.place}{address.path}".rstrip("/"))
    files = sorted((info.path, info.size) for info in infos)
    return [RemoteFile(f"{scheme}://{path}", path, n, address, system) for path, n in files]


def _connect(address: names.Address) -> Any:
    """Return pyarrow's file system; no more than the region of a bucket is asked for."""
    from pyarrow import fs

    patience = timedelta(seconds=10)  # that a store may take to answer
    options: dict[str, Any] = {}
    if address.scheme == "gs":
        if emulator := os.environ.get("STORAGE_EMULATOR_HOST", ""):
            scheme, _, host = emulator.rpartition("://")
            options = {"anonymous": True, "endpoint_override": host, "scheme": scheme or "http"}
        return fs.GcsFileSystem(retry_time_limit=patience, **options)
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL", "")
    if endpoint and not re.fullmatch(r"https?://[^/@\s]+/?", endpoint):
        raise UnknownOption(
            "AWS_ENDPOINT_URL is no address of a store: write http://HOST:PORT or https://HOST"
        )
    if address.scheme == "r2" and not endpoint:
        raise UnknownOption(
            f"'{address}' needs the address of its store: set AWS_ENDPOINT_URL to"
            " https://ACCOUNT.r2.cloudflarestorage.com"
        )
    if endpoint:
        scheme, _, host = endpoint.rpartition("://")
        options = {"endpoint_override": host.rstrip("/"), "scheme": scheme}
        region = region or ("auto" if address.scheme == "r2" else "us-east-1")
    if os.environ.get("AWS_NO_SIGN_REQUEST", "").lower() in ("yes", "true", "1"):
        options["anonymous"] = True
    return fs.S3FileSystem(
        region=region or fs.resolve_s3_region(address.place),
        connect_timeout=patience.total_seconds(),
        request_timeout=3 * patience.total_seconds(),
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=TRIES),
        **options,
    )


def _expand(system: Any, address: names.Address, path: str) -> list[Any]:
    """Return a file, those of a pattern, or the Parquet files of a folder and below."""
    from fsspec.utils import glob_translate
    from pyarrow.fs import FileSelector, FileType

    def list_files(folder: str, *, below: bool) -> list[Any]:
        selector = FileSelector(folder, recursive=below, allow_not_found=True)
        return [info for info in system.get_file_info(selector) if info.type == FileType.File]

    magic = re.search(r"[*\[]", path)
    if magic:
        try:
            rule = re.compile(glob_translate(path))
        except ValueError:
            raise UnknownOption(
                f"'{address}': ** stands for folders, as in days/**/*.csv"
            ) from None
        folder = path[: magic.start()].rpartition("/")[0]
        rest = path[len(folder) + 1 :]
        hidden = [part for part in path.split("/") if part.startswith(".")]

        def is_meant(path: str) -> bool:  # a name that begins with a full stop is asked for so
            stops = [part for part in path.split("/") if part.startswith(".")]
            return all(any(fnmatchcase(part, one) for one in hidden) for part in stops)

        infos = list_files(folder, below="/" in rest or "**" in rest)
        infos = [info for info in infos if rule.match(info.path) and is_meant(info.path)]
        if infos:
            return infos
    info, bucket = system.get_file_info([path, address.place])
    if info.type == FileType.File:
        return [info]
    if info.type == FileType.Directory:
        parts = [
            part
            for part in list_files(path, below=True)
            if part.path.endswith(".parquet") and not re.search("/[._]", part.path[len(path) :])
        ]
        if parts:
            return parts
        raise UnknownFormat(
            f"'{address}' is a folder without Parquet files: name a file in it, or a pattern such"
            f" as '{str(address).rstrip('/')}/*.csv'"
        )
    if bucket.type == FileType.NotFound:
        raise MissingFile(f"'{address}': there is no bucket '{address.place}'")
    if magic:
        raise MissingFile(f"no file of the bucket matches '{address}'")
    folder = path.rpartition("/")[0]
    near = {PurePosixPath(one.path).name: one.path for one in list_files(folder, below=False)}
    alike = get_close_matches(PurePosixPath(path).name, near, n=1, cutoff=names.ALIKE)
    hint = f" Did you mean '{address.scheme}://{near[alike[0]]}'?" if alike else ""
    raise MissingFile(f"'{address}': the bucket has no such file or folder{sentence_hint(hint)}")


def _say_gone(url: str) -> MissingFile:
    return MissingFile(f"'{url}' was changed or taken away while it was read: try again")


def _say_changed(url: str) -> UnknownFormat:
    return UnknownFormat(f"'{url}' was changed while it was read: try again")


# What pyarrow 26 says of the stores of Amazon and Google, and of those that nobody answers for
_CODE: Final = re.compile(r"AWS Error (\w+)(?: \(HTTP status (\d+)\))? during \w+ operation: (.*)")
_GOOGLE: Final = re.compile(r"google::cloud::Status\((\w+)()?: (.*?)(?: error_info=|\)$|$)")
_CURL: Final = re.compile(r"(?:curlCode: \d+, |CURL error \[\d+\]=)([^;]+?)(?:;|$)")
_CLOSED: Final = re.compile(
    "OAuth2|DENIED|FORBIDDEN|ACCESS_KEY|SIGNATURE|TOKEN|UNAUTHENTICATED|UNRECOGNIZED_CLIENT|SKEWED"
)


@contextmanager
def _faults_of(address: names.Address | None) -> Iterator[None]:
    """Turn what a store refuses into a refusal of one line, without keys."""
    from pyarrow import ArrowException

    try:
        yield
    except EvenhandError:
        raise
    except (OSError, ArrowException) as error:
        raise _explain(str(error), address) from None


def _explain(message: str, address: names.Address | None) -> EvenhandError:
    place, google = (address.place, address.scheme == "gs") if address else ("", False)
    parts = _CODE.search(message) or _GOOGLE.search(message)
    code, status, reason = parts.groups("") if parts else ("", "", message)
    curl = _CURL.search(reason)
    reason = curl[1].lower() if curl else reason.partition(" (Request ID: ")[0]
    reason = " ".join(reason.split()).rstrip(". ")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        value = os.environ.get(name, "")
        reason = reason.replace(value, "***") if len(value) > names.SHORT else reason
    reason = reason[:160] or code.lower().replace("_", " ")
    if code == "NO_SUCH_BUCKET" or message.startswith("Bucket '"):
        return MissingFile(f"'{address}': there is no bucket '{place}'")
    if status == "416" or code in ("RESOURCE_NOT_FOUND", "NO_SUCH_KEY"):
        return _say_gone(str(address))
    if "OAuth2" in message or _CLOSED.search(code) or status in ("401", "403"):
        advice = (
            "gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS"
            if google
            else "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE;"
            " AWS_NO_SIGN_REQUEST=yes reads a public bucket"
        )
        return UnknownFormat(
            f"'{address}' needs keys, and those that were found, if any, are wrong, have run out or"
            f" may not read it ({reason}): {advice}"
        )
    if code == "NETWORK_CONNECTION" or curl:
        return UnknownFormat(
            f"'{address}': the store does not answer ({reason}); AWS_ENDPOINT_URL names another one"
        )
    if status in ("301", "307", "400"):
        reason = f"HTTP status {status}; does the bucket lie in another region? Set AWS_REGION"
    return UnknownFormat(f"'{address}': the store fails ({reason}): try again")
