"""The ASGI application: routes, security headers and the answer to every refusal."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from guandan_arena import errors
from guandan_arena.ports import Ports
from guandan_arena.web import pages
from guandan_arena.web.forms import form_of
from guandan_arena.web.languages import COOKIE, LANGUAGES
from guandan_arena.web.logs import logs_json, logs_page
from guandan_arena.web.page import Page, Rendering, render_html, render_json

API: Final = "/api/v1"
log = logging.getLogger(__name__)

HEADERS: Final = {
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}

STATUS: Final[Mapping[type[errors.ArenaError], int]] = {
    errors.NotFound: 404,
    errors.InvalidArgument: 400,
    errors.Unauthenticated: 401,
    errors.PermissionDenied: 403,
    errors.AlreadyExists: 409,
    errors.Refused: 409,
    errors.Exhausted: 429,
    errors.Unavailable: 503,
}

PAGES: Final[tuple[tuple[str, Callable[[Ports, Request], Page]], ...]] = (
    ("/", pages.home),
    ("/ladder", pages.ladder),
    ("/events", pages.events),
    ("/events/{event_id}", pages.event),
    ("/bots/{bot}", pages.bot),
    ("/matches", pages.matches),
    ("/matches/{match_id}", pages.match),
    ("/replays/{table_id}", pages.replay),
)


def create_app(ports: Ports, *, grpc_address: str = "") -> Starlette:
    """Build the site over these ports: every page twice, as HTML and under ``/api/v1`` as JSON.

    ``grpc_address`` is what bot authors are told to log in to.
    """
    routes: list[Route | Mount] = [
        Route("/replays/{table_id}.gdr.jsonl", pages.replay_file),
        Route("/language", _choose_language, methods=["POST"]),
        Route("/matches/{match_id}/logs", logs_page, methods=["GET", "POST"]),
        Route(f"{API}/matches/{{match_id}}/logs", logs_json),
        Route("/healthz", _health),
        Mount("/static", StaticFiles(packages=[("guandan_arena.web", "static")]), name="static"),
    ]
    for path, build in PAGES:
        routes.append(Route(path, _serve(build, render_html)))
        routes.append(Route(API if path == "/" else API + path, _serve(build, render_json)))
    app = Starlette(
        routes=routes,
        middleware=[Middleware(SecurityHeaders)],
        exception_handlers={
            errors.ArenaError: _refused,
            HTTPException: _no_page,
            Exception: _broken,
        },
    )
    app.state.ports = ports
    app.state.grpc_address = grpc_address
    return app


def _serve(build: Callable[[Ports, Request], Page], render: Rendering) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        return render(request, build(request.app.state.ports, request))

    return endpoint


async def _choose_language(request: Request) -> Response:
    form = await form_of(request)
    language, back = form.get("lang", ""), form.get("back", "/")
    inside = back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable()
    response = RedirectResponse(back if inside else "/", status_code=303)
    if language in LANGUAGES:
        response.set_cookie(COOKIE, language, max_age=365 * 86400, samesite="lax", httponly=True)
    return response


def _health(request: Request) -> Response:
    """Answer 200 while SQL and Redis do; what is wrong otherwise."""
    ports: Ports = request.app.state.ports
    ports.store.ping()
    ports.ladder.ping()
    return PlainTextResponse("ok\n")


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, errors.ArenaError)
    status = next((STATUS[cause] for cause in type(error).__mro__ if cause in STATUS), 400)
    return _answer(request, status, error.code, error.reason, error.hint)


def _no_page(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return _answer(request, 404, "no_such_page", f"There is no page {request.url.path}", "start at /")
    return _answer(request, error.status_code, "http", error.detail, "")


def _broken(request: Request, error: Exception) -> Response:
    incident = secrets.token_hex(4)
    log.error("incident %s at %s", incident, request.url.path, exc_info=error)
    return _answer(request, 500, "internal", "Something of ours broke", f"tell the operator: incident {incident}")


def _answer(request: Request, status: int, code: str, reason: str, hint: str) -> Response:
    if request.url.path.startswith(API):
        return JSONResponse({"code": code, "reason": reason, "hint": hint}, status_code=status)
    page = Page("refusal.html", {"code": code, "reason": reason, "hint": hint})
    return render_html(request, page, status=status)


class SecurityHeaders:
    """Adds the headers that keep a page from running or embedding anything that is not ours."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the headers to the start of the answer."""
        await self.app(scope, receive, _with_headers(send) if scope["type"] == "http" else send)


def _with_headers(send: Send) -> Callable[[Message], Awaitable[None]]:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return wrapped
