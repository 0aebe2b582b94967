"""Every parameter and every value it may have has words in English and Chinese."""

from __future__ import annotations

import pytest

from guandan_engine.rules import RuleSet, load
from guandan_engine.rules.parameter import plain
from guandan_engine.rules.wording import differences, parameter_text, value_text
from tests.rule_values import PARAMETERS, others

STANDARD = RuleSet()


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_every_parameter_and_every_value_has_words_of_its_own_in_both_languages(parameter):
    assert parameter_text(parameter) != parameter_text(parameter, "zh")
    values = [plain(value) for value in (getattr(STANDARD, parameter), *others(STANDARD, parameter))]
    for language in ("en", "zh"):
        texts = [value_text(parameter, value, language) for value in values]
        assert len(set(texts)) == len(texts), texts
        assert not any("_" in text or "{" in text for text in texts), texts


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_values_are_in_chinese_where_they_are_words(parameter):
    for value in (getattr(STANDARD, parameter), *others(STANDARD, parameter)):
        text = value_text(parameter, plain(value), "zh")
        assert not any(word.isascii() and word.isalpha() and len(word) > 1 for word in text.split()), text


def test_a_rule_set_differs_from_standard_in_what_its_file_says():
    assert differences(STANDARD, load("huaian_folk")) == (("tie_lead", "payer_of_first", "next_of_first"),)
    assert differences(STANDARD, STANDARD) == ()


def test_values_read_as_a_player_says_them():
    assert value_text("max_bomb", 8) == "8 cards"
    assert value_text("gains", [5, 3, 1], "zh") == "5、3、1"
    assert value_text("streak", {"start": 3, "floor": "2"}).startswith("from 3 times a level up or down")
    assert value_text("tie_break", ["more_triples", "extra_deal"]) == "more deals with first and second, a deal more"
    assert value_text("fixed_level", "2") == "2"
