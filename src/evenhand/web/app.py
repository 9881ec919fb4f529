"""The application: routes of judges, workers and the organiser over one store."""

from __future__ import annotations

from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from evenhand.errors import EvenhandError
from evenhand.web.guard import Guard
from evenhand.web.health import WELL
from evenhand.web.outgoing import refuse
from evenhand.web.routes import admin, crowd, judge
from evenhand.web.site import STATIC, Site, site_of

FILES: Final = {one.name: one for one in STATIC.iterdir() if one.is_file()}
FOR_EVER: Final = "public, max-age=31536000, immutable"


class Application(Starlette):
    """A campaign's site, with the guard around everything, pages of faults among it."""

    site: Site  # what is served

    def build_middleware_stack(self) -> ASGIApp:
        """Put the guard outside of what answers after a fault; middleware would be inside."""
        inside = super().build_middleware_stack()
        return Guard(inside, prefix=self.site.prefix, most=self.site.limits.body)


def make_app(site: Site) -> Starlette:
    """Return the application of a campaign's site."""
    app = Application(
        routes=[
            *judge.ROUTES,
            *crowd.ROUTES,
            *admin.ROUTES,
            Route("/static/{version}/{name}", _send_file),
            Route("/health", _say_well),
        ],
        exception_handlers={EvenhandError: refuse, HTTPException: refuse, Exception: refuse},
    )
    app.router.redirect_slashes = False  # the prefix would be lost, and the secret go elsewhere
    app.site = app.state.site = site
    return app


async def _send_file(request: Request) -> Response:
    found = FILES.get(request.path_params["name"])
    if found is None:
        raise HTTPException(404, "no such file")
    return FileResponse(found, headers={"Cache-Control": FOR_EVER})


async def _say_well(request: Request) -> Response:
    """Say whether the server can do its work."""
    words = await site_of(request).health.ask()
    if words == WELL:
        return PlainTextResponse(f"{words}\n")
    return PlainTextResponse(f"{words}\n", 503, {"Retry-After": "5"})
