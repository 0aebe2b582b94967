"""``TableService.Play`` on raw bytes, so that what does not parse is judged and not lost; and the socket of a seat."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc

from guandan_proto import codec
from guandan_runner.sandbox.seat import SOCKET_NAME

__all__ = ["OPTIONS", "PLAY", "NotWelcome", "PlayService", "listen"]

PLAY: Final = "/guandan.v1.TableService/Play"
OPTIONS: Final = (
    # Above the protocol's own limit, so that a message somewhat too long is refused with a reason.
    ("grpc.max_receive_message_length", 4 * codec.MESSAGE_BYTES),
    ("grpc.max_concurrent_streams", 4),
    ("grpc.max_metadata_size", 8192),
    ("grpc.so_reuseport", 0),
)
Play: TypeAlias = Callable[[Any], Awaitable[None]]
"""Holds one stream, given as its servicer context, to its end."""


class NotWelcome(Exception):
    """A stream is ended by us: the reason and what to do go to the bot with the status."""

    def __init__(self, reason: str, hint: str, status: grpc.StatusCode = grpc.StatusCode.FAILED_PRECONDITION) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.status = status


class PlayService(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # generic in the stubs only
    """The one method where bots play; any other is unimplemented."""

    def __init__(self, play: Play) -> None:
        self._play = play

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        """Return the handler of TableService.Play."""
        if handler_call_details.method != PLAY:
            return None
        return grpc.stream_stream_rpc_method_handler(self._held)

    async def _held(self, _: object, context: Any) -> None:
        try:
            await self._play(context)
        except NotWelcome as refusal:
            await context.abort(refusal.status, f"{refusal.reason}; {refusal.hint}")


async def listen(folder: Path, play: Play) -> grpc.aio.Server:
    """Return a server on the socket of the seat that has this folder; whatever user a bot runs as may connect."""
    server = grpc.aio.server(options=OPTIONS)
    server.add_generic_rpc_handlers((PlayService(play),))
    path = folder / SOCKET_NAME
    server.add_insecure_port(f"unix:{path}")
    await server.start()
    path.chmod(0o666)
    return server
