"""`python -m demo`: start an arena, let eight authors submit their bots, play a night, audit it, show where to look."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import grpc
from rich.console import Console

from demo.authors import BOTS, CALL_SECONDS, explain, register, wait_for_checks
from demo.screen import NightProgress, standings_table
from demo.server import ROOT, DemoFailed, Server
from guandan_proto.v1 import arena_pb2, arena_pb2_grpc, nights_pb2

NIGHT_SECONDS = 480
POLL_SECONDS = 0.5


def main() -> int:
    """Run the demonstration; 0 when everything held, 1 when something failed, 130 after Ctrl-C before the end."""
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--once", action="store_true", help="end after the audit instead of staying up")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--boards", type=int, default=3, help="boards of each match; each is played at two tables")
    parser.add_argument("--data", type=Path, default=ROOT / "var" / "demo", help="emptied at the start")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell starts background jobs with SIGINT ignored
        signal.signal(number, _as_interrupt)
    console = _console()
    try:
        with Server(options.data) as server:
            return _show(console, server, options)
    except KeyboardInterrupt:
        console.print("stopped")
        return 130
    except DemoFailed as failure:
        console.print(f"demo failed: {failure}", style="red", markup=False, highlight=False)
    except grpc.RpcError as error:
        console.print(f"demo failed: a call was refused: {explain(error)}", style="red", markup=False, highlight=False)
    except subprocess.TimeoutExpired as error:
        console.print(f"demo failed: {error}", style="red", markup=False, highlight=False)
    return 1


def _console() -> Console:
    """The terminal, or wide paper: a file or a pipe has no width of its own."""
    console = Console()
    return console if console.is_terminal else Console(width=140)


def _as_interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _show(console: Console, server: Server, options: argparse.Namespace) -> int:
    console.print(f"The arena is up: gRPC on {server.target}, the site on {server.site}")
    with grpc.insecure_channel(server.target) as channel:
        stub = arena_pb2_grpc.ArenaServiceStub(channel)
        _submit_all(console, server, stub)
        event = _play_night(console, server, stub, options.rounds, options.boards)
        replay = _a_table(stub, event.event.id)
    console.print(standings_table(event.standings))
    held = _audit(console, server)
    for title, path in (("Site", ""), ("Night", f"/events/{event.event.id}"), ("Replay", f"/replays/{replay}")):
        console.print(f"{title:<7} {_page(server.site + path)}", highlight=False, soft_wrap=True)
    if options.once or not held:
        return 0 if held else 1
    console.print("Ctrl-C stops the arena.")
    return _stay(server)


def _submit_all(console: Console, server: Server, stub: arena_pb2_grpc.ArenaServiceStub) -> None:
    bots = sorted(path.name for path in BOTS.iterdir() if (path / "bot.toml").is_file())
    console.print(f"{len(bots)} authors submit their bots: {', '.join(bots)}")
    versions = {}
    for bot in bots:
        _, version_id = register(stub, bot)
        versions[version_id] = bot
    started = time.monotonic()
    with console.status("checks") as status:

        def done(bot: str) -> None:
            console.print(f"  {bot} passed its check after {time.monotonic() - started:.0f} s", highlight=False)
            status.update("checks")

        wait_for_checks(stub, versions, done=done, alive=server.check_alive)
    sandbox = server.sandbox()
    unsafe = sandbox.startswith("process")
    console.print(f"Sandbox {sandbox}", style="bold red" if unsafe else None, markup=False, highlight=False)


def _play_night(
    console: Console, server: Server, stub: arena_pb2_grpc.ArenaServiceStub, rounds: int, boards: int
) -> arena_pb2.GetEventResponse:
    """Open the night as an operator does, and follow it over the public API as anyone can."""
    opened = server.run("night", "--rounds", str(rounds), "--boards", str(boards))
    if opened.returncode != 0:
        raise DemoFailed(f"guandan-arena night ended with code {opened.returncode}\n{opened.stderr}")
    event_id = opened.stdout.strip()
    console.print(f"A night of {rounds} rounds, {boards} boards a match")
    until = time.monotonic() + NIGHT_SECONDS
    with NightProgress(console) as progress:
        while True:
            server.check_alive()
            event = stub.GetEvent(arena_pb2.GetEventRequest(event_id=event_id), timeout=CALL_SECONDS)
            progress.show(event.rounds)
            if event.event.state == nights_pb2.EVENT_STATE_OVER:
                return event
            if time.monotonic() > until:
                raise DemoFailed(f"the night was not over after {NIGHT_SECONDS} s\n{server.log_end()}")
            time.sleep(POLL_SECONDS)


def _a_table(stub: arena_pb2_grpc.ArenaServiceStub, event_id: str) -> str:
    """A table of the last match that was played."""
    matches = stub.ListMatches(
        arena_pb2.ListMatchesRequest(event_id=event_id, page_size=200), timeout=CALL_SECONDS
    ).matches
    void = [match.id for match in matches if match.state == nights_pb2.MATCH_STATE_VOID]
    if void:
        raise DemoFailed(f"our own faults made matches void: {', '.join(void)}")
    played = [match for match in matches if match.ending == nights_pb2.MATCH_ENDING_PLAYED]
    if not played:
        raise DemoFailed("no match of the night was played")
    match = stub.GetMatch(arena_pb2.GetMatchRequest(match_id=played[0].id), timeout=CALL_SECONDS).match
    return match.tables[0].table_id


def _audit(console: Console, server: Server) -> bool:
    audit = server.run("audit")
    console.print(audit.stdout.rstrip() or audit.stderr.rstrip(), markup=False, highlight=False)
    held = audit.returncode == 0
    console.print("The audit is clean." if held else "The audit found faults.", style="green" if held else "red")
    return held


def _page(url: str) -> str:
    """The address, once the page behind it has answered."""
    try:
        with urllib.request.urlopen(url, timeout=CALL_SECONDS):
            return url
    except OSError as error:
        raise DemoFailed(f"{url} does not answer: {error}") from error


def _stay(server: Server) -> int:
    """Stay until Ctrl-C; end with a message when the arena dies before."""
    waiting = threading.Event()
    try:
        while not waiting.wait(1):
            server.check_alive()
    except KeyboardInterrupt:
        print("\nstopping")
    return 0


if __name__ == "__main__":
    sys.exit(main())
