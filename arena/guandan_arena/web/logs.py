"""The page on which an owner reads what its bots wrote in a match: the token is sent with the form and kept nowhere."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from guandan_arena.errors import Unauthenticated
from guandan_arena.ports import Ports
from guandan_arena.services import accounts, logs, matches
from guandan_arena.services.records import SeatLog
from guandan_arena.web.forms import form_of
from guandan_arena.web.page import Page, render_html

_PRIVATE = {"cache-control": "no-store"}
_HINT = "send `Authorization: Bearer TOKEN`; guandan login gets a token"


async def logs_page(request: Request) -> Response:
    """Ask for a token, or, when one was sent, show the logs of its owner's bots."""
    match_id = request.path_params["match_id"]
    token = (await form_of(request)).get("token", "").strip() if request.method == "POST" else ""
    ports = request.app.state.ports
    found = await run_in_threadpool(_told, ports, match_id, token) if token else None
    page = Page("logs.html", {"match_id": match_id}, {"logs": found})
    if found is None:
        await run_in_threadpool(matches.get, ports, match_id=match_id)
    response = await run_in_threadpool(render_html, request, page)
    response.headers.update(_PRIVATE)
    return response


def logs_json(request: Request) -> Response:
    """Tell the same to a program that sends its token in the header."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthenticated("token_missing", "this wants a token, and none was sent", _HINT)
    found = _told(request.app.state.ports, request.path_params["match_id"], token.strip())
    rows = [
        {
            "table": log.table_id,
            "seat": log.seat,
            "output": log.output,
            "notes": [{"move": note.move, "text": note.text} for note in log.notes],
        }
        for log in found
    ]
    return JSONResponse(rows, headers=_PRIVATE)


def _told(ports: Ports, match_id: str, token: str) -> tuple[SeatLog, ...]:
    caller = accounts.authenticate(ports, text=token)
    return logs.of_match(ports, caller=caller, match_id=match_id)
