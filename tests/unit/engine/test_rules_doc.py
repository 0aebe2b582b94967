"""The rules in writing: every paragraph cited exists, every parameter is described."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from guandan_engine.rules import RuleSet

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
PARAGRAPHS = set(re.findall(r"\*\*(\d+\.\d+)\*\*", TEXT)) | set(re.findall(r"^## (\d+)\. ", TEXT, re.M))
SOURCES = sorted(path for path in (ROOT / "engine").rglob("*") if path.suffix in {".py", ".toml"})


def test_paragraphs_are_numbered_once_and_without_gaps():
    numbers = [tuple(map(int, number.split("."))) for number in re.findall(r"\*\*(\d+\.\d+)\*\*", TEXT)]
    assert len(numbers) == len(set(numbers))
    for section in {section for section, _ in numbers}:
        inside = sorted(paragraph for own, paragraph in numbers if own == section)
        assert inside == list(range(1, len(inside) + 1)), section


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_paragraph_cited_exists(path):
    assert set(re.findall(r"§(\d+(?:\.\d+)?)", path.read_text(encoding="utf-8"))) <= PARAGRAPHS


@pytest.mark.parametrize("parameter", [field.name for field in fields(RuleSet) if field.name != "name"])
def test_every_parameter_is_described(parameter):
    assert re.search(rf"`{parameter}\b", TEXT)
