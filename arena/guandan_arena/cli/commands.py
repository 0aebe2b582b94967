"""The `guandan-arena` commands: each parses, calls one service, writes the answer."""

from __future__ import annotations

import os
import sys
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final

import typer

from guandan_arena.app import opened
from guandan_arena.cli import nights, runtimes, screen, tables, tokens
from guandan_arena.cli import status as states
from guandan_arena.cli.display import Display
from guandan_arena.cli.parts import beat_arguments, worker_arguments
from guandan_arena.cli.rulefile import rules_named
from guandan_arena.cli.screen import Format
from guandan_arena.cli.up import up as bring_up
from guandan_arena.errors import InvalidArgument
from guandan_arena.live import connection
from guandan_arena.services import accounts, events, ladder
from guandan_arena.services import audit as audits
from guandan_arena.settings import Settings
from guandan_arena.settings import read as read_settings
from guandan_arena.store.migrate import migrate as migrate_store

EXIT_FAILED: Final = 1

app = typer.Typer(
    name="guandan-arena",
    help="Run and look after a Guandan arena.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
ratings = typer.Typer(help="The live ratings in Redis.", no_args_is_help=True)
app.add_typer(ratings, name="ratings")
app.add_typer(tables.app, name="table")
app.add_typer(tokens.app, name="account")
app.add_typer(runtimes.app, name="runtimes")

Form = Annotated[Format, typer.Option("--format", help="How the answer is written.")]


@app.callback()
def _choose_settings(
    config: Annotated[Path | None, typer.Option(help="A TOML file of settings; the environment wins over it.")] = None,
) -> None:
    if config is not None:
        os.environ["GUANDAN_CONFIG"] = str(config.resolve())


@app.command()
def up() -> None:
    """Run a whole arena on this machine: Valkey, server, worker and beat, until Ctrl-C.

    Example: GUANDAN_DATA_DIR=var/arena guandan-arena up
    """
    bring_up(_settings(), Display(out=screen.out(), err=screen.err()))


@app.command()
def serve() -> None:
    """Run the gRPC server and the site.

    Example: GUANDAN_GRPC_PORT=50051 GUANDAN_WEB_PORT=8080 guandan-arena serve
    """
    from guandan_arena.cli.serving import serve as run  # brings gRPC, beside which `up` must not fork

    run(_settings())


@app.command()
def worker(
    name: Annotated[str | None, typer.Option(help="Name of this worker, unique among all.")] = None,
    remote: Annotated[bool, typer.Option("--remote", help="Play the games of remote bots, and nothing else.")] = False,
) -> None:
    """Run a worker that plays matches and checks, or with --remote one for the games of remote bots.

    Example: guandan-arena worker --name worker-1@table-host
    """
    settings = _settings()
    if remote and not settings.door_ports:
        hint = "set remote_host and remote_ports, or leave --remote away"
        raise InvalidArgument("no_remote_ports", "no remote bot could come in to this worker", hint)
    with opened(settings):  # Celery would wait for ever for what does not answer
        pass
    unique = name or f"worker-{os.getpid()}@{os.uname().nodename}"
    _become(worker_arguments(settings, name=unique, remote=remote))


@app.command()
def beat() -> None:
    """Run the clock that asks for sweeps and nights; one for the whole arena.

    Example: guandan-arena beat
    """
    settings = _settings()
    connection.wait(settings.broker_url, wait_ms=settings.start_wait_ms)
    (settings.data_dir / "run").mkdir(parents=True, exist_ok=True)
    _become(beat_arguments(settings))


@app.command()
def migrate() -> None:
    """Bring the database to the newest schema; doing it again changes nothing.

    Example: guandan-arena migrate
    """
    settings = _settings()
    screen.out().print(migrate_store(settings.store_url, wait_ms=settings.start_wait_ms), highlight=False)


@app.command()
def night(
    rounds: Annotated[int | None, typer.Option(help="Swiss rounds.")] = None,
    boards: Annotated[int | None, typer.Option(help="Boards of each match; each is played both ways.")] = None,
    rules: Annotated[str | None, typer.Option(metavar="NAME|FILE", help="Rule set, or a TOML file.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the night.")] = None,
    remote: Annotated[bool, typer.Option("--remote", help="An unrated open event: remote bots enter too.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Follow it to its end and write the standings.")] = False,
    form: Form = Format.TABLE,
) -> None:
    """Open a rated night of all active bots; write its id, or with --wait its standings.

    Remote bots are in it only with --remote, which makes it an open event that moves no rating.

    Example: guandan-arena night --rounds 5 --boards 4 --wait
    """
    chosen = rules_named(rules)
    with opened(_settings()) as ports:
        event = events.open_night(ports, rounds=rounds, boards=boards, rules=chosen, name=name, remote=remote)
        if not wait:
            screen.out().print(event.id, highlight=False)
            return
        told = screen.err()
        told.print(f"{event.name} is open: {event.id}, commitment {event.commitment}", highlight=False, soft_wrap=True)
        try:
            nights.follow(ports, event, told)
        except KeyboardInterrupt:
            told.print("no longer followed; the night goes on without it", highlight=False)
            raise
        rows = nights.standing_rows(events.standings(ports, event_id=event.id))
        screen.write(rows, columns=nights.STANDING_COLUMNS, title=f"Standings of {event.name}", form=form)


@app.command()
def stop(event: Annotated[str, typer.Argument(help="Id of the event.")]) -> None:
    """End an event now: open matches are void, finished ones count, the secret is revealed.

    Example: guandan-arena stop ew45x3eridr5gy
    """
    with opened(_settings()) as ports:
        ended = events.stop(ports, event_id=event)
    screen.out().print(f"{ended.name} is {ended.state}; finished matches count", highlight=False)


@app.command()
def pause() -> None:
    """Stop rated play: no night opens, no round is paired, no match begins; running matches finish.

    Example: guandan-arena pause
    """
    with opened(_settings()) as ports:
        events.pause(ports, paused=True)
    screen.out().print("paused; go on with: guandan-arena resume", highlight=False)


@app.command()
def resume() -> None:
    """Go on after a pause; what waits is found within a sweep.

    Example: guandan-arena resume
    """
    with opened(_settings()) as ports:
        events.pause(ports, paused=False)
    screen.out().print("resumed", highlight=False)


@app.command()
def operator(
    account: Annotated[str, typer.Argument(help="Name of the account.")],
    remove: Annotated[bool, typer.Option("--remove", help="Take the right away.")] = False,
) -> None:
    """Let an account open nights through the API, or no longer.

    Example: guandan-arena operator ada
    """
    with opened(_settings()) as ports:
        changed = accounts.set_operator(ports, name=account, operator=not remove)
    screen.out().print(f"{changed.name} is {'an' if changed.operator else 'no'} operator", highlight=False)


@app.command()
def audit(
    event: Annotated[str | None, typer.Option(help="Only this event.")] = None, form: Form = Format.TABLE
) -> None:
    """Check everything that the stored data can prove; exit code 1 when something is wrong.

    Example: guandan-arena audit --format json
    """
    with opened(_settings()) as ports:
        report = audits.run(ports, event_id=event)
    rows = [{"code": f.code, "subject": f.subject, "reason": f.reason} for f in report.findings]
    looked_at = f"{report.events} events, {report.matches} matches, {report.tables} tables, {report.replays} replays"
    if form is not Format.TABLE or rows:
        screen.write(rows, columns=("code", "subject", "reason"), title="Findings", form=form)
    (screen.out() if form is Format.TABLE else screen.err()).print(
        f"audit: {looked_at}: {'clean' if report.clean else f'{len(rows)} findings'}", highlight=False
    )
    if not report.clean:
        raise typer.Exit(EXIT_FAILED)


@ratings.command()
def rebuild() -> None:
    """Rebuild all ratings from SQL, and say whether that changed a byte.

    Example: guandan-arena ratings rebuild
    """
    with opened(_settings()) as ports:
        before = ports.ladder.dump()
        after = ladder.rebuild(ports)
    verdict = "identical" if before == after else f"changed, was sha256 {sha256(before).hexdigest()}"
    screen.out().print(f"{len(after)} bytes, sha256 {sha256(after).hexdigest()}: {verdict}", highlight=False)


@ratings.command()
def dump() -> None:
    """Write all ratings and applied changes as one canonical text.

    Example: guandan-arena ratings dump > ratings.txt
    """
    with opened(_settings()) as ports:
        sys.stdout.buffer.write(ports.ladder.dump())


@app.command()
def status(form: Form = Format.TABLE) -> None:
    """Show the arena that is up in the data folder; exit code 1 when it is not, or a part of it is not ready.

    Example: guandan-arena status --format json
    """
    found = states.read(_settings().data_dir)
    screen.write(found.parts, columns=states.COLUMNS, title=found.title, form=form)
    if not found.well:
        raise typer.Exit(EXIT_FAILED)


def _settings() -> Settings:
    return read_settings(os.environ)


def _become(arguments: list[str]) -> None:
    """Turn this process into Python run with these arguments."""
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *arguments])  # noqa: S606 - there is no shell
