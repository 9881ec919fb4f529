"""Around every answer of the server: security headers, the path prefix, the size of requests."""

from __future__ import annotations

from typing import Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY: Final = "; ".join(
    (
        *("default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'"),
        *("connect-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"),
    )
)
# On every response; links are secrets, so nothing may pass them on
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "X-Robots-Tag": "noindex",
}
_RAW: Final = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


class Guard:
    """The outermost layer."""

    def __init__(self, app: ASGIApp, *, prefix: str, most: int) -> None:
        """Wrap an application.

        most: most bytes of a request.
        """
        self.app, self.prefix, self.most = app, prefix, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"]
        if self.prefix and (path == self.prefix or path.startswith(f"{self.prefix}/")):
            scope = {**scope, "path": path[len(self.prefix) :] or "/", "root_path": ""}

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = [*message["headers"], *_RAW]
                if all(name != b"cache-control" for name, _ in message["headers"]):
                    named.append((b"cache-control", b"no-store"))
                if scope["scheme"] == "https":
                    named.append((b"strict-transport-security", b"max-age=31536000"))
                message = {**message, "headers": named}
            await send(message)

        if _length(scope) > self.most:
            told = PlainTextResponse("this is too long\n", 413, {"Connection": "close"})
            await told(scope, receive, send_guarded)
            return
        await self.app(scope, receive, send_guarded)


def _length(scope: Scope) -> int:
    """Return how long a request says it is; 0 where it does not say."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() and len(value) < 16 else 2**53
    return 0
