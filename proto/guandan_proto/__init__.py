"""The gRPC protocol ``guandan.v1``: the generated code in ``v1``, and ``codec`` between messages and engine values."""

from guandan_proto import codec, v1

__all__ = ["codec", "v1"]
