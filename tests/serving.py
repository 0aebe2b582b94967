"""A real arena server on a unix socket: real services on SQLite and a blob folder, with Redis' parts faked."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from guandan_arena.app import SystemEntropy
from guandan_arena.ports import Ports
from guandan_arena.rpc import serve_rpc
from guandan_arena.services import accounts, checks, matches, replays
from guandan_arena.services.records import MatchResult, TableResult
from guandan_arena.settings import Settings
from guandan_arena.store import FolderBlobs, SqlStore, connect, migrate
from guandan_engine.conduct import Verdict
from guandan_engine.pace import Pace
from guandan_proto.v1 import arena_pb2 as pb
from guandan_proto.v1.arena_pb2_grpc import ArenaServiceStub
from tests.fakes.invitations import FakeInvitations
from tests.fakes.ladder import FakeLadder
from tests.fakes.lounge import FakeLounge
from tests.fakes.queue import FakeJobQueue
from tests.fakes.rulings import FakeRulings
from tests.fakes.streams import FakeTableStreams

BOT_TOML = '[bot]\nname = "greedy"\nentry = ["python", "bot.py"]\nruntime = "python-3.11"\n'
REPLAY = b'{"fmt":"gdr","v":1}\n' * 40_000


@dataclass
class SetClock:
    """Stands still unless it is moved."""

    ms: int = field(default_factory=lambda: int(time.time() * 1000))

    def now_ms(self) -> int:
        return self.ms


@dataclass
class Served:
    """The arena as a client sees it, and its ports for what only workers and operators do."""

    stub: ArenaServiceStub
    channel: grpc.aio.Channel
    ports: Ports

    async def author(self, name: str) -> tuple[tuple[str, str], ...]:
        """Open an account and return the metadata that its calls carry."""
        created = await self.stub.CreateAccount(pb.CreateAccountRequest(name=name))
        return (("authorization", f"Bearer {created.token}"),)

    async def operator(self, name: str) -> tuple[tuple[str, str], ...]:
        metadata = await self.author(name)
        accounts.set_operator(self.ports, name=name, operator=True)
        return metadata

    async def submit(self, metadata, bot: str, data: bytes, *, size: int | None = None) -> pb.SubmitVersionResponse:
        return await self.stub.SubmitVersion(upload(bot, data, size=size), metadata=metadata)

    async def active_bot(self, metadata, name: str) -> str:
        """Create a bot with one version that passed its check; return the version's id."""
        await self.stub.CreateBot(pb.CreateBotRequest(name=name), metadata=metadata)
        submitted = await self.submit(metadata, name, archive(readme=name))
        self.check(submitted.version.id, Verdict.OK)
        return submitted.version.id

    def check(self, version_id: str, verdict: Verdict, detail: str = "", output: str = "") -> None:
        claim = checks.claim(self.ports, version_id=version_id, worker="w")
        checks.finish(self.ports, claim, verdict=verdict, detail=detail, output=output)

    def play(self, match_id: str, *, points: int = 3, verdict: Verdict = Verdict.OK) -> None:
        """Finish a match as a worker would; seat 0 ends with the verdict."""
        claim = matches.claim(self.ports, match_id=match_id, worker="w")
        digest = replays.put(self.ports, lines=REPLAY)
        ok = Verdict.OK
        tables = tuple(
            TableResult(
                table_id=task.table_id,
                board=task.board,
                way=task.way,
                points=points,
                order=(0, 1, 2, 3),
                verdicts=(verdict, ok, ok, ok),
                replay_digest=digest,
                details=("it said: no", "", "", ""),
                pace=Pace(decisions=80, wall_ns=500_000_000, thinking_ns=420_000_000),
            )
            for task in claim.tables
        )
        matches.finish(self.ports, claim, MatchResult(tables))


def build_ports(folder: Path, **settings: object) -> Ports:
    chosen = Settings(data_dir=folder, **settings)  # type: ignore[arg-type]
    migrate(chosen.store_url)
    return Ports(
        store=SqlStore(connect(chosen.store_url, wait_ms=1000)),
        ladder=FakeLadder(),
        tables=FakeTableStreams(),
        rulings=FakeRulings(),
        lounge=FakeLounge(),
        invitations=FakeInvitations(),
        blobs=FolderBlobs(chosen.blob_folder),
        queue=FakeJobQueue(),
        clock=SetClock(),
        entropy=SystemEntropy(),
        settings=chosen,
    )


@asynccontextmanager
async def serving(folder: Path, **settings: object) -> AsyncIterator[Served]:
    """Serve an empty arena and connect to it."""
    ports = build_ports(folder, **settings)
    rpc = await serve_rpc(ports, f"unix:{folder}/rpc.sock")
    try:
        async with grpc.aio.insecure_channel(f"unix:{folder}/rpc.sock") as channel:
            yield Served(ArenaServiceStub(channel), channel, ports)
    finally:
        await rpc.stop(0)
        ports.store.close()


def archive(*, readme: str = "", **files: str) -> bytes:
    """A good archive; files named by keyword replace or add to it, as ``bot_toml=...``."""
    content = {"bot.toml": BOT_TOML, "bot.py": "print('hello')", "README": readme}
    content |= {name.replace("_", "."): text for name, text in files.items()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as zipped:
        for name, text in content.items():
            if text != "LEFT OUT":
                zipped.writestr(zipfile.ZipInfo(name), text)
    return buffer.getvalue()


async def upload(bot: str, data: bytes, *, size: int | None = None) -> AsyncIterator[pb.SubmitVersionRequest]:
    submission = pb.Submission(
        bot=bot, message="first", filename="bot.zip", size_bytes=len(data) if size is None else size
    )
    yield pb.SubmitVersionRequest(submission=submission)
    for start in range(0, len(data), 100_000):
        yield pb.SubmitVersionRequest(chunk=data[start : start + 100_000])


@dataclass
class Told:
    """What a refusal says on the wire."""

    status: grpc.StatusCode
    code: str
    reason: str
    hint: str


def told(error: grpc.aio.AioRpcError) -> Told:
    """Read a refusal as a client does, and see that its parts agree."""
    status = rpc_status.from_call(_Ended(error))
    assert status is not None, error
    info, text = error_details_pb2.ErrorInfo(), error_details_pb2.LocalizedMessage()
    assert status.details[0].Unpack(info)
    assert status.details[1].Unpack(text)
    assert info.domain == "guandan.v1"
    assert info.reason == info.metadata["code"].upper()
    assert text.message == status.message == error.details()
    hint = info.metadata["hint"]
    if hint:
        help_ = error_details_pb2.Help()
        assert status.details[2].Unpack(help_)
        assert help_.links[0].description == hint
    return Told(error.code(), info.metadata["code"], status.message, hint)


@dataclass
class _Ended:
    """An ended call in the form that ``rpc_status`` reads."""

    error: grpc.aio.AioRpcError

    def code(self) -> grpc.StatusCode:
        return self.error.code()

    def details(self) -> str:
        return self.error.details() or ""

    def trailing_metadata(self):
        return tuple(self.error.trailing_metadata())
