"""``guandan ladder``."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from guandan_proto.v1.nights_pb2 import LadderRow
from guandan_sdk.cli.output import Format, FormatOption, write_rows
from guandan_sdk.cli.session import ServerOption, connect

_FIT: Final = ("fit", "low", "high", "ranks")


def ladder(
    top: Annotated[int, typer.Option("--top", min=1, help="How many.")] = 50,
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """List the highest ratings: Elo as it moves, and refitted over all boards with a 95 % interval.

    Example: guandan ladder --top 10
    """
    with connect(server) as arena:
        rows = [
            {
                "rank": row.rank,
                "bot": row.bot,
                "owner": row.owner,
                "version": row.number,
                "elo": round(row.elo_milli / 1000, 1),
                **_fit(row),
                "games": row.games,
            }
            for row in arena.ladder(top)
        ]
    write_rows(rows, ("rank", "bot", "owner", "version", "elo", *_FIT, "games"), style)


def _fit(row: LadderRow) -> dict[str, object]:
    """Return the refitted rating, its 95 % interval and the ranks that it allows; nothing for a newcomer."""
    if not row.HasField("fit"):
        return dict.fromkeys(_FIT)
    fit = row.fit
    elo, low, high = (round(milli / 1000, 1) for milli in (fit.elo_milli, fit.low_milli, fit.high_milli))
    return dict(zip(_FIT, (elo, low, high, f"{fit.rank_best}-{fit.rank_worst}"), strict=True))
