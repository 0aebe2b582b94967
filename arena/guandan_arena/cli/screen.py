"""How answers are written: a table for people, or JSON or CSV for programs, on stdout."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

_WIDE: Final = 160
_SHORT: Final = 32
"""Names up to this length are kept on one line as long as there is room."""


class Format(StrEnum):
    """How an answer is written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def out() -> Console:
    """Return the console of data."""
    return _console(stderr=False)


def err() -> Console:
    """Return the console of progress and refusals."""
    return _console(stderr=True)


def write(rows: Sequence[Mapping[str, object]], *, columns: Sequence[str], title: str, form: Format) -> None:
    """Write rows with these columns; numbers stand to the right."""
    if form is Format.JSON:
        json.dump([{name: row[name] for name in columns} for row in rows], sys.stdout, indent=1, ensure_ascii=False)
        sys.stdout.write("\n")
    elif form is Format.CSV:
        lines = csv.DictWriter(sys.stdout, columns, extrasaction="ignore", lineterminator="\n")
        lines.writeheader()
        lines.writerows(rows)
    else:
        table = Table()
        texts = [_texts([row[name] for row in rows]) for name in columns]
        for name, column in zip(columns, texts, strict=True):
            numeric = all(isinstance(row[name], int | float | None) for row in rows)
            whole = not numeric and max(map(len, column), default=0) <= _SHORT
            side: Literal["left", "right"] = "right" if numeric else "left"
            table.add_column(name.replace("_", " "), justify=side, overflow="fold", no_wrap=whole)
        for cells in zip(*texts, strict=True):
            table.add_row(*map(Text, cells))
        out().print(title, markup=False, highlight=False, soft_wrap=True)
        if rows:
            out().print(table)


def _texts(values: Sequence[object]) -> list[str]:
    """Write the values of a column, a dash for none; broken numbers get two places, or one when they are large."""
    places = 1 if any(isinstance(value, float) and abs(value) >= 100 for value in values) else 2
    return [
        f"{value:.{places}f}" if isinstance(value, float) else "–" if value is None else str(value) for value in values
    ]


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=_WIDE)
