"""Attacks that use a machine up, or do not let go of it; each never ends by itself."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time


def spin(aims):
    while True:
        pass


def sleep(aims):
    while True:
        time.sleep(600)


def ignore_sigterm(aims):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def fork_bomb(aims):
    while True:
        with contextlib.suppress(OSError):
            os.fork()


def thread_bomb(aims):
    while True:
        with contextlib.suppress(RuntimeError):
            threading.Thread(target=sleep, args=(aims,), daemon=True).start()


def hog(aims):
    return bytearray(2_000_000_000)


def hog_in_a_child(aims):
    command = [sys.executable, "-c", "hog = bytearray(2_000_000_000)", aims["marker"]]
    print("child ended with", subprocess.run(command, check=False).returncode, file=sys.stderr)


def flood(stream):
    def endless(aims):
        while True:
            stream.write("x" * 10_000)

    return endless


def spin_in_the_background(aims):
    for _ in range(4):
        subprocess.Popen([sys.executable, "-c", "while True: pass", aims["marker"]])


def outlive(aims):
    again = "import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)"
    subprocess.run([sys.executable, "-c", again, aims["marker"]], start_new_session=True, check=True)


BEFORE = {"sleep-before": sleep, "spin-before": spin, "ignore-sigterm": ignore_sigterm}
WHEN_ASKED = {
    "spin-asked": spin,
    "fork-bomb": fork_bomb,
    "thread-bomb": thread_bomb,
    "hog": hog,
    "hog-in-a-child": hog_in_a_child,
    "flood-stdout": flood(sys.stdout),
    "flood-stderr": flood(sys.stderr),
    "spin-between": spin_in_the_background,
    "outlive": outlive,
}
AFTER = {"ignore-sigterm": sleep, "spin-after": spin}
