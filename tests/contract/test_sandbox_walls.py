"""What a bot can reach in every sandbox that has walls."""

from __future__ import annotations

from pathlib import Path

from guandan_runner.sandbox import load_policy
from tests.sandboxed import WALLED, Seats


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
def test_a_bot_is_not_told_what_the_machine_calls_it(seats: Seats) -> None:
    found = seats.report("tell({'groups': open('/proc/self/cgroup').read(), 'host': socket.gethostname()})")
    assert {line.rpartition(":")[2] for line in found["groups"].split()} == {"/"}
    assert found["host"] == load_policy().hostname


@WALLED
def test_every_seat_has_a_user_of_its_own(seats: Seats) -> None:
    users = [seats.report("tell({'users': [os.getuid(), os.geteuid(), os.getgid()]})")["users"] for _ in range(2)]
    assert all(len(set(of_one)) == 1 and of_one[0] in range(20_000, 60_000) for of_one in users)
    assert users[0] != users[1]
