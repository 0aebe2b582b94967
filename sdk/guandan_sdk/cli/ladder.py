"""``guandan ladder``."""

from __future__ import annotations

from typing import Annotated

import typer

from guandan_sdk.cli.output import Format, FormatOption, write_rows
from guandan_sdk.cli.session import ServerOption, connect


def ladder(
    top: Annotated[int, typer.Option("--top", min=1, help="How many.")] = 50,
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """List the highest ratings.

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
                "games": row.games,
            }
            for row in arena.ladder(top)
        ]
    write_rows(rows, ("rank", "bot", "owner", "version", "elo", "games"), style)
