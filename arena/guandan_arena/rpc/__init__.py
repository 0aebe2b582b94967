"""gRPC: the servicers of ``guandan.v1.ArenaService``, which parse, call one service and answer."""

from guandan_arena.rpc.server import Rpc, serve_rpc

__all__ = ["Rpc", "serve_rpc"]
