"""Attempts to reach past the walls, each tried once and told in a line: what was refused how, and what was not."""

import contextlib
import ctypes
import errno
import json
import os
import platform
import signal
import socket
import sys
import threading
import time
from pathlib import Path

PROBES = {}
REFUSED = ("EPERM", "ENOSYS")  # any other error of a system call means that the kernel has looked at it
LEFT = socket.socket(socket.AF_UNIX)
LIBC = ctypes.CDLL(None, use_errno=True)
# By name: number on x86_64, number on aarch64 (None: no such call there).
CALLS = {
    "mount": (165, 40), "umount2": (166, 39), "move_mount": (429, 429), "fsopen": (430, 430), "open_tree": (428, 428),
    "pivot_root": (155, 41), "chroot": (161, 51), "setns": (308, 268),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "reboot": (169, 142), "swapon": (167, 224), "syslog": (103, 116), "settimeofday": (164, 170), "acct": (163, 89),
    "open_by_handle_at": (304, 265), "iopl": (172, None), "ioperm": (173, None), "modify_ldt": (154, None),
    "setuid": (105, 146), "setgid": (106, 144), "setresuid": (117, 147), "setgroups": (116, 159), "capset": (126, 91),
    "personality": (135, 92), "sync": (162, 81),
}  # fmt: skip
NAMESPACES = {"user": 0x10000000, "mount": 0x20000, "pid": 0x20000000, "network": 0x40000000, "ipc": 0x8000000}


def probe(name):
    def keep(function):
        PROBES[name] = function
        return function

    return keep


def answer(act):
    """The name of the error that an attempt ended with, or "" when it was let through."""
    try:
        act()
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)
    except Exception as error:
        return type(error).__name__
    return ""


def answers(acts):
    return {label: answer(act) for label, act in acts.items()}


def call(name, *args):
    """A system call's error; "" when the kernel looked at it, whatever it then said."""
    number = CALLS[name][platform.machine() == "aarch64"]
    if number is None:
        return "ENOSYS"
    ctypes.set_errno(0)
    value = LIBC.syscall(number, *(args or (0, 0, 0, 0, 0)))
    said = errno.errorcode.get(ctypes.get_errno(), "")
    return said if value == -1 and said in REFUSED else ""


def calls(*names):
    return lambda aims: {name: call(name) for name in names}


def reading(path):
    def act():
        if os.path.isdir(path):
            return os.listdir(path)
        with open(path, "rb") as file:
            return file.read(1) or os.open("/proc/nothing-in-it", os.O_RDONLY)  # a file that was blinded

    return act


def writing(path, what=b"x"):
    def act():
        with open(path, "wb") as file:
            file.write(what)

    return act


def dialling(family, kind=socket.SOCK_STREAM, address=None):
    def act():
        with socket.socket(family, kind) as trial:
            trial.settimeout(2)
            if address is not None:
                trial.connect(address)

    return act


@probe("files-of-the-machine")
def files_of_the_machine(aims):
    tries = [aims["secret"], "/proc/1/root" + aims["secret"], "/proc/self/cwd/.." + aims["secret"], aims["project"]]
    return answers({path: reading(path) for path in [*tries, "/etc/shadow", "/var/lib", "/boot"]})


@probe("devices")
def devices(aims):
    names = ("mem", "kmem", "port", "vda", "sda", "nvme0n1", "kvm", "fuse", "vsock", "kmsg")
    acts = {f"/dev/{name}": reading(f"/dev/{name}") for name in names}
    return answers({**acts, "mknod": lambda: os.mknod("/tmp/disk", 0o60600, os.makedev(254, 0))})


@probe("docker-socket")
def docker_socket(aims):
    return answers({path: dialling(socket.AF_UNIX, address=path) for path in aims["docker"]})


def as_it_is(path):
    """What a file says now, so that an attempt that is let through does no harm to the machine it is tried on."""
    with contextlib.suppress(OSError):
        return Path(path).read_bytes()
    return b""


@probe("kernel-settings")
def kernel_settings(aims):
    paths = ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/fs/cgroup/x")
    acts = {path: writing(path, as_it_is(path)) for path in paths}
    acts["/proc/self/oom_score_adj"] = writing("/proc/self/oom_score_adj", b"-1000")
    return answers({**acts, "/proc/kcore": reading("/proc/kcore"), "/proc/kmsg": reading("/proc/kmsg")})


@probe("other-seats-sockets")
def other_seats_sockets(aims):
    found = answers({path: dialling(socket.AF_UNIX, address=path) for path in aims["sockets"]})
    listed = answer(lambda: os.listdir("/run/arena"))
    return {**found, "/run/arena": listed or ("only its own" if os.listdir("/run/arena") == ["table.sock"] else "")}


@probe("other-seats-files")
def other_seats_files(aims):
    paths = [*aims["bots"], "/tmp/left-here", os.path.dirname(aims["sockets"][0])]
    return answers({path: reading(path) for path in paths})


@probe("last-boards-files")
def last_boards_files(aims):
    found = answers({path: reading(path) for path in ("/tmp/left-by-a-board", "/dev/shm/left-by-a-board")})
    for path in ("/tmp/left-by-a-board", "/dev/shm/left-by-a-board"):
        with contextlib.suppress(OSError):
            writing(path)()
    return found


@probe("other-seats-processes")
def other_seats_processes(aims):
    others = {int(name) for name in os.listdir("/proc") if name.isdigit()} - {1, os.getpid()}
    found = answers({who: lambda pid=pid: os.kill(pid, 0) for who, pid in aims["pids"].items()})
    return {**found, "/proc": "" if others else "no other process"}


@probe("other-seats-environment")
def other_seats_environment(aims):
    """Both what it was given itself and what it can read of others."""
    read = json.dumps(dict(os.environ)).encode()
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            read += Path(f"/proc/{name}/environ").read_bytes()
    found = answers({who: reading(f"/proc/{pid}/environ") for who, pid in aims["pids"].items()})
    return {**found, "the worker's secret": "" if aims["variable"].encode() in read else "not there"}


@probe("other-seats-memory")
def other_seats_memory(aims):
    return answers({who: reading(f"/proc/{pid}/mem") for who, pid in aims["pids"].items()})


@probe("network-ipv4")
def network_ipv4(aims):
    port = aims["port"]
    return answers(
        {
            "the machine": dialling(socket.AF_INET, address=("127.0.0.1", port)),
            "the internet": dialling(socket.AF_INET, address=("1.1.1.1", 53)),
            "UDP": dialling(socket.AF_INET, socket.SOCK_DGRAM, ("1.1.1.1", 53)),
            "DNS": lambda: socket.getaddrinfo("example.com", 80),
        }
    )


@probe("network-ipv6")
def network_ipv6(aims):
    addresses = {"the machine": ("::1", aims["port"]), "the internet": ("2606:4700:4700::1111", 53)}
    return answers({label: dialling(socket.AF_INET6, address=address) for label, address in addresses.items()})


@probe("metadata-address")
def metadata_address(aims):
    return answers({"169.254.169.254": dialling(socket.AF_INET, address=("169.254.169.254", 80))})


@probe("network-raw-packet")
def network_raw_packet(aims):
    kinds = {"raw": (socket.AF_INET, socket.SOCK_RAW), "packet": (socket.AF_PACKET, socket.SOCK_RAW)}
    return answers({label: dialling(*kind) for label, kind in kinds.items()})


@probe("network-netlink")
def network_netlink(aims):
    return answers({"route": dialling(socket.AF_NETLINK, socket.SOCK_RAW)})


@probe("network-vsock")
def network_vsock(aims):
    return answers({"the hypervisor": dialling(socket.AF_VSOCK, address=(2, 1024)), "any": dialling(socket.AF_VSOCK)})


@probe("abstract-sockets")
def abstract_sockets(aims):
    names = {"the machine's": aims["abstract"], "the partner's": "left-here"}
    return answers({label: dialling(socket.AF_UNIX, address="\0" + name) for label, name in names.items()})


PROBES["mount"] = calls("mount", "umount2", "move_mount", "fsopen", "open_tree", "pivot_root")
PROBES["chroot"] = calls("chroot")
PROBES["ptrace"] = calls("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_open", "pidfd_getfd")
PROBES["io_uring"] = calls("io_uring_setup", "io_uring_enter", "io_uring_register")
PROBES["bpf"] = calls("bpf")
PROBES["perf"] = calls("perf_event_open")
PROBES["keyctl"] = calls("add_key", "request_key", "keyctl")
PROBES["userfaultfd"] = calls("userfaultfd")
PROBES["kernel-modules"] = calls(
    *("init_module", "finit_module", "delete_module", "kexec_load", "reboot", "swapon", "syslog", "settimeofday"),
    *("acct", "open_by_handle_at", "iopl", "ioperm", "modify_ldt", "personality", "sync"),
)


@probe("unshare")
def unshare(aims):
    found = {"setns": call("setns")}
    for label, flag in NAMESPACES.items():
        ctypes.set_errno(0)
        value = LIBC.unshare(flag)
        found[label] = errno.errorcode.get(ctypes.get_errno(), "") if value == -1 else ""
    return found


@probe("setuid")
def setuid(aims):
    found = {name: call(name) for name in ("setuid", "setgid", "setresuid", "setgroups", "capset")}
    lines = Path("/proc/self/status").read_text().splitlines()
    status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    found["capabilities"] = "none" if int(status["CapEff"], 16) == int(status["CapBnd"], 16) == 0 else ""
    found["new privileges"] = "none" if status["NoNewPrivs"] == "1" else ""
    found["user"] = "its own" if os.getuid() in range(*aims["users"]) else ""
    return found


@probe("root-filling")
def root_filling(aims):
    folders = ("/", "/usr", "/usr/local/bin", "/bot", "/run/arena", "/run", "/etc", "/dev", "/dev/shm", "/var/tmp")
    return answers({folder: writing(os.path.join(folder, "x")) for folder in folders})


@probe("tmp-filling")
def tmp_filling(aims):
    total, said, paths = 0, "", [f"/tmp/fill{n}" for n in range(1024)]
    with contextlib.suppress(FileNotFoundError):
        try:
            for path in paths:
                with open(path, "wb", buffering=0) as file:
                    for _ in range(4):
                        total += file.write(bytes(1_048_576))
        except OSError as error:
            said = errno.errorcode[error.errno]
        for path in paths:
            os.unlink(path)
    return {f"{total >> 20} MiB written": said if total <= aims["tmp_bytes"] else ""}


@probe("huge-file")
def huge_file(aims):
    total = 0
    with open("/tmp/huge", "wb", buffering=0) as file:
        truncated = answer(lambda: file.truncate(1 << 40))
        try:
            while True:
                total += file.write(bytes(65_536))
        except OSError as error:
            said = errno.errorcode[error.errno]
    os.unlink("/tmp/huge")
    return {f"{total >> 20} MiB written": said if total <= aims["file_bytes"] else "", "a sparse TiB": truncated}


@probe("many-processes")
def many_processes(aims):
    children, said = [], ""
    try:
        while len(children) < 4 * aims["processes"]:
            pid = os.fork()
            if pid == 0:
                time.sleep(60)
                os._exit(0)
            children.append(pid)
    except OSError as error:
        said = errno.errorcode[error.errno]
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return {f"{len(children)} processes": said if len(children) < aims["processes"] else ""}


@probe("many-threads")
def many_threads(aims):
    done, started, said = threading.Event(), [], ""
    try:
        while len(started) < 4 * aims["processes"]:
            thread = threading.Thread(target=done.wait)
            thread.start()
            started.append(thread)
    except RuntimeError:
        said = "EAGAIN"
    done.set()
    for thread in started:
        thread.join()
    return {f"{len(started)} threads": said if len(started) < aims["processes"] else ""}


@probe("many-files")
def many_files(aims):
    opened, said = [], ""
    try:
        while len(opened) < 4 * aims["open_files"]:
            opened.append(os.open("/", os.O_RDONLY))
    except OSError as error:
        said = errno.errorcode[error.errno]
    for descriptor in opened:
        os.close(descriptor)
    return {f"{len(opened)} files": said if len(opened) < aims["open_files"] else ""}


def all_of_them(aims):
    for name, try_it in PROBES.items():
        print("PROBE", json.dumps({"attack": name, "answers": try_it(aims)}), file=sys.stderr)


def leave_things(aims):
    """What the partner would leave where its partner looks for it."""
    writing("/tmp/left-here")()
    LEFT.bind("\0left-here")
    LEFT.listen()


BEFORE = {"probes": all_of_them, "left-things": leave_things}
