"""Connections from outside: how long each may take over a request, and how many there may be.

Each connection has a time by which its client has to go on. Where there are too many, the one that
has waited longest for its client is closed for the new one: whoever sends whole requests is served,
also from behind an address that sends half ones.
"""

from __future__ import annotations

import logging
import math
import time
from collections import Counter
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from evenhand.web.site import Limits

if TYPE_CHECKING:
    from evenhand.web.metrics import Metrics

HEAD: Final = 64 * 1024  # Most bytes of the head of a request
STEP: Final = 32 * 1024  # Bytes that a client has to read of what waits for it, each time
TOLD: Final = 10  # Addresses of proxies that nobody named, of which the organiser is told
PLAIN: Final = b"content-type: text/plain; charset=utf-8\r\n"
LATE: Final = "the request did not come in time"
LONG: Final = "the head of the request is too long"
FULL: Final = "there are too many connections: try again in a moment"
STATUS: Final = {
    LATE: b"408 Request Timeout",
    LONG: b"431 Request Header Fields Too Large",
    FULL: b"503 Service Unavailable",
}
_log: Final = logging.getLogger("evenhand")


class Door:
    def __init__(self, limits: Limits, proxies: Sequence[str] = ()) -> None:
        self.limits = limits
        self.proxies = [ip_network(one) for one in proxies]
        self._inside: dict[Connection, None] = {}
        self._count: Counter[str] = Counter()
        self._told: set[str] = set()

    def is_proxy(self, address: str) -> bool:
        parsed = parse_address(address)
        return parsed is not None and any(parsed in one for one in self.proxies)

    def admit(self, new: Connection) -> bool:
        """Take in a connection, perhaps in place of another one; say whether there is room."""
        self._inside[new] = None
        self._count[new.address] += 1
        many = self._count[new.address] > self.limits.per_address and not new.is_proxied
        full = len(self._inside) > self.limits.connections
        if not many and not full:
            return True
        waiting = [one for one in self._inside if one is not new and one.is_waiting]
        begun = [one for one in waiting if one.address == new.address and one.is_unfinished]
        if many and len(begun) >= self.limits.per_address:
            return self._replace(begun)
        return not full or self._replace(waiting)

    def _replace(self, waiting: list[Connection]) -> bool:
        if not waiting:
            return False
        oldest = max(waiting, key=self._rank)
        self.leave(oldest)
        oldest.transport.abort()
        return True

    def _rank(self, one: Connection) -> tuple[bool, int, float]:
        """Rank highest who sent no whole request, then the address that has most connections."""
        count = 0 if one.is_proxied else self._count[one.address]
        return one.is_unfinished, count, -one.since

    def leave(self, one: Connection) -> None:
        if one in self._inside:
            del self._inside[one]
            self._count[one.address] -= 1
            if not self._count[one.address]:
                del self._count[one.address]

    def sweep(self, now: float) -> None:
        for one in [*self._inside]:
            one.check(now)

    def note_proxy(self, address: str) -> None:
        """Tell the organiser, once, of what may be a proxy of their own that was not named."""
        parsed = parse_address(address)
        known = address in self._told or len(self._told) >= TOLD
        if parsed is not None and parsed.is_private and not known:
            self._told.add(address)
            _log.warning(
                "evenhand: a request from %s says where it came from (X-Forwarded-For), and is not"
                " believed: if that is a proxy of yours, start with --proxy %s",
                *(address, address),
            )


class Connection(HttpToolsProtocol):
    door: Door  # all connections
    address = ""  # of the client, or of the proxy that brings it
    is_proxied = False  # by a proxy that was named
    since = 0.0  # when it was last waited for the client, in seconds of the loop
    _deadline = math.inf
    _left = 0
    _read = 0.0
    _in_head = True
    _receiving = _proven = False
    _bytes = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if self.client is not None:
            self.client = (_unmap(self.client[0]), self.client[1])
            self.address = self.client[0]
        self.is_proxied = self.door.is_proxy(self.address)
        self._wait(self.door.limits.head)
        if not self.door.admit(self):
            self._refuse(FULL)

    def connection_lost(self, exc: Exception | None) -> None:
        self.door.leave(self)
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        self.since = self.loop.time()
        self._deadline = self.since + seconds

    @property
    def is_waiting(self) -> bool:
        """Whether nothing is done for the client, who has to go on."""
        return self._deadline < math.inf and not self.pipeline and not self.transport.is_closing()

    @property
    def is_unfinished(self) -> bool:
        return self._receiving or not self._proven

    def data_received(self, data: bytes) -> None:
        self._bytes += len(data)
        super().data_received(data)
        if self._in_head and self._bytes > HEAD and not self.transport.is_closing():
            self._refuse(LONG)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = self._receiving = True
        self._wait(self.door.limits.head)

    def on_headers_complete(self) -> None:
        self._in_head, self._bytes = False, 0
        self._wait(self.door.limits.body_time)
        if not self.is_proxied and any(name == b"x-forwarded-for" for name, _ in self.headers):
            self.door.note_proxy(self.address)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._receiving, self._in_head, self._bytes = False, True, 0
        self._proven = True
        self._deadline = math.inf
        super().on_message_complete()
        if self.cycle.response_complete:  # it was answered before all of it came
            self._wait(self.door.limits.idle)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._receiving:
            self._wait(self.door.limits.body_time)
        elif self.cycle.response_complete:
            self._wait(self.door.limits.idle)

    def check(self, now: float) -> None:
        left = self.transport.get_write_buffer_size()
        if not left or not self._left or not self._left - STEP < left <= self._left:
            self._left, self._read = left, now
        if now - self._read > self.door.limits.stall and left:
            self.transport.abort()  # also what is closing already, and waits for its last bytes
        elif now > self._deadline and self.is_waiting:
            begun = self._receiving or self._bytes > 0
            answered = self.cycle is not None and self.cycle.response_started
            if begun and (self._in_head or not answered):
                self._refuse(LATE)
            else:
                self.transport.close()

    def _refuse(self, why: str) -> None:
        text = f"{why}\n".encode()
        head = b"HTTP/1.1 %s\r\n%scontent-length: %d\r\n" % (STATUS[why], PLAIN, len(text))
        self.transport.write(head + b"connection: close\r\n\r\n" + text)
        self.transport.close()


def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(_unmap(text))
    except ValueError:
        return None


def _unmap(address: str) -> str:
    """Return an address as IPv4 where a socket of IPv6 says so of it.

    >>> _unmap("::ffff:192.0.2.1"), _unmap("2001:db8::1")
    ('192.0.2.1', '2001:db8::1')
    """
    if not address.lower().startswith("::ffff:"):
        return address
    mapped = IPv6Address(address).ipv4_mapped
    return address if mapped is None else str(mapped)


POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# On every response; links are secrets, so nothing may pass them on
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "X-Robots-Tag": "noindex",
}
_RAW: Final = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


class Guard:
    def __init__(
        self, app: ASGIApp, *, prefix: str, most: int, metrics: Metrics | None = None
    ) -> None:
        # most: most bytes of a request.
        self.app, self.prefix, self.most, self.metrics = app, prefix, most, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"]
        if self.prefix and (path == self.prefix or path.startswith(f"{self.prefix}/")):
            scope = {**scope, "path": path[len(self.prefix) :] or "/", "root_path": ""}
        began, status = time.perf_counter(), 500

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                named = [*message["headers"], *_RAW]
                if all(name != b"cache-control" for name, _ in message["headers"]):
                    named.append((b"cache-control", b"no-store"))
                if scope["scheme"] == "https":
                    named.append((b"strict-transport-security", b"max-age=31536000"))
                message = {**message, "headers": named}
            await send(message)

        lengths = (value for name, value in scope["headers"] if name == b"content-length")
        length = next(lengths, b"0")
        if not length.isdigit() or len(length) >= 16 or int(length) > self.most:
            response = PlainTextResponse("the request is too long\n", 413, {"Connection": "close"})
            await response(scope, receive, send_guarded)
            return
        try:
            await self.app(scope, receive, send_guarded)
        finally:
            if self.metrics is not None:
                self.metrics.note_request(scope["path"], status, time.perf_counter() - began)
