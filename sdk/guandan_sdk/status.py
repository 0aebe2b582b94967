"""Reading a gRPC failure as code, reason and hint."""

from __future__ import annotations

from typing import Any, Final

import grpc
from google.rpc import error_details_pb2 as details
from grpc_status import rpc_status

from guandan_sdk.errors import ServerError

_BROKEN: Final = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL, grpc.StatusCode.CANCELLED)
_PLAIN: Final = {
    grpc.StatusCode.UNAVAILABLE: ("the server cannot be reached", "check the address and that the server runs"),
    grpc.StatusCode.DEADLINE_EXCEEDED: ("the server did not answer in time", "try again"),
    grpc.StatusCode.UNAUTHENTICATED: ("the server does not know this token", "log in again: guandan login"),
    grpc.StatusCode.UNIMPLEMENTED: ("the server does not know this call", "its version differs; update guandan-sdk"),
}


def is_broken(error: object) -> bool:
    """Whether a call ended because the connection broke, so that it may be tried again."""
    return _code(error)[0] in _BROKEN


def server_error(error: object) -> ServerError:
    """Turn a failed call into an error with code, reason and hint, from the rich details when there are any."""
    code, text = _code(error)
    reason, hint = _PLAIN.get(code, (text or code.name, ""))
    machine = code.name.lower()
    for packed in _details(error):
        info, message, links = details.ErrorInfo(), details.LocalizedMessage(), details.Help()
        if packed.Unpack(info):
            machine = info.reason
        elif packed.Unpack(message):
            reason = message.message
        elif packed.Unpack(links) and links.links:
            hint = links.links[0].description
    if code is grpc.StatusCode.UNAVAILABLE and text and machine == "unavailable":
        reason = f"{reason}: {text}"
    return ServerError(machine, reason, hint)


def _code(error: object) -> tuple[grpc.StatusCode, str]:
    if isinstance(error, grpc.Call):
        return error.code() or grpc.StatusCode.UNKNOWN, error.details() or ""
    return grpc.StatusCode.UNKNOWN, str(error)


def _details(error: object) -> list[Any]:
    if not isinstance(error, grpc.Call):
        return []
    try:
        status = rpc_status.from_call(error)
    except ValueError:  # the details name another code or message: do not trust them
        return []
    return [] if status is None else list(status.details)
