"""How answers are written: a table for people, or JSON or CSV for programs, on stdout."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum

from rich.console import Console
from rich.table import Table
from rich.text import Text

_WIDE = 160


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
        for name in columns:
            numeric = all(isinstance(row[name], int | float) for row in rows)
            table.add_column(name, justify="right" if numeric else "left")
        for row in rows:
            table.add_row(*(Text(str(row[name])) for name in columns))
        out().print(title, markup=False, highlight=False)
        out().print(table)


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=_WIDE)
