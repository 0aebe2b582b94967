"""What each page shows: one call or a few to the services, handed to a template."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from guandan_arena.ports import Ports
from guandan_arena.services import bots, replays, stages, times, versions
from guandan_arena.services import events as nights
from guandan_arena.services import ladder as ladders
from guandan_arena.services import matches as contests
from guandan_arena.services.advice import next_step
from guandan_arena.services.records import Match, Table
from guandan_arena.services.states import VersionState
from guandan_arena.services.times import of_match as times_at
from guandan_arena.web.page import Page, window
from guandan_arena.web.scene import scene_of
from guandan_engine.conduct import Verdict


def home(ports: Ports, request: Request) -> Page:
    """Show what this is, the latest event and the top of the ladder."""
    return Page(
        "home.html",
        {"events": nights.browse(ports, limit=3), "lines": ladders.leaderboard(ports, limit=10)},
        {"grpc_address": request.app.state.grpc_address},
    )


def ladder(ports: Ports, request: Request) -> Page:
    """Show the leaderboard."""
    everyone = request.query_params.get("all") == "1"
    shown = window(request, size=100)
    lines = ladders.leaderboard(ports, limit=shown.limit, offset=shown.offset, active_only=not everyone)
    return Page("ladder.html", {"lines": lines, "everyone": everyone, "window": shown})


def events(ports: Ports, request: Request) -> Page:
    """Show events, newest first."""
    shown = window(request)
    return Page(
        "events.html", {"events": nights.browse(ports, limit=shown.limit, offset=shown.offset), "window": shown}
    )


def event(ports: Ports, request: Request) -> Page:
    """Show an event: standings, commitment, rounds with their matches."""
    event_id = request.path_params["event_id"]
    found = nights.get(ports, event_id=event_id)
    shown = window(request, size=100)
    played = contests.browse(ports, event_id=event_id, limit=shown.limit, offset=shown.offset)
    return Page(
        "event.html",
        {
            "event": found,
            "standings": nights.standings(ports, event_id=event_id),
            "rounds": nights.rounds(ports, event_id=event_id),
            "matches": played,
            "window": shown,
        },
    )


def bot(ports: Ports, request: Request) -> Page:
    """Show a bot: its versions with their checks, and its latest matches."""
    found = bots.get(ports, name=request.path_params["bot"])
    shown = window(request)
    playing = found.active and times.of_version(ports, version_id=found.active)
    submitted = versions.history(ports, bot=found.name)
    suspended = [version for version in submitted if version.state is VersionState.SUSPENDED]
    return Page(
        "bot.html",
        {
            "bot": found,
            "times": playing or None,
            "versions": submitted,
            "stages": stages.shown(ports, version_ids=[version.id for version in submitted]),
            "suspensions": [(version, stages.of(ports, version_id=version.id)[-1].stage) for version in suspended],
            "matches": contests.browse(ports, bot_id=found.id, limit=shown.limit, offset=shown.offset),
            "window": shown,
        },
    )


def matches(ports: Ports, request: Request) -> Page:
    """Show matches, newest first."""
    shown = window(request)
    return Page(
        "matches.html", {"matches": contests.browse(ports, limit=shown.limit, offset=shown.offset), "window": shown}
    )


def match(ports: Ports, request: Request) -> Page:
    """Show a match: both ways of every board, verdicts, decision times and replays."""
    detail = contests.get(ports, match_id=request.path_params["match_id"])
    failed = [
        Failure(table, seat, next_step(detail.match, table.result, seat))
        for table in detail.tables
        for seat, verdict in enumerate(table.result.verdicts)
        if verdict is not Verdict.OK
    ]
    times = [(side.title, times_at(detail, side.version_id)) for side in (detail.match.a, detail.match.b) if side]
    return Page(
        "match.html",
        {"match": detail.match, "tables": detail.tables, "failures": failed},
        {"seats": _seats(detail.match), "times": times},
    )


@dataclass(frozen=True, slots=True)
class Failure:
    """A seat that did not play to the end: its table, and what its author does next (English, Chinese)."""

    table: Table
    seat: int
    next_step: tuple[str, str]


def _seats(found: Match) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the titles by seat for way 0 and for way 1."""
    a, b = found.a.title, found.b.title if found.b else "–"
    return (a, b, a, b), (b, a, b, a)


def replay(ports: Ports, request: Request) -> Page:
    """Show a table at one moment: hands, trick and the log of moves."""
    found = replays.get(ports, table_id=request.path_params["table_id"])
    scene = scene_of(found.lines, moment=request.query_params.get("n", ""), seat=request.query_params.get("seat", ""))
    data = {
        "table_id": found.table_id,
        "match_id": found.match_id,
        "digest": found.digest,
        "moment": scene.moment,
        "last": scene.last,
    }
    return Page("replay.html", data, {"scene": scene})


def replay_file(request: Request) -> Response:
    """Hand out the replay as it was recorded."""
    found = replays.get(request.app.state.ports, table_id=request.path_params["table_id"])
    return Response(found.lines, media_type="application/jsonl", headers={"etag": f'"{found.digest}"'})
