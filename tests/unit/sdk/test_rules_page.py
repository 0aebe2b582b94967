"""The page about rule sets shows files and messages as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from guandan_engine.errors import InvalidRules
from guandan_engine.rules import parse

PAGE = (Path(__file__).parents[3] / "docs" / "howto" / "rule-sets.md").read_text(encoding="utf-8")
(CLUB,) = re.findall(r"```toml\n(.*?)```", PAGE, re.S)


def test_the_file_shown_is_sound():
    assert parse(CLUB).name == "club"


def test_the_messages_shown_are_those_given():
    too_large = CLUB.replace("max_bomb = 8", "max_bomb = 11")
    for text in (too_large, 'name = "club"\nfixed_level = "2"'):
        with pytest.raises(InvalidRules) as refused:
            parse(text)
        assert f"error: club.toml: {refused.value}" in PAGE
