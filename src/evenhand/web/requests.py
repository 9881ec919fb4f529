"""A request to a value: who asks, may they ask so often, from our own page, and what."""

from __future__ import annotations

import errno
import logging
from ipaddress import IPv4Address, IPv6Network
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response

from evenhand.errors import EvenhandError
from evenhand.web.limits import parse_address
from evenhand.web.site import Forged, NotReadable, TooLarge, TooMany, number, site_of
from evenhand.web.store.log import NotStored, UnknownLink
from evenhand.web.store.people import Role
from evenhand.web.store.queries import Bearer

T = TypeVar("T")
# What browsers say of a request from a page of ours, or typed by hand
OWN: Final = ("same-origin", "none")


async def identify(request: Request, role: Role) -> Bearer:
    site, token = site_of(request), request.path_params["token"]
    bearer = site.known.recall(token)
    if bearer is None or bearer.role != role:
        bearer = await _look_up(request, role)
        site.known.remember(token, bearer)
    # one link is for a whole crowd: nobody shall keep the door shut for the others
    who = f"{token} {name_address(request)}" if role == "crowd" else token
    if not site.requests.take(who):
        raise TooMany("too many requests at once: wait a moment")
    return bearer


def name_address(request: Request) -> str:
    """Return the address that a request came from, "" where it is not known."""
    # Of an address of IPv6 it is the network: whoever has one address has 2**64.
    host = request.client.host if request.client else ""
    parsed = parse_address(host)
    if parsed is None or isinstance(parsed, IPv4Address):
        return str(parsed or host[:64])
    return str(IPv6Network((int(parsed), 64), strict=False))


async def _look_up(request: Request, role: Role) -> Bearer:
    # A good link is let in whoever tried bad ones from the same address, which many may share.
    site, token = site_of(request), request.path_params["token"]

    def look_up() -> Bearer:
        bearer = site.store.identify(token)
        if bearer.role != role:
            raise UnknownLink("this link is for something else: ask the organiser for one")
        return bearer

    try:
        return await run_in_threadpool(look_up)
    except UnknownLink:
        if not site.misses.take(name_address(request)):
            raise TooMany("too many unknown links from your address: wait a minute") from None
        raise


async def read_json(request: Request, form: type[T]) -> T:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Forged("send JSON, with Content-Type: application/json")
    check_origin(request)
    try:
        return msgspec.json.decode(await _read_body(request), type=form)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotReadable(f"this cannot be read: {error}") from None


async def _read_body(request: Request) -> bytes:
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > site_of(request).limits.body:
                raise TooLarge("this is too long")
    except ClientDisconnect:
        raise NotReadable("the connection broke before everything had come") from None
    return bytes(body)


def check_origin(request: Request) -> None:
    # Of JSON this is the second guard: no form can send it, and no script of another site without
    # our leave.
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None and site not in OWN:
        raise Forged("another site sent this")
    if site is None and origin is not None and not _is_ours(origin, request):
        raise Forged("another site sent this")


def _is_ours(origin: str, request: Request) -> bool:
    """Say whether a page is of this server, as it was asked for or as it is known outside."""
    ours = {request.headers.get("host", ""), urlsplit(site_of(request).address).netloc} - {""}
    try:
        return urlsplit(origin).netloc in ours
    except ValueError:
        return False


HEADINGS: Final = {
    404: "There is nothing here",
    403: "This link is good no more",
    409: "Not at the moment",
    429: "Too fast",
    503: "The server cannot store anything now",
}
# What is said of a database that takes nothing; the reason is for the organiser's terminal
NOTHING: Final = "the server cannot store anything now, and nothing was changed: try again"
BROKEN: Final = "something is wrong with the server: try again"
ORGANISER: Final = "tell the organiser"
TERMINAL: Final = "look for the reason on the terminal where it runs"
# What the system says of a disk that takes nothing
FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
_log: Final = logging.getLogger("evenhand")


def json_response(payload: dict[str, Any], status: int = 200) -> Response:
    return Response(msgspec.json.encode(payload), status, media_type="application/json")


async def refuse(request: Request, error: Exception) -> Response:
    """Say what was refused: to a person as a page, to a page as JSON."""
    if isinstance(error, OSError) and error.errno in FULL:
        error = NotStored(error.strerror or "the disk is full")
    if isinstance(error, EvenhandError):
        status, word = number(error)
        message = str(error).encode("utf-8", "replace").decode()
        if isinstance(error, NotStored):
            if site_of(request).complaints.take(message):
                _log.warning("evenhand: %s", message)
            message = NOTHING
    elif isinstance(error, HTTPException):
        status, word, message = error.status_code, "refused", str(error.detail).lower()
    else:
        status, word = 500, "fault"
        is_organiser = request.url.path.removeprefix(site_of(request).prefix).startswith("/a/")
        message = f"{BROKEN}, or {TERMINAL if is_organiser else ORGANISER}"
    accepted = request.headers.get("accept", "")
    if request.method in ("GET", "POST") and "text/html" in accepted:  # a person reads the answer
        heading = HEADINGS.get(409 if word == "not-computed" else status, "That did not work")
        context = {"heading": heading, "message": message, "again": status == 503}
        response: Response = HTMLResponse(site_of(request).render("refusal.html", context), status)
    else:
        response = json_response({"error": message, "word": word}, status)
    if isinstance(error, HTTPException) and error.headers:
        response.headers.update(error.headers)
    if status in (429, 503):
        response.headers["Retry-After"] = "5"
    return response
