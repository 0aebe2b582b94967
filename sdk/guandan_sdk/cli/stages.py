"""How far a version has come, told line by line while it happens and when it is over."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from guandan_sdk.cli.output import say

if TYPE_CHECKING:
    from guandan_proto.v1 import bots_pb2
    from guandan_sdk.arena import Arena

WAIT_SECONDS: Final = (0.5, 20.0)
"""How long to wait between looks at a version: from the first to the second, growing by half."""

_SILENT: Final = ("waiting", "unspecified")


def state_of(version: bots_pb2.Version) -> str:
    """Return the state of a version as a word."""
    from guandan_proto.v1 import bots_pb2  # noqa: PLC0415

    return bots_pb2.VersionState.Name(version.state).removeprefix("VERSION_STATE_").lower()


def stage_name(stage: bots_pb2.Stage) -> str:
    """Return the name of a stage as a word."""
    from guandan_proto.v1 import bots_pb2  # noqa: PLC0415

    return bots_pb2.StageName.Name(stage.name).removeprefix("STAGE_NAME_").lower()


def stage_state(stage: bots_pb2.Stage) -> str:
    """Return the state of a stage as a word."""
    from guandan_proto.v1 import bots_pb2  # noqa: PLC0415

    return bots_pb2.StageState.Name(stage.state).removeprefix("STAGE_STATE_").lower()


def stood(version: bots_pb2.Version) -> bots_pb2.Stage | None:
    """Return the stage at which a version was refused or stalled."""
    return next((stage for stage in version.stages if stage_state(stage) in ("refused", "stalled")), None)


def furthest(version: bots_pb2.Version) -> str | None:
    """Return the last stage that has begun and how it stands, as ``built: running``."""
    begun = [stage for stage in version.stages if stage_state(stage) not in _SILENT]
    return f"{stage_name(begun[-1])}: {stage_state(begun[-1])}" if begun else None


def follow(arena: Arena, version: bots_pb2.Version) -> bots_pb2.Version:
    """Look again until a version is through its check or stands still, telling every stage as it changes."""
    pause, longest = WAIT_SECONDS
    told: dict[str, str] = {}
    while True:
        version = arena.version(version.id)
        for stage in version.stages:
            name, state = stage_name(stage), stage_state(stage)
            if told.get(name) != state and state not in _SILENT:
                say(line(stage))
            told[name] = state
        if state_of(version) != "received" or stood(version) is not None:
            return version
        time.sleep(pause)
        pause = min(pause * 1.5, longest)


def line(stage: bots_pb2.Stage) -> str:
    """Write a stage on a line, with how long it took and why it went no further."""
    took = stage.end_time.ToMilliseconds() - stage.start_time.ToMilliseconds()
    over = stage.HasField("end_time") and stage.HasField("start_time")
    time_taken = f" {took / 1000:.1f} s" if over and stage_state(stage) == "done" else ""
    reason = f"  {stage.reason} ({stage.code})" if stage.code else ""
    return f"{stage_name(stage):<9} {stage_state(stage)}{time_taken}{reason}"


def explain(version: bots_pb2.Version, *, logs: bool = False) -> None:
    """Tell why a version stands still and what to do; with ``logs``, all that was printed at each stage."""
    for stage in version.stages:
        told = stage.reason or stage.hint
        if told and stage_state(stage) != "done":
            say(f"version {version.number}: {line(stage)}")
            if stage.hint:
                say(f"hint: {stage.hint}")
        if logs and stage.log:
            say(f"version {version.number}: log of {stage_name(stage)}:\n{stage.log.rstrip()}")
    evidence = version.check.evidence
    _, _, output = evidence.partition("\nthe end of its output:\n")
    if output and not logs:
        say(f"the end of its output:\n{output}")
    elif evidence and stood(version) is None:
        say(f"version {version.number}: {evidence}")
