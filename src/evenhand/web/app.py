"""The application: routes of judges, workers and the organiser over one store."""

from __future__ import annotations

import asyncio
import gc
import logging
import math
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from evenhand.design.catalogues import ENGLISH
from evenhand.errors import EvenhandError, UnknownOption
from evenhand.web.analysis import Analysis
from evenhand.web.analysis_process import AnalysisProcess
from evenhand.web.limits import Connection, Door, Guard
from evenhand.web.public_board import ROUTES_PUBLIC
from evenhand.web.requests import refuse
from evenhand.web.routes import ROUTES_ADMIN, ROUTES_CROWD, ROUTES_JUDGE
from evenhand.web.site import STATIC, WELL, Rates, Site, site_of

FILES: Final = {one.name: one for one in STATIC.iterdir() if one.is_file()}
FOR_EVER: Final = "public, max-age=31536000, immutable"


class Application(Starlette):
    site: Site

    def build_middleware_stack(self) -> ASGIApp:
        """Put the guard around everything, pages of faults among it; middleware would be inside."""
        inside = super().build_middleware_stack()
        return Guard(inside, prefix=self.site.prefix, most=self.site.limits.body)


def make_app(site: Site) -> Starlette:
    return _make_app(
        site, [*ROUTES_JUDGE, *ROUTES_CROWD, *ROUTES_ADMIN, Route("/health", _say_well)]
    )


def make_public_app(site: Site) -> Starlette:
    """Return the application of the public board, which has no route of the campaign."""
    return _make_app(site, ROUTES_PUBLIC)


def _make_app(site: Site, routes: Sequence[Route]) -> Starlette:
    app = Application(
        routes=[*routes, Route("/static/{version}/{name}", _send_file)],
        exception_handlers={EvenhandError: refuse, HTTPException: refuse, Exception: refuse},
    )
    app.router.redirect_slashes = False  # the prefix would be lost, and the secret go elsewhere
    app.site = app.state.site = site
    app.state.analysis = site.worker or Analysis(site.store)
    return app


async def _send_file(request: Request) -> Response:
    path = FILES.get(request.path_params["name"])
    if path is None:
        raise HTTPException(404, "no such file")
    return FileResponse(path, headers={"Cache-Control": FOR_EVER})


async def _say_well(request: Request) -> Response:
    words = await site_of(request).health.ask()
    if words == WELL:
        return PlainTextResponse(f"{words}\n")
    return PlainTextResponse(f"{words}\n", 503, {"Retry-After": "5"})


USUAL: Final = 8000
# Bytes that the system keeps for a client that has not read them; how slowly one reads is seen
SEND: Final = 256 * 1024
OTHERS: Final = 100  # Files that are open beside connections
# Seconds for which a thread may keep the others waiting; a judge waits for several turns
TURN: Final = 0.0005

_LINK: Final = re.compile(r"(/(?:j|a|crowd)/)[A-Za-z0-9_-]{8,}")
_log: Final = logging.getLogger("evenhand")


def open_port(host: str, port: int | None, option: str = "") -> socket.socket:
    for one in (USUAL, 0) if port is None else (port,):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        taken = socket.socket(family, socket.SOCK_STREAM)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND)  # its connections have it, too
        try:
            taken.bind((host, one))
            taken.listen(256)
        except (OSError, OverflowError) as fault:
            taken.close()
            if port is None and one != 0:
                continue
            reason = getattr(fault, "strerror", None) or str(fault)
            option = option or f"--host {host} --port {one}"
            raise UnknownOption(f"{option}: {reason.lower()}") from None
        return taken
    raise AssertionError


def name_address(taken: socket.socket) -> str:
    host, port = taken.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class TimedLines(logging.Formatter):
    """Lines that each begin with the time in UTC, and show no link."""

    def format(self, record: logging.LogRecord) -> str:
        now = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        text = _LINK.sub(r"\1...", super().format(record))
        lines = [one for one in text.splitlines() if one.strip()]
        return "\n".join(f"{now.replace('+00:00', 'Z')} {one}" for one in lines)


def make_server(
    site: Site, begun: Callable[[], None], make: Callable[[Site], Starlette] = make_app
) -> uvicorn.Server:
    door = Door(site.limits, site.proxies)

    class Inside(Connection):
        """A connection of this server."""

    Inside.door = door

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            begun()

        async def on_tick(self, counter: int) -> bool:
            if counter % 5 == 0:  # twice a second
                door.sweep(asyncio.get_running_loop().time())
            return await super().on_tick(counter)

    settings = uvicorn.Config(
        make(site),
        http=Inside,
        access_log=False,  # links are secrets
        proxy_headers=bool(site.proxies),
        forwarded_allow_ips=list(site.proxies),
        log_config=None,
        log_level="warning",
        server_header=False,
        timeout_keep_alive=math.ceil(site.limits.idle),
        timeout_graceful_shutdown=5,
        lifespan="off",
        ws="none",
    )
    return Server(settings)


def serve(
    site: Site,
    taken: socket.socket,
    begun: Callable[[], None],
    public: socket.socket | None = None,
) -> None:
    """Serve a campaign until interrupted, and on another socket its public board."""
    # What anybody can bring about from outside is said once in ten seconds.
    handler, often = logging.StreamHandler(), Rates(1 / 10, 1)
    handler.setFormatter(TimedLines("%(message)s"))
    outside = ("uvicorn.error", logging.WARNING)
    handler.addFilter(
        lambda one: (one.name, one.levelno) != outside or often.take(one.getMessage())
    )
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    logging.captureWarnings(capture=True)
    threading.excepthook = lambda one: _log.error(
        "evenhand: a thread ended: %s", one.exc_type.__name__, exc_info=one.exc_value
    )
    sys.unraisablehook = lambda one: _log.error(
        "evenhand: %s: %s", one.err_msg or "ignored", one.object, exc_info=one.exc_value
    )
    # Let the process open so many files, as far as the system lets it
    wanted = (1 + (public is not None)) * site.limits.connections + OTHERS
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    process = AnalysisProcess(site.store)
    site = replace(site, worker=process)
    server = make_server(site, begun)
    board = make_server(replace(site, address="", words=ENGLISH), lambda: None, make_public_app)
    # in a loop of its own: whoever looks there keeps no judge waiting
    thread = threading.Thread(target=board.run, args=([public],), daemon=True)
    sys.setswitchinterval(TURN)
    gc.collect()
    gc.freeze()  # a campaign of 20,000 items is looked through for a tenth of a second else
    signal.signal(signal.SIGTERM, _end)  # uvicorn ends orderly, then raises the signal again
    process.begin()
    if public is not None:
        thread.start()
    try:
        server.run([taken])
    except KeyboardInterrupt:
        return
    finally:
        board.should_exit = True
        if public is not None:
            thread.join(5)
        process.end()


def _end(number: int, frame: object) -> None:  # noqa: ARG001 - as handlers of signals are
    """End as after an interrupt: files are closed, the folder of a demo is removed."""
    raise KeyboardInterrupt
