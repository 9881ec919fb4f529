"""Whoever looks at a campaign over the web, by the organiser's link.

The link is a secret: it goes to its own server, by a connection that nobody reads along, and stands
in no message, no log and no error.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from dataclasses import dataclass
from http.client import HTTPMessage
from ipaddress import ip_address
from typing import IO, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, urlsplit
from urllib.request import (
    HTTPRedirectHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
)

import msgspec

from evenhand.errors import CampaignError, EvenhandError, UnknownOption
from evenhand.web.sight import Sight

TIMEOUT: Final = 30.0  # Seconds for which a server may keep silent
MOST: Final = 64 * 1024 * 1024  # Bytes of an answer that are read
PASSING: Final = (408, 425, 429, 500, 502, 503, 504)  # Answers that may be other ones in a while
ELSEWHERE: Final = (301, 302, 303, 307, 308)  # Answers that lead to another address
PORTS: Final = {"http": 80, "https": 443}


class Away(EvenhandError, OSError):
    """A server that does not answer now; ask again later."""


@dataclass(frozen=True)
class Link:
    """The organiser's link, whose secret no text of it shows."""

    scheme: str  # http or https
    host: str  # name or number of the server, with its port
    path: str  # of the page; the secret stands in it

    def __repr__(self) -> str:
        return f"Link({self.scheme}://{self.host}/...)"


def read_link(address: str, *, insecure: bool = False) -> Link:
    """Return what an organiser's link says."""
    parts = _split(address)
    if parts.username is not None:
        raise UnknownOption("an organiser's link holds no name and no password before its server")
    path = parts.path.rstrip("/")
    before, _, token = path.rpartition("/a/")
    if not token or "/" in token:
        raise UnknownOption(
            f"the address at {parts.netloc} is not the organiser's link, which ends in /a/ and a"
            " secret: it is in the file of links that evenhand serve wrote"
        )
    if parts.scheme == "http" and not insecure and not _is_here(parts.hostname or ""):
        raise UnknownOption(
            f"over http everybody on the way to {parts.netloc} can read the organiser's secret: use"
            " https, or say --insecure"
        )
    return Link(parts.scheme, parts.netloc, f"{before}/a/{token}")


def _split(address: str) -> SplitResult:
    """Take an address apart."""
    try:
        parts = urlsplit(address)
        known = parts.scheme in PORTS and parts.hostname and parts.port != 0
    except ValueError:
        known = False
    if not known or not address.isascii() or not address.isprintable() or " " in address:
        raise UnknownOption("this is not the address of a server: give the organiser's link")
    return parts


def _is_here(host: str) -> bool:
    """Say whether a host is this machine.

    >>> _is_here("localhost"), _is_here("127.0.0.1"), _is_here("::1"), _is_here("example.org")
    (True, True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _StayHere(HTTPRedirectHandler):
    """Follows nobody who sends elsewhere: the secret would go there, too."""

    def http_error_302(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage
    ) -> None:
        """Do not go on; what was answered is then a refusal."""

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class Visitor:
    """Asks a server for what its organiser's page shows."""

    def __init__(self, link: Link, *, timeout: float = TIMEOUT) -> None:
        """Ask nothing yet."""
        self.link, self._timeout = link, timeout
        self._seen: Sight | None = None
        # whoever stands between would read http, so that no proxy is used for it
        proxies = ProxyHandler() if link.scheme == "https" else ProxyHandler({})
        self._opener: OpenerDirector = build_opener(proxies, _StayHere())

    def look(self) -> Sight:
        """Return what can be said now; the last sight itself where nothing is new."""
        found = self._ask()
        self._seen = found or self._seen
        assert self._seen is not None
        return self._seen

    def close(self) -> None:
        """Look no more; no connection is kept."""
        self._opener.close()

    def _ask(self) -> Sight | None:
        """Ask the server; None where nothing is new."""
        link = self.link
        request = Request(f"{link.scheme}://{link.host}{link.path}/board.json")
        request.add_header("Accept", "application/json")
        if self._seen is not None and self._seen.mark:
            request.add_header("If-None-Match", f'"{self._seen.mark}"')
        try:
            with self._opener.open(request, timeout=self._timeout) as reply:
                return self._read(reply.read(MOST + 1))
        except HTTPError as fault:
            with fault:
                if fault.code == http.client.NOT_MODIFIED and self._seen is not None:
                    return None
                raise self._refuse(fault.code, fault.read(MOST)) from None
        except URLError as fault:
            raise self._explain(fault.reason) from None
        except (OSError, http.client.HTTPException) as fault:
            raise self._explain(fault) from None

    def _read(self, body: bytes) -> Sight:
        """Read an answer."""
        try:
            return msgspec.json.decode(body, type=Sight)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise CampaignError(
                f"what answers at {self.link.host} is no campaign of this version of evenhand serve"
            ) from None

    def _refuse(self, code: int, body: bytes) -> EvenhandError:
        """Return what a refusal means."""
        where = self.link.host
        if code in ELSEWHERE:
            return CampaignError(
                f"{where} sends whoever asks elsewhere, and the organiser's secret is not sent"
                " there: give the link with the address at which the server really is"
            )
        if code in PASSING:
            return Away(f"{where} cannot answer now ({code})")
        if _find_word(body) == "unknown-link":
            return CampaignError(
                f"{where} does not know this link, or it is good no more: the file of links that"
                " evenhand serve wrote holds the one that is"
            )
        return CampaignError(
            f"what answers at {where} is no campaign of this version of evenhand serve ({code})"
        )

    def _explain(self, reason: Any) -> EvenhandError:
        """Return what a connection that failed means."""
        where = self.link.host
        if isinstance(reason, ssl.SSLCertVerificationError):
            return CampaignError(
                f"the certificate of {where} is not good: {reason.verify_message}; the secret was"
                " not sent"
            )
        if isinstance(reason, socket.gaierror) and self._seen is None:
            return CampaignError(f"there is no server {where}: {_say(reason)}")
        if isinstance(reason, TimeoutError):
            return Away(f"{where} did not answer within {self._timeout:g} seconds")
        return Away(f"{where} does not answer: {_say(reason)}")


def _say(reason: Any) -> str:
    """Say what the system says; never an address, in which the secret could stand."""
    said = getattr(reason, "strerror", None) or type(reason).__name__
    return str(said).lower()


def _find_word(body: bytes) -> str:
    """Return the word by which a server of ours says what it refuses."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    return str(told.get("word", "")) if isinstance(told, dict) else ""
