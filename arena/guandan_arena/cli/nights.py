"""Following a night to its end, and its standings as rows."""

from __future__ import annotations

import time
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from guandan_arena.errors import Unavailable
from guandan_arena.ports import Ports
from guandan_arena.services import events, matches
from guandan_arena.services.records import Event, Match, RatingFit, Standing
from guandan_arena.services.states import EventState, MatchEnding, MatchState

STANDING_COLUMNS: Final = (
    "place",
    "bot",
    "match_points",
    "won_drawn_lost",
    "points_per_board",
    "elo_before",
    "elo_after",
    "fit",
    "fit_low",
    "fit_high",
    "faults",
    "p50_ms",
    "p99_ms",
)
_POLL_S: Final = 0.5
_SILENCE_S: Final = 60.0
_MATCHES: Final = 10_000


def follow(ports: Ports, event: Event, console: Console) -> Event:
    """Show progress until the event is over; raise Unavailable when SQL has been silent for a minute."""
    heard = time.monotonic()
    with _Progress(console) as progress:
        while True:
            try:
                event = events.get(ports, event_id=event.id)
                progress.show(matches.browse(ports, event_id=event.id, limit=_MATCHES))
                heard = time.monotonic()
            except Unavailable:
                if time.monotonic() - heard > _SILENCE_S:
                    raise
            if event.state is EventState.OVER:
                return event
            time.sleep(_POLL_S)


def standing_rows(standings: tuple[Standing, ...]) -> list[dict[str, object]]:
    """Return the standings as rows: Elo before and after, points per board, own faults, decision times."""
    return [
        {
            "place": line.place,
            "bot": line.entrant.title,
            "match_points": line.match_points,
            "won_drawn_lost": f"{line.wins}-{line.draws}-{line.losses}",
            "points_per_board": round(line.points_per_board, 2),
            "elo_before": line.elo_before_milli / 1000,
            "elo_after": line.elo_after_milli / 1000,
            **_fit(line.fit),
            "faults": ", ".join(f"{n}x {verdict}" for verdict, n in line.faults.by_verdict.items() if n) or "none",
            "p50_ms": line.decisions.whole.p50_ms,
            "p99_ms": line.decisions.whole.p99_ms,
        }
        for line in standings
    ]


def _fit(fit: RatingFit | None) -> dict[str, object]:
    """Return the refitted rating and its 95 % interval; nothing before the night is over."""
    if fit is None:
        return dict.fromkeys(("fit", "fit_low", "fit_high"))
    return {"fit": fit.elo_milli / 1000, "fit_low": fit.low_milli / 1000, "fit_high": fit.high_milli / 1000}


class _Progress:
    """A bar for each round on a terminal, a line for each match anywhere else."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._seen: set[str] = set()
        self._bars: dict[int, TaskID] = {}
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=console, disable=not console.is_terminal)

    def __enter__(self) -> _Progress:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, found: tuple[Match, ...]) -> None:
        """Bring the bars up to date, and tell of the matches that have ended since."""
        for match in reversed(found):
            if match.round not in self._bars:
                self._bars[match.round] = self._progress.add_task(f"round {match.round}", total=None)
        for number, bar in self._bars.items():
            all_of = [match for match in found if match.round == number]
            ended = [match for match in all_of if match.state in (MatchState.DONE, MatchState.VOID)]
            self._progress.update(bar, total=len(all_of), completed=len(ended))
            for match in ended:
                if match.id not in self._seen:
                    self._seen.add(match.id)
                    self._console.print(_line(match), highlight=False, markup=False)


def _line(match: Match) -> str:
    if match.b is None:
        return f"round {match.round}: {match.a.title} has a bye"
    end = "" if match.ending in (None, MatchEnding.PLAYED) else f" ({match.ending.value})"
    return f"round {match.round}: {match.a.title} {match.score:+d} {match.b.title}{end}"
