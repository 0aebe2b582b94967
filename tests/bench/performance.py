"""Render docs/performance.md and its plot from the records of a whole `make bench`."""

from __future__ import annotations

import platform
from math import ceil, log10
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

DOCS = Path(__file__).resolve().parents[2] / "docs"
PURE = "_pure"
WORDS = {
    "legal_lead": "plays of a hand of 27 listed, leading",
    "legal_follow": "the same, following",
    "random_deals": "whole random deals",
    "vecenv_256": "plays of 256 deals at once, `VecEnv`",
}
"""What is compared, in this order."""
PAGE = """# Performance

What `make bench` measured last, on one core of {machine} with Python {python}. Figures are rates a second of processor
time, the best of some rounds; the compiled kernel and its source took turns in the same run.

![Rates a second, compiled and as source](performance.svg)

| a second | compiled | source | times |
|---|---:|---:|---:|
{rows}

Importing the engine takes {ms:.0f} ms of processor time and {mb:.0f} MB ({pure_ms:.0f} and {pure_mb:.0f} as source).

The source is the same Python, not compiled: it runs where there is no C compiler, and with `GUANDAN_PURE=1`. How the
kernel is made: [decision 12](decisions/0012-kernel.md). The plain way to list plays, counting cards in dictionaries,
lists {plain:,.0f} leading hands a second.
"""
WIDTH, HEIGHT, LEFT, RIGHT, BAR = 760, 60, 240, 130, 18
SMALLEST = 100


def render(found: list[dict[str, Any]], folder: Path = DOCS) -> bool:
    """Write the page and the plot; False when the records of a bench are missing."""
    by_name = {record["name"]: record for record in found}
    if not {
        name + ending for name in (*WORDS, "import_engine", "import_engine_memory") for ending in ("", PURE)
    } <= set(by_name):
        return False
    rates = [(words, by_name[name]["value"], by_name[name + PURE]["value"]) for name, words in WORDS.items()]
    rows = "\n".join(f"| {words} | {fast:,.0f} | {slow:,.0f} | {fast / slow:,.0f} |" for words, fast, slow in rates)
    page = PAGE.format(
        machine=platform.machine(),
        python=platform.python_version(),
        rows=rows,
        ms=by_name["import_engine"]["value"],
        mb=by_name["import_engine_memory"]["value"],
        pure_ms=by_name["import_engine_pure"]["value"],
        pure_mb=by_name["import_engine_memory_pure"]["value"],
        plain=by_name["legal_lead_pure"]["baseline"],
    )
    (folder / "performance.md").write_text(page, encoding="utf-8")
    (folder / "performance.svg").write_text(plot(rates), encoding="utf-8")
    return True


def plot(rates: list[tuple[str, float, float]]) -> str:
    """Two bars for each rate on a scale where each line is ten times the one before."""
    first, last = log10(SMALLEST), ceil(log10(max(fast for _, fast, _ in rates)))
    step = (WIDTH - LEFT - RIGHT) / (last - first)
    height = HEIGHT * len(rates) + 60

    def at(value: float) -> float:
        return LEFT + step * (log10(value) - first)

    parts = []
    for decade in range(int(first), last + 1):
        x = at(10**decade)
        parts.append(f'<line x1="{x:.0f}" y1="30" x2="{x:.0f}" y2="{height - 20}" stroke="#8886"/>')
        parts.append(f'<text x="{x:.0f}" y="22" text-anchor="middle">{10**decade:,}</text>')
    for place, (words, fast, slow) in enumerate(rates):
        y = 40 + HEIGHT * place
        parts.append(
            f'<text x="{LEFT - 10}" y="{y + BAR + 6}" text-anchor="end">{escape(words.replace("`", ""))}</text>'
        )
        for row, (value, colour, name) in enumerate(((fast, "#00897b", "compiled"), (slow, "#f9a825", "source"))):
            top, right = y + row * (BAR + 2), at(value)
            parts.append(f'<rect x="{LEFT}" y="{top}" width="{right - LEFT:.0f}" height="{BAR}" fill="{colour}"/>')
            parts.append(f'<text x="{right + 5:.0f}" y="{top + 14}">{value:,.0f} {name}</text>')
    style = "text { font: 12px sans-serif; fill: #808080 }"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
    title = "<title>Rates a second, compiled and as source, on a logarithmic scale</title>"
    return "\n".join([head, title, f"<style>{style}</style>", *parts, "</svg>", ""])
