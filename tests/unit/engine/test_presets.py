"""The rule sets of the arena are those of the texts, written down a second time; each line cites its text."""

from __future__ import annotations

import re
import tomllib

import pytest

from guandan_engine.rules import RuleSet, load, parse, preset_text, presets

KNOCKOUT = {"format": {"kind": "knockout", "rounds": 0}, "table_score": "none"}
ANY_RETURN = {"return_max_opponent": "any", "return_max_partner": "any"}
NEXT = {"tie_lead": "next_of_first"}
SIX_UNASKED = {"announce": "auto_each_play", "announce_max": 6}
TIMED = {"end_on": ["final", "time"]}
WILD_BUT_FLUSH = ["Pair", "Trips", "ThreePair", "ThreeWithTwo", "TwoTrips", "Straight", "Bomb"]


def clock(normal: int, over: str, warn_until: int = 0, extra: int = 0) -> dict[str, object]:
    return {"normal": normal, "warn_until": warn_until, "extra": extra, "over": over}


def giving(normal: int, over: str, extra: int = 0) -> dict[str, object]:
    return {"normal": normal, "extra": extra, "over": over}


DIGEST = {
    "wild_kinds": WILD_BUT_FLUSH,
    "wild_alone": "last_only",
    "wild_with_jokers": False,
    "sf_tie": "hearts_top",
    "review": "none",
    "a_pass": "second_only",
    "a_double_down_to": "prev_level",
    "play_clock": clock(30, "warn_then_violation"),
    "ladder": ["warn", "skip_lap", "lose_deal", "ban"],
    "foul_effect": "lose_deal",
    "announce_fault": "warn_then_skip_lap",
}
OPEN = {
    "count_view": "always",
    "review": "all",
    "first_leader": "random",
    "tribute_pairing": "clockwise",
    "tie_lead": "last_in_order",
    "a_fail_limit": 4,
    "a_fail_counts": "won_with_last",
}

DEVIATIONS: dict[str, dict[str, object]] = {
    "standard": {},
    "huaian_2017": {
        **NEXT,
        "wild_reading": "declared_else_high",
        "return_max_opponent": "any",
        "review": "none",
        "announce_fault": "warn_then_skip_lap",
        "foul_effect": "record",
        "tribute_clock": giving(15, "violation", 15),
        "return_clock": giving(30, "violation", 15),
    },
    "elim40_531": {
        **KNOCKOUT,
        **TIMED,
        "max_bomb": 8,
        "announce": "on_request",
        "announce_max": 7,
        "first_drawer": "rank_mod_4",
        "later_drawer_double": "either_loser",
        "tribute_tie": "winners_choose",
        "return_to": "payers_choose_on_tie",
        "anti_mode": "optional",
        "gains": [5, 3, 1],
        "double_down_both_last": True,
        "a_fail_limit": 3,
        "after_demotion": "fixed_3",
        "end_minutes": 40,
        "tie_break": ["first_to_reach"],
        "play_clock": clock(25, "violation", 30),
        "announce_fault": "none",
    },
    "anhui_jianzhu_2017": {
        **KNOCKOUT,
        **SIX_UNASKED,
        "max_bomb": 8,
        "first_drawer": "north",
        "lead_rule": "face_up_card",
        "later_drawer_double": "last",
        "tribute": False,
        "anti_tribute": "off",
        "fixed_level": "2",
        "unit": "points",
        "end_on": ["deals"],
        "end_deals": 10,
        "tie_break": ["more_triples", "extra_deal"],
        "table_score": "deal_points",
        "ladder": ["warn", "skip_turn", "lose_point", "lose_point", "ban"],
        "foul_effect": "lose_point",
        "out_of_turn": "warn_or_exposed",
        "exposed_card": "skip_by_count",
        "announce_fault": "skip_follow",
    },
    "library_shift3": {
        **NEXT,
        **TIMED,
        "max_bomb": 8,
        "wild_with_jokers": False,
        "announce": "by_agreement",
        "review": "none",
        "first_drawer": "north",
        "anti_mode": "optional",
        "end_minutes": 60,
        "time_cut": "void_deal",
        "table_score": "hundred_plus_diff",
        "format": {"kind": "group_shift", "rounds": 3},
        "play_clock": clock(15, "warn"),
        "first_play_clock": 30,
        "ladder": ["warn", "lose_level", "ban"],
        "foul_effect": "lose_level",
        "out_of_turn": "warn_or_exposed",
        "exposed_card": "lead_singly",
        "announce_fault": "none",
    },
    "level_penalty": {
        **KNOCKOUT,
        **SIX_UNASKED,
        "max_bomb": 8,
        "tribute_tie": "winners_choose",
        "tie_lead": "lower_return",
        "anti_mode": "optional",
        "a_fail_limit": 3,
        "tie_break": ["extra_deal"],
        "play_clock": clock(30, "warn"),
        "first_play_clock": 180,
        "ladder": ["warn", "foul"],
        "ladder_counts": "side",
        "ladder_span": "deal",
        "foul_effect": "opponents_plus",
        "out_of_turn": "foul",
    },
    "freecard_531_bo3": {
        **KNOCKOUT,
        "tribute_tie": "first_chooses",
        "tie_lead": "payers_choose",
        "return_to": "payers_choose_on_tie",
        "anti_mode": "optional",
        "gains": [5, 3, 1],
        "tie_break": ["extra_deal"],
        "best_of": 3,
        "announce_fault": "none",
    },
    "anhui_shangmao": {
        **KNOCKOUT,
        **TIMED,
        "wild_reading": "declared_else_low",
        "announce": "on_request",
        "announce_max": 6,
        "tie_lead": "prev_of_first",
        "a_fail_limit": 3,
        "end_minutes": 60,
        "tie_break": ["extra_deal"],
        "play_clock": clock(20, "none"),
        "first_play_clock": 40,
    },
    "canmou_tournament": {
        **NEXT,
        "wild_reading": "declared_else_low",
        "announce": "auto_and_request",
        "return_max_opponent": "any",
        "return_max_partner": "below_level",
        "play_clock": clock(30, "foul", 45),
        "tribute_clock": giving(0, "none"),
        "return_clock": giving(40, "foul"),
        "ladder": ["warn", "foul", "foul", "lose_match"],
        "ladder_counts": "side",
        "foul_effect": "record",
        "announce_fault": "replay_then_foul",
        "late": {"minutes": 10, "with_leave": 15},
        "appeal": {"window_min": 30, "fee": 500, "reply_h": 24},
    },
    "huaian_folk": NEXT,
    "folk_any_return": ANY_RETURN,
    "yangzhou": {
        **ANY_RETURN,
        "return_to": "next_seat",
        "anti_mode": "optional",
        "streak": {"start": 3, "floor": "2"},
        "double_down_both_last": True,
    },
    "maanshan": {**NEXT, **ANY_RETURN, "return_to": "next_seat"},
    "digest_004": DIGEST,
    "digest_004_strict": {**DIGEST, "wild_kinds": WILD_BUT_FLUSH[:5]},
    "openguandan": OPEN,
    "botzone_single": {**OPEN, "tribute_pairing": "by_rank", "end_on": ["deals"], "end_deals": 1},
}

TEXTS = r"(000|1a|1b|1c|1d|1e|002|003|004) l\.\d+|HA17|OGD|Botzone|1a: there is no|1d: "
NAMES = ("name", "title", "title_zh", "base")


def test_every_preset_is_compared():
    assert sorted(DEVIATIONS) == sorted(presets())


@pytest.mark.parametrize("name", presets())
def test_a_preset_is_standard_but_for_what_its_texts_say(name):
    assert load(name).as_dict() == {**RuleSet().as_dict(), "name": name, **DEVIATIONS[name]}


@pytest.mark.parametrize("name", [name for name in presets() if name != "standard"])
def test_a_preset_writes_only_what_is_unlike_the_one_it_builds_on_and_cites_a_text_for_each_line(name):
    text = preset_text(name)
    table = tomllib.loads(text)
    base = load(table.get("base", "standard")).as_dict()
    full = parse(text).as_dict()
    for key in table:
        if key in NAMES:
            continue
        assert full[key] != base[key], key
        (line,) = re.findall(rf"^{key} = .*$", text, re.MULTILINE)
        assert re.search(rf"# .*({TEXTS})", line), line
