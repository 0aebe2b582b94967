"""Rule sets: presets, reading, and refusing what cannot be played."""

from __future__ import annotations

import tomllib
from dataclasses import fields, replace
from importlib.resources import files

import pytest

from guandan_engine.combos import Kind
from guandan_engine.errors import InvalidRules
from guandan_engine.rules import RuleSet, from_dict, load, parse, presets


def test_standard_is_a_preset_and_the_default():
    assert "standard" in presets()
    assert load("standard") == RuleSet() == parse("")


@pytest.mark.parametrize("name", presets())
def test_every_preset_is_named_as_its_file(name):
    assert load(name).name == name


def test_the_standard_file_writes_out_every_parameter():
    text = files("guandan_engine.rules").joinpath("presets", "standard.toml").read_text(encoding="utf-8")
    assert list(tomllib.loads(text)) == [field.name for field in fields(RuleSet)]


def test_a_rule_set_goes_through_plain_values_and_back():
    rules = replace(RuleSet(), name="club", max_bomb=8)
    table = rules.as_dict()
    assert table["wild_kinds"] == [str(kind) for kind in Kind if kind not in (Kind.SINGLE, Kind.JOKER_BOMB)]
    assert (table["final_level"], table["gains"], table["max_bomb"]) == ("A", [3, 2, 1], 8)
    assert from_dict(table) == rules


def test_parameters_left_out_are_those_of_standard():
    assert parse('name = "club"\nmax_bomb = 8') == replace(RuleSet(), name="club", max_bomb=8)


def test_every_parameter_says_what_is_allowed():
    assert all(field.metadata["allowed"] for field in fields(RuleSet) if field.name != "name")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_bomb = 11", "max_bomb = 11 is not allowed; allowed: 10, 8, 9"),
        ('max_bomb = "10"', "max_bomb = '10' is not allowed; allowed: 10, 8, 9"),
        ("max_bomb = true", "max_bomb = True is not allowed"),
        ("seq_wrap = 0", "seq_wrap = 0 is not allowed; allowed: False"),
        ('tribute_pairing = "clockwise"', "tribute_pairing = 'clockwise' is not allowed; allowed: 'by_rank'"),
        ("gains = [5, 3, 1]", "allowed: \\[3, 2, 1\\]"),
        ("gains = [3, 2, true]", "gains = \\[3, 2, True\\] is not allowed"),
        ('final_level = "8"', "final_level = '8' is not allowed; allowed: 'A'"),
        ('wild_kinds = ["Pair"]', "wild_kinds"),
        ("maxbomb = 10", "unknown parameter 'maxbomb'; the parameters are name, wild_kinds"),
        ('name = "../x"', "letters, digits and _"),
        ("name = 3", "letters, digits and _"),
        ("max_bomb = ", "not TOML"),
    ],
)
def test_what_cannot_be_played_is_refused_with_key_value_and_what_is_allowed(text, message):
    with pytest.raises(InvalidRules, match=message):
        parse(text)


@pytest.mark.parametrize("name", ["nonsense", "../standard", ""])
def test_an_unknown_preset_is_refused_with_those_there_are(name):
    with pytest.raises(InvalidRules, match="the presets are standard"):
        load(name)
