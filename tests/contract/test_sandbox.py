"""Every sandbox adapter behind the same port: what a bot can reach, and what is told of its end."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import tarfile
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from guandan_runner.errors import InfrastructureFault, SandboxUnavailable
from guandan_runner.sandbox import Sandbox, SeatProcess, SeatSpec, choose, load_policy
from guandan_runner.sandbox.cgroup import ControlGroups, NoControlGroups
from guandan_runner.sandbox.runtime import build_root

PATIENCE_S = 30
REPORT = """
import json, os, socket, sys
def tell(found):
    with socket.socket(socket.AF_UNIX) as table:
        table.connect(os.environ["GUANDAN_TABLE"].removeprefix("unix:"))
        table.sendall(json.dumps(found).encode())
def tried(act):
    try:
        act()
    except Exception as error:
        return type(error).__name__ + ": " + str(error)
    return "done"
"""


class Seats:
    """Starts bots in one kind of sandbox and hears what they report over their sockets."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self.sandbox = sandbox
        self.folder = folder
        self._started = 0
        self.open = contextlib.ExitStack()

    def start(self, source: str, *, entry: tuple[str, ...] = ("python", "bot.py")) -> tuple[SeatProcess, socket.socket]:
        self._started += 1
        bot, sockets = self.folder / f"bot{self._started}", self.folder / f"s{self._started}"
        for path in (bot, sockets):
            path.mkdir()
            path.chmod(0o755)
        (bot / "bot.py").write_text(REPORT + textwrap.dedent(source))
        table = self.open.enter_context(socket.socket(socket.AF_UNIX))
        table.settimeout(PATIENCE_S)
        table.bind(str(sockets / "table.sock"))
        (sockets / "table.sock").chmod(0o666)
        table.listen()
        return self.sandbox.start(SeatSpec(f"{self.folder.name}-{self._started}", bot, entry, sockets)), table

    def report(self, source: str) -> dict[str, object]:
        """Start a bot, hear its report, end it."""
        seat, table = self.start(source)
        try:
            return hear(table)
        finally:
            seat.end()


def hear(table: socket.socket) -> dict[str, object]:
    connection, _ = table.accept()
    with connection, connection.makefile() as stream:
        return json.loads(stream.read())


def kinds(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "seats", [pytest.param(name, marks=pytest.mark.needs(f"sandbox:{name}")) for name in names], indirect=True
    )


EVERY = kinds("docker", "bubblewrap", "process")
WALLED = kinds("docker", "bubblewrap")


@pytest.fixture
def seats(request: pytest.FixtureRequest, runtime_cache: Path) -> Iterator[Seats]:
    folder = Path(tempfile.mkdtemp(prefix="gat-", dir="/tmp"))
    folder.chmod(0o755)
    choice = choose(wanted=request.param, production=False, cache=runtime_cache, policy=load_policy())
    assert choice.sandbox.kind == request.param
    seats = Seats(choice.sandbox, folder)
    with seats.open:
        yield seats
    choice.sandbox.close()
    shutil.rmtree(folder)


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
def test_a_bot_has_no_network(seats: Seats) -> None:
    found = seats.report(
        """
        def dial(family, kind, *address):
            with socket.socket(family, kind) as s:
                s.settimeout(2)
                s.connect(*address) if address else None
        tell({
            "ipv4": tried(lambda: dial(socket.AF_INET, socket.SOCK_STREAM, ("1.1.1.1", 53))),
            "ipv6": tried(lambda: dial(socket.AF_INET6, socket.SOCK_STREAM, ("::1", 53))),
            "netlink": tried(lambda: dial(socket.AF_NETLINK, socket.SOCK_RAW)),
            "packet": tried(lambda: dial(socket.AF_PACKET, socket.SOCK_RAW)),
            "vsock": tried(lambda: dial(socket.AF_VSOCK, socket.SOCK_STREAM)),
        })
        """
    )
    assert not [name for name, outcome in found.items() if outcome == "done"]


@WALLED
def test_a_bot_can_write_to_a_small_tmp_only(seats: Seats) -> None:
    found = seats.report(
        """
        def write(path, size=1):
            with open(path, "wb") as file:
                for _ in range(size):
                    file.write(bytes(65_536))
        tell({
            "tmp": tried(lambda: write("/tmp/x")),
            "bot": tried(lambda: write("/bot/x")),
            "root": tried(lambda: write("/x")),
            "usr": tried(lambda: write("/usr/local/bin/x")),
            "dev": tried(lambda: write("/dev/x")),
            "shared memory": tried(lambda: write("/dev/shm/x")),
            "socket folder": tried(lambda: write("/run/arena/x")),
            "program": tried(lambda: os.chmod("/bot/bot.py", 0o777)),
            "huge file": tried(lambda: write("/tmp/huge", 2_000)),
        })
        """
    )
    assert found.pop("tmp") == "done"
    assert not [path for path, outcome in found.items() if outcome == "done"]


@WALLED
def test_a_bot_sees_neither_the_machine_nor_other_seats(seats: Seats, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("host")
    other, _ = seats.start("import time; time.sleep(600)")
    here = [str(secret), str(seats.folder), "/etc/shadow", "/var/run/docker.sock", "/home", str(Path.cwd())]
    found = seats.report(
        f"""
        tell({{
            "seen": [path for path in {here!r} if os.path.exists(path)],
            "sockets": os.listdir("/run/arena"),
            "processes": [open(f"/proc/{{n}}/cmdline").read() for n in os.listdir("/proc") if n.isdigit()],
        }})
        """
    )
    other.end()
    assert found["seen"] == []
    assert found["sockets"] == ["table.sock"]
    assert not [line for line in found["processes"] if "sleep(600)" in line or "pytest" in line]
    assert 1 <= len(found["processes"]) <= 3


@WALLED
def test_dangerous_system_calls_are_refused(seats: Seats) -> None:
    found = seats.report(
        """
        import ctypes, platform
        libc = ctypes.CDLL(None, use_errno=True)
        numbers = {"ptrace": 101, "unshare": 272, "mount": 165, "bpf": 321, "perf_event_open": 298, "keyctl": 250,
                   "userfaultfd": 323, "io_uring_setup": 425, "setuid": 105, "chroot": 161, "setns": 308}
        def call(name):
            libc.syscall(numbers[name], 0, 0, 0, 0, 0)
            return ctypes.get_errno()
        tell({"errors": {name: call(name) for name in numbers} if platform.machine() == "x86_64" else {},
              "uid": os.getuid(), "root": tried(lambda: os.setuid(0))})
        """
    )
    assert set(found["errors"].values()) <= {1}
    assert found["uid"] in range(20_000, 60_000)
    assert found["root"] != "done"


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


@kinds("docker")
def test_containers_of_a_killed_worker_are_removed_by_the_next(seats: Seats, runtime_cache: Path) -> None:
    import docker

    client = docker.from_env()
    image = f"guandan-runtime:{build_root(runtime_cache).digest}"
    labels = {"guandan.owner": f"{socket.gethostname()}/another-boot/1.0"}
    left = client.containers.run(image, ["python", "-c", "input()"], detach=True, network_mode="none", labels=labels)
    choose(wanted="docker", production=False, cache=runtime_cache, policy=load_policy()).sandbox.close()
    assert left.id not in {container.id for container in client.containers.list(all=True, ignore_removed=True)}
    client.close()


@pytest.mark.needs("sandbox:docker")
def test_the_recipe_in_deploy_gives_the_same_image(runtime_cache: Path, tmp_path: Path) -> None:
    import docker

    root = build_root(runtime_cache)
    recipe = Path(__file__).parents[2] / "deploy" / "images" / "runtime" / "Dockerfile"
    shutil.copy(recipe, tmp_path)
    with tarfile.open(tmp_path / "root.tar", "w") as tar:
        tar.add(root.path, arcname=".")
    client = docker.from_env()
    image, _ = client.images.build(path=str(tmp_path), network_mode="none", rm=True)
    said = client.containers.run(
        image, ["python", "-c", "import os, guandan_sdk; print(os.getuid())"], remove=True, network_mode="none"
    )
    client.close()
    assert said.strip() == b"65534"


def test_the_development_sandbox_is_refused_in_production(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="refused in production"):
        choose(wanted="process", production=True, cache=tmp_path, policy=load_policy())


def test_the_development_sandbox_says_loudly_what_it_is(tmp_path: Path) -> None:
    choice = choose(wanted="process", production=False, cache=tmp_path, policy=load_policy())
    assert "DEVELOPMENT ONLY" in choice.statement


def test_the_choice_says_why_stronger_sandboxes_are_not_used(
    runtime_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/d.sock")
    choice = choose(wanted="auto", production=False, cache=runtime_cache, policy=load_policy())
    assert choice.passed_over[0] == ("docker", "no Docker daemon answers at unix:///nowhere/d.sock")
    assert "Not docker: no Docker daemon answers at unix:///nowhere/d.sock." in choice.statement
    choice.sandbox.close()


def test_an_unknown_sandbox_is_refused_with_the_names_there_are(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="docker, bubblewrap, process"):
        choose(wanted="jail", production=False, cache=tmp_path, policy=load_policy())


@pytest.mark.needs("sandbox:bubblewrap")
def test_bubblewrap_without_control_groups_is_refused_in_production_unless_accepted(runtime_cache: Path) -> None:
    def none() -> ControlGroups:
        raise NoControlGroups("nobody may divide them here")

    how = {"wanted": "bubblewrap", "cache": runtime_cache, "policy": load_policy(), "groups": none}
    with pytest.raises(SandboxUnavailable, match=r"refused in production.*nobody may divide.*sandbox_accepts_gaps"):
        choose(production=True, **how)
    choice = choose(production=True, accept_gaps=True, **how)
    assert "not limited for a seat as a whole: nobody may divide them here" in choice.statement
    choice.sandbox.close()


@WALLED
def test_a_bot_is_not_told_what_the_machine_calls_it(seats: Seats) -> None:
    found = seats.report("tell({'groups': open('/proc/self/cgroup').read(), 'host': socket.gethostname()})")
    assert {line.rpartition(":")[2] for line in found["groups"].split()} == {"/"}
    assert found["host"] == load_policy().hostname


@WALLED
def test_every_seat_has_a_user_of_its_own(seats: Seats) -> None:
    users = [seats.report("tell({'users': [os.getuid(), os.geteuid(), os.getgid()]})")["users"] for _ in range(2)]
    assert all(len(set(of_one)) == 1 and of_one[0] in range(20_000, 60_000) for of_one in users)
    assert users[0] != users[1]


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
