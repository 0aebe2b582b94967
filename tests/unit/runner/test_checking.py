"""The conformity table's positions, and how trials, boards and usage are judged."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from guandan_arena.settings import Settings
from guandan_engine.actions import Ask, Choose, Play, Question, Resist
from guandan_engine.cards import CARDS, Hand
from guandan_engine.clock import STANDARD
from guandan_engine.combos import Kind
from guandan_engine.conduct import Verdict
from guandan_engine.decisions import DecisionPhase, TimedDecision
from guandan_engine.plays import interpret
from guandan_runner.archives import Limits
from guandan_runner.checking import HINTS, SERVER_BOARDS, Outcome, Row, limits, unpacked
from guandan_runner.checking.conformity import LED
from guandan_runner.checking.positions import LEVEL, POSITIONS, Lead, Position, begun_with
from guandan_runner.checking.rows import FOLLOWING, WORDS, rows_of
from guandan_runner.checking.unpacked import ARCHIVE_BYTES, LIMITS
from guandan_runner.images import IMAGE_LIMITS
from guandan_runner.results import SeatEnd, SeatFacts
from guandan_runner.sandbox import load_policy

POLICY = load_policy()
LEADS = [
    (position, seat, lead) for position in POSITIONS for seat, part in position.parts.items() for lead in part.leads
]


def combo_of(lead: Lead, position: Position) -> object:
    return interpret(lead.cards, lead.reading, position.rules, LEVEL)


@pytest.mark.parametrize(("position", "seat", "lead"), LEADS, ids=lambda value: str(getattr(value, "reading", "")))
def test_every_lead_is_held_and_is_the_combo_it_says(position: Position, seat: int, lead: Lead) -> None:
    assert Hand.of(lead.cards) <= position.board.hands[seat]
    assert combo_of(lead, position).kind is lead.reading.kind


def test_all_kinds_and_wilds_are_led_somewhere() -> None:
    led = frozenset[Row]().union(*(lead.rows for _, _, lead in LEADS))
    assert led == {*FOLLOWING.values(), Row.WILDS}


@pytest.mark.parametrize("row", LED)
def test_every_row_that_is_led_can_come_first(row: Row) -> None:
    position = begun_with(row)
    leader = position.parts[position.board.leader]
    assert row in leader.leads[0].rows
    assert position.board.order == ()


def test_every_row_has_words() -> None:
    assert set(WORDS) == set(Row)


def test_a_question_belongs_to_the_rows_it_puts_to_the_test() -> None:
    position, _, lead = next(item for item in LEADS if Row.WILDS in item[2].rows)
    play = Play(combo_of(lead, position), lead.cards)
    assert rows_of(Question(1, Ask.PLAY, (None,), play)) == {FOLLOWING[lead.reading.kind], Row.WILDS, Row.NO_CHOICE}
    assert rows_of(Question(1, Ask.PLAY, (play.combo,))) == {Row.LEAD}
    assert rows_of(Question(1, Ask.ANTI, (Resist(), CARDS[0]))) == {Row.ANTI}
    assert rows_of(Question(1, Ask.CHOOSE_LEADER, (Choose(1), Choose(3)))) == {Row.CHOOSE_LEADER}
    assert {ask: len(rows_of(Question(1, ask, (Choose(0),)))) for ask in Ask if ask is not Ask.PLAY} == dict.fromkeys(
        (ask for ask in Ask if ask is not Ask.PLAY), 1
    )


def test_every_verdict_on_a_bot_has_a_hint() -> None:
    assert set(HINTS) == {verdict for verdict in Verdict if verdict.is_bots}


def test_an_author_checks_by_the_limits_and_clocks_of_a_server() -> None:
    settings = Settings(data_dir=Path("unused"))
    assert settings.clocks == STANDARD
    assert Limits(settings.unpacked_max_bytes, settings.unpacked_max_files) == LIMITS
    assert Limits(settings.image_max_bytes, settings.image_max_files) == IMAGE_LIMITS
    assert (settings.archive_max_bytes, settings.check_boards) == (ARCHIVE_BYTES, SERVER_BOARDS)


def seat(*times_ms: int, peak: int | None = None) -> SeatEnd:
    timed = tuple(TimedDecision(DecisionPhase.LEADING, ms) for ms in times_ms)
    return SeatEnd(Verdict.OK, "", "", timed, SeatFacts(peak_memory_bytes=peak))


def test_usage_is_the_worst_of_all_seats() -> None:
    usage = limits.usage_of([seat(1, 2, peak=5), seat(900), seat(3, peak=7)], STANDARD, POLICY)
    assert (usage.peak_memory_bytes, usage.times.whole.count, usage.times.whole.max_ms) == (7, 4, 900)
    assert limits.usage_of([seat(1)], STANDARD, POLICY).memory_percent is None


@pytest.mark.parametrize(
    ("end", "outcome", "said"),
    [
        (seat(*[500] * 100, peak=10_000), Outcome.PASSED, ""),
        (seat(*[5] * 98, 5_000, 5_000), Outcome.WARNED, "99 of 100 within"),
        (seat(1, peak=POLICY.memory_bytes * 80 // 100), Outcome.PASSED, ""),
        (seat(1, peak=POLICY.memory_bytes * 81 // 100 + 1), Outcome.WARNED, "81 % of the limit of 256 MB"),
    ],
    ids=["well", "slow", "big", "too_big"],
)
def test_a_warning_comes_above_80_percent_of_a_limit(end: SeatEnd, outcome: Outcome, said: str) -> None:
    judged = limits.judge(limits.usage_of([end], STANDARD, POLICY))
    assert judged.outcome is outcome
    assert said in judged.reason
    assert bool(judged.hint) == (outcome is Outcome.WARNED)


MANIFEST = '[bot]\nname = "tiny"\nentry = ["python", "bot.py"]\nruntime = "python-3.11"\n'


def packed(**files: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "."), text)
    return buffer.getvalue()


def test_an_archive_is_unpacked_into_a_bot_that_can_be_started(tmp_path: Path) -> None:
    bot, end = unpacked(packed(bot__toml=MANIFEST, bot__py="1"), tmp_path / "bot", policy=POLICY, roots=None)
    assert end.outcome is Outcome.PASSED
    assert bot is not None
    assert (bot.name, bot.entry, bot.root) == ("tiny", ("python", "bot.py"), None)
    assert (bot.folder / "bot.py").read_text() == "1"


REFUSED = {
    "no manifest": (packed(bot__py="1"), "no bot.toml"),
    "no archive": (b"nothing", ""),
    "no entry": (packed(bot__toml=MANIFEST), "bot.py"),
    "too greedy": (packed(bot__toml=f"{MANIFEST}[bot.resources]\nmemory_mb = 4096\n", bot__py="1"), "4096 MB"),
    "remote": (packed(bot__toml='[bot]\nname = "away"\nruntime = "remote"\n'), "neither built nor started"),
    "no wheels": (packed(bot__toml=f'{MANIFEST}dependencies = ["numpy"]\n', bot__py="1"), "wheel"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_archive_that_a_server_would_refuse_fails_with_its_reason_and_hint(name: str, tmp_path: Path) -> None:
    data, said = REFUSED[name]
    bot, end = unpacked(data, tmp_path / "bot", policy=POLICY, roots=None)
    assert bot is None
    assert end.outcome is Outcome.FAILED
    assert said in end.reason
    assert end.hint
    assert list(tmp_path.iterdir()) == []


def test_kinds_stand_in_the_order_of_the_engine() -> None:
    assert list(FOLLOWING) == list(Kind)


def test_a_position_begun_with_a_row_keeps_the_hands() -> None:
    bases = {position.board.hands for position in POSITIONS}
    assert all(begun_with(row).board.hands in bases for row in LED)
