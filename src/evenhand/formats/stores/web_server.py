"""Files of a web server: `https://host/votes.csv`.

The first bytes are asked for alone: whoever sends just them can be asked for parts, and tells how
large the file is. A server that sends the whole file instead has it copied.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from http.client import HTTPException, HTTPResponse
from importlib.util import find_spec
from time import sleep
from typing import BinaryIO, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from evenhand.errors import EvenhandError, MissingFile, UnknownFormat, UnknownOption
from evenhand.formats.addresses import show_address
from evenhand.formats.stores.stored_file import Stamp, StoredFile

PATIENCE: Final = 30.0
"""Seconds without a byte after which a server does not answer."""
TRIES: Final = 3
PAUSE: Final = 0.5
"""Seconds before a server that was too busy is asked again; twice as many the next time."""
BUSY: Final = (429, 500, 502, 503, 504)
CHUNK: Final = 1 << 20
STAMPS: Final = {"ETag": "etag", "Last-Modified": "changed"}
_RANGE: Final = re.compile(r"bytes \d+-\d+/(\d+)")
_HOST: Final = re.compile(r"([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?", re.IGNORECASE)
_FINE: Final = "/:?&=%+,;@~!$'()*[]#"
"""Signs of a URL that stay as they are; others are written in ASCII."""


def find_files(text: str) -> list[StoredFile]:
    """Return the file that a web address names, after a look at its first byte.

    Raises:
        MissingFile: the server has no such file.
        UnknownFormat: it does not answer, or lets nobody in.
        UnknownOption: a user or password in the address, or a pattern.

    """
    shown, place = show_address(text), re.split("[/?#]", text.partition("://")[2])[0]
    if "@" in place or not _HOST.fullmatch(place):
        raise UnknownOption(
            f"'{shown}' holds a user or a password, or no host: write https://HOST/PATH, or"
            " download the file"
        )
    if "*" in shown:
        raise UnknownOption(f"'{shown}' is a pattern, and web servers list no files: name each one")
    name = quote(text.partition("#")[0], safe=_FINE)
    with _ask(Request(name, headers={"Range": "bytes=0-0"}), shown) as answer:
        return [_describe(answer, name, shown)]


def _describe(answer: HTTPResponse, name: str, shown: str) -> StoredFile:
    """Take from the head of an answer what is known of a file."""
    told = {short: answer.headers[long] for long, short in STAMPS.items() if answer.headers[long]}
    found = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    plain = answer.headers.get("Content-Encoding", "identity") == "identity"
    in_parts = answer.status == 206 and found is not None and plain
    length = answer.headers.get("Content-Length", "")
    size = int(found[1]) if found else int(length) if length.isdecimal() and plain else 0
    readable = in_parts and find_spec("fsspec") is not None  # else DuckDB could not be handed it
    return StoredFile(shown, size, name, WebServer(shown, told), in_parts=readable)


class WebServer:
    """A web server as the store of one file."""

    def __init__(self, shown: str, told: Mapping[str, str]) -> None:
        self.shown, self.told = shown, told

    def stamp(self, name: str) -> Stamp:
        """Return ETag and time of the last change, where the server tells them.

        What follows the ? of an address may tell files apart, and may be secret: where it is not
        kept, only an ETag that goes by the bytes says which file it is.
        """
        exact = self.told.get("etag", "").startswith('"')
        return self.told if exact or "?" not in name else {}

    def read(self, name: str, start: int, n: int) -> bytes:
        """Return n bytes of the file from one on.

        Raises:
            UnknownFormat: the file was changed meanwhile, or the server does not answer.

        """
        headers = {"Range": f"bytes={start}-{start + n - 1}"}
        with _ask(Request(name, headers=headers), self.shown) as answer:
            if answer.status != 206 or self._is_other(answer):
                raise UnknownFormat(f"'{self.shown}' was changed while it was read: try again")
            return _take(answer, self.shown, n)

    def copy(self, name: str, into: BinaryIO) -> int:
        """Write the file into another; return its bytes.

        Raises:
            UnknownFormat: the server stopped before the end, or sent a page.

        """
        done = 0
        with _ask(Request(name), self.shown) as answer:
            _refuse_page(answer, self.shown)
            length = answer.headers.get("Content-Length", "")
            while chunk := _take(answer, self.shown):
                into.write(chunk)
                done += len(chunk)
        if length.isdecimal() and done < int(length):
            raise UnknownFormat(
                f"'{self.shown}' is not whole: {done:,} of {int(length):,} bytes came; try again"
            )
        return done

    def _is_other(self, answer: HTTPResponse) -> bool:
        """Say whether an answer is of another file than the first one."""
        now = {short: answer.headers[long] for long, short in STAMPS.items()}
        return any(now[short] not in (None, value) for short, value in self.told.items())


def _ask(request: Request, shown: str) -> AbstractContextManager[HTTPResponse]:
    """Ask a server, and again where it is busy.

    Raises:
        MissingFile: it has no such file.
        UnknownFormat: it does not answer, or refuses.

    """
    for turn in range(TRIES):
        try:
            return urlopen(request, timeout=PATIENCE)  # type: ignore[no-any-return]
        except HTTPError as error:
            error.close()
            if error.code == 416 and request.has_header("Range"):  # nothing lies there
                return _ask(Request(request.full_url), shown)
            if error.code not in BUSY or turn + 1 == TRIES:
                raise _explain_status(error.code, shown) from None
        except (OSError, HTTPException, ValueError) as error:
            raise _say_silent(error, shown) from None
        sleep(PAUSE * 2**turn)
    raise AssertionError("the last turn returns or raises")


def _take(answer: HTTPResponse, shown: str, n: int = CHUNK) -> bytes:
    """Return so many bytes of an answer, fewer at its end."""
    try:
        return answer.read(n)
    except (OSError, HTTPException) as error:
        raise _say_silent(error, shown) from None


def _refuse_page(answer: HTTPResponse, shown: str) -> None:
    if answer.headers.get_content_type() == "text/html":
        raise UnknownFormat(
            f"'{shown}' is a web page and no file: give the address of the file itself"
        )


def _say_silent(error: Exception, shown: str) -> UnknownFormat:
    """Say that nobody answers; of the reason, what the system says."""
    reason = error.reason if isinstance(error, URLError) else error
    said = getattr(reason, "strerror", None) or getattr(reason, "verify_message", None)
    what = str(said or type(reason).__name__).lower()
    return UnknownFormat(f"'{shown}': {urlsplit(shown).netloc} does not answer ({what})")


def _explain_status(code: int, shown: str) -> EvenhandError:
    """Say what a status of HTTP means."""
    host = urlsplit(shown).netloc
    if code in (404, 410):
        return MissingFile(f"'{shown}': {host} has no such file (HTTP status {code})")
    if code in (401, 403, 407):
        return UnknownFormat(
            f"'{shown}': {host} lets nobody in without permission (HTTP status {code}); an address"
            " that was signed may have run out: download the file"
        )
    return UnknownFormat(f"'{shown}': {host} refuses (HTTP status {code})")
