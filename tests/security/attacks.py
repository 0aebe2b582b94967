"""The attacks: what each tries, at which table, the verdict its seat gets, and which adapters stop it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from guandan_engine.conduct import Verdict

DOCKER, BUBBLEWRAP, PROCESS = "docker", "bubblewrap", "process"
WALLED: Final = (DOCKER, BUBBLEWRAP)
EVERY: Final = (DOCKER, BUBBLEWRAP, PROCESS)


@dataclass(frozen=True, slots=True)
class Attack:
    """``tried``: a sentence; ``verdicts``: those a seat may get for it; ``adapters``: those that claim to stop it."""

    name: str
    tried: str
    verdicts: tuple[Verdict, ...]
    adapters: tuple[str, ...] = WALLED


OK, OUT, DEAD = (Verdict.OK,), (Verdict.TIMED_OUT,), (Verdict.CRASHED,)
ABSENT, BROKEN = (Verdict.NEVER_CONNECTED,), (Verdict.PROTOCOL_BROKEN,)
MEMORY, OUTPUT = (Verdict.MEMORY_EXCEEDED,), (Verdict.OUTPUT_EXCEEDED,)

PROBES: Final = tuple(
    Attack(name, tried, OK)
    for name, tried in {
        "files-of-the-machine": "open a file of the machine by its path, also through /proc; list its folders",
        "devices": "open memory, disks, kvm and fuse; make a device of its own",
        "docker-socket": "connect to the Docker daemon",
        "kernel-settings": "write core_pattern, sysrq, control groups, its own standing with the memory killer",
        "other-seats-sockets": "connect to the sockets of its partner and both opponents by their paths",
        "other-seats-files": "read the other bots' folders, and what its partner left in /tmp",
        "last-boards-files": "read what it left in /tmp and /dev/shm at the board before",
        "other-seats-processes": "list /proc; signal the worker",
        "other-seats-environment": "read the environment of every process it sees, and of the worker",
        "other-seats-memory": "open the memory of the worker",
        "network-ipv4": "connect to the machine and the internet, by TCP, UDP and name",
        "network-ipv6": "connect to the machine and the internet",
        "metadata-address": "connect to the address where clouds keep credentials",
        "network-raw-packet": "open raw and packet sockets",
        "network-netlink": "open a netlink socket",
        "network-vsock": "connect to the hypervisor",
        "abstract-sockets": "connect to abstract sockets of the machine and of its partner",
        "mount": "mount, umount2, move_mount, fsopen, open_tree, pivot_root",
        "chroot": "chroot",
        "ptrace": "ptrace, process_vm_readv and _writev, kcmp, pidfd_open, pidfd_getfd",
        "io_uring": "io_uring_setup, io_uring_enter, io_uring_register",
        "bpf": "bpf",
        "perf": "perf_event_open",
        "keyctl": "add_key, request_key, keyctl",
        "userfaultfd": "userfaultfd",
        "kernel-modules": "load a module or a kernel, reboot, set the clock, swap, sync, I/O ports, and others",
        "unshare": "a new user, mount, pid, network or ipc namespace; setns",
        "setuid": "become another user; have capabilities; gain privileges by exec",
        "root-filling": "write into every folder but /tmp",
        "tmp-filling": "fill /tmp",
        "huge-file": "one file of any size; a sparse file of a terabyte",
        "many-processes": "fork until it fails",
        "many-threads": "start threads until it fails",
        "many-files": "open files until it fails",
    }.items()
)

FOUGHT_OUT: Final = (
    Attack("sleep-before", "never connect: sleep", ABSENT),
    Attack("spin-before", "never connect: use all the processor time there is", ABSENT),
    Attack("spin-asked", "spin when asked", OUT),
    Attack("spin-between", "four processes that spin while others think; play on", OK),
    Attack("spin-after", "spin when the table is over", OK),
    Attack("fork-bomb", "fork without end, every child too", OUT + DEAD + MEMORY),
    Attack("thread-bomb", "start threads without end", OUT + DEAD + MEMORY),
    Attack("hog", "allocate 2 GB", MEMORY),
    Attack("hog-in-a-child", "allocate 2 GB in a child; play on", MEMORY),
    Attack("flood-stdout", "write to stdout without end", OUTPUT, EVERY),
    Attack("flood-stderr", "write to stderr without end", OUTPUT, EVERY),
    Attack("ignore-sigterm", "ignore SIGTERM, SIGINT and SIGHUP, and stay when the table is over", OK, EVERY),
    Attack("outlive", "fork twice into a new session to outlive the match; play on", OK),
    Attack("two-connections", "join twice on one socket", BROKEN),
    Attack("flood-of-messages", "a gigabyte of messages", BROKEN),
    Attack("huge-message", "one message of 100 MB", BROKEN + DEAD),
    Attack("half-a-message", "half a message, then silence", OUT),
    Attack("future-version", "a protocol version from the future", BROKEN + DEAD, EVERY),
    Attack("late-answer", "answer each request when its time is over", OUT),
    Attack("answer-after-the-deal", "answer the last request again when the deal is over", OK),
)

ATTACKS: Final = {attack.name: attack for attack in (*PROBES, *FOUGHT_OUT)}

# Two attackers, partners, against two honest bots. At one table at most one attacker waits until its clocks run out.
TABLES: Final = (
    ("sleep-before", "spin-before"),
    ("spin-asked", "hog"),
    ("fork-bomb", "hog-in-a-child"),
    ("thread-bomb", "flood-stdout"),
    ("spin-between", "spin-after"),
    ("ignore-sigterm", "outlive"),
    ("late-answer", "flood-stderr"),
    ("half-a-message", "two-connections"),
    ("flood-of-messages", "huge-message"),
    ("future-version", "answer-after-the-deal"),
)
TABLES_OF_PROCESS: Final = (("flood-stdout", "flood-stderr"), ("ignore-sigterm", "future-version"))


def tables(adapter: str) -> tuple[tuple[str, str], ...]:
    """The pairs of attacks that are fought out against an adapter."""
    return TABLES_OF_PROCESS if adapter == PROCESS else TABLES


def expected_rows() -> set[tuple[str, str]]:
    """Every (attack, adapter) that the table of attacks must have a row for."""
    return {(attack.name, adapter) for attack in ATTACKS.values() for adapter in attack.adapters}
