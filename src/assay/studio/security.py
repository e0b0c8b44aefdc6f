"""Who may talk to the studio: a browser that was given its link, from pages of the studio itself.

A page on the web can make a browser send requests to this machine. So every request must name the studio as its host
(or a foreign name that leads here could read answers), carry the cookie that the printed link gives, and, if it
changes something, come from a page of the studio and bring the token that such pages have.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""No script, style or picture but the studio's own files; texts from the data can bring nothing along."""
TOKEN_FIELD, TOKEN_HEADER = "csrf", "x-csrf-token"
_CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_REFUSED = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Assay studio</title>
<link rel="stylesheet" href="/static/studio.css"></head><body><main><section><h1>Not this way</h1><p>{}</p>
</section></main></body></html>"""


@dataclass(frozen=True)
class Keys:
    """The secrets of one studio."""

    token: str
    """What the printed link carries."""

    @classmethod
    def new(cls) -> Keys:
        """With a token that nobody can guess."""
        return cls(secrets.token_urlsafe(24))

    @property
    def cookie(self) -> str:
        """What a browser that was given the link carries from then on."""
        return self._derived("cookie")

    @property
    def form_token(self) -> str:
        """What forms of the studio's pages carry, and other pages do not know."""
        return self._derived("form")

    def _derived(self, purpose: str) -> str:
        return hmac.new(self.token.encode(), purpose.encode(), hashlib.sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two secrets are the same, in a time that does not tell how far they are."""
    return hmac.compare_digest(one.encode(), other.encode())


def has_form_token(request: Request, given: str) -> bool:
    """Whether a request that changes something brings the token of the studio's own pages."""
    keys: Keys = request.app.state.keys
    return same(given or request.headers.get(TOKEN_HEADER, ""), keys.form_token)


class Guard:
    """Lets through what may pass, and tells browsers what pages must never do."""

    def __init__(self, app: ASGIApp, *, keys: Keys, hosts: Sequence[str], cookie: str) -> None:
        self._app, self._keys, self._hosts, self._cookie = app, keys, frozenset(hosts), cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # the studio has no web sockets
            return
        answer = self._refusal(scope)
        await (answer or self._app)(scope, receive, self._with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        request = Request(scope)
        host = request.headers.get("host", "")
        if host not in self._hosts:
            return _refused(
                421, "This is the studio of a project on this machine, but it was asked for by another name."
            )
        given = request.query_params.get("token")
        if given is not None and request.method == "GET":
            return self._welcomed(request) if same(given, self._keys.token) else _refused(403, _HOW_TO_GET_IN)
        if scope["path"].startswith("/static/"):
            return None
        if not same(request.cookies.get(self._cookie, ""), self._keys.cookie):
            return _refused(403, _HOW_TO_GET_IN)
        if request.method in _CHANGING and not _is_from_here(request.headers, host):
            return _refused(403, "This came from another page than the studio's own, so nothing was changed.")
        return None

    def _welcomed(self, request: Request) -> Response:
        """The same page without the token, which should not stay in the history; the cookie goes along."""
        rest = [(name, value) for name, value in parse_qsl(request.url.query) if name != "token"]
        answer = RedirectResponse(request.url.path + (f"?{urlencode(rest)}" if rest else ""), 303)
        answer.set_cookie(self._cookie, self._keys.cookie, httponly=True, samesite="lax")
        return answer

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("content-security-policy", POLICY)
                headers.setdefault("cache-control", "no-store")
                headers["x-content-type-options"] = "nosniff"
                headers["referrer-policy"] = "same-origin"
                headers["cross-origin-opener-policy"] = "same-origin"
                headers["cross-origin-resource-policy"] = "same-origin"
            await send(message)

        return sending


_HOW_TO_GET_IN = (
    "Open the link that assay studio printed when it started: it carries the key to this project. If the studio was "
    "started again since, there is a new link."
)


def _is_from_here(headers: Headers, host: str) -> bool:
    origin = headers.get("origin")
    if origin is not None:
        return origin in (f"http://{host}", f"https://{host}")
    return headers.get("sec-fetch-site") == "same-origin"


def _refused(status: int, why: str) -> Response:
    return Response(_REFUSED.format(why), status, media_type="text/html")
