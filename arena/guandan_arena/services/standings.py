"""The standings of an event: places from the tournament, Elo, faults and times from its matches and tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from guandan_arena import tournaments
from guandan_arena.services.pairing import field_of, history_of
from guandan_arena.services.records import Entrant, Event, Faults, Match, RatingFit, Standing, Table
from guandan_arena.tournaments import Result
from guandan_engine.board import entrant_of
from guandan_engine.conduct import Verdict
from guandan_engine.decisions import DecisionTimes


def standings(
    event: Event,
    entrants: Sequence[Entrant],
    matches: Sequence[Match],
    tables: Iterable[Table],
    fits: Mapping[str, RatingFit],
) -> tuple[Standing, ...]:
    """Return the standings after these matches. Full ties stand in order of seed."""
    history = history_of(matches)
    placed = tournaments.standings(field_of(event, entrants), history)
    by_id = {entrant.version_id: entrant for entrant in entrants}
    deltas, records = _deltas(matches), _records(history)
    boards, faults, times = _from_tables(matches, tables)
    lines = []
    for line in placed:
        entrant = by_id[line.entrant]
        won, drawn, lost = records[line.entrant]
        lines.append(
            Standing(
                place=line.place,
                entrant=entrant,
                match_points=line.points,
                points=line.gain,
                boards=boards[line.entrant] // 2,
                wins=won,
                draws=drawn,
                losses=lost,
                elo_before_milli=entrant.elo_milli,
                elo_after_milli=entrant.elo_milli + deltas[line.entrant],
                faults=Faults(dict(faults[line.entrant])),
                decisions=DecisionTimes.total(times[line.entrant]),
                fit=fits.get(line.entrant),
            )
        )
    return tuple(sorted(lines, key=lambda s: (s.place, s.entrant.seed)))


def entrant_at(match: Match, way: int, seat: int) -> str:
    """Return the version that sat at a seat."""
    assert match.b is not None
    return (match.a, match.b)[entrant_of(seat, way)].version_id


def _deltas(matches: Iterable[Match]) -> Counter[str]:
    deltas: Counter[str] = Counter()
    for match in matches:
        deltas[match.a.version_id] += match.delta_milli
        if match.b is not None:
            deltas[match.b.version_id] -= match.delta_milli
    return deltas


def _records(history: Iterable[Result]) -> dict[str, tuple[int, int, int]]:
    """Count wins, draws and losses."""
    counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for result in history:
        counts[result.a][result.points[0]] += 1
        if result.b is not None:
            counts[result.b][result.points[1]] += 1
    order = (tournaments.WIN, tournaments.DRAW, tournaments.LOSS)
    records: defaultdict[str, tuple[int, int, int]] = defaultdict(lambda: (0, 0, 0))
    for entrant, count in counts.items():
        won, drawn, lost = (count[points] for points in order)
        records[entrant] = (won, drawn, lost)
    return records


def _from_tables(
    matches: Iterable[Match], tables: Iterable[Table]
) -> tuple[Counter[str], defaultdict[str, Counter[Verdict]], defaultdict[str, list[DecisionTimes]]]:
    """Count the tables, the faulty tables by verdict and the decision times of each entrant."""
    by_id = {match.id: match for match in matches}
    played: Counter[str] = Counter()
    faults: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
    times: defaultdict[str, list[DecisionTimes]] = defaultdict(list)
    for table in tables:
        match, result = by_id[table.match_id], table.result
        for side in (0, 1):
            entrant = entrant_at(match, result.way, side)
            played[entrant] += 1
            times[entrant] += (result.decisions[side], result.decisions[side + 2])
            worst = max(result.verdicts[side], result.verdicts[side + 2], key=lambda verdict: verdict.priority)
            if worst.is_bots:
                faults[entrant][worst] += 1
    return played, faults, times
