"""The door for remote bots: a TCP listener that lets a bot in by its ticket and carries its stream to its seat.

Behind the door every seat still is a socket of its own, served by the table's host as for a bot in a sandbox. The door
reads the first frame of a bot and the first Welcome of the table, and moves all other bytes as they are.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from guandan_proto import codec
from guandan_proto.v1 import table_pb2 as pb
from guandan_runner.errors import InfrastructureFault
from guandan_runner.service import OPTIONS, PLAY, PlayService
from guandan_runner.threshold import DoorFull, Threshold
from guandan_runner.tickets import Admission, NotAdmitted, Tickets

__all__ = ["CONNECTIONS", "Door", "DoorPlace", "open_door"]

DOMAIN: Final = "guandan.v1"
HELLO_S: Final = 3.0  # a stream that says nothing is not kept longer
CONNECTIONS: Final = 256  # strangers' lines take file descriptors, and a worker without any can play nothing
_OPTIONS: Final = (
    *OPTIONS,
    ("grpc.max_allowed_incoming_connections", CONNECTIONS),
    # A connection that carries no stream is not kept either.
    ("grpc.max_connection_idle_ms", 10_000),
    ("grpc.server_handshake_timeout_ms", 5_000),
)


@dataclass(frozen=True, slots=True)
class DoorPlace:
    """Where the door is: the address listened on, the ports to try, the name bots reach it by, and its certificate.

    ``key`` and ``certificate`` are PEM; both None is plain text, for this machine only.
    """

    host: str
    ports: Sequence[int]
    public_host: str
    key: bytes | None = None
    certificate: bytes | None = None


class Door:
    """An open door. ``address`` is what bots are told; ``tickets`` says who may come in."""

    def __init__(self, address: str, tickets: Tickets) -> None:
        self.address = address
        self.tickets = tickets
        self._threshold = Threshold()

    async def play(self, context: Any) -> None:
        """Hold one stream from a remote bot: admit it, then carry its bytes to its seat and back."""
        try:
            hello, seat = await self._admitted(context)
        except NotAdmitted as refusal:
            await context.abort_with_status(_status(refusal))
            return
        try:
            await _carry(hello, seat, context)
        finally:
            self.tickets.give_back(seat)

    async def _admitted(self, context: Any) -> tuple[bytes, Admission]:
        try:
            with self._threshold.stand(context.peer()):
                async with asyncio.timeout(HELLO_S):
                    data = await context.read()
        except TimeoutError:
            raise NotAdmitted("no_hello", f"no Hello came within {HELLO_S:g} s", "send Hello first") from None
        if not isinstance(data, bytes) or len(data) > codec.MESSAGE_BYTES:
            raise NotAdmitted("no_hello", "the stream did not begin with a Hello", "send Hello first")
        try:
            frame = pb.PlayRequest.FromString(data)
        except DecodeError:
            hint = "generate the client from the proto files"
            raise NotAdmitted("no_hello", "the first message is no PlayRequest", hint) from None
        return data, self.tickets.admit(frame.hello.ticket, frame.hello.session_token)


@asynccontextmanager
async def open_door(place: DoorPlace, *, clock_ms: Callable[[], int] | None = None) -> AsyncIterator[Door]:
    """Listen on the first free port of a place while the block runs; raise InfrastructureFault when none is free."""
    server = grpc.aio.server(options=_OPTIONS)
    port = _bind(server, place)
    scheme = "http" if place.key is None or place.certificate is None else "https"
    door = Door(f"{scheme}://{place.public_host}:{port}", Tickets(clock_ms or _monotonic_ms))
    server.add_generic_rpc_handlers((PlayService(door.play),))
    await server.start()
    try:
        yield door
    finally:
        await server.stop(None)


def _bind(server: grpc.aio.Server, place: DoorPlace) -> int:
    """Take the first free port. A free one that only gRPC cannot take was given a bad certificate or key."""
    for port in place.ports:
        address = f"{place.host}:{port}"
        with suppress(RuntimeError):
            if place.key is None or place.certificate is None:
                return server.add_insecure_port(address)
            pair = (place.key, place.certificate)
            return server.add_secure_port(address, grpc.ssl_server_credentials([pair]))
        if place.key is not None and _is_free(place.host, port):
            raise InfrastructureFault("no door for remote bots: its certificate and key cannot be used together")
    raise InfrastructureFault(f"no door for remote bots: none of {len(place.ports)} ports of {place.host} can be used")


def _is_free(host: str, port: int) -> bool:
    try:
        kind, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError:
        return False
    return True


async def _carry(hello: bytes, seat: Admission, context: Any) -> None:
    """Carry a stream between a bot and its seat until the table ends it or the bot is gone."""
    async with grpc.aio.insecure_channel(f"unix:{seat.socket}") as channel:
        raw: Any = channel.stream_stream  # without serialisers it moves bytes
        call = raw(PLAY)()
        upwards = asyncio.create_task(_upwards(hello, context, call))
        try:
            await _downwards(call, context, seat)
        finally:
            call.cancel()
            upwards.cancel()
            await asyncio.gather(upwards, return_exceptions=True)


async def _upwards(hello: bytes, context: Any, call: Any) -> None:
    """Carry what the bot says to its seat; when it half-closes, so does the stream to the table."""
    await call.write(hello)
    while isinstance(data := await context.read(), bytes):
        await call.write(data)
    await call.done_writing()


async def _downwards(call: Any, context: Any, seat: Admission) -> None:
    """Carry what the table says to the bot, and how it ended the stream; the first Welcome begins the session."""
    known = False
    while isinstance(data := await call.read(), bytes):
        if not known:
            frame = pb.PlayResponse.FromString(data)
            if known := frame.WhichOneof("frame") == "welcome":
                seat.welcomed(frame.welcome.session_token)
        await context.write(data)
    code = await call.code()
    if code is not grpc.StatusCode.OK:
        await context.abort(code, await call.details())


def _status(refusal: NotAdmitted) -> grpc.Status:
    """Return a refusal as a status whose details say code, reason and hint."""
    code = code_pb2.RESOURCE_EXHAUSTED if isinstance(refusal, DoorFull) else code_pb2.UNAUTHENTICATED
    info = error_details_pb2.ErrorInfo(
        reason=refusal.code.upper(), domain=DOMAIN, metadata={"code": refusal.code, "hint": refusal.hint}
    )
    status = status_pb2.Status(code=code, message=refusal.reason)
    status.details.add().Pack(info)
    result: grpc.Status = rpc_status.to_status(status)
    return result


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000
