"""Rule sets: reading, writing, and refusing what is not allowed."""

from __future__ import annotations

import tomllib
from dataclasses import fields, replace

import pytest

from guandan_engine.combos import Kind
from guandan_engine.errors import InvalidRules
from guandan_engine.rules import RuleSet, from_dict, load, parse, preset_text, presets, titles
from guandan_engine.rules.contradictions import CONTRADICTIONS
from guandan_engine.rules.parameter import Domain, domain_of
from guandan_engine.rules.promotion import Streak
from tests.rule_values import PARAMETERS, others, sound


def test_standard_is_a_preset_and_the_default():
    assert "standard" in presets()
    assert load("standard") == RuleSet() == parse("")


def test_the_standard_file_writes_out_every_parameter():
    written = [key for key in tomllib.loads(preset_text("standard")) if key not in ("title", "title_zh")]
    assert sorted(written) == sorted(field.name for field in fields(RuleSet))


def test_a_rule_set_goes_through_plain_values_and_back():
    rules = replace(RuleSet(), name="club", max_bomb=8, streak=Streak(start=4))
    table = rules.as_dict()
    assert table["wild_kinds"] == [str(kind) for kind in Kind if kind not in (Kind.SINGLE, Kind.JOKER_BOMB)]
    assert (table["final_level"], table["gains"], table["max_bomb"]) == ("A", [3, 2, 1], 8)
    assert (table["streak"], table["appeal"]) == ({"start": 4, "floor": "2"}, "none")
    assert from_dict(table) == rules


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_every_value_of_every_parameter_is_written_and_read(parameter):
    for value in others(RuleSet(), parameter):
        rules = sound(RuleSet(), **{parameter: value})
        assert rules is None or from_dict(rules.as_dict()) == rules


def test_parameters_left_out_are_those_of_standard():
    assert parse('name = "club"\nmax_bomb = 8') == replace(RuleSet(), name="club", max_bomb=8)


def test_a_rule_set_may_build_on_a_preset():
    club = parse('name = "club"\nbase = "maanshan"\nreturn_max_partner = 10')
    assert club == replace(load("maanshan"), name="club", return_max_partner=10)


def test_parts_of_a_structured_parameter_left_out_are_those_of_standard():
    assert parse("streak = {}").streak == parse("[streak]").streak == Streak()
    assert parse("play_clock = { normal = 25 }").play_clock == replace(RuleSet().play_clock, normal=25)


def test_every_parameter_says_what_is_allowed():
    domains: list[Domain] = [domain_of(field) for field in fields(RuleSet)]
    assert all(domain.allowed() for domain in domains)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_bomb = 11", "line 1: max_bomb = 11 is not allowed; allowed: a whole number from 8 to 10"),
        ("\n# bombs\nmax_bomb = '10'", "line 3: max_bomb = '10' is not allowed"),
        ("max_bomb = true", "max_bomb = True is not allowed"),
        ("seq_wrap = 0", "seq_wrap = 0 is not allowed; allowed: true, false"),
        ("tribute_pairing = 'seat'", "tribute_pairing = 'seat' is not allowed; allowed: \"by_rank\", \"clockwise\""),
        ("gains = [3, 2]", "gains = \\[3, 2\\] is not allowed; allowed: 3 whole numbers from 0 to 13"),
        ("gains = [3, 2, true]", "gains = True is not allowed"),
        ('final_level = "SB"', "final_level = 'SB' is not allowed; allowed: \"3\", \"4\""),
        ('wild_kinds = ["Pair", "Single"]', "wild_kinds = 'Single' is not allowed; allowed: \"Pair\", \"Trips\""),
        ('wild_kinds = ["Pair", "Pair"]', "each once"),
        ('ladder = []', "ladder = \\[\\] is not allowed; allowed: a list, in order, of at least 1 of \"warn\""),
        ("maxbomb = 10", "line 1: unknown parameter 'maxbomb' \\(did you mean max_bomb\\?\\); the .*wild_kinds"),
        ('name = "x"\nstreak = { start = 1 }', "line 2: streak.start = 1 is not allowed; allowed: a whole n"),
        ("[streak]\nstart = 3\nfloor = 'X'", "line 3: streak.floor = 'X' is not allowed; allowed: \"2\", \"3\""),
        ("[streak]\nbegin = 3", "line 2: streak.begin = 'begin' is not allowed; allowed: the keys start, floor"),
        ("streak = 3", "streak = 3 is not allowed; allowed: \"none\", a table with start = a whole number"),
        ('fixed_level = "joker"', "fixed_level = 'joker' is not allowed; allowed: \"none\", \"2\", \"3\""),
        ('base = "nonsense"', "line 1: base = 'nonsense' is not allowed; allowed: anhui_jianzhu_2017, .*standard"),
        ("title = 3", "line 1: title = 3 is not allowed; allowed: a text"),
        ('name = "../x"', "letters, digits and _"),
        ("name = 3", "letters, digits and _"),
        ("max_bomb = \nseq_wrap = true", "not TOML: .*line 1"),
    ],
)  # fmt: skip
def test_what_is_not_allowed_is_refused_with_its_line_key_value_and_what_is_allowed(text, message):
    with pytest.raises(InvalidRules, match=message):
        parse(text)


CONTRADICTORY = [
    ("seq_wrap = true\nseq_level_card = 'elevated'", "line 1: seq_wrap = true and seq_level_card"),
    ("seq_compare = 'level'\nsingle_ace = 'low'", 'allowed: seq_compare = "natural"'),
    ("announce_agreed = true", 'line 1: announce = "auto_once" and announce_agreed = true'),
    (
        "lead_rule = 'face_up_card'\ntribute = false\nanti_tribute = 'off'\nreturn_max_partner = 9",
        "line 2: tribute = fa",
    ),
    ("tribute = false", 'without tribute, lead_rule = "face_up_card"'),
    ("tribute = false\nlead_rule = 'face_up_card'", 'without tribute, anti_tribute = "off"'),
    ("anti_tribute = 'off'\nanti_mode = 'optional'", 'allowed: anti_mode = "auto", since anti_tribute leaves it'),
    ("tribute_pairing = 'clockwise'\ntribute_tie = 'random'", "each payer gives to its previous seat"),
    (
        "fixed_level = '2'",
        'line 1: fixed_level = "2" and unit = "levels" contradict each other; allowed: .*unit = "poin',
    ),
    ("unit = 'points'", 'unit = "points" and end_on = \\["final"\\]'),
    ("unit = 'points'\nend_on = ['deals']\nend_deals = 9\na_pass = 'any_first'", "allowed: a_pass = .*since unit"),
    ("a_fail_to = '5'", "a_fail_limit = 0 and a_fail_to"),
    ("after_demotion = 'fixed_3'", "only where sides fall"),
    ("after_demotion = 'fixed_3'\na_fail_limit = 3\na_fail_to = '5'", 'a_fail_to = "2" with after'),
    ("final_level = '8'\nmust_play = ['8']\na_fail_limit = 3\na_fail_to = '9'", "a level below the final one"),
    ("final_level = '8'", "must_play of levels up to the final one"),
    ("final_level = '8'\nmust_play = ['8']\nstreak = { floor = '8' }", "a floor below the final level"),
    ("gains = [1, 2, 3]", "gains = \\[1, 2, 3\\] contradicts itself; allowed: no more for a later place"),
    ("end_on = ['time']", 'end_minutes from 1 where end_on has "time"'),
    ("end_deals = 3", 'end_deals from 1 where end_on has "deals", else 0'),
    ("time_cut = 'void_deal'", "time_cut = .finish_deal., since end_on"),
    ("tie_break = ['draw', 'extra_deal']", '"draw" as the last item'),
    ("tie_break = ['extra_deal', 'more_triples']", '"extra_deal" as the last item'),
    ("format = { kind = 'knockout', rounds = 0 }", "line 1: format = .* and tie_break = .* contradict"),
    ("end_on = ['time']\nend_minutes = 9\ntable_score = 'hundred_plus_diff'", 'end_on with "final"'),
    ("table_score = 'deal_points'", 'table_score = "deal_points" with unit = "points"'),
    ("score_caps = { winner = 20 }", "score_caps = .*since table_score leaves it nothing to do"),
    ("format = { rounds = 0 }", "rounds from 1 for swiss"),
    ("out_of_turn = 'warn_or_exposed'", "where a play out of turn is exposed"),
    ("unit = 'points'\nend_on = ['deals']\nend_deals = 9\nladder = ['lose_level']", "a ladder without levels"),
    ("ladder = ['warn', 'lose_point']", "a ladder without points"),
    ("unit = 'points'\nend_on = ['deals']\nend_deals = 9\nfoul_effect = 'lose_level'", "a foul_effect without levels"),
    ("foul_effect = 'lose_point'", "a foul_effect without points"),
    ("lead_rule = 'face_up_card'\ntribute = false\nanti_tribute = 'off'", "another foul_effect"),
    ("foul_levels = 2", "foul_levels = 1, since foul_effect"),
    ("play_clock = { normal = 40 }", "warn_until not before normal"),
    ("play_clock = { over = 'warn' }", "warn_until = 0 and extra = 0"),
    ("tribute_clock = { normal = 0 }", 'over = "none" without a limit'),
    ("return_clock = { extra = 5, over = 'warn' }", "extra = 0, unless"),
    ("ladder = ['warn', 'foul', 'foul']", "the last step once"),
    ("late = { with_leave = 5 }", "with_leave not less than minutes"),
]


@pytest.mark.parametrize(("text", "message"), CONTRADICTORY)
def test_contradictory_parameters_are_refused_with_both_and_what_is_allowed(text, message):
    with pytest.raises(InvalidRules, match=message):
        parse(text)


def test_every_contradiction_has_its_case():
    refused = []
    for text, _ in CONTRADICTORY:
        values = {key: domain_of(FIELDS[key]).read(value) for key, value in tomllib.loads(text).items()}
        refused += [one for one in CONTRADICTIONS if one.holds(replace(RuleSet(), **values))]
    assert {one.allowed for one in CONTRADICTIONS if not one.allowed.endswith("to do")} <= {
        one.allowed for one in refused
    }


FIELDS = {field.name: field for field in fields(RuleSet)}


@pytest.mark.parametrize("name", ["nonsense", "../standard", ""])
def test_an_unknown_preset_is_refused_with_those_there_are(name):
    with pytest.raises(InvalidRules, match=r"the presets are anhui_jianzhu_2017, .*standard"):
        load(name)


@pytest.mark.parametrize("name", presets())
def test_every_preset_is_named_as_its_file_and_has_a_title_in_both_languages(name):
    assert load(name).name == name
    english, chinese = titles(name)
    assert english != name
    assert any("\u4e00" <= letter <= "\u9fff" for letter in chinese)
