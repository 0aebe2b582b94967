"""`serve`: the gRPC server and the site in one process, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import socket

import uvicorn
import uvloop

from guandan_arena import app
from guandan_arena.errors import Unavailable
from guandan_arena.ports import Ports
from guandan_arena.rpc import serve_rpc
from guandan_arena.settings import Settings
from guandan_arena.web.app import create_app

_LAST_CALLS_S = 3


def serve(settings: Settings) -> None:
    """Serve until told to stop; raise Unavailable when SQL or Redis does not answer or an address is taken."""
    # uvicorn handles both signals while it serves, then raises them again: by then there is nothing left to do.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    uvloop.run(_serve(app.build(settings), settings))


async def _serve(ports: Ports, settings: Settings) -> None:
    rpc = await serve_rpc(ports, f"{settings.host}:{settings.grpc_port}")
    try:
        with _listening(settings) as listener:
            grpc_address = f"{settings.host}:{rpc.port}"
            config = uvicorn.Config(
                create_app(ports, grpc_address=grpc_address),
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_LAST_CALLS_S,
            )
            print(f"gRPC {grpc_address}\nsite http://{settings.host}:{listener.getsockname()[1]}", flush=True)  # noqa: T201
            await uvicorn.Server(config).serve(sockets=[listener])
    finally:
        await rpc.stop(_LAST_CALLS_S)
        await asyncio.to_thread(ports.store.close)


def _listening(settings: Settings) -> socket.socket:
    try:
        return socket.create_server((settings.host, settings.web_port))
    except OSError as error:
        address = f"{settings.host}:{settings.web_port}"
        reason = f"the site cannot listen on {address}: {error}"
        raise Unavailable("address_unavailable", reason, "choose another web_port, or end what holds it") from error
