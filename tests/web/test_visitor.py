"""Whoever looks over the web: the secret goes to its own server and stands nowhere else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec
import pytest

from evenhand.errors import CampaignError, EvenhandError, UnknownOption
from evenhand.web.dashboard import CampaignStatus, HttpClient, ServerUnavailable, read_link
from waiting import LONG

SECRET = "abcd.s3cr3t-of-the-organiser"
SEEN = CampaignStatus("spring", judged=3, now=1_000, remaining=7, mark="5-1")
Reply = tuple[int, dict[str, str], bytes]


@contextmanager
def answering(reply: Callable[[BaseHTTPRequestHandler], Reply]) -> Iterator[str]:
    """A server that says what a test wants; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = reply(self)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def visit(address: str, timeout: float = LONG) -> HttpClient:
    return HttpClient(read_link(f"{address}/a/{SECRET}"), timeout=timeout)


def refuse(address: str, kind: type[EvenhandError], timeout: float = LONG) -> str:
    """Look, and return the refusal, in which the secret does not stand."""
    with pytest.raises(kind) as refusal:
        visit(address, timeout).look()
    fault: BaseException | None = refusal.value
    while fault is not None and not fault.__suppress_context__:
        assert "s3cr3t" not in repr(fault)
        fault = fault.__context__
    assert "s3cr3t" not in str(refusal.value)
    return str(refusal.value)


def test_it_sees_what_is_sent_and_gives_back_the_mark() -> None:
    asked: list[tuple[str, str | None]] = []

    def reply(request: BaseHTTPRequestHandler) -> Reply:
        asked.append((request.path, request.headers["If-None-Match"]))
        if request.headers["If-None-Match"] == '"5-1"':
            return 304, {}, b""
        return 200, {"ETag": '"5-1"'}, msgspec.json.encode(SEEN)

    with answering(reply) as address:
        visitor = visit(address + "/study")
        first = visitor.look()
        assert first == SEEN
        assert visitor.look() is first
    path = f"/study/a/{SECRET}/board.json"
    assert asked == [(path, None), (path, '"5-1"')]


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_the_secret_is_not_sent_where_a_server_sends_whoever_asks(code: int) -> None:
    came: list[str] = []

    def take(request: BaseHTTPRequestHandler) -> Reply:
        came.append(request.path)
        return 200, {}, msgspec.json.encode(SEEN)

    def send(request: BaseHTTPRequestHandler) -> Reply:
        return code, {"Location": other + request.path}, b""

    with answering(take) as other, answering(send) as address:
        assert "sends whoever asks elsewhere" in refuse(address, CampaignError)
    assert came == []


def test_a_proxy_does_not_see_what_goes_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    came: list[str] = []

    def take(request: BaseHTTPRequestHandler) -> Reply:
        came.append(request.path)
        return 200, {}, b""

    with answering(take) as proxy:
        monkeypatch.setenv("http_proxy", proxy)
        monkeypatch.delenv("no_proxy", raising=False)
        with answering(lambda _: (200, {}, msgspec.json.encode(SEEN))) as address:
            assert visit(address).look() == SEEN
    assert came == []


UNKNOWN = b'{"error": "this link is not known", "word": "unknown-link"}'


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    [
        ((404, {}, UNKNOWN), CampaignError, "does not know this link, or it is no longer valid"),
        ((404, {}, b"<html>no"), CampaignError, "is no campaign of this version of evenhand serve"),
        ((200, {}, b"<html>hello"), CampaignError, "is no campaign of this version of evenhand"),
        ((200, {}, b'{"title": 3}'), CampaignError, "is no campaign of this version of evenhand"),
        ((200, {}, b"\xff\xfe"), CampaignError, "is no campaign of this version of evenhand"),
        ((503, {}, b""), ServerUnavailable, r"cannot answer now (503)"),
        ((429, {}, b""), ServerUnavailable, r"cannot answer now (429)"),
    ],
)
def test_what_a_server_says_is_told_in_words(
    reply: Reply, kind: type[EvenhandError], said: str
) -> None:
    with answering(lambda _: reply) as address:
        assert said in refuse(address, kind)


def test_a_server_that_is_not_there_or_keeps_silent_is_away() -> None:
    silent = threading.Event()

    def wait(_: BaseHTTPRequestHandler) -> Reply:
        silent.wait(LONG)
        return 200, {}, b""

    with answering(wait) as address:
        assert "did not answer within 0.3 seconds" in refuse(address, ServerUnavailable, 0.3)
        silent.set()
    assert "does not answer: connection refused" in refuse(address, ServerUnavailable)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (f"http://example.org/a/{SECRET}", "can read the organiser's secret: use https, or say"),
        (f"https://example.org/j/{SECRET}", "is not the organiser's link, which ends in /a/"),
        ("https://example.org/", "is not the organiser's link, which ends in /a/"),
        (f"https://ann:{SECRET}@example.org/a/x", "holds no name and no password"),
        (f"https:///a/{SECRET}", "not the address of a server"),
        (f"https://example.org:0x/a/{SECRET}", "not the address of a server"),
        (f"https://example.org/a/{SECRET} x", "not the address of a server"),
    ],
)
def test_other_addresses_are_refused_without_their_secret(address: str, said: str) -> None:
    with pytest.raises(UnknownOption) as refusal:
        read_link(address)
    assert said in str(refusal.value)
    assert "s3cr3t" not in str(refusal.value)


def test_http_to_another_machine_has_to_be_asked_for() -> None:
    link = read_link(f"http://example.org/study/a/{SECRET}/?x=1#y", insecure=True)
    assert link.path == f"/study/a/{SECRET}"
    assert "s3cr3t" not in repr(link)
    for here in ("localhost", "127.0.0.1:8000", "[::1]:8000"):
        assert read_link(f"http://{here}/a/{SECRET}").host == here


def test_a_name_that_no_server_has_is_refused() -> None:
    with pytest.raises(CampaignError, match=r"there is no server nowhere\.invalid"):
        HttpClient(read_link(f"https://nowhere.invalid/a/{SECRET}")).look()
