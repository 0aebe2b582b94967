"""How results are written: data on stdout as a table, JSON or CSV; everything else on stderr."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, TypeAlias

import typer
from rich.console import Console

_PAPER: Final = 10_000
LONGEST_LINE: Final = 3_000  # the arena cuts long lines itself, and says at their end how much it left out
_JSON: Final[dict[str, Any]] = {"ensure_ascii": False, "indent": 2}

Row: TypeAlias = Mapping[str, object]


class Format(StrEnum):
    """How results are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


FormatOption: TypeAlias = Annotated[Format, typer.Option("--format", help="How to write the result.")]


def stdout() -> Console:
    """Return the console for results; plain when piped or NO_COLOR is set, and then as wide as its lines are."""
    terminal = sys.stdout.isatty()
    return Console(file=sys.stdout, highlight=False, soft_wrap=not terminal, width=None if terminal else _PAPER)


def stderr() -> Console:
    """Return the console for progress and messages."""
    return Console(file=sys.stderr, highlight=False, soft_wrap=not sys.stderr.isatty())


def say(text: str) -> None:
    """Write a message to stderr; whoever has a part in its words commands nothing by it."""
    from guandan_engine.quoting import quoted_lines  # noqa: PLC0415 - not needed for --help

    stderr().print(quoted_lines(text), markup=False)


def write_text(text: str) -> None:
    """Write lines that came from elsewhere as a result, unable to command the terminal."""
    from guandan_engine.quoting import quoted_lines  # noqa: PLC0415 - not needed for --help

    sys.stdout.write(quoted_lines(text, line_chars=LONGEST_LINE) + "\n")


def write_rows(
    rows: Sequence[Row], columns: Sequence[str], style: Format, *, headings: Sequence[str] | None = None
) -> None:
    """Write a list; every row has the same columns. ``headings``: what stands above them in a table."""
    if style is Format.JSON:
        json.dump([{name: _seen(row[name]) for name in columns} for row in rows], sys.stdout, **_JSON)
        sys.stdout.write("\n")
    elif style is Format.CSV:
        _write_csv(rows, columns)
    else:
        _write_table(rows, columns, headings or [name.replace("_", " ") for name in columns])


def write_record(record: Row, style: Format) -> None:
    """Write one thing with its fields."""
    if style is Format.JSON:
        json.dump(_seen(record), sys.stdout, **_JSON)
        sys.stdout.write("\n")
    elif style is Format.CSV:
        _write_csv([record], list(record))
    else:
        width = max(map(len, record), default=0)
        for name, value in record.items():
            stdout().print(f"{name.replace('_', ' '):<{width}}  {_text(value)}", markup=False)


def _write_csv(rows: Sequence[Row], columns: Sequence[str]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_text(row[name]) for name in columns] for row in rows)


def _write_table(rows: Sequence[Row], columns: Sequence[str], headings: Sequence[str]) -> None:
    from rich.table import Table  # noqa: PLC0415 - slow to import, not needed for --help
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, heading in zip(columns, headings, strict=True):
        justify: Literal["left", "right"] = "right" if _all_numbers(rows, name) else "left"
        table.add_column(heading, justify=justify, overflow="fold")
    texts = (_texts([row[name] for row in rows]) for name in columns)
    for cells in zip(*texts, strict=True):
        table.add_row(*map(Text, cells))
    stdout().print(table)


def _all_numbers(rows: Sequence[Row], name: str) -> bool:
    return bool(rows) and all(isinstance(row[name], int | float) for row in rows)


def _texts(values: Sequence[object]) -> list[str]:
    """Write the values of a column; broken numbers get as many places as the longest of them."""
    places = max((len(_text(value).partition(".")[2]) for value in values if isinstance(value, float)), default=0)
    return [f"{value:.{places}f}" if isinstance(value, float) else _text(value) for value in values]


def _seen(value: object) -> object:
    """Return a value for JSON whose texts can be seen, however it is nested."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return {str(name): _seen(item) for name, item in value.items()}
    return [_seen(item) for item in value] if isinstance(value, list | tuple) else value


def _text(value: object) -> str:
    """Write a value so that it can be seen: much of what is listed was written by strangers."""
    from guandan_engine.quoting import quoted_lines  # noqa: PLC0415 - not needed for --help

    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else quoted_lines(str(value))
