"""How an ArenaError looks on the wire: a status with the machine code, the reason and what to do."""

from __future__ import annotations

from typing import Final

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from guandan_arena import errors as e

DOMAIN: Final = "guandan.v1"

# The first class that an error is an instance of gives its status; so a subclass stands before its base.
STATUSES: Final[tuple[tuple[type[e.ArenaError], grpc.StatusCode], ...]] = (
    (e.InvalidArgument, grpc.StatusCode.INVALID_ARGUMENT),
    (e.Unauthenticated, grpc.StatusCode.UNAUTHENTICATED),
    (e.PermissionDenied, grpc.StatusCode.PERMISSION_DENIED),
    (e.NotFound, grpc.StatusCode.NOT_FOUND),
    (e.AlreadyExists, grpc.StatusCode.ALREADY_EXISTS),
    (e.Refused, grpc.StatusCode.FAILED_PRECONDITION),
    (e.Exhausted, grpc.StatusCode.RESOURCE_EXHAUSTED),
    (e.Unavailable, grpc.StatusCode.UNAVAILABLE),
    (e.ArenaError, grpc.StatusCode.UNKNOWN),
)


def status_of(error: e.ArenaError) -> grpc.Status:
    """Return the status of a refusal, with ErrorInfo, LocalizedMessage and, when there is a hint, Help."""
    code = next(code for cause, code in STATUSES if isinstance(error, cause))
    return rich_status(code, machine=error.code, reason=error.reason, hint=error.hint)


def rich_status(code: grpc.StatusCode, *, machine: str, reason: str, hint: str) -> grpc.Status:
    """Return a status whose details say the machine code, the reason and what to do."""
    details: list[Message] = [
        error_details_pb2.ErrorInfo(reason=machine.upper(), domain=DOMAIN, metadata={"code": machine, "hint": hint}),
        error_details_pb2.LocalizedMessage(locale="en", message=reason),
    ]
    if hint:
        details.append(error_details_pb2.Help(links=[error_details_pb2.Help.Link(description=hint)]))
    number: int = code.value[0]
    status = status_pb2.Status(code=number, message=reason, details=[_packed(detail) for detail in details])
    result: grpc.Status = rpc_status.to_status(status)
    return result


def _packed(message: Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed
