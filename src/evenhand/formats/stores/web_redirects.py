"""Where a web server may point to: another web address, and none that is less safe."""

from __future__ import annotations

from functools import cache
from typing import Any
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from evenhand.errors import UnknownFormat
from evenhand.formats.stores.web_names import name_page


@cache
def open_web() -> OpenerDirector:
    """Return what asks web servers, once: it reads the certificates of this machine."""
    return build_opener(_Redirects)


class _Redirects(HTTPRedirectHandler):
    """Goes where it is pointed to, unless that is no web address, or open where this one is not."""

    def redirect_request(self, req: Request, *about: Any) -> Request | None:
        """Return what is asked instead."""
        before, after = urlsplit(req.full_url), urlsplit(about[-1])
        if after.scheme not in ("http", "https") or (before.scheme, after.scheme) == (
            "https",
            "http",
        ):
            raise UnknownFormat(
                f"'{name_page(req.full_url)[1]}' points to {after.scheme}://{after.hostname}, which"
                f" is not followed from {before.scheme}://: give the address of the file itself"
            )
        return super().redirect_request(req, *about)
