"""Workers of crowd platforms come with one link for all, and their name in its parameters.

To look at the link takes no seat: programs that preview links do so, and so does the organiser. The
page brings a secret for the browser before a seat is taken, so that whoever sends the form twice
over a bad connection is known the second time.
"""

from __future__ import annotations

import logging
from hashlib import sha256
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from evenhand.design.campaign import PLATFORMS, find_platform
from evenhand.web.incoming import check_origin, identify
from evenhand.web.site import Site, site_of
from evenhand.web.store import enrolment
from evenhand.web.store.refusals import Refused, Unproven
from evenhand.web.store.tokens import draw_token, read_token

# What Mechanical Turk sends for an assignment that nobody has taken yet
PREVIEW: Final = "ASSIGNMENT_ID_NOT_AVAILABLE"
LONG: Final = 180 * 86_400  # Seconds for which a browser keeps the secret
_log: Final = logging.getLogger("evenhand")


async def show_page(request: Request) -> Response:
    """Say who comes, with a button; nothing is taken yet."""
    site = site_of(request)
    await identify(request, "crowd")
    worker, campaign = _read_worker(request, site), site.campaign
    told = {"title": campaign.title or campaign.name, "page": campaign.wording.text("page")}
    told |= {"worker": worker, "platform": find_platform(campaign.platform).title}
    page = HTMLResponse(site.render("join.html", told))
    name = _name_cookie(site, worker)
    if read_token(request.cookies.get(name, "")) is None:
        _keep(page, request, name, str(draw_token()))
    return page


async def enrol(request: Request) -> Response:
    """Give a worker a seat, or the one they have, and send them to their page."""
    site = site_of(request)
    await identify(request, "crowd")
    check_origin(request)
    worker, platform = _read_worker(request, site), site.campaign.platform
    name = _name_cookie(site, worker)
    secret = request.cookies.get(name, "")
    try:
        made = await site.store.soon(lambda desk: enrolment.enrol(desk, platform, worker, secret))
    except Unproven as refusal:
        if site.complaints.take(refusal.judge):
            _log.warning(
                "evenhand: somebody came as the worker who is %s, and was not let in:"
                " the browser is another one",
                refusal.judge,
            )
        raise
    page = RedirectResponse(f"{site.prefix}/j/{made.token}", 303)
    if made.token != secret:
        _keep(page, request, name, made.token)
    return page


def _read_worker(request: Request, site: Site) -> str:
    """Return the name of who comes."""
    asked, platform = request.query_params, find_platform(site.campaign.platform)
    if asked.get("assignmentId") == PREVIEW:
        raise Refused("accept the task first: this is a preview")
    worker = asked.get(platform.parameter, "")
    if worker:
        return platform.check(worker)
    other = next((one for one in PLATFORMS.values() if asked.get(one.parameter)), None)
    if other is not None:
        raise Refused(
            f"this campaign is for workers of {platform.title}, whose link ends in"
            f" ?{platform.parameter}=...; where they come from {other.title}, the campaign file"
            f' says platform = "{other.name}"'
        )
    raise Refused(f"the link names no worker: it ends in ?{platform.parameter}=...")


def _name_cookie(site: Site, worker: str) -> str:
    """Return a name of its own for each worker: two may share a browser."""
    told = f"{site.campaign.digest} {site.campaign.platform} {worker}"
    return f"evenhand-{sha256(told.encode()).hexdigest()[:16]}"


def _keep(page: Response, request: Request, name: str, secret: str) -> None:
    """Let the browser keep a secret that no script can read."""
    site = site_of(request)
    page.set_cookie(
        name,
        secret,
        max_age=LONG,
        path=f"{site.prefix}/crowd/",
        secure="https" in (request.url.scheme, site.address.partition(":")[0]),
        httponly=True,
        samesite="lax",
    )


async def answer(request: Request) -> Response:
    """Answer who looks, and who presses the button."""
    return await (enrol(request) if request.method == "POST" else show_page(request))


ROUTES: Final = [Route("/crowd/{token}", answer, methods=["GET", "POST"])]
