"""Files of a web server: `https://host/votes.csv`.

The first bytes are asked for alone: whoever sends just them can be asked for parts, and tells how
large the file is. A server that sends the whole file instead has it copied.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from hashlib import sha256
from http.client import HTTPException, HTTPResponse
from importlib.util import find_spec
from time import sleep
from typing import BinaryIO, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request

from evenhand.errors import EvenhandError, MissingFile, UnknownFormat
from evenhand.formats.stores.stored_file import Stamp, StoredFile, say_changed
from evenhand.formats.stores.web_names import name_page
from evenhand.formats.stores.web_redirects import open_web

PATIENCE: Final = 30.0  # Seconds without a byte after which a server does not answer
TRIES: Final = 3
# Seconds before a server that was too busy is asked again; twice as many the next time
PAUSE: Final = 0.5
BUSY: Final = (429, 500, 502, 503, 504)
CHUNK: Final = 1 << 20
STAMPS: Final = {"ETag": "etag", "Last-Modified": "changed"}
_RANGE: Final = re.compile(r"bytes \d+-\d+/(\d+)")
# How a page begins, or what a store sends instead of a file
_PAGE: Final = re.compile(rb"\s*<(?:!doctype|html|\?xml)", re.IGNORECASE)


def find_files(text: str) -> list[StoredFile]:
    """Return the file that a web address names, after a look at its first byte."""
    name, shown = name_page(text)
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
    return StoredFile(shown, size, name, WebServer(shown, told, size), in_parts=readable)


class WebServer:
    """A web server as the store of one file."""

    def __init__(self, shown: str, told: Mapping[str, str], size: int) -> None:
        self.shown, self.told, self.size = shown, told, size

    def stamp(self, name: str) -> Stamp:
        """Return ETag and time of the last change, where the server tells them.

        An ETag tells versions of one address apart, never two addresses (RFC 9110, 8.8.3), so the
        whole address counts; not itself, since it may hold a secret, but its SHA-256.
        """
        return {"address": sha256(name.encode()).hexdigest(), **self.told} if self.told else {}

    def is_same(self, name: str) -> bool:  # noqa: ARG002 - as all stores have it
        """Ask nothing: every answer was held against the first one when it came."""
        return True

    def read(self, name: str, start: int, n: int) -> bytes:
        """Return n bytes of the file from one on."""
        headers = {"Range": f"bytes={start}-{start + n - 1}"}
        with _ask(Request(name, headers=headers), self.shown) as answer:
            part = f"bytes {start}-{start + n - 1}/{self.size}"
            self._refuse_other(answer, part=part)
            return _take(answer, self.shown, n)

    def copy(self, name: str, into: BinaryIO) -> int:
        """Write the file into another; return its bytes."""
        done = 0
        with _ask(Request(name), self.shown) as answer:
            self._refuse_other(answer)
            length = answer.headers.get("Content-Length", "")
            while chunk := _take(answer, self.shown):
                _refuse_page(answer, b"" if done else chunk, self.shown)
                into.write(chunk)
                done += len(chunk)
        whole = int(length) if length.isdecimal() else self.size
        if done < whole:
            raise UnknownFormat(
                f"'{self.shown}' is not whole: {done:,} of {whole:,} bytes came; try again"
            )
        return done

    def _refuse_other(self, answer: HTTPResponse, part: str = "") -> None:
        """Refuse an answer that is of another file than the first one, or of another part of it."""
        now = {short: answer.headers[long] for long, short in STAMPS.items()}
        other = any(now[short] not in (None, value) for short, value in self.told.items())
        if part and (answer.status != 206 or answer.headers.get("Content-Range") != part):
            other = True
        if other:
            raise say_changed(self.shown)


def _ask(request: Request, shown: str) -> AbstractContextManager[HTTPResponse]:
    """Ask a server, and again where it is busy."""
    for turn in range(TRIES):
        try:
            return open_web().open(request, timeout=PATIENCE)  # type: ignore[no-any-return]
        except EvenhandError:
            raise
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


def _refuse_page(answer: HTTPResponse, beginning: bytes, shown: str) -> None:
    if answer.headers.get_content_type() == "text/html" or _PAGE.match(beginning):
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
