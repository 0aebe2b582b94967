"""What the authors of the eight bots do: open an account, reserve a name, upload an archive, wait for its check."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc

from demo.server import DemoFailed
from guandan_proto.v1 import arena_pb2, arena_pb2_grpc, bots_pb2
from guandan_sdk.archive import pack

BOTS = Path(__file__).resolve().parent / "bots"
CHUNK_BYTES = 256 * 1024
CALL_SECONDS = 30
CHECK_SECONDS = 240
OVER = (bots_pb2.CHECK_STATE_PASSED, bots_pb2.CHECK_STATE_FAILED, bots_pb2.CHECK_STATE_STALLED)


@dataclass(frozen=True, slots=True)
class Author:
    """An account with its one bot."""

    name: str
    bot: str
    token: str

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The metadata that proves who calls."""
        return (("authorization", f"Bearer {self.token}"),)


def register(stub: arena_pb2_grpc.ArenaServiceStub, bot: str) -> tuple[Author, str]:
    """Open an account, create its bot and submit the archive; returns the author and the id of the version."""
    name = f"{bot}-lab"
    account = stub.CreateAccount(arena_pb2.CreateAccountRequest(name=name), timeout=CALL_SECONDS)
    author = Author(name, bot, account.token)
    stub.CreateBot(arena_pb2.CreateBotRequest(name=bot), metadata=author.metadata, timeout=CALL_SECONDS)
    _, archive = pack(BOTS / bot)
    submitted = stub.SubmitVersion(_upload(bot, archive), metadata=author.metadata, timeout=CALL_SECONDS)
    return author, submitted.version.id


def wait_for_checks(
    stub: arena_pb2_grpc.ArenaServiceStub,
    versions: dict[str, str],
    *,
    done: Callable[[str], None],
    alive: Callable[[], None],
) -> None:
    """Wait until every version (bot by version id) has passed its check; raise DemoFailed with the evidence if not."""
    waiting = dict(versions)
    until = time.monotonic() + CHECK_SECONDS
    while waiting:
        alive()
        if time.monotonic() > until:
            raise DemoFailed(f"no check within {CHECK_SECONDS} s for: {', '.join(sorted(waiting.values()))}")
        for version_id, bot in list(waiting.items()):
            version = stub.GetVersion(arena_pb2.GetVersionRequest(version_id=version_id), timeout=CALL_SECONDS).version
            if version.check.state not in OVER:
                continue
            if version.check.state != bots_pb2.CHECK_STATE_PASSED:
                raise DemoFailed(f"{bot} failed its check: {version.check.sentence}\n{version.check.evidence}")
            del waiting[version_id]
            done(bot)
        time.sleep(0.3)


def explain(error: grpc.RpcError) -> str:
    """A failed call in one line."""
    code, details = getattr(error, "code", None), getattr(error, "details", None)
    return f"{code().name}: {details()}" if code and details else str(error)


def _upload(bot: str, archive: bytes) -> Iterator[arena_pb2.SubmitVersionRequest]:
    head = arena_pb2.Submission(bot=bot, message="made for the demonstration", size_bytes=len(archive))
    yield arena_pb2.SubmitVersionRequest(submission=head)
    for start in range(0, len(archive), CHUNK_BYTES):
        yield arena_pb2.SubmitVersionRequest(chunk=archive[start : start + CHUNK_BYTES])
