"""Decision times of a version over its newest matches, and warnings before its time runs out."""

from __future__ import annotations

from typing import Final

from guandan_arena.ports import Ports
from guandan_arena.services.records import MatchDetail, VersionTimes
from guandan_arena.services.standings import entrant_at
from guandan_arena.services.states import MatchState
from guandan_engine.clock import Clocks
from guandan_engine.decisions import WARNING_PERCENT, DecisionPhase, Decisions, DecisionTimes, near_limit

NEWEST: Final = 50  # matches looked at

_WORDS: Final = {
    DecisionPhase.LEADING: ("leading", "领出"),
    DecisionPhase.FOLLOWING: ("following", "跟牌"),
    DecisionPhase.TRIBUTE: ("tribute", "进贡还贡"),
}


def of_version(ports: Ports, *, version_id: str) -> VersionTimes:
    """Return a version's decision times over its newest matches that are over."""
    with ports.store.snapshot() as tx:
        tx.versions.get(version_id)
        newest = tx.pairings.browse(version_id=version_id, limit=NEWEST)
        played = [match for match in newest if match.state is MatchState.DONE and match.b is not None]
        clocks = [tx.events.get(event_id).spec.clocks for event_id in sorted({match.event_id for match in played})]
        tables = tx.tables.of_matches(match.id for match in played)
    by_match = {match.id: match for match in played}
    times = DecisionTimes.total(
        of_match(MatchDetail(by_match[table.match_id], (table,)), version_id) for table in tables
    )
    shortest = min(clocks, key=lambda c: (c.move_ms, c.bank_ms), default=Clocks())
    return VersionTimes(version_id, times, len(played), shortest, _warnings(times, shortest))


def of_match(detail: MatchDetail, version_id: str) -> DecisionTimes:
    """Return a version's decision times in one match."""
    return DecisionTimes.total(
        table.result.decisions[seat]
        for table in detail.tables
        for seat in range(4)
        if entrant_at(detail.match, table.result.way, seat) == version_id
    )


def _warnings(times: DecisionTimes, clocks: Clocks) -> tuple[tuple[str, str], ...]:
    """Say, in English and Chinese, which kind of decision comes near the limit."""
    near = [phase for phase in DecisionPhase if near_limit(times.of_phase(phase), clocks)]
    return tuple(_warning(*_WORDS[phase], times.of_phase(phase), clocks) for phase in near)


def _warning(english: str, chinese: str, took: Decisions, clocks: Clocks) -> tuple[str, str]:
    most = clocks.allowance(clocks.bank_ms)
    return (
        f"{english}: p99 {took.p99_ms} ms of {clocks.move_ms} ms free for each answer, longest {took.max_ms} ms "
        f"of {most} ms with a whole bank: above {WARNING_PERCENT} % of the limit",
        f"{chinese}：p99 为 {took.p99_ms} 毫秒（每手免费 {clocks.move_ms} 毫秒），最长 {took.max_ms} 毫秒"
        f"（连同备用时间共 {most} 毫秒）：超过限额的 {WARNING_PERCENT}%",
    )
