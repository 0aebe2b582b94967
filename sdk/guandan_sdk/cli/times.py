"""Decision times of a version, as ``guandan bot status`` tells them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guandan_sdk.cli.output import Format, say, write_rows

if TYPE_CHECKING:
    from guandan_proto.v1 import arena_pb2

COLUMNS: Final = ("deciding", "decisions", "p50_ms", "p95_ms", "p99_ms", "max_ms")


def rows_of(found: arena_pb2.GetDecisionTimesResponse) -> list[dict[str, object]]:
    """Return a row for each kind of decision, and one for all."""
    times = found.times
    parts = {"leading": times.leading, "following": times.following, "tribute": times.tribute, "all": found.whole}
    return [
        {
            "deciding": name,
            "decisions": part.count,
            "p50_ms": part.p50_ms,
            "p95_ms": part.p95_ms,
            "p99_ms": part.p99_ms,
            "max_ms": part.max_ms,
        }
        for name, part in parts.items()
    ]


def write_times(title: str, found: arena_pb2.GetDecisionTimesResponse) -> None:
    """Write the decision times of a version and its warnings; nothing when it has not played."""
    if not found.matches:
        return
    say(f"decision times of {title} over its newest {found.matches} matches")
    write_rows(rows_of(found), COLUMNS, Format.TABLE)
    for warning in found.warnings:
        say(f"warning: {warning}")
