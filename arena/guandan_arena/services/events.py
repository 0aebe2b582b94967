"""Events: ladder nights from the published commitment to the revealed secret."""

from __future__ import annotations

from guandan_engine.clock import Clocks

from guandan_arena.ports import Ports
from guandan_arena.services.records import Account, Entrant, Event, Round, Standing


def open_night(
    ports: Ports,
    *,
    rounds: int | None = None,
    boards: int | None = None,
    rules: str | None = None,
    clocks: Clocks | None = None,
    name: str | None = None,
    caller: Account | None = None,
) -> Event:
    """Open a night with every active version and pair its first round; None takes the setting.

    Raises Refused (code ``too_few_entrants``, ``paused``, ``night_running``). ``caller`` None is the machine itself.
    """
    raise NotImplementedError


def advance(ports: Ports, *, event_id: str) -> Event:
    """Close the round if its last match is over, then pair the next or end the event. Any number of calls do it once."""
    raise NotImplementedError


def stop(ports: Ports, *, event_id: str, caller: Account | None = None) -> Event:
    """End an event now: matches not yet finished are void, the secret is revealed."""
    raise NotImplementedError


def pause(ports: Ports, *, paused: bool, caller: Account | None = None) -> None:
    """The one switch: while paused no night opens, no round is paired, no match is claimed. Running matches finish."""
    raise NotImplementedError


def is_paused(ports: Ports) -> bool:
    """Whether the switch is on."""
    raise NotImplementedError


def get(ports: Ports, *, event_id: str) -> Event:
    """Return an event."""
    raise NotImplementedError


def browse(ports: Ports, *, limit: int = 50, offset: int = 0) -> tuple[Event, ...]:
    """Return events, newest first."""
    raise NotImplementedError


def entrants(ports: Ports, *, event_id: str) -> tuple[Entrant, ...]:
    """Return the entrants by seed."""
    raise NotImplementedError


def rounds(ports: Ports, *, event_id: str) -> tuple[Round, ...]:
    """Return the rounds paired so far."""
    raise NotImplementedError


def standings(ports: Ports, *, event_id: str) -> tuple[Standing, ...]:
    """Return the standings after the matches finished so far."""
    raise NotImplementedError
