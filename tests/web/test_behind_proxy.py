"""A site under a path of another name: TLS ends at a proxy, which keeps the path or takes it.

The proxy is a few lines here, with the headers that the recipes of docs/keep-it-safe.md set.
"""

import http.client
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from browsers import run_server
from evenhand.web import Site, Store
from evenhand.web.app import open_port
from evenhand.web.store import people
from judge_pages import settle
from stored_campaigns import fill, list_judgments, make_pairs, name_worker
from waiting import LONG

HOPS = frozenset({"connection", "transfer-encoding", "host", "x-forwarded-for"})
"""Headers that a proxy does not hand on as they came."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that nobody trusts, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate")
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    words = (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
    )
    command = ["openssl", *words.split(), "-keyout", str(path), "-out", f"{path}.crt"]
    subprocess.run(command, check=True, capture_output=True)
    path.write_text(path.read_text() + Path(f"{path}.crt").read_text())
    return path


@dataclass
class Proxy:
    """What a test sees of a proxy."""

    address: str = ""
    paths: list[str] = field(default_factory=list)


@contextmanager
def run_proxy(certificate: Path, port: int, strip: str) -> Iterator[Proxy]:
    """Serve everything under /study from a server on a port, over TLS."""
    seen = Proxy()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            seen.paths.append(self.path)
            if not self.path.startswith("/study/"):
                self.send_error(404)
                return
            headers = {name: one for name, one in self.headers.items() if name.lower() not in HOPS}
            headers |= {"Host": "127.0.0.1", "X-Forwarded-For": "198.51.100.7"}
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)) as inside:
                path = self.path.removeprefix(strip)
                headers["X-Forwarded-Proto"] = "https"
                inside.request(self.command, path, body or None, headers)
                reply = inside.getresponse()
                content = reply.read()
                self.send_response(reply.status)
                for name, one in reply.getheaders():
                    if name.lower() not in (*HOPS, "content-length", "date"):
                        self.send_header(name, one)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        def handle(self) -> None:
            with suppress(ConnectionError):  # the browser went on to another page
                super().handle()

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        seen.address = f"https://localhost:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield seen
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def run_behind(store: Store, certificate: Path, strip: str) -> Iterator[Proxy]:
    """Serve a store under /study behind a proxy."""
    with (
        closing(open_port("127.0.0.1", 0)) as taken,
        run_proxy(certificate, taken.getsockname()[1], strip) as proxy,
    ):
        site = Site(store, "/study", proxy.address, proxies=("127.0.0.1/32",))
        with run_server(taken, site):
            yield proxy


@pytest.mark.parametrize("strip", ["", "/study"], ids=["path kept", "path taken"])
def test_a_judge_a_worker_and_the_organiser_work_under_a_path_over_tls(
    browser: Any, store: Store, certificate: Path, strip: str
) -> None:
    links = fill(store, make_pairs(judges=3))
    admin, crowd = (store.do(people.replace_link, one).token for one in ("admin", "crowd"))
    store.do(people.consent, "j0")
    store.do(people.revoke, "j2")  # frees a seat for a worker
    context = browser.new_context(ignore_https_errors=True)
    failed: list[str] = []
    with run_behind(store, certificate, strip) as proxy:
        context.on("requestfailed", lambda request: failed.append(request.failure))
        page = context.new_page()
        page.on("pageerror", lambda error: pytest.fail(str(error)))
        reply = page.goto(f"{proxy.address}/study/j/{links['j0']}")
        assert reply.headers["strict-transport-security"] == "max-age=31536000"
        settle(page, "1 of 2")
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        settle(page, "2 of 2")
        assert page.evaluate("getComputedStyle(document.querySelector('.choice')).cursor")
        page.goto(f"{proxy.address}/study/a/{admin}")
        page.wait_for_selector("#found .board, #found p:not(.hint)")
        page.once("dialog", lambda dialog: dialog.accept())
        page.click("tr[data-judge=j1] .acts summary")
        page.click("[data-do=invite][data-judge=j1]")
        page.wait_for_selector("#notice input")
        link = page.input_value("#notice input")
        assert link.startswith(f"{proxy.address}/study/j/")
        page.goto(f"{proxy.address}/study/crowd/{crowd}?PROLIFIC_PID={name_worker('w')}")
        (cookie,) = context.cookies()
        assert (cookie["path"], cookie["secure"], cookie["httpOnly"]) == (
            "/study/crowd/",
            True,
            True,
        )
        page.click("button.primary")
        page.wait_for_selector("h1:has-text('Before you begin')")
        assert page.url.startswith(f"{proxy.address}/study/j/")
        assert context.request.get(f"{proxy.address}/study/health").text() == "well\n"
        assert [one for one in proxy.paths if not one.startswith("/study/")] == []
    assert {*failed} <= {"net::ERR_ABORTED"}  # by the next page
    assert [one.answer for one in list_judgments(store)] == [{"outcome": "left"}]
    context.close()
