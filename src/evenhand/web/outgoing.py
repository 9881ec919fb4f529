"""Values to responses, and refusals to pages or JSON, as the asker reads them."""

from __future__ import annotations

import errno
import logging
from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from evenhand.errors import EvenhandError
from evenhand.web.refusals import number
from evenhand.web.site import site_of
from evenhand.web.store.refusals import NotStored

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


def tell(told: dict[str, Any], status: int = 200) -> Response:
    """Return a value as JSON."""
    return Response(msgspec.json.encode(told), status, media_type="application/json")


async def refuse(request: Request, error: Exception) -> Response:
    """Say what was refused: to a person as a page, to a page as JSON."""
    if isinstance(error, OSError) and error.errno in FULL:
        error = NotStored(error.strerror or "the disk is full")
    if isinstance(error, EvenhandError):
        status, word = number(error)
        message = str(error).encode("utf-8", "replace").decode()
        if isinstance(error, NotStored):
            _complain(request, message)
            message = NOTHING
    elif isinstance(error, HTTPException):
        status, word, message = error.status_code, "refused", str(error.detail).lower()
    else:
        status, word = 500, "fault"
        message = f"{BROKEN}, or {TERMINAL if _is_organiser(request) else ORGANISER}"
    if _wants_page(request):
        heading = HEADINGS.get(409 if word == "not-computed" else status, "That did not work")
        told = {"heading": heading, "message": message, "again": status == 503}
        found: Response = HTMLResponse(site_of(request).render("refusal.html", told), status)
    else:
        found = tell({"error": message, "word": word}, status)
    if isinstance(error, HTTPException) and error.headers:
        found.headers.update(error.headers)
    if status in (429, 503):
        found.headers["Retry-After"] = "5"
    return found


def _complain(request: Request, reason: str) -> None:
    """Tell whoever looks after the server why nothing is stored; not at every request."""
    if site_of(request).complaints.take(reason):
        _log.warning("evenhand: %s", reason)


def _is_organiser(request: Request) -> bool:
    """Say whether the organiser's page asks."""
    return request.url.path.removeprefix(site_of(request).prefix).startswith("/a/")


def _wants_page(request: Request) -> bool:
    """Say whether a person reads the answer."""
    return request.method in ("GET", "POST") and "text/html" in request.headers.get("accept", "")
