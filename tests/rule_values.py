"""The values a parameter of a rule set may have, few enough to try them all: the ends of what is a range."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import product
from typing import Any

from guandan_engine.rules import RuleSet, from_dict
from guandan_engine.rules.combination import CombinationRules
from guandan_engine.rules.contradictions import contradiction
from guandan_engine.rules.parameter import Domain, Name, Numbers, OneOf, OrNone, Several, Table, Whole, domain_of

PARAMETERS = {field.name: domain_of(field) for field in fields(RuleSet) if field.name != "name"}
COMBINATION_PARAMETERS = tuple(field.name for field in fields(CombinationRules))


def others(rules: RuleSet, parameter: str) -> list[Any]:
    """Values of a parameter unlike the one it has, each different in one respect."""
    now = getattr(rules, parameter)
    return [value for value in values_of(PARAMETERS[parameter], now) if value != now]


def values_of(domain: Domain, now: Any) -> list[Any]:
    match domain:
        case OneOf(values):
            return list(values)
        case Whole(least, most):
            return sorted({max(least, now - 1), min(most, now + 1), min(most, least + 1), now})
        case OrNone(inner):
            return [None, *values_of(inner, now)] if now is not None else [None, *some_of(inner)]
        case Numbers():
            return [tuple(n + (i == place) for i, n in enumerate(now)) for place in range(len(now))]
        case Several() as several:
            return lists_of(several, now)
        case Table(of):
            return [
                replace(now, **{field.name: value})
                for field in fields(of)
                for value in values_of(domain_of(field), getattr(now, field.name))
            ]
    raise AssertionError(domain)


def some_of(inner: Domain) -> list[Any]:
    """Values of a domain when none is given yet."""
    match inner:
        case OneOf(values):
            return list(values)
        case Table(of):
            return [of()]
    raise AssertionError(inner)


def lists_of(several: Several, now: tuple[Any, ...]) -> list[Any]:
    """A value more, a value less, and another order where that counts."""
    more = [(*now, value) for value in several.values if several.repeats or value not in now]
    less = [(*now[:place], *now[place + 1 :]) for place in range(len(now))]
    turned = [now[::-1]] if several.ordered else []
    read = [several.read([str(item) for item in one]) for one in (*more, *less, *turned) if len(one) >= several.least]
    return list(dict.fromkeys(read))


def sound(rules: RuleSet, **changes: Any) -> RuleSet | None:
    """The rule set with changes, None when they contradict the rest."""
    changed = replace(rules, **changes)
    return None if contradiction(changed) else changed


def combination_variants(base: RuleSet) -> dict[str, RuleSet]:
    """Rule sets that play combinations unlike ``base``: each value alone, then all unusual ones in some mixtures."""
    found = {}
    for parameter in COMBINATION_PARAMETERS:
        for value in others(base, parameter):
            found[f"{parameter}={plain_text(value)}"] = replace(base, name="variant", **{parameter: value})
    for number, values in enumerate(product(*MIXED.values())):
        if number % 7 == 3:
            mixed = sound(base, **dict(zip(MIXED, values, strict=True)))
            if mixed:
                found[f"mixture {number}"] = mixed
    return found


MIXED: dict[str, tuple[Any, ...]] = {
    "wild_alone": ("level_card", "last_only"),
    "wild_with_jokers": (True, False),
    "sf_tie": ("equal", "hearts_top"),
    "seq_wrap": (False, True),
    "seq_level_card": ("natural", "elevated"),
    "seq_compare": ("level", "natural"),
    "mixed_joker_pair": (True,),
    "full_house_same_rank": (True,),
    "single_ace": ("high", "low"),
}


def plain_text(value: Any) -> str:
    return "+".join(map(str, value)) if isinstance(value, tuple) else str(value)


def round_trips(rules: RuleSet) -> bool:
    """Whether a rule set survives being written and read."""
    return from_dict(rules.as_dict()) == rules


__all__ = ["COMBINATION_PARAMETERS", "PARAMETERS", "Name", "combination_variants", "others", "round_trips", "sound"]
