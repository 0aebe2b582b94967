"""Parameters that deny each other: every such pair stands in one table, with what would be allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Final

from guandan_engine.cards import Rank
from guandan_engine.rules.conduct import GiveClock
from guandan_engine.rules.parameter import written
from guandan_engine.rules.ruleset import RuleSet

_DEFAULTS: Final = RuleSet()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """``keys``: the parameters that cannot stand together; ``allowed``: what to write instead."""

    keys: tuple[str, ...]
    holds: Callable[[RuleSet], bool]
    allowed: str

    def text(self, rules: RuleSet) -> str:
        """Name the keys, their values and what is allowed."""
        pairs = " and ".join(f"{key} = {written(getattr(rules, key))}" for key in self.keys)
        verb = "contradict each other" if len(self.keys) > 1 else "contradicts itself"
        return f"{pairs} {verb}; allowed: {self.allowed}"


def contradiction(rules: RuleSet) -> Contradiction | None:
    """Return the first contradiction in a rule set, None when it is sound."""
    return next((one for one in CONTRADICTIONS if one.holds(rules)), None)


def _changed(key: str) -> Callable[[RuleSet], bool]:
    return lambda rules: getattr(rules, key) != getattr(_DEFAULTS, key)


def _idle(key: str, by: str, idles: Callable[[RuleSet], bool], allowed: str) -> Contradiction:
    """Declare that a parameter may not be changed while another leaves it nothing to do."""
    changed = _changed(key)
    return Contradiction((by, key), lambda rules: idles(rules) and changed(rules), allowed)


def _kept(keys: Iterable[str], by: str, idles: Callable[[RuleSet], bool]) -> tuple[Contradiction, ...]:
    """Declare the same of several parameters."""
    defaults = {key: written(getattr(_DEFAULTS, key)) for key in keys}
    return tuple(
        _idle(key, by, idles, f"{key} = {default}, since {by} leaves it nothing to do")
        for key, default in defaults.items()
    )


_OF_TRIBUTE: Final = (
    "tribute_partner",
    "tribute_pairing",
    "tribute_tie",
    "tie_lead",
    "return_to",
    "return_max_opponent",
    "return_max_partner",
    "return_level_card",
    "return_fallback",
    "return_sealed",
)
_OF_CLIMBING: Final = (
    "streak",
    "final_level",
    "must_play",
    "a_pass",
    "a_owner_only",
    "a_fail_limit",
    "a_double_down_to",
)
_LEVEL_SANCTIONS: Final = ("level_to_opponents", "lose_level")
_SCORES_OF_UNIT: Final = ("deal_points", "hundred_plus_diff")
_MOVES: Final = ("opponents_plus", "lose_level", "lose_point")


def _timed(rules: RuleSet) -> bool:
    return "time" in rules.end_on


def _of_points(rules: RuleSet) -> bool:
    return rules.unit == "points"


_COMBINATIONS: Final = (
    Contradiction(
        ("seq_wrap", "seq_level_card"),
        lambda r: r.seq_wrap and r.seq_level_card == "elevated",
        'one of seq_wrap = true and seq_level_card = "elevated": above the ace stands the 2 or the level card',
    ),
    Contradiction(
        ("seq_compare", "single_ace"),
        lambda r: r.seq_compare == "level" and r.single_ace == "low",
        'seq_compare = "natural" where the ace is the lowest single card',
    ),
)

_TELLING: Final = (
    Contradiction(
        ("announce", "announce_agreed"),
        lambda r: r.announce_agreed and r.announce != "by_agreement",
        'announce_agreed = true only with announce = "by_agreement"',
    ),
)

_TRIBUTE: Final = (
    *_kept(_OF_TRIBUTE, "tribute", lambda r: not r.tribute),
    Contradiction(
        ("tribute", "lead_rule"),
        lambda r: not r.tribute and r.lead_rule == "tribute",
        'without tribute, lead_rule = "face_up_card"',
    ),
    Contradiction(
        ("tribute", "anti_tribute"),
        lambda r: not r.tribute and r.anti_tribute != "off",
        'without tribute, anti_tribute = "off"',
    ),
    *_kept(("anti_mode", "anti_show"), "anti_tribute", lambda r: r.anti_tribute == "off"),
    Contradiction(
        ("tribute_pairing", "tribute_tie"),
        lambda r: r.tribute_pairing == "clockwise" and r.tribute_tie != "clockwise",
        'where each payer gives to its previous seat, tribute_tie = "clockwise"',
    ),
)

_CLIMBING: Final = (
    Contradiction(
        ("fixed_level", "unit"),
        lambda r: r.fixed_level is not None and not _of_points(r),
        'where levels do not move, unit = "points"',
    ),
    Contradiction(
        ("unit", "end_on"),
        lambda r: _of_points(r) and "final" in r.end_on,
        'where gains are points, end_on of "time", "deals"',
    ),
    *_kept(_OF_CLIMBING, "unit", _of_points),
    *_kept(("a_fail_counts", "a_fail_to"), "a_fail_limit", lambda r: r.a_fail_limit == 0),
    Contradiction(
        ("after_demotion", "a_fail_limit"),
        lambda r: r.after_demotion == "fixed_3" and r.a_fail_limit == 0,
        'after_demotion = "fixed_3" only where sides fall, with a_fail_limit from 1',
    ),
    Contradiction(
        ("after_demotion", "a_fail_to"),
        lambda r: r.after_demotion == "fixed_3" and r.a_fail_to is not Rank.TWO,
        'a_fail_to = "2" with after_demotion = "fixed_3"',
    ),
    Contradiction(
        ("a_fail_to", "final_level"), lambda r: r.a_fail_to >= r.final_level, "a level below the final one to fall to"
    ),
    Contradiction(
        ("must_play", "final_level"),
        lambda r: any(rank > r.final_level for rank in r.must_play),
        "must_play of levels up to the final one",
    ),
    Contradiction(
        ("streak", "final_level"),
        lambda r: r.streak is not None and r.streak.floor >= r.final_level,
        "a floor below the final level",
    ),
    Contradiction(
        ("gains",), lambda r: not r.gains[0] >= r.gains[1] >= r.gains[2], "no more for a later place of the partner"
    ),
)

_ENDING: Final = (
    Contradiction(
        ("end_on", "end_minutes"),
        lambda r: _timed(r) is (r.end_minutes == 0),
        'end_minutes from 1 where end_on has "time", else 0',
    ),
    Contradiction(
        ("end_on", "end_deals"),
        lambda r: ("deals" in r.end_on) is (r.end_deals == 0),
        'end_deals from 1 where end_on has "deals", else 0',
    ),
    *_kept(("time_cut",), "end_on", lambda r: not _timed(r)),
    Contradiction(
        ("tie_break",), lambda r: "draw" in r.tie_break[:-1], '"draw" as the last item: it decides whatever comes to it'
    ),
    Contradiction(
        ("tie_break",),
        lambda r: "extra_deal" in r.tie_break[:-1],
        '"extra_deal" as the last item: it decides whatever comes to it',
    ),
    Contradiction(
        ("format", "tie_break"),
        lambda r: r.format.kind == "knockout" and r.tie_break[-1] == "draw",
        'where losers are out, tie_break that ends in "extra_deal" or "first_to_reach", "more_triples"',
    ),
    Contradiction(
        ("table_score", "end_on"),
        lambda r: r.table_score == "hundred_plus_diff" and "final" not in r.end_on,
        'hundred_plus_diff only where passing the final level ends a match: end_on with "final"',
    ),
    Contradiction(
        ("table_score", "unit"),
        lambda r: (r.table_score == "deal_points") is not _of_points(r) and r.table_score in _SCORES_OF_UNIT,
        'table_score = "deal_points" with unit = "points", "hundred_plus_diff" with unit = "levels"',
    ),
    *_kept(("score_caps",), "table_score", lambda r: r.table_score != "hundred_plus_diff"),
    Contradiction(
        ("format",),
        lambda r: (r.format.rounds == 0) is (r.format.kind in ("swiss", "group_shift", "points")),
        "rounds from 1 for swiss, group_shift and points, 0 for knockout and round_robin",
    ),
)

_GRAVE: Final = ("violation", "foul")


def _giving(key: str) -> tuple[Contradiction, Contradiction]:
    """Declare how the times of a tribute or a return stand together."""

    def clock(rules: RuleSet) -> GiveClock:
        given: GiveClock = getattr(rules, key)
        return given

    return (
        Contradiction(
            (key,), lambda r: clock(r).normal == 0 and clock(r).over != "none", 'over = "none" without a limit'
        ),
        Contradiction(
            (key,),
            lambda r: clock(r).over not in _GRAVE and clock(r).extra > 0,
            'extra = 0, unless over = "violation", "foul"',
        ),
    )


_CONDUCT: Final = (
    Contradiction(
        ("out_of_turn", "exposed_card"),
        lambda r: r.out_of_turn == "warn_or_exposed" and r.exposed_card == "none",
        'exposed_card = "skip_by_count", "lead_singly" where a play out of turn is exposed',
    ),
    Contradiction(
        ("ladder", "unit"),
        lambda r: _of_points(r) and any(step in _LEVEL_SANCTIONS for step in r.ladder),
        "a ladder without levels where gains are points",
    ),
    Contradiction(
        ("ladder", "unit"),
        lambda r: not _of_points(r) and "lose_point" in r.ladder,
        "a ladder without points where gains are levels",
    ),
    Contradiction(
        ("foul_effect", "unit"),
        lambda r: _of_points(r) and r.foul_effect in ("opponents_plus", "lose_level"),
        "a foul_effect without levels where gains are points",
    ),
    Contradiction(
        ("foul_effect", "unit"),
        lambda r: not _of_points(r) and r.foul_effect == "lose_point",
        "a foul_effect without points where gains are levels",
    ),
    Contradiction(
        ("foul_effect", "tribute"),
        lambda r: not r.tribute and r.foul_effect == "double_down_no_tribute",
        "another foul_effect where there is no tribute to do without",
    ),
    *_kept(("foul_levels",), "foul_effect", lambda r: r.foul_effect not in _MOVES),
    Contradiction(
        ("play_clock",),
        lambda r: r.play_clock.over in _GRAVE and r.play_clock.warn_until < r.play_clock.normal,
        "warn_until not before normal",
    ),
    Contradiction(
        ("play_clock",),
        lambda r: r.play_clock.over not in _GRAVE and bool(r.play_clock.warn_until or r.play_clock.extra),
        'warn_until = 0 and extra = 0, unless over = "violation", "foul"',
    ),
    *_giving("tribute_clock"),
    *_giving("return_clock"),
    Contradiction(
        ("ladder",), lambda r: r.ladder[-1:] == r.ladder[-2:-1], "the last step once: it goes on for further faults"
    ),
    Contradiction(
        ("late",),
        lambda r: r.late is not None and r.late.with_leave < r.late.minutes,
        "with_leave not less than minutes",
    ),
)

CONTRADICTIONS: Final = (*_COMBINATIONS, *_TELLING, *_TRIBUTE, *_CLIMBING, *_ENDING, *_CONDUCT)
"""All that is refused, in the order in which it is looked for."""

assert {key for one in CONTRADICTIONS for key in one.keys} <= {f.name for f in fields(RuleSet)}
