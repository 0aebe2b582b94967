"""Bots that misbehave: the table is played to its end, the others are unharmed, and the verdict says what was done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from guandan_engine import replay
from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict
from guandan_engine.events import Ruling
from guandan_runner.errors import InfrastructureFault
from guandan_runner.match import run_match
from guandan_runner.results import BotFiles, TableEnd
from guandan_runner.sandbox import load_policy
from guandan_runner.sandbox.process import ProcessSandbox
from tests.bare import bare_bot
from tests.seating import PATIENT, match, reference_bot, tasks, write_bot

POLICY = load_policy()


def table_against(bad: BotFiles, folder: Path, *, clocks: Clocks = PATIENT) -> TableEnd:
    """Play one board: honest bots at seats 0 and 2, bad ones at 1 and 3."""
    spec = match(reference_bot("greedy", folder), bad, tasks(1, ways=(0,)), clocks=clocks)
    table = run_match(spec, sandbox=ProcessSandbox(POLICY), policy=POLICY).tables[0]
    replay.verify(table.replay)
    assert [table.seats[seat].verdict for seat in (0, 2)] == [Verdict.OK, Verdict.OK]
    return table


def assert_both(table: TableEnd, verdict: Verdict, evidence: str = "") -> None:
    for seat in (1, 3):
        assert table.seats[seat].verdict is verdict, table.seats[seat]
        assert evidence in table.seats[seat].detail


def test_a_bot_that_exits_at_once_crashed_and_what_it_wrote_stays_in_its_log(tmp_path: Path) -> None:
    bad = write_bot("bad", "import sys; sys.exit('I give up')", tmp_path)
    table = table_against(bad, tmp_path)
    assert_both(table, Verdict.CRASHED, "process ended with exit code 1")
    assert b"I give up" not in table.replay
    assert "I give up" not in table.seats[1].detail
    assert table.seats[1].log.strip() == "I give up"


def test_a_bot_that_ends_quietly_without_playing_crashed_too(tmp_path: Path) -> None:
    table = table_against(write_bot("bad", "", tmp_path), tmp_path)
    assert_both(table, Verdict.CRASHED, "process ended with exit code 0")


def test_a_bot_that_never_connects_is_waited_for_no_longer_than_the_clock_says(tmp_path: Path) -> None:
    bad = write_bot("bad", "import time; time.sleep(600)", tmp_path)
    table = table_against(bad, tmp_path, clocks=replace(PATIENT, connect_ms=8_000))
    assert_both(table, Verdict.NEVER_CONNECTED, "not there after 8000 ms")


def test_a_bot_that_opens_a_stream_but_says_nothing_never_connected(tmp_path: Path) -> None:
    bad = bare_bot("wire = Wire(); time.sleep(600)", tmp_path)
    table = table_against(bad, tmp_path, clocks=replace(PATIENT, connect_ms=8_000))
    assert_both(table, Verdict.NEVER_CONNECTED)


def test_a_bot_that_connects_twice_breaks_the_protocol(tmp_path: Path) -> None:
    source = """
    def reply(wire, asked, view):
        second = Wire()
        second.send(codec.encode_hello(Hello("second")))
        try:
            next(second.frames)
        except grpc.RpcError as error:
            print(error.details(), file=sys.stderr)
    play(reply)
    """
    table = table_against(bare_bot(source, tmp_path), tmp_path)
    assert_both(table, Verdict.PROTOCOL_BROKEN, "a second connection to this seat")
    assert "a seat is one process with one stream" in table.seats[1].log


def test_a_bot_of_another_protocol_version_is_told_which_one_is_spoken(tmp_path: Path) -> None:
    table = table_against(bare_bot("play(None, Hello('future', lowest=2, highest=3))", tmp_path), tmp_path)
    assert_both(table, Verdict.PROTOCOL_BROKEN, "the bot speaks protocol versions 2 to 3, the table speaks 1")
    assert "use an older client library" in table.seats[1].log


@pytest.mark.parametrize(
    ("frame", "evidence"),
    [
        ("b'\\xff garbage \\x00'", "bytes that are no PlayRequest"),
        ("b'x' * 100_000", "a message of 100000 bytes"),
        ("codec.encode_hello(Hello())", "a frame that is not Actions"),
        ("pb.PlayRequest(actions=pb.Actions(actions=[pb.Action(request_id=1)]))", "an action that chooses nothing"),
        ("pb.PlayRequest(actions=pb.Actions(actions=[pb.Action(lay=pb.Lay(cards=b'\\xc8'))]))", "there is no card 200"),
        ("codec.encode_actions([Answered('another', 1, Answer(0))])", "an answer for table 'another'"),
        ("codec.encode_actions([Answered(asked.table_id, 999, Answer(0))] * 100)", "answers nobody asked for"),
    ],
)
def test_what_is_not_the_protocol_ends_the_seats_part_with_the_reason(
    frame: str, evidence: str, tmp_path: Path
) -> None:
    table = table_against(bare_bot(f"play(lambda wire, asked, view: wire.send({frame}))", tmp_path), tmp_path)
    assert_both(table, Verdict.PROTOCOL_BROKEN, evidence)
    assert "ended INVALID_ARGUMENT" in table.seats[1].log or "nobody" in evidence


def test_a_message_far_beyond_the_limit_does_not_reach_the_table(tmp_path: Path) -> None:
    table = table_against(bare_bot("play(lambda wire, asked, view: wire.send(bytes(30_000_000)))", tmp_path), tmp_path)
    assert_both(table, Verdict.CRASHED)


def test_bytes_that_are_not_even_grpc_are_no_connection(tmp_path: Path) -> None:
    source = """
    import socket
    s = socket.socket(socket.AF_UNIX)
    s.connect(os.environ["GUANDAN_TABLE"].removeprefix("unix:"))
    s.sendall(bytes(range(256)) * 100)
    time.sleep(600)
    """
    table = table_against(bare_bot(source, tmp_path), tmp_path, clocks=replace(PATIENT, connect_ms=8_000))
    assert_both(table, Verdict.NEVER_CONNECTED)


def test_a_bot_that_answers_late_is_timed_out_and_replaced_at_the_third_time(tmp_path: Path) -> None:
    source = """
    def reply(wire, asked, view):
        time.sleep(600)
    play(reply)
    """
    clocks = replace(PATIENT, move_ms=2_000, bank_ms=1_000)
    table = table_against(bare_bot(source, tmp_path), tmp_path, clocks=clocks)
    assert_both(table, Verdict.TIMED_OUT, "no answer within")


def test_answers_given_twice_or_out_of_turn_are_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    source = """
    def reply(wire, asked, view):
        answer(wire, asked, 0)
        if asked.id < 12:
            answer(wire, asked, 0)
            wire.send(codec.encode_actions([Answered(asked.table_id, asked.id + 1, Answer(0))]))
    play(reply)
    """
    table = table_against(bare_bot(source, tmp_path), tmp_path)
    assert_both(table, Verdict.OK)
    assert "refused stale" in table.seats[1].log


def test_a_bot_that_floods_the_table_with_answers_has_its_stream_closed(tmp_path: Path) -> None:
    source = """
    def reply(wire, asked, view):
        for _ in range(100):
            wire.send(codec.encode_actions([Answered(asked.table_id, 0, Answer(0))] * 4))
    play(reply)
    """
    table = table_against(bare_bot(source, tmp_path), tmp_path)
    assert_both(table, Verdict.PROTOCOL_BROKEN, "answers nobody asked for")
    assert "ended INVALID_ARGUMENT answers nobody asked for; answer each request once" in table.seats[1].log


def test_a_bot_that_opens_stream_after_stream_is_not_told_everything_for_ever(tmp_path: Path) -> None:
    source = """
    def reply(wire, asked, view):
        global hello
        hello = Hello("bare", session_token=token)
        wire.frames.cancel()
    def play_again():
        global token
        wire = Wire()
        wire.send(codec.encode_hello(hello))
        for frame in wire.frames:
            if frame.WhichOneof("frame") == "welcome":
                token = frame.welcome.session_token
            elif frame.WhichOneof("frame") == "requests":
                reply(wire, frame, None)
            elif frame.WhichOneof("frame") == "closed":
                wire.send(None)
    hello = Hello("bare")
    for opened in range(1, 40):
        try:
            play_again()
            break
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.CANCELLED:
                print("stream", opened, error.code().name, error.details(), file=sys.stderr)
                break
    """
    table = table_against(bare_bot(source, tmp_path), tmp_path)
    assert_both(table, Verdict.PROTOCOL_BROKEN, "opened more than 16 streams")
    assert "stream 17 INVALID_ARGUMENT this seat has opened more than 16 streams" in table.seats[1].log


ILLEGAL = {
    "cards_it_does_not_hold": ("Lay(next((c, c) for c in CARDS if c not in view.hand))", "not_held"),
    "nothing_when_it_must_lead_or_give": ("Give(CARDS[0])", ""),
    "a_play_that_does_not_beat": ("Lay((min(view.hand, key=lambda c: c.rank),))", ""),
    "an_option_that_does_not_exist": ("4_000_000", "no_such_option"),
    "cards_that_are_no_combo": ("Lay(tuple(view.hand)[:7])", ""),
    "an_impossible_reading": ("Lay(tuple(view.hand)[:1], Reading(Kind.STRAIGHT_FLUSH, Rank.ACE))", ""),
}


@pytest.mark.parametrize("choice", ILLEGAL.values(), ids=ILLEGAL)
def test_illegal_answers_are_refused_with_reason_and_the_table_plays_instead(
    choice: tuple[str, str], tmp_path: Path
) -> None:
    source, code = choice
    table = table_against(
        bare_bot(f"play(lambda wire, asked, view: answer(wire, asked, {source}))", tmp_path), tmp_path
    )
    assert_both(table, Verdict.ILLEGAL_PLAYS, code)
    assert f"refused {code}" in table.seats[1].log
    rulings = [r.event for r in replay.read(table.replay).records if isinstance(r.event, Ruling)]
    assert {ruling.fault for ruling in rulings} == {"illegal"}


@pytest.mark.parametrize(
    ("death", "evidence"), [("os._exit(9)", "exit code 9"), ("os.kill(os.getpid(), 11)", "signal SIGSEGV")]
)
def test_a_bot_that_dies_in_play_crashed_with_how_it_died(death: str, evidence: str, tmp_path: Path) -> None:
    table = table_against(bare_bot(f"play(lambda wire, asked, view: {death})", tmp_path), tmp_path)
    assert_both(table, Verdict.CRASHED, evidence)


def test_a_bot_that_floods_its_output_is_ended_for_it(tmp_path: Path) -> None:
    source = """
    def reply(wire, asked, view):
        while True:
            print("x" * 10_000)
    play(reply)
    """
    table = table_against(bare_bot(source, tmp_path), tmp_path)
    assert_both(table, Verdict.OUTPUT_EXCEEDED, "wrote more output than is allowed")


def test_a_bot_that_lost_its_stream_may_come_back_and_play_on(tmp_path: Path) -> None:
    source = """
    lost = []
    def reply(wire, asked, view):
        if not lost:
            lost.append(True)
            wire.frames.cancel()
        else:
            answer(wire, asked, 0)
    play(reply)
    play(reply)
    """
    assert_both(table_against(bare_bot(source, tmp_path), tmp_path), Verdict.OK)


def test_a_bot_that_does_not_read_holds_up_only_itself(tmp_path: Path) -> None:
    source = """
    from guandan_proto.codec import Wishes
    wire = Wire()
    wire.send(codec.encode_hello(Hello("deaf", wishes=Wishes(True, True, True))))
    time.sleep(600)
    """
    clocks = replace(PATIENT, move_ms=2_000, bank_ms=0)
    table = table_against(bare_bot(source, tmp_path), tmp_path, clocks=clocks)
    assert_both(table, Verdict.TIMED_OUT)


def test_a_bot_of_another_language_may_wish_for_options_views_and_streamed_events(tmp_path: Path) -> None:
    source = """
    from guandan_proto.codec import Wishes
    def reply(wire, asked, view):
        assert asked.options and asked.view is not None and not asked.records
        answer(wire, asked, len(asked.options) - 1)
    play(reply, Hello("other", wishes=Wishes(options=True, view=True, stream_events=True)))
    """
    assert_both(table_against(bare_bot(source, tmp_path), tmp_path), Verdict.OK)


def test_after_a_fault_the_rest_of_the_match_is_lost_and_not_played(tmp_path: Path) -> None:
    bad = write_bot("bad", "import sys; sys.exit(3)", tmp_path)
    spec = match(reference_bot("greedy", tmp_path), bad, tasks(2), clocks=PATIENT)
    end = run_match(spec, sandbox=ProcessSandbox(POLICY), policy=POLICY)
    assert [table.task.table_id for table in end.tables] == ["test-1a"]
    assert [(lost.task.table_id, lost.by, lost.points) for lost in end.lost] == [
        ("test-1b", (False, True), 3),
        ("test-2a", (False, True), 3),
        ("test-2b", (False, True), 3),
    ]
    facts = end.tables[0].seats[1].facts
    assert (facts.exit_code, facts.given_up, facts.silent_ms, facts.streams) == (3, True, None, 0)
    honest = end.tables[0].seats[0].facts
    assert not honest.given_up
    assert honest.streams == 1
    assert honest.silent_ms is not None


def test_one_illegal_answer_costs_its_substitute_and_no_board(tmp_path: Path) -> None:
    source = """
    def reply(wire, asked, view):
        answer(wire, asked, 4_000_000 if not done or done[0] == asked.id else 0)
        done[:] = done or [asked.id]
    done = []
    play(reply)
    """
    table = table_against(bare_bot(source, tmp_path), tmp_path)
    assert_both(table, Verdict.ILLEGAL_PLAYS, "no_such_option")
    assert [(seat.facts.answered_for, seat.facts.given_up) for seat in table.seats] == [(0, False), (1, False)] * 2
    assert table.at_fault == (False, False)
    moves = {record.n: record.event for record in replay.read(table.replay).records}
    assert moves[(table.seats[1].facts.move or 0) + 1].seat == 1


def test_a_seat_that_is_answered_for_three_times_is_given_up(tmp_path: Path) -> None:
    bad = bare_bot("play(lambda wire, asked, view: answer(wire, asked, 4_000_000))", tmp_path)
    table = table_against(bad, tmp_path)
    assert table.at_fault == (False, True)
    assert min(table.seats[seat].facts.answered_for for seat in (1, 3)) >= 3


def test_notes_reach_the_owner_and_no_one_else(tmp_path: Path) -> None:
    source = """
    class B(Bot):
        def play(self, view, options):
            self.note("I hold " + str(len(view.hand)))
            return options[-1]
    run(B)
    """
    table = table_against(write_bot("bad", source, tmp_path), tmp_path)
    assert table.seats[1].notes[0].text == "I hold 27"
    assert table.seats[0].notes == ()
    assert b"I hold" not in table.replay


def test_when_bots_of_both_sides_do_not_come_it_is_held_against_neither(tmp_path: Path) -> None:
    sleeping = write_bot("bad", "import time; time.sleep(600)", tmp_path)
    spec = match(sleeping, sleeping, tasks(1), clocks=replace(PATIENT, connect_ms=300))
    with pytest.raises(InfrastructureFault, match="bots of both sides were not there after 300 ms"):
        run_match(spec, sandbox=ProcessSandbox(POLICY), policy=POLICY)
