"""What a judge's page sends and is told, for each server: requests as bytes, replies as items."""

from collections.abc import Iterator
from typing import Any, Protocol

import msgspec


class Next(msgspec.Struct):
    """An item as Evenhand's page is told of it, as far as an answer needs it."""

    state: str
    ticket: str = ""
    key: str = ""


class Stored(msgspec.Struct):
    """The acknowledgement of Evenhand: the hash of the record, and the next item."""

    receipt: str
    next: Next


class Info(msgspec.Struct):
    item_i: int | str = ""


class Given(msgspec.Struct):
    """An item as pearmut's page is told of it."""

    status: str
    info: Info
    payload: msgspec.Raw = msgspec.Raw(b"null")


class Talk(Protocol):
    """How one judge talks to a server."""

    def first(self) -> bytes:
        """Ask for the first item."""

    def begin(self, body: bytes) -> Any:
        """Read the first item; None where nothing is left."""

    def answer(self, item: Any) -> Iterator[bytes]:
        """Yield the requests of one answer; each after the reply to the one before."""

    def read(self, body: bytes) -> Any:
        """Read the reply to the last of them: the next item, None where nothing is left."""


def request(method: str, path: str, body: bytes = b"") -> bytes:
    """Return a request as a page of the server's own sends it."""
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Evenhand:
    """One request: the acknowledgement brings the next item."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._first, self._stored = msgspec.json.Decoder(Next), msgspec.json.Decoder(Stored)

    def first(self) -> bytes:
        return request("GET", f"{self.path}/item")

    def begin(self, body: bytes) -> Next | None:
        found = self._first.decode(body)
        return found if found.state == "item" else None

    def answer(self, item: Next) -> Iterator[bytes]:
        said = f'"answer":{{"outcome":"left"}},"seconds":7.5,"key":"{item.key}"'
        body = f'{{"ticket":"{item.ticket}",{said}}}'
        yield request("POST", f"{self.path}/answer", body.encode())

    def read(self, body: bytes) -> Next | None:
        found = self._stored.decode(body).next
        return found if found.state == "item" else None


class Pearmut:
    """Two requests, as its page sends them: the answer, and what is next."""

    def __init__(self, user: str) -> None:
        self.who = f'"campaign_id":"load","user_id":"{user}"'.encode()
        self._given = msgspec.json.Decoder(Given)

    def first(self) -> bytes:
        return request("POST", "/get-next-item", b"{" + self.who + b"}")

    def begin(self, body: bytes) -> Given | None:
        found = self._given.decode(body)
        return found if found.status == "ok" else None

    def answer(self, item: Given) -> Iterator[bytes]:
        scored = b'"annotation":[{"A":{"score":70},"B":{"score":60}}]'
        done = b'"actions":[{"time":1.0,"action":"load"},{"time":8.5,"action":"submit"}]'
        payload = b'{%s,%s,"item":%s}' % (scored, done, bytes(item.payload))
        place = msgspec.json.encode(item.info.item_i)
        yield request(
            "POST", "/log-response", b'{%s,"item_i":%s,"payload":%s}' % (self.who, place, payload)
        )
        yield self.first()

    def read(self, body: bytes) -> Given | None:
        return self.begin(body)


TALKS: dict[str, type[Evenhand] | type[Pearmut]] = {"evenhand": Evenhand, "pearmut": Pearmut}
