"""The `guandan-arena` commands: each parses, calls one service, writes the answer."""

from __future__ import annotations

import os
import sys
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final

import typer

from guandan_arena.app import build
from guandan_arena.cli import nights, screen, tables
from guandan_arena.cli import status as states
from guandan_arena.cli.display import Display
from guandan_arena.cli.parts import beat_arguments, worker_arguments
from guandan_arena.cli.rulefile import rules_named
from guandan_arena.cli.screen import Format
from guandan_arena.cli.up import up as bring_up
from guandan_arena.services import audit as audits
from guandan_arena.services import events, ladder
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

Form = Annotated[Format, typer.Option("--format", help="How the answer is written.")]


@app.callback()
def _choose_settings(
    config: Annotated[Path | None, typer.Option(help="A TOML file of settings; the environment wins over it.")] = None,
) -> None:
    if config is not None:
        os.environ["GUANDAN_CONFIG"] = str(config.resolve())


@app.command()
def up() -> None:
    """Run a whole arena on this machine: Valkey, server, worker and beat, until Ctrl-C."""
    bring_up(_settings(), Display(out=screen.out(), err=screen.err()))


@app.command()
def serve() -> None:
    """Run the gRPC server and the site."""
    from guandan_arena.cli.serving import serve as run  # brings gRPC, beside which `up` must not fork

    run(_settings())


@app.command()
def worker(name: Annotated[str | None, typer.Option(help="Name of this worker, unique among all.")] = None) -> None:
    """Run a worker that plays matches."""
    unique = name or f"worker-{os.getpid()}@{os.uname().nodename}"
    _become(worker_arguments(_settings(), name=unique))


@app.command()
def beat() -> None:
    """Run the clock that asks for sweeps and nights; one for the whole arena."""
    settings = _settings()
    (settings.data_dir / "run").mkdir(parents=True, exist_ok=True)
    _become(beat_arguments(settings))


@app.command()
def migrate() -> None:
    """Bring the database to the newest schema; doing it again changes nothing."""
    settings = _settings()
    screen.out().print(migrate_store(settings.store_url, wait_ms=settings.start_wait_ms), highlight=False)


@app.command()
def night(
    rounds: Annotated[int | None, typer.Option(help="Swiss rounds.")] = None,
    boards: Annotated[int | None, typer.Option(help="Boards of each match; each is played both ways.")] = None,
    rules: Annotated[str | None, typer.Option(metavar="NAME|FILE", help="Rule set, or a TOML file.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the night.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Follow it to its end and write the standings.")] = False,
    form: Form = Format.TABLE,
) -> None:
    """Open a rated night of all active bots; write its id, or with --wait its standings."""
    chosen = rules_named(rules)
    ports = build(_settings())
    event = events.open_night(ports, rounds=rounds, boards=boards, rules=chosen, name=name)
    if not wait:
        screen.out().print(event.id, highlight=False)
        return
    screen.err().print(f"{event.name} is open: {event.id}, commitment {event.commitment}", highlight=False)
    nights.follow(ports, event, screen.err())
    rows = nights.standing_rows(events.standings(ports, event_id=event.id))
    screen.write(rows, columns=nights.STANDING_COLUMNS, title=f"Standings of {event.name}", form=form)


@app.command()
def audit(
    event: Annotated[str | None, typer.Option(help="Only this event.")] = None, form: Form = Format.TABLE
) -> None:
    """Check everything that the stored data can prove; exit code 1 when something is wrong."""
    report = audits.run(build(_settings()), event_id=event)
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
    """Rebuild all ratings from SQL, and say whether that changed a byte."""
    ports = build(_settings())
    before = ports.ladder.dump()
    after = ladder.rebuild(ports)
    verdict = "identical" if before == after else f"changed, was sha256 {sha256(before).hexdigest()}"
    screen.out().print(f"{len(after)} bytes, sha256 {sha256(after).hexdigest()}: {verdict}", highlight=False)


@ratings.command()
def dump() -> None:
    """Write all ratings and applied changes as one canonical text."""
    sys.stdout.buffer.write(build(_settings()).ladder.dump())


@app.command()
def status(form: Form = Format.TABLE) -> None:
    """Show the arena that is up in the data folder; exit code 1 when it is not, or a part of it is not ready."""
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
