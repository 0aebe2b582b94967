"""The gRPC server of the arena: ArenaService, LoungeService, health and reflection on one address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from guandan_arena.errors import Unavailable
from guandan_arena.ports import Ports
from guandan_arena.rpc.arena import ArenaServicer
from guandan_arena.rpc.interceptor import Refusals
from guandan_arena.rpc.limits import CALLS, MESSAGE_BYTES
from guandan_arena.rpc.lounge import LoungeServicer
from guandan_arena.settings import Settings
from guandan_proto.v1 import arena_pb2, arena_pb2_grpc, lounge_pb2, lounge_pb2_grpc

SERVICE: Final = arena_pb2.DESCRIPTOR.services_by_name["ArenaService"].full_name
LOUNGE: Final = lounge_pb2.DESCRIPTOR.services_by_name["LoungeService"].full_name
_OPTIONS: Final = (
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    ("grpc.max_metadata_size", 16 * 1024),
    ("grpc.max_concurrent_streams", CALLS),
    ("grpc.so_reuseport", 0),
)


@dataclass(frozen=True, slots=True)
class Rpc:
    """A running server. ``port`` is the one bound, 0 for a unix socket."""

    server: grpc.aio.Server
    port: int
    health: Any

    async def stop(self, grace_s: float = 5.0) -> None:
        """Say that no more calls are served, let running ones end, then stop."""
        await self.health.enter_graceful_shutdown()
        await self.server.stop(grace_s)


async def serve_rpc(ports: Ports, address: str) -> Rpc:
    """Serve on ``host:port`` (0 for a free one) or ``unix:/path``; raise Unavailable when it cannot be bound.

    With ``settings.tls_cert`` and ``tls_key`` a TCP address speaks TLS.
    """
    server = grpc.aio.server(interceptors=[Refusals()], options=_OPTIONS, maximum_concurrent_rpcs=CALLS)
    arena_pb2_grpc.add_ArenaServiceServicer_to_server(ArenaServicer(ports), server)
    lounge_pb2_grpc.add_LoungeServiceServicer_to_server(LoungeServicer(ports), server)
    checks: Any = health.aio.HealthServicer()  # type: ignore[attr-defined]  # made at import
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    reflection.enable_server_reflection((SERVICE, LOUNGE, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
    port = _bind(server, address, ports.settings)
    await server.start()
    for name in (SERVICE, LOUNGE, health.OVERALL_HEALTH):
        await checks.set(name, health_pb2.HealthCheckResponse.SERVING)
    return Rpc(server, 0 if address.startswith("unix:") else port, checks)


def _bind(server: grpc.aio.Server, address: str, settings: Settings) -> int:
    try:
        if settings.tls_cert is None or settings.tls_key is None or address.startswith("unix:"):
            return server.add_insecure_port(address)
        pair = (settings.tls_key.read_bytes(), settings.tls_cert.read_bytes())
        return server.add_secure_port(address, grpc.ssl_server_credentials([pair]))
    except (RuntimeError, OSError) as error:
        reason = f"the gRPC server cannot listen on {address}: {error}"
        raise Unavailable("address_unavailable", reason, "choose another grpc_port, or end what holds it") from error
