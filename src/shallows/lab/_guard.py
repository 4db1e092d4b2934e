"""Who may talk to the server: pages of its own, on this machine."""

from __future__ import annotations

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = re.compile(r"(127\.0\.0\.1|localhost)(:\d{1,5})?", re.IGNORECASE)
SAFE_METHODS = {"GET", "HEAD"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class Guard:
    """Refuses requests that a foreign page has brought about.

    A page of another site may make its name resolve to this machine and then read answers, which
    the header Host reveals; or send a form here, which Origin and Sec-Fetch-Site reveal.

    Parameters
    ----------
    app : ASGI application
        Gets the requests that pass.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = refuse(scope["method"], Headers(scope=scope))
        answer = PlainTextResponse(refusal, 403) if refusal else self._app

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        await answer(scope, receive, send_with_headers)


def refuse(method: str, headers: Headers) -> str:
    """Return why a request is refused, or nothing."""
    host = headers.get("host", "")
    if not HOST.fullmatch(host):
        return (
            f"The lab answers to 127.0.0.1 and localhost, not to {host!r}; "
            "open the address that `shallows lab` printed."
        )
    if method in SAFE_METHODS:
        return ""
    origin = headers.get("origin", f"http://{host}")
    site = headers.get("sec-fetch-site", "same-origin")
    if origin != f"http://{host}" or site not in ("same-origin", "none"):
        return f"Only the lab's own pages may start and cancel runs, not one of {origin}."
    return ""
