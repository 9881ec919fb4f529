"""A browser of the machine, and a site on a port of it; tests are skipped where there is none.

EVENHAND_CHROMIUM names the program where it lies elsewhere than on the path.
"""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from socket import socket
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette

from evenhand.web import app as serving
from evenhand.web.app import make_app
from evenhand.web.site import Site
from waiting import LONG

PATHS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Names of browsers, as packages of distributions install them: first one without windows, which
takes less than half of the processor's time."""


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start the browser."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    named = os.environ.get("EVENHAND_CHROMIUM")
    names = (named,) if named else PATHS
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        why = f"EVENHAND_CHROMIUM is {named}" if named else "Debian: apt-get install chromium"
        pytest.skip(f"no Chromium on this machine ({why})")
    with playwright.sync_playwright() as running:
        browser: Any = running.chromium.launch(
            executable_path=found, args=["--no-sandbox"], timeout=LONG * 1000
        )
        browser.new_page = _wait_long(browser.new_page)
        browser.new_context = _wait_long(browser.new_context)
        yield browser
        browser.close()


def _wait_long(make: Callable[..., Any]) -> Callable[..., Any]:
    """Let what is made wait for what a loaded machine shows late."""

    def made(**options: Any) -> Any:
        one = make(**options)
        one.set_default_timeout(LONG * 1000)
        return one

    return made


@contextmanager
def run_server(taken: socket, site: Site) -> Iterator[uvicorn.Server]:
    """Serve a site on an open port as `evenhand serve` does, in a thread."""
    begun = threading.Event()
    server = serving.make_server(site, begun.set)
    thread = threading.Thread(target=server.run, args=([taken],))
    thread.start()
    assert begun.wait(LONG)
    try:
        yield server
    finally:
        server.should_exit = server.force_exit = True
        thread.join(LONG)


@contextmanager
def run_site(site: Site, make: Callable[[Site], Starlette] = make_app) -> Iterator[str]:
    """Serve a site on a free port; yield its address."""
    taken = serving.open_port("127.0.0.1", 0)
    server = uvicorn.Server(
        uvicorn.Config(make(site), log_level="warning", lifespan="off", ws="none")
    )
    thread = threading.Thread(target=server.run, args=([taken],), daemon=True)
    thread.start()
    try:
        yield serving.name_address(taken) + site.prefix
    finally:
        server.should_exit = True
        thread.join(LONG)
        taken.close()
