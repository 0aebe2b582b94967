"""What strangers wrote is cut and made visible before it is kept or shown."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from guandan_engine.quoting import cut, quoted, quoted_lines

ANYTHING = st.text(st.characters(exclude_categories=()), max_size=80)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("abc\u202etxt.exe", "abc\\u202etxt.exe"),
        ("\u2067left\u2069", "\\u2067left\\u2069"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("two\nlines\rback", "two\\x0alines\\x0dback"),
        ("nul\0 half\ud800", "nul\\x00 half\\ud800"),
        ("\u2028\u0085", "\\u2028\\x85"),
        ("掼蛋 ♥ naïve", "掼蛋 ♥ naïve"),
        ("<b>&amp;", "<b>&amp;"),
    ],
)
def test_whatever_has_no_picture_is_written_out(written: str, shown: str) -> None:
    assert quoted(written) == shown


def test_a_text_keeps_its_lines_and_tabs_and_a_long_line_says_how_much_was_left_out() -> None:
    text = "first\tcolumn\n" + "x" * 1_000_000 + "\nlast\x1b[2J"
    first, long, last = quoted_lines(text, line_chars=10).split("\n")
    assert first == "first\tcolu … (2 characters more)"
    assert long == "xxxxxxxxxx … (999990 characters more)"
    assert last == "last\\x1b[2J"


def test_a_note_is_cut_between_characters() -> None:
    assert cut("掼蛋", most_bytes=5) == "掼"
    assert cut("short", most_bytes=1024) == "short"


@given(ANYTHING)
def test_nothing_that_is_quoted_commands_anything(text: str) -> None:
    unseen = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not [char for char in quoted(text) if unicodedata.category(char) in unseen]
    assert not [char for char in quoted_lines(text) if unicodedata.category(char) in unseen and char not in "\n\t"]


@given(ANYTHING, st.integers(0, 200))
@example("\ud800", 200)
def test_what_is_cut_fits_and_begins_as_the_whole(text: str, most: int) -> None:
    kept = cut(text, most_bytes=most)
    assert len(kept.encode()) <= most
    assert text.encode("utf-8", "replace").decode().startswith(kept)
