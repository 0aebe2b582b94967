"""Bots that fail a stage of the check: the report names stage, reason and what to do, and the check ends there."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from guandan_engine.conduct import Verdict
from guandan_runner.checking import Outcome, Report, Row, Stage, limits
from guandan_runner.checking.conformity import judge
from guandan_runner.checking.positions import LONG, POSITIONS, RESISTING, SHORT, begun_with
from guandan_runner.checking.rows import WORDS
from guandan_runner.results import BotFiles
from guandan_runner.sandbox import choose
from tests.bare import bare_bot
from tests.checking import POLICY, Heard, checked, greedy_but, tried, tried_at_once
from tests.seating import PATIENT, reference_bot, write_bot


def assert_failed(report: Report, stage: Stage, verdict: Verdict, *said: str) -> None:
    failure = report.failure
    assert failure is not None, report
    assert (failure.stage, failure.verdict) == (stage, verdict), failure
    assert report.stages[-1] is failure
    assert failure.hint
    told = f"{failure.reason}\n{failure.hint}\n{failure.log}"
    assert [text for text in said if text not in told] == []


def test_a_good_bot_meets_every_row_and_passes_every_stage(tmp_path: Path) -> None:
    heard = Heard()
    report = checked(reference_bot("greedy", tmp_path), progress=heard)
    assert report.passed, report
    assert [(end.stage, end.outcome) for end in report.stages] == [
        (stage, Outcome.PASSED) for stage in Stage if stage is not Stage.UNPACKED
    ]
    assert set(report.met) == set(Row) - {Row.BATCH}
    assert "21 of 21 rows met" in {end.reason for end in report.stages}
    assert report.boards is not None
    assert sum(report.boards.points) == 0  # against its like, which plays the same
    assert report.usage is not None
    assert report.usage.times.whole.count > 50
    assert heard.told[0] == "static began"
    assert heard.told[-3:] == ["boards passed", "limits began", "limits passed"]
    assert "boards 2/2" in heard.told


STATIC = {
    "does_not_compile": ("x = 1\ndef play(:\n", ["bot.py, line 3: SyntaxError", "py_compile"]),
    "imports_what_is_not_there": ("import json, nomodule\nfrom thereisnone.x import y\n", ["nomodule, thereisnone"]),
    "has_null_bytes": ("x = '\0'\n", ["bot.py"]),
}


@pytest.mark.parametrize("name", STATIC)
def test_files_that_cannot_run_fail_before_they_are_started(name: str, tmp_path: Path) -> None:
    source, said = STATIC[name]
    assert_failed(checked(write_bot("bad", source, tmp_path)), Stage.STATIC, Verdict.CRASHED, *said)


def test_a_module_that_is_the_entry_is_read_too(tmp_path: Path) -> None:
    bot = write_bot("bad", "", tmp_path)
    (bot.folder / "inner").mkdir()
    (bot.folder / "inner" / "__main__.py").write_text("import nomodule\n")
    report = checked(replace(bot, entry=("python", "-m", "inner")))
    assert_failed(report, Stage.STATIC, Verdict.CRASHED, "inner/__main__.py imports nomodule")


@pytest.mark.needs("language:node")
def test_a_node_script_is_parsed(tmp_path: Path) -> None:
    bot = write_bot("bad", "", tmp_path)
    (bot.folder / "bot.js").write_text("const x = ;\n")
    report = checked(replace(bot, entry=("node", "bot.js")))
    assert_failed(report, Stage.STATIC, Verdict.CRASHED, "node cannot parse bot.js", "SyntaxError", "node --check")


def test_a_file_beside_the_bot_is_no_missing_module_and_is_not_run_by_reading(tmp_path: Path) -> None:
    bot = reference_bot("greedy", tmp_path)
    (bot.folder / "json.py").write_text("raise SystemExit('run')\n")
    (bot.folder / "weights.py").write_text("W = 1\n")
    (bot.folder / "bot.py").write_text("import weights\nraise SystemExit('the bot runs')\n")
    assert_failed(checked(bot), Stage.STARTED, Verdict.CRASHED, "the bot runs")


STARTED = {
    "exits_at_once": ("import sys; sys.exit('no weights')", Verdict.CRASHED, ["exit code 1", "no weights"]),
    "never_connects": ("import time; time.sleep(600)", Verdict.NEVER_CONNECTED, ["run(YourBot)"]),
}


@pytest.mark.parametrize("name", STARTED)
def test_a_bot_that_does_not_start_fails_at_the_start(name: str, tmp_path: Path) -> None:
    source, verdict, said = STARTED[name]
    clocks = replace(PATIENT, connect_ms=5_000)
    assert_failed(checked(write_bot("bad", source, tmp_path), clocks=clocks), Stage.STARTED, verdict, *said)


AT_A_ROW = {
    Row.LEAD: "def play(self, view, options):\n  return options[0] if view.to_beat else 1 // 0",
    Row.THREE_PAIR: (
        "def play(self, view, options):\n"
        "  if view.to_beat and str(view.to_beat.combo.kind) == 'ThreePair': raise OSError\n"
        "  return super().play(view, options)"
    ),
    Row.JOKER_BOMB: (
        "def play(self, view, options):\n"
        "  if view.to_beat and str(view.to_beat.combo.kind) == 'JokerBomb': raise OSError\n"
        "  return super().play(view, options)"
    ),
    Row.PAY: "def pay(self, view, options): raise OSError",
    Row.RETURN: "def give_back(self, view, options): raise OSError",
    Row.ANTI: "def resist(self, view): raise OSError",
    Row.CHOOSE_TRIBUTE: "def take_tribute(self, view, offers): raise OSError",
    Row.CHOOSE_RETURN: "def take_back(self, view, offers): raise OSError",
    Row.CHOOSE_LEADER: "def name_leader(self, view, seats): raise OSError",
}
POSITION = {
    Row.LEAD: SHORT,
    Row.THREE_PAIR: SHORT,
    Row.JOKER_BOMB: begun_with(Row.JOKER_BOMB),
    Row.PAY: SHORT,
    Row.RETURN: LONG,
    Row.ANTI: RESISTING,
    Row.CHOOSE_TRIBUTE: LONG,
    Row.CHOOSE_RETURN: RESISTING,
    Row.CHOOSE_LEADER: RESISTING,
}


@pytest.mark.parametrize("row", AT_A_ROW)
def test_a_bot_that_breaks_at_one_kind_of_request_is_told_which(row: Row, tmp_path: Path) -> None:
    trial = tried(greedy_but(AT_A_ROW[row], tmp_path), POSITION[row])
    failure = judge([trial]).end
    assert (failure.outcome, failure.verdict) == (Outcome.FAILED, Verdict.CRASHED), failure
    assert WORDS[row] in failure.reason
    assert "OSError" in failure.log or "ZeroDivisionError" in failure.log


def test_every_row_that_can_be_led_is_met_first_in_a_position_of_its_own(tmp_path: Path) -> None:
    bot = reference_bot("greedy", tmp_path)
    for row in (Row.SINGLE, Row.WILDS, Row.STRAIGHT_FLUSH):
        assert row in tried(bot, begun_with(row)).asked[0]


def test_an_illegal_answer_that_a_match_would_forgive_fails_too(tmp_path: Path) -> None:
    methods = """
seen = 0
def play(self, view, options):
    self.seen += 1
    return Lay(((list(view.hand)[0]),) * 3) if self.seen == 2 else super().play(view, options)
"""
    found = judge([tried(greedy_but(methods, tmp_path), SHORT)]).end
    assert (found.outcome, found.verdict) == (Outcome.FAILED, Verdict.ILLEGAL_PLAYS), found
    assert "1 answers were not taken" in found.reason
    assert "guandan play" in found.hint


def deaf(folder: Path, *, refused: str) -> BotFiles:
    """A bot of another language, which passes where it may and does this when it is refused."""
    source = """
    from guandan_proto.codec import Wishes
    def reply(wire, asked, view):
        REFUSED
        answer(wire, asked, 0)
    play(reply, Hello("deaf", wishes=Wishes(options=True, view=True)))
    """
    return bare_bot(source.replace("REFUSED", refused), folder)


def test_silence_after_a_refusal_is_a_warning(tmp_path: Path) -> None:
    bot = deaf(tmp_path, refused="if asked.id in seen: return\n        seen.add(asked.id)")
    (bot.folder / "bot.py").write_text("seen = set()\n" + (bot.folder / "bot.py").read_text())
    found = judge([tried(bot, LONG, clocks=replace(PATIENT, move_ms=1_500, bank_ms=0), refuses=True)]).end
    assert found.outcome is Outcome.WARNED, found
    assert "did not answer again" in found.reason
    assert "attempts_left" in found.hint


def test_a_bot_that_breaks_when_it_is_refused_fails(tmp_path: Path) -> None:
    bot = deaf(tmp_path, refused="if asked.id in seen: os._exit(7)\n        seen.add(asked.id)")
    (bot.folder / "bot.py").write_text("seen = set()\n" + (bot.folder / "bot.py").read_text())
    found = judge([tried(bot, LONG, refuses=True)]).end
    assert (found.outcome, found.verdict) == (Outcome.FAILED, Verdict.CRASHED), found
    assert "after an answer was refused: " in found.reason


def test_a_bot_that_keeps_silent_about_its_cards_is_warned(tmp_path: Path) -> None:
    methods = "def play(self, view, options):\n  self.announce = False\n  return super().play(view, options)"
    found = judge([tried(greedy_but(methods, tmp_path), RESISTING)]).end
    assert (found.outcome, "kept silent" in found.reason) == (Outcome.WARNED, True), found


BATCH = """
import sys
from guandan_proto.codec import Wishes
from guandan_proto.v1 import table_pb2
wire, most, open_tables = Wire(), 0, set()
wire.send(codec.encode_hello(Hello("batch", wishes=Wishes(options=True, view=True, batch_size=SIZE))))
for frame in wire.frames:
    kind = frame.WhichOneof("frame")
    if kind == "welcome":
        open_tables.add(frame.welcome.table_id)
    elif kind == "requests":
        asked = frame.requests.requests
        most = max(most, len(asked))
        BEFORE
        answers = [Answered(r.table_id, r.request_id, Answer(len(r.options) - 1)) for r in reversed(asked)]
        wire.send(codec.encode_actions(answers))
    elif kind == "refused" and frame.refused.attempts_left:
        wire.send(codec.encode_actions([Answered(frame.refused.table_id, frame.refused.request_id, Answer(0))]))
    elif kind == "closed":
        open_tables.discard(frame.closed.table_id)
        if not open_tables:
            wire.send(None)
print("most", most, file=sys.stderr)
"""


def batching(folder: Path, *, size: int = 8, before: str = "pass") -> BotFiles:
    """A bot that answers all requests of a frame at once."""
    return bare_bot(BATCH.replace("SIZE", str(size)).replace("BEFORE", before), folder)


def test_a_bot_that_wishes_batches_is_seated_at_several_tables_at_once(tmp_path: Path) -> None:
    report = checked(batching(tmp_path))
    assert report.passed, report
    assert Row.BATCH in report.met
    conformity = next(end for end in report.stages if end.stage is Stage.CONFORMITY)
    assert conformity.outcome is Outcome.PASSED, conformity
    assert "most 3" in conformity.log
    assert conformity.log.count("most") == 2  # one process for all tables of the batch, and one like all others


def test_no_frame_has_more_requests_than_the_bot_wished(tmp_path: Path) -> None:
    ends = tried_at_once(batching(tmp_path, size=2), POSITIONS)
    assert [end.seat.verdict for end in ends] == [Verdict.OK] * 3
    assert ends[0].seat.log == "most 2\n"


def test_a_bot_that_breaks_in_a_batch_only_is_told_so(tmp_path: Path) -> None:
    ends = tried_at_once(batching(tmp_path, before="assert most < 2"), POSITIONS)
    found = judge(ends).end
    assert (found.outcome, found.verdict) == (Outcome.FAILED, Verdict.CRASHED), found
    assert found.reason.startswith("at several tables at once, when it was asked")
    assert "AssertionError" in found.log


def test_a_bot_that_says_batch_and_wishes_none_is_warned(tmp_path: Path) -> None:
    found = judge([tried(reference_bot("greedy", tmp_path), RESISTING)], batch=True).end
    assert (found.outcome, "wishes for none" in found.reason) == (Outcome.WARNED, True), found


def test_a_bot_that_breaks_on_boards_only_fails_there_and_plays_no_more(tmp_path: Path) -> None:
    methods = "def start(self, welcome):\n  if welcome.table.startswith('board/1'): raise OSError(welcome.table)"
    report = checked(greedy_but(methods, tmp_path), boards=3)
    assert_failed(report, Stage.BOARDS, Verdict.CRASHED, "exit code 1", "OSError: board/1/0")
    assert report.boards is not None
    assert report.boards.boards <= 1


HEAVY = """
weights = bytearray(215 * 2**20)
for page in range(0, len(weights), 4096):
    weights[page] = 1
"""


@pytest.mark.parametrize(
    "sandbox",
    [
        pytest.param("docker", marks=pytest.mark.needs("sandbox:docker")),
        pytest.param("bubblewrap", marks=pytest.mark.needs("sandbox:bubblewrap", "limits:groups")),
    ],
)
def test_a_bot_that_nears_its_memory_limit_is_warned(sandbox: str, tmp_path: Path, runtime_cache: Path) -> None:
    bot = reference_bot("greedy", tmp_path)
    (bot.folder / "bot.py").write_text(HEAVY + (bot.folder / "bot.py").read_text())
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    choice = choose(wanted=sandbox, production=False, cache=runtime_cache, policy=POLICY)
    try:
        trial = tried(bot, SHORT, sandbox=choice.sandbox)
    finally:
        choice.sandbox.close()
    assert trial.seat.verdict is Verdict.OK, trial.seat
    found = limits.judge(limits.usage_of([trial.seat], PATIENT, POLICY))
    assert found.outcome is Outcome.WARNED, trial.seat
    assert re.fullmatch(r"memory: (8[4-9]|9\d) % of the limit of 256 MB", found.reason)
