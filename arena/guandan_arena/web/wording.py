"""How values read on a page: ratings, signed points, cards; the same in both languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final

from markupsafe import Markup

from guandan_engine.cards import Card
from guandan_engine.conduct import SENTENCES, Offence, Sanction, Verdict
from guandan_engine.conduct.facts import fact_words
from guandan_engine.conduct.offences import OFFENCE_WORDS, SANCTION_WORDS
from guandan_engine.rules import RuleSet, from_dict
from guandan_engine.rules.wording import Language, differences, parameter_text, value_text
from guandan_runner.results import SeatFacts

_SUITS: Final = {"S": "♠", "H": "♥", "C": "♣", "D": "♦"}
_TEXT_STYLE: Final = "\ufe0e"  # keeps suits from turning into emoji


def elo(milli: int) -> str:
    """Return milli-Elo with one decimal."""
    return f"{milli / 1000:.1f}"


def signed(value: float, digits: int = 0) -> str:
    """Return a number with its sign, a real minus, and zero without one."""
    text = f"{value:+.{digits}f}"
    return text.lstrip("+-") if float(text) == 0 else text.replace("-", "−")


def per_board(points: int, tables: int) -> str:
    """Return points per board: a board counts as the mean of its two tables."""
    return signed(points / tables, 2) if tables else "–"


def card(value: Card, level: Any = None) -> Markup:
    """Return a card as a marked-up tile: suit, rank, and a frame when it is wild."""
    text = str(value)
    if value.is_joker:
        label = {"SB": "小王", "HR": "大王"}[text]
        return Markup('<span class="card {}">{}</span>').format("H" if text == "HR" else "S", label)
    rank = text[1].replace("T", "10")
    wild = " wild" if level is not None and value.is_wild(level) else ""
    return Markup('<span class="card {}{}">{}{}</span>').format(text[0], wild, _SUITS[text[0]] + _TEXT_STYLE, rank)


def verdict(value: Verdict, language: str) -> str:
    """Return the sentence for a verdict."""
    english, chinese = SENTENCES[value]
    return chinese if language == "zh" else english


def facts(value: SeatFacts, language: str) -> list[str]:
    """Return what shows how a seat's game ended, in words."""
    return fact_words(asdict(value), chinese=language == "zh")


def offence(value: str, language: str) -> str:
    """Return what a player did wrong, in words."""
    return OFFENCE_WORDS[Offence(value)][language == "zh"]


def sanction(value: str, language: str) -> str:
    """Return what an offence costs, in words."""
    return SANCTION_WORDS[Sanction(value)][language == "zh"]


def unlike_standard(rules: RuleSet | Mapping[str, object], language: str) -> list[tuple[str, str, str]]:
    """Return what a rule set changes of the house rules, in words: the parameter, its value, the usual value."""
    chosen = rules if isinstance(rules, RuleSet) else from_dict(rules)
    words: Language = "zh" if language == "zh" else "en"
    return [
        (parameter_text(key, words), value_text(key, value, words), value_text(key, usual, words))
        for key, usual, value in differences(RuleSet(), chosen)
    ]


FILTERS: Final[Mapping[str, Callable[..., object]]] = {
    "elo": elo,
    "signed": signed,
    "per_board": per_board,
    "card": card,
    "verdict": verdict,
    "facts": facts,
    "offence": offence,
    "sanction": sanction,
    "unlike_standard": unlike_standard,
}
