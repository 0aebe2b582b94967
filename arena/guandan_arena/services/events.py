"""Events: ladder nights and open events, from the published commitment to the revealed secret."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from guandan_arena.errors import InvalidArgument, Refused
from guandan_arena.ports import Ports, Transaction
from guandan_arena.services.accounts import require_operator
from guandan_arena.services.afterwards import attempt
from guandan_arena.services.identity import fresh_id, require_name
from guandan_arena.services.pairing import FRESH, pair
from guandan_arena.services.records import (
    Account,
    AuditEntry,
    Entrant,
    Event,
    Match,
    NightSpec,
    Rating,
    Round,
    Standing,
    Version,
)
from guandan_arena.services.refitting import refitted
from guandan_arena.services.remotes import CONNECT_MS, require_door
from guandan_arena.services.standings import standings as standings_of
from guandan_arena.services.states import EventKind, EventState, MatchEnding, MatchState, RoundState
from guandan_arena.settings import Settings
from guandan_engine.board import longest_ms
from guandan_engine.clock import Clocks
from guandan_engine.errors import InvalidRules
from guandan_engine.rules import RuleSet, load, presets
from guandan_engine.shuffle import commit

MACHINE: Final = "arena"
NOT_NOW: Final = frozenset({"night_running", "paused", "too_few_entrants"})
"""Why no night can be opened now, though there is nothing to be put right."""
_SECRET_BYTES: Final = 32
_MOST_RUNNING: Final = 1000
_MOST_ROUNDS: Final = 64
_MOST_BOARDS: Final = 64


def open_night(
    ports: Ports,
    *,
    rounds: int | None = None,
    boards: int | None = None,
    rules: str | RuleSet | None = None,
    clocks: Clocks | None = None,
    name: str | None = None,
    remote: bool = False,
    caller: Account | None = None,
) -> Event:
    """Open a night with every active version and pair its first round; None takes the setting.

    ``rules``: the name of a preset, or a rule set of the organiser's own. ``remote``: an open event, which takes remote
    bots too and is unrated; a night leaves them out.

    Raises Refused (code ``too_few_entrants``, ``paused``, ``night_running``). ``caller`` None is the machine itself.
    """
    actor = _actor(caller)
    kind = EventKind.OPEN if remote else EventKind.NIGHT
    if remote:
        require_door(ports)
    spec = _spec(ports, rounds, boards, _clocks(ports.settings, kind) if clocks is None else clocks)
    frozen = _rules(ports.settings.night_rules if rules is None else rules)
    now = ports.clock.now_ms()
    with ports.store.transaction() as tx:
        versions = _playing(tx, kind)
        chosen = _free_name(tx, kind, now) if name is None else require_name(name, what="an event")
        kept = replace(spec, owners_apart=_owners_can_be_apart(versions))
        event, secret = _running(ports, kind, name=chosen, spec=kept, rules=frozen, now_ms=now)
        entrants = _seeded(event.id, versions, tx)
        tx.events.add(event, secret, entrants)
        tx.audit.add(AuditEntry(now, actor, "event.open", event.id, event.commitment))
        matches = pair(tx, event, 1, entropy=ports.entropy, now_ms=now)
    if kind.is_rated:
        attempt(lambda: ports.ladder.enter(dict.fromkeys(_ids(entrants), FRESH.elo_milli)), what=f"enter {event.id}")
    enqueue(ports, matches)
    return event


def _playing(tx: Transaction, kind: EventKind) -> tuple[Version, ...]:
    """Return the versions that an event is opened for; raise Refused when none of its kind can be opened."""
    if tx.events.paused():
        raise Refused("paused", "the arena is paused", "an operator can resume it")
    _require_alone(tx, kind)
    versions = tuple(v for v in tx.versions.active() if kind is EventKind.OPEN or not v.remote)
    if len(versions) < 2:
        raise Refused(
            "too_few_entrants", f"a night needs 2 active bots, there are {len(versions)}", "submit another bot"
        )
    return versions


def _running(
    ports: Ports, kind: EventKind, *, name: str, spec: NightSpec, rules: Mapping[str, object], now_ms: int
) -> tuple[Event, bytes]:
    """Return an event that runs, and the secret it is committed to."""
    event_id = fresh_id(ports.entropy, "e")
    secret = ports.entropy.token_bytes(_SECRET_BYTES)
    event = Event(
        id=event_id,
        name=name,
        kind=kind,
        state=EventState.RUNNING,
        rules=rules,
        spec=spec,
        commitment=commit(secret, event_id),
        secret=None,
        created_ms=now_ms,
        closed_ms=None,
    )
    return event, secret


def advance(ports: Ports, *, event_id: str) -> Event:
    """Close the round if its last match is over, then pair the next or end the event. More calls change nothing."""
    while True:
        with ports.store.transaction() as tx:
            event, matches = _step(ports, tx, event_id)
        enqueue(ports, matches or ())
        if matches is None or matches:
            return event


def stop(ports: Ports, *, event_id: str, caller: Account | None = None) -> Event:
    """End an event now: matches not yet finished are void, the secret is revealed. Stopping again changes nothing."""
    actor, now = _actor(caller), ports.clock.now_ms()
    with ports.store.transaction() as tx:
        event = tx.events.lock(event_id)
        if event.state is EventState.OVER:
            return event
        for match in tx.pairings.of_event(event_id):
            _void(tx, match.id, now)
        for item in tx.events.rounds(event_id):
            if item.state is RoundState.OPEN:
                tx.events.close_round(event_id, item.number, now)
        return _end(tx, event_id, now, AuditEntry(now, actor, "event.stop", event_id))


def pause(ports: Ports, *, paused: bool, caller: Account | None = None) -> None:
    """Turn the one switch: while paused no night opens, no round is paired, no match is claimed. Running ones end."""
    actor, now = _actor(caller), ports.clock.now_ms()
    with ports.store.transaction() as tx:
        tx.events.set_paused(paused)
        tx.audit.add(AuditEntry(now, actor, "arena.pause" if paused else "arena.resume", MACHINE))


def get(ports: Ports, *, event_id: str) -> Event:
    """Return an event."""
    with ports.store.snapshot() as tx:
        return tx.events.get(event_id)


def browse(ports: Ports, *, limit: int = 50, offset: int = 0) -> tuple[Event, ...]:
    """Return events, newest first."""
    with ports.store.snapshot() as tx:
        return tx.events.browse(limit=limit, offset=offset)


def entrants(ports: Ports, *, event_id: str) -> tuple[Entrant, ...]:
    """Return the entrants by seed."""
    with ports.store.snapshot() as tx:
        tx.events.get(event_id)
        return tx.events.entrants(event_id)


def rounds(ports: Ports, *, event_id: str) -> tuple[Round, ...]:
    """Return the rounds paired so far."""
    with ports.store.snapshot() as tx:
        tx.events.get(event_id)
        return tx.events.rounds(event_id)


def standings(ports: Ports, *, event_id: str) -> tuple[Standing, ...]:
    """Return the standings after the matches finished so far."""
    with ports.store.snapshot() as tx:
        event, field = tx.events.get(event_id), tx.events.entrants(event_id)
        matches, tables = tx.pairings.of_event(event_id), tx.tables.of_event(event_id)
        return standings_of(event, field, matches, tables, tx.fits.of_event(event_id))


def enqueue(ports: Ports, matches: Iterable[Match]) -> None:
    """Put matches in the queue; from the first that cannot be put there now, the reaper finds them."""

    def put_all() -> None:
        for match in matches:
            ports.queue.play_match(match.id, remote=match.remote)

    attempt(put_all, what="queue matches")


def _step(ports: Ports, tx: Transaction, event_id: str) -> tuple[Event, tuple[Match, ...] | None]:
    """Do the next step of an event, if there is one: (event, matches of a new round), None when nothing follows."""
    event, now = tx.events.lock(event_id), ports.clock.now_ms()
    if event.state is EventState.OVER:
        return event, None
    current = tx.events.rounds(event_id)[-1]
    if tx.pairings.open_count(event_id, current.number):
        return event, None
    if current.state is RoundState.OPEN:
        tx.events.close_round(event_id, current.number, now)
    if current.number >= event.spec.rounds:
        return _end(tx, event_id, now, AuditEntry(now, MACHINE, "event.over", event_id)), None
    if tx.events.paused():
        return event, None
    tx.audit.add(AuditEntry(now, MACHINE, "round.pair", event_id, str(current.number + 1)))
    return event, pair(tx, event, current.number + 1, entropy=ports.entropy, now_ms=now)


def _end(tx: Transaction, event_id: str, now_ms: int, entry: AuditEntry) -> Event:
    """Reveal the secret and, after a rated event, write the ratings refitted over every rated board so far."""
    tx.events.close(event_id, now_ms)
    event = tx.events.get(event_id)
    if event.kind.is_rated:
        tx.fits.add(event_id, refitted(tx.tables.board_scores()))
    tx.audit.add(entry)
    return event


def _void(tx: Transaction, match_id: str, now_ms: int) -> None:
    """End an open match without a result."""
    match = tx.pairings.lock(match_id)
    if match.state in (MatchState.QUEUED, MatchState.PLAYING):
        void = replace(match, state=MatchState.VOID, ending=MatchEnding.STOPPED, finished_ms=now_ms)
        tx.pairings.save(replace(void, worker=None, lease_until_ms=None))


def _actor(caller: Account | None) -> str:
    if caller is None:
        return MACHINE
    require_operator(caller)
    return caller.name


def _clocks(settings: Settings, kind: EventKind) -> Clocks:
    """Return the usual clocks of an event; remote bots have a longer way to their tables."""
    clocks = settings.clocks
    return clocks if kind is EventKind.NIGHT else replace(clocks, connect_ms=max(CONNECT_MS, clocks.connect_ms))


def _spec(ports: Ports, rounds: int | None, boards: int | None, clocks: Clocks) -> NightSpec:
    settings = ports.settings
    spec = NightSpec(
        settings.night_rounds if rounds is None else rounds,
        settings.night_boards if boards is None else boards,
        clocks,
    )
    for what, value, most in (("rounds", spec.rounds, _MOST_ROUNDS), ("boards", spec.boards, _MOST_BOARDS)):
        if not 1 <= value <= most:
            raise InvalidArgument(f"bad_{what}", f"a night cannot have {value} {what}", f"choose 1 to {most}")
    _require_time(spec, settings.match_limit_ms)
    return spec


def _require_time(spec: NightSpec, limit_ms: int) -> None:
    """Refuse a night in which a bot could make a match void by being slow, always within its clock."""
    longest = longest_ms(spec.clocks, spec.boards)
    if longest > limit_ms:
        raise InvalidArgument(
            "match_too_long",
            f"a match of {spec.boards} boards with these clocks may take {longest} ms; match_limit_ms is {limit_ms}",
            "choose fewer boards or shorter clocks, or raise match_limit_ms",
        )


def _rules(rules: str | RuleSet) -> dict[str, object]:
    """Return all parameters of a rule set; one of the organiser's own may not bear the name of another."""
    if isinstance(rules, RuleSet):
        if rules.name in presets() and rules != load(rules.name):
            taken = f"{rules.name!r} names a rule set of the arena, and this one is not it"
            raise InvalidArgument("rules_name_taken", taken, "give it a name of its own")
        return dict(rules.as_dict())
    try:
        return dict(load(rules).as_dict())
    except InvalidRules as error:
        raise InvalidArgument("unknown_rules", str(error), "choose one of them") from error


def _require_alone(tx: Transaction, kind: EventKind) -> None:
    """Refuse a second event of a kind beside one that runs."""
    for event in tx.events.browse(state=EventState.RUNNING, limit=_MOST_RUNNING):
        if event.kind is kind:
            what = "a night" if kind is EventKind.NIGHT else "an open event"
            hint = f"wait for its end, or stop it: guandan-arena stop {event.id}"
            raise Refused("night_running", f"{what} is running: {event.name}", hint)


def _free_name(tx: Transaction, kind: EventKind, now_ms: int) -> str:
    """Name an event by its kind and date; the second of a day gets ``-2``."""
    day = datetime.fromtimestamp(now_ms / 1000, tz=UTC).strftime(f"{kind}-%Y%m%d")
    taken = {event.name for event in tx.events.browse(limit=1000)}
    number = 1
    while (name := day if number == 1 else f"{day}-{number}") in taken:
        number += 1
    return name


def _owners_can_be_apart(versions: Sequence[Version]) -> bool:
    """Whether everyone can meet someone of another owner: nobody owns more than half of the field."""
    return max(Counter(version.owner for version in versions).values()) * 2 <= len(versions)


def _seeded(event_id: str, versions: Sequence[Version], tx: Transaction) -> tuple[Entrant, ...]:
    """Return the entrants, the strongest first."""
    ratings = tx.pairings.ratings(version.id for version in versions)

    def rating(version: Version) -> Rating:
        return ratings.get(version.id, FRESH)

    ordered = sorted(versions, key=lambda version: (-rating(version).elo_milli, version.id))
    return tuple(
        Entrant(
            event_id=event_id,
            version_id=version.id,
            owner=version.owner,
            bot=version.bot,
            number=version.number,
            seed=seed,
            elo_milli=rating(version).elo_milli,
            games=rating(version).games,
            remote=version.remote,
        )
        for seed, version in enumerate(ordered, start=1)
    )


def _ids(entrants: Iterable[Entrant]) -> tuple[str, ...]:
    return tuple(entrant.version_id for entrant in entrants)
