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

from evenhand.design.catalogues import ENGLISH
from evenhand.errors import EvenhandError, Message
from evenhand.web.limits import parse_address
from evenhand.web.site import Forged, NotReadable, Site, TooLarge, TooMany, number, site_of
from evenhand.web.store.log import NotStored, UnknownLink
from evenhand.web.store.people import Role
from evenhand.web.store.queries import Bearer

T = TypeVar("T")
# What browsers say of a request from a page of ours, or typed by hand
OWN: Final = ("same-origin", "none")


async def identify(request: Request, role: Role) -> tuple[Site, Bearer]:
    site, token = site_of(request), request.path_params["token"]

    def look_up() -> Bearer:
        known = site.store.identify(token)
        if known.role != role:
            raise UnknownLink(Message("this link is for something else: ask the organiser for one"))
        return known

    bearer = site.known.recall(token)
    if bearer is None or bearer.role != role:
        # A good link is let in whoever tried bad ones from the same address, which many may share.
        try:
            bearer = await run_in_threadpool(look_up)
        except UnknownLink:
            if site.misses.take(name_address(request)):
                raise
            many = Message("too many unknown links from your address: wait a minute")
            raise TooMany(many) from None
        site.known.remember(token, bearer)
    # one link is for a whole crowd: nobody shall keep the door shut for the others
    who = f"{token} {name_address(request)}" if role == "crowd" else token
    if not site.requests.take(who):
        raise TooMany(Message("too many requests at once: wait a moment"))
    return site, bearer


def name_address(request: Request) -> str:
    # Of an address of IPv6 it is the network: whoever has one address has 2**64.
    host = request.client.host if request.client else ""
    parsed = parse_address(host)
    if parsed is None or isinstance(parsed, IPv4Address):
        return str(parsed or host[:64])
    return str(IPv6Network((int(parsed), 64), strict=False))


async def read_json(request: Request, form: type[T]) -> T:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Forged("send JSON, with Content-Type: application/json")
    check_origin(request)
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > site_of(request).limits.body:
                raise TooLarge("the request is too long")
        return msgspec.json.decode(body, type=form)
    except ClientDisconnect:
        raise NotReadable("the connection broke before the whole request had arrived") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotReadable(f"this cannot be read: {error}") from None


def check_origin(request: Request) -> None:
    # Of JSON this is the second guard: no form can send it, and no script of another site without
    # our leave.
    site = request.headers.get("sec-fetch-site")
    if site is None and (origin := request.headers.get("origin")) is not None:
        # this server, as it was asked for or as it is known outside
        ours = {request.headers.get("host", ""), urlsplit(site_of(request).address).netloc} - {""}
        try:
            site = OWN[0] if urlsplit(origin).netloc in ours else "another"
        except ValueError:
            site = "another"
    if site is not None and site not in OWN:
        raise Forged("this request came from another site")


HEADINGS: Final = {
    404: Message("Page not found"),
    403: Message("This link is no longer valid"),
    409: Message("Not available right now"),
    429: Message("Too many requests"),
    503: Message("The server cannot save anything right now"),
}
FAILED: Final = Message("Request failed")
# What is said of a database that takes nothing; the reason is for the organiser's terminal
NOTHING: Final = Message(
    "the server cannot save anything right now, and nothing was changed: try again"
)
BROKEN: Final = (
    "internal error on the server: try again, or see the reason on the server's terminal"
)
BROKEN_FOR_JUDGES: Final = Message("internal error on the server: try again, or tell the organiser")
# What the system says of a disk that takes nothing, and where no more files may be opened
FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE)
_log: Final = logging.getLogger("evenhand")


def json_response(payload: dict[str, Any], status: int = 200) -> Response:
    return Response(msgspec.json.encode(payload), status, media_type="application/json")


async def refuse(request: Request, error: Exception) -> Response:
    site = site_of(request)
    is_organiser = request.url.path.removeprefix(site.prefix).startswith("/a/")
    words = ENGLISH if is_organiser else site.words
    if isinstance(error, OSError) and error.errno in FULL:
        error = NotStored(error.strerror or "the disk is full")
    if isinstance(error, EvenhandError):
        status, word = number(error)
        message = error.args[0] if error.args else ""
        if isinstance(error, NotStored):
            if site.metrics is not None:
                site.metrics.note_error()
            if site.complaints.take(str(error)):
                _log.warning("evenhand: %s", error)
            message = NOTHING
    elif isinstance(error, HTTPException):
        status, word, message = error.status_code, "refused", str(error.detail).lower()
    else:
        status, word = 500, "fault"
        message = BROKEN if is_organiser else BROKEN_FOR_JUDGES
    message = words.say(message).encode("utf-8", "replace").decode()
    accepted = request.headers.get("accept", "")
    if request.method in ("GET", "POST") and "text/html" in accepted:  # a person reads the answer
        heading = words.say(HEADINGS.get(409 if word == "not-computed" else status, FAILED))
        context = {"heading": heading, "message": message, "again": status == 503}
        response: Response = HTMLResponse(site.render("refusal.html", context, words), status)
    else:
        response = json_response({"error": message, "word": word}, status)
    if isinstance(error, HTTPException) and error.headers:
        response.headers.update(error.headers)
    if status in (429, 503):
        response.headers["Retry-After"] = "5"
    return response
