"""Every sandbox adapter behind the same port: how a bot starts there, and what is told of its end and its use."""

from __future__ import annotations

import pytest

from guandan_runner.errors import InfrastructureFault
from guandan_runner.sandbox import load_policy
from tests.sandboxed import EVERY, PATIENCE_S, WALLED, Seats, kinds


@EVERY
def test_a_bot_runs_in_its_folder_and_talks_over_its_socket(seats: Seats) -> None:
    found = seats.report("tell({'files': os.listdir('.'), 'environment': sorted(os.environ)})")
    assert found["files"] == ["bot.py"]
    allowed = {"GUANDAN_TABLE", "HOME", "OMP_NUM_THREADS", "PATH"}
    allowed |= {"PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONUNBUFFERED"}
    shell_and_container = {"HOSTNAME", "PWD", "LC_CTYPE"}
    assert allowed <= set(found["environment"]) <= allowed | shell_and_container


@EVERY
def test_a_bot_finds_the_sdk_and_grpc_works(seats: Seats) -> None:
    found = seats.report(
        "import grpc, guandan_sdk; tell({'made': tried(lambda: grpc.insecure_channel('unix:/x').close())})"
    )
    assert found["made"] == "done"


@EVERY
def test_the_end_of_a_bot_is_told_with_its_exit_code_and_last_words(seats: Seats) -> None:
    seat, _ = seats.start("print('last words', file=sys.stderr); sys.exit(3)")
    assert seat.wait(PATIENCE_S)
    evidence = seat.end()
    assert (evidence.exit_code, evidence.signal, evidence.killed) == (3, None, False)
    assert "last words" in evidence.log
    assert seat.end() == evidence


@EVERY
def test_a_signal_that_ended_a_bot_is_told(seats: Seats) -> None:
    seat, _ = seats.start("import ctypes; ctypes.string_at(0)")
    assert seat.wait(PATIENCE_S)
    evidence = seat.end()
    assert (evidence.exit_code, evidence.signal) == (None, 11)


@EVERY
def test_an_entry_that_does_not_exist_is_the_bots_end_not_ours(seats: Seats) -> None:
    try:
        seat, _ = seats.start("", entry=("no-such-program", "bot.py"))
    except InfrastructureFault:
        pytest.fail("a bot's wrong entry counted as a fault of ours")
    assert seat.wait(PATIENCE_S)
    evidence = seat.end()
    assert evidence.exit_code not in (0, None)
    assert "no-such-program" in evidence.log


@EVERY
def test_ending_a_seat_ends_its_children_too(seats: Seats) -> None:
    source = """
    import subprocess
    child = "import os, socket, time; s = socket.socket(socket.AF_UNIX); "
    child += "s.connect(os.environ['GUANDAN_TABLE'].removeprefix('unix:')); time.sleep(600)"
    subprocess.Popen([sys.executable, "-c", child])
    import time; time.sleep(600)
    """
    seat, table = seats.start(source)
    connection = seats.open.enter_context(table.accept()[0])
    connection.settimeout(PATIENCE_S)
    assert not seat.wait(0.01)
    assert seat.end().killed
    assert connection.recv(1) == b""  # the child held the other end


@WALLED
def test_a_child_that_leaves_its_session_is_ended_too(seats: Seats) -> None:
    source = """
    import subprocess
    child = "import os, socket, time; s = socket.socket(socket.AF_UNIX); "
    child += "s.connect(os.environ['GUANDAN_TABLE'].removeprefix('unix:')); time.sleep(600)"
    subprocess.Popen([sys.executable, "-c", child], start_new_session=True)
    import time; time.sleep(600)
    """
    seat, table = seats.start(source)
    connection = seats.open.enter_context(table.accept()[0])
    connection.settimeout(PATIENCE_S)
    seat.end()
    assert connection.recv(1) == b""


@EVERY
def test_too_much_output_ends_a_bot_or_is_cut_and_told(seats: Seats) -> None:
    seat, _ = seats.start("for _ in range(64): sys.stdout.write('x' * 65_536)")
    assert seat.wait(PATIENCE_S)
    evidence = seat.end()
    assert evidence.output_exceeded
    assert len(evidence.log) <= load_policy().log_bytes


@EVERY
def test_much_output_within_the_limit_is_no_fault(seats: Seats) -> None:
    lines, line = 12, 65_536
    assert lines * line < load_policy().output_bytes
    seat, _ = seats.start(f"for _ in range({lines}): print('x' * {line - 1})")
    assert seat.wait(PATIENCE_S)
    assert not seat.end().output_exceeded


@WALLED
@pytest.mark.needs("limits:groups")
def test_memory_beyond_the_limit_ends_a_bot_and_is_told(seats: Seats) -> None:
    seat, _ = seats.start("hog = bytearray(2_000_000_000)")
    assert seat.wait(PATIENCE_S)
    evidence = seat.end()
    assert evidence.memory_exceeded
    assert evidence.signal == 9


@kinds("process")
def test_an_allocation_beyond_the_address_space_is_told_as_memory(seats: Seats) -> None:
    seat, _ = seats.start("hog = bytearray(8_000_000_000)")
    assert seat.wait(PATIENCE_S)
    assert seat.end().memory_exceeded


@kinds("docker", "bubblewrap")
@pytest.mark.needs("limits:groups")
def test_what_a_seat_used_is_told_also_when_it_ended_by_itself(seats: Seats) -> None:
    seat, _ = seats.start("hog = bytearray(100_000_000); [n * n for n in range(2_000_000)]")
    assert seat.wait(PATIENCE_S)
    evidence = seat.end()
    assert 100_000_000 <= evidence.peak_memory_bytes <= load_policy().memory_bytes + 1_000_000
    assert evidence.cpu_ms > 0
    assert evidence.throttled_ms is not None


@kinds("docker", "bubblewrap")
@pytest.mark.needs("limits:groups")
def test_memory_beyond_the_limit_in_a_child_is_told_though_the_bot_lives_on(seats: Seats) -> None:
    source = """
    import subprocess
    subprocess.run([sys.executable, "-c", "hog = bytearray(2_000_000_000)"])
    """
    seat, _ = seats.start(source)
    assert seat.wait(PATIENCE_S)
    evidence = seat.end()
    assert (evidence.exit_code, evidence.memory_exceeded) == (0, True)
