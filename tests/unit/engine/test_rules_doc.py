"""The rules in writing, in English and Chinese: every paragraph cited exists, every parameter is described."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from guandan_engine.rules import RuleSet, presets
from guandan_engine.rules.parameter import OneOf, OrNone, Several, Table, domain_of, plain

ROOT = Path(__file__).parents[3]
PAGES = {"en": "docs/rules.md", "zh": "docs/rules.zh.md"}
TEXTS = {language: (ROOT / page).read_text(encoding="utf-8") for language, page in PAGES.items()}
NUMBER = re.compile(r"\*\*(\d+\.\d+)\*\*")
MEMBERS = ("engine", "proto", "sdk", "arena", "workers")
SOURCES = sorted(
    path
    for member in MEMBERS
    for path in (ROOT / member).rglob("*")
    if path.suffix in {".py", ".toml", ".proto", ".html"} and "_pb2" not in path.name
)
PARAMETERS = {field.name: domain_of(field) for field in fields(RuleSet) if field.name != "name"}


def paragraphs(text: str) -> dict[str, str]:
    """Each numbered paragraph, or row, by its number; sections by theirs."""
    found = {line_number: line for line in text.splitlines() for line_number in NUMBER.findall(line)[:1]}
    return found | dict.fromkeys(re.findall(r"^## (\d+)\. ", text, re.M), "")


PARAGRAPHS = {language: paragraphs(text) for language, text in TEXTS.items()}


@pytest.mark.parametrize("language", PAGES)
def test_paragraphs_are_numbered_once_and_without_gaps(language):
    numbers = [tuple(map(int, number.split("."))) for number in NUMBER.findall(TEXTS[language])]
    assert len(numbers) == len(set(numbers))
    for section in {section for section, _ in numbers}:
        inside = sorted(paragraph for own, paragraph in numbers if own == section)
        assert inside == list(range(1, len(inside) + 1)), section


def test_both_languages_have_the_same_paragraphs():
    assert list(PARAGRAPHS["en"]) == list(PARAGRAPHS["zh"])


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_paragraph_cited_exists_in_both_languages(path):
    cited = set(re.findall(r"§(\d+(?:\.\d+)?)", path.read_text(encoding="utf-8")))
    assert cited <= set(PARAGRAPHS["en"])
    assert cited <= set(PARAGRAPHS["zh"])


def test_the_pages_cite_only_paragraphs_there_are():
    for language, text in TEXTS.items():
        assert set(re.findall(r"§(\d+(?:\.\d+)?)", text)) <= set(PARAGRAPHS[language])


@pytest.mark.parametrize("language", PAGES)
@pytest.mark.parametrize("parameter", PARAMETERS)
def test_every_parameter_and_its_values_are_explained_in_its_paragraph(parameter, language):
    row = next(line for line in TEXTS[language].splitlines() if line.startswith(f"| `{parameter}` |"))
    number = re.findall(r"§(\d+\.\d+)", row)[0]
    section = number.split(".")[0]
    before_table = TEXTS[language].partition("<!-- parameters")[0]
    text = re.search(rf"^## {section}\. .*?(?=^## |\Z)", before_table, re.M | re.S)
    assert text
    assert re.search(rf"`{parameter}\b", text[0]), f"{parameter} is not explained in §{section}"
    missing = [value for value in words_of(PARAMETERS[parameter]) if not re.search(rf"\b{value}\b", text[0])]
    assert not missing, f"§{section} does not say what {parameter} means as {missing}"


def words_of(domain) -> list[str]:
    """The values that are words of their own, and the keys of a structured value."""
    match domain:
        case OneOf(values) | Several(values):
            words = [str(plain(value)) for value in values if isinstance(value, str)]
            return [word for word in words if len(word) > 2]
        case OrNone(inner):
            return words_of(inner)
        case Table(of):
            return [key for field in fields(of) for key in (field.name, *words_of(domain_of(field)))]
    return []


@pytest.mark.parametrize("language", PAGES)
def test_every_preset_is_named_where_it_differs(language):
    table = TEXTS[language].partition("<!-- parameters")[2]
    assert [name for name in presets() if name != "standard" and f"`{name}`" not in table] == []


def test_the_tables_are_what_the_rule_sets_say():
    done = subprocess.run(
        [sys.executable, "scripts/rules_table.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
