"""The application: routes of judges, workers and the organiser over one store."""

from __future__ import annotations

import asyncio
import gc
import json
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
from errno import EADDRINUSE
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
        site = self.site
        return Guard(inside, prefix=site.prefix, most=site.limits.body, metrics=site.metrics)


def make_app(site: Site) -> Starlette:
    health = Route("/health", _say_well)
    return _make_app(site, [*ROUTES_JUDGE, *ROUTES_CROWD, *ROUTES_ADMIN, health])


def make_public_app(site: Site) -> Starlette:
    """Return the application of the public board, which has no route of the campaign."""
    return _make_app(replace(site, words=ENGLISH), ROUTES_PUBLIC)


def make_metrics_app(site: Site) -> Starlette:
    """Return the application of the counts for Prometheus, which counts no requests itself."""
    assert site.metrics is not None
    uncounted = replace(site, metrics=None, words=ENGLISH)
    return _make_app(uncounted, [Route("/metrics", site.metrics.send)])


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
    status, headers = (200, None) if words == WELL else (503, {"Retry-After": "5"})
    return PlainTextResponse(f"{words}\n", status, headers)


USUAL: Final = 8000
# Bytes that the system keeps for a client that has not read them; how slowly one reads is seen
SEND: Final = 256 * 1024
OTHERS: Final = 100  # Files that are open beside connections
QUEUE: Final = 256  # Connections that wait in the system until they are accepted
# Connections that are accepted before the limit of connections is looked at. asyncio takes as many
# as may wait, and where no more files may be opened it tries so many times, and logs each.
AT_ONCE: Final = 16
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
            taken.listen(QUEUE)
        except (OSError, OverflowError) as fault:
            taken.close()
            if port is None and one != 0:
                continue
            reason = getattr(fault, "strerror", None) or str(fault)
            option = option or f"--host {host} --port {one}"
            remedy = ": choose another port" if getattr(fault, "errno", 0) == EADDRINUSE else ""
            raise UnknownOption(f"{option}: {reason.lower()}{remedy}") from None
        return taken
    raise AssertionError


def name_address(taken: socket.socket) -> str:
    host, port = taken.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _write_time(seconds: float) -> str:
    now = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return now.replace("+00:00", "Z")


class TimedLines(logging.Formatter):
    """Lines that each begin with the time in UTC, and show no link."""

    def format(self, record: logging.LogRecord) -> str:
        text = _LINK.sub(r"\1...", super().format(record))
        lines = [one for one in text.splitlines() if one.strip()]
        return "\n".join(f"{_write_time(record.created)} {one}" for one in lines)


class JsonLines(logging.Formatter):
    """One JSON object per record, in one line, which shows no link."""

    def format(self, record: logging.LogRecord) -> str:
        told = {"time": _write_time(record.created), "level": record.levelname.lower()}
        told["message"] = _LINK.sub(r"\1...", record.getMessage())
        if record.exc_info:
            told["trace"] = _LINK.sub(r"\1...", self.formatException(record.exc_info))
        return json.dumps(told)


FORMATS: Final[dict[str, type[logging.Formatter]]] = {"text": TimedLines, "json": JsonLines}


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
            for one in sockets or ():
                one.listen(QUEUE)  # asyncio set it to the number that it accepts at once
            begun()

        async def on_tick(self, counter: int) -> bool:
            if counter % 5 == 0:  # twice a second
                door.sweep(asyncio.get_running_loop().time())
            return await super().on_tick(counter)

    settings = uvicorn.Config(
        make(site),
        http=Inside,
        access_log=False,  # links are secrets
        backlog=AT_ONCE,
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
    *,
    counts: socket.socket | None = None,
    log: str = "text",
) -> None:
    """Serve a campaign until interrupted, on other sockets its public board and its counts."""
    # What anybody can bring about from outside is said once in ten seconds.
    handler, often = logging.StreamHandler(), Rates(1 / 10, 1)
    handler.setFormatter(FORMATS[log]("%(message)s"))
    outside = (("uvicorn.error", logging.WARNING), ("asyncio", logging.ERROR))
    handler.addFilter(
        lambda one: (one.name, one.levelno) not in outside or often.take(one.getMessage())
    )
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    logging.captureWarnings(capture=True)
    threading.excepthook = lambda one: _log.error(
        "evenhand: a thread ended: %s", one.exc_type.__name__, exc_info=one.exc_value
    )
    sys.unraisablehook = lambda one: _log.error(
        "evenhand: %s: %s", one.err_msg or "ignored", one.object, exc_info=one.exc_value
    )
    servers = 1 + (public is not None)
    most = _fit_files(servers * site.limits.connections) // servers
    limits = replace(site.limits, connections=most)
    process = AnalysisProcess(site.store)
    site = replace(site, worker=process, limits=limits)
    server = make_server(site, begun)
    # each in a loop of its own: whoever looks there keeps no judge waiting
    others = []
    if public is not None:
        at_board = replace(site, address="", metrics=None)
        others.append((make_server(at_board, lambda: None, make_public_app), public))
    if counts is not None:
        at_counts = replace(site, limits=replace(site.limits, connections=OTHERS // 2))
        others.append((make_server(at_counts, lambda: None, make_metrics_app), counts))
    threads = [
        threading.Thread(target=other.run, args=([its],), daemon=True) for other, its in others
    ]
    sys.setswitchinterval(TURN)
    gc.collect()
    gc.freeze()  # a campaign of 20,000 items is looked through for a tenth of a second else
    signal.signal(signal.SIGTERM, _end)  # uvicorn ends orderly, then raises the signal again
    process.begin()
    for thread in threads:
        thread.start()
    try:
        server.run([taken])
    except KeyboardInterrupt:
        return
    finally:
        for (other, _), thread in zip(others, threads, strict=True):
            other.should_exit = True
            thread.join(5)
        process.end()


def _fit_files(connections: int) -> int:
    """Let the process open so many files, and return the connections for which they suffice."""
    wanted = soft = connections + OTHERS
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
        elif soft == resource.RLIM_INFINITY:
            soft = wanted
    if soft >= wanted:
        return connections
    fitting = max(soft - OTHERS, soft // 4)
    _log.warning(
        "evenhand: the system lets this process open %s files, so that there may be %s connections"
        " at once instead of %s: allow %s (LimitNOFILE= of systemd, ulimit -n)",
        *(soft, fitting, connections, wanted),
    )
    return fitting


def _end(number: int, frame: object) -> None:  # noqa: ARG001 - as handlers of signals are
    """End as after an interrupt: files are closed, the folder of a demo is removed."""
    raise KeyboardInterrupt
