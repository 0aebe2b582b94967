"""Reading a gRPC failure as code, reason and hint."""

from __future__ import annotations

from typing import Any, Final

import grpc

from guandan_sdk.errors import ServerError, ServerGone

_BROKEN: Final = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL, grpc.StatusCode.CANCELLED)
_NO_PLACE: Final = "door_full"  # the one limit that is over in a moment
_UNTRUSTED: Final = "CERTIFICATE_VERIFY_FAILED"
_PLAIN: Final = {
    grpc.StatusCode.UNAVAILABLE: ("the server cannot be reached", "check the address and that the server runs"),
    grpc.StatusCode.DEADLINE_EXCEEDED: ("the server did not answer in time", "try again"),
    grpc.StatusCode.UNAUTHENTICATED: ("the server does not know this token", "log in again: guandan login"),
    grpc.StatusCode.UNIMPLEMENTED: ("the server does not know this call", "its version differs; update guandan-sdk"),
}


def is_broken(error: object) -> bool:
    """Whether a call ended because the connection broke or found no place, so that it may be tried again."""
    code, text = _code(error)
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return server_error(error).code == _NO_PLACE
    return code in _BROKEN and _UNTRUSTED not in text


def server_error(error: object) -> ServerError:
    """Turn a failed call into an error with code, reason and hint, from the rich details when there are any."""
    code, text = _code(error)
    info = _info(error)
    if info is not None:
        return ServerError(info.metadata.get("code", info.reason.lower()), text, info.metadata.get("hint", ""))
    if _UNTRUSTED in text:
        hint = "check the address; for an arena with an authority of its own, name its PEM file in GUANDAN_CA"
        return ServerError("untrusted_certificate", "the server's certificate is not one this machine trusts", hint)
    reason, hint = _PLAIN.get(code, ("", ""))
    told = ": ".join(part for part in (reason, text) if part)
    return ServerError(code.name.lower(), told or code.name, hint)


def server_gone(error: object) -> ServerGone:
    """Turn a call that ended because the connection broke into an error that says so."""
    told = server_error(error)
    return ServerGone(told.code, told.reason, told.hint)


def _code(error: object) -> tuple[grpc.StatusCode, str]:
    if isinstance(error, grpc.Call):
        code: grpc.StatusCode | None = error.code()
        text: str | None = error.details()
        return code or grpc.StatusCode.UNKNOWN, text or ""
    return grpc.StatusCode.UNKNOWN, str(error)


def _info(error: object) -> Any:
    """Return the ErrorInfo that a refusal carries, if any."""
    from google.rpc import error_details_pb2  # noqa: PLC0415 - a bot that is not refused starts faster without
    from grpc_status import rpc_status  # noqa: PLC0415

    if not isinstance(error, grpc.Call):
        return None
    try:
        status = rpc_status.from_call(error)
    except ValueError:  # the details name another code or message: do not trust them
        return None
    info = error_details_pb2.ErrorInfo()
    return info if status is not None and any(packed.Unpack(info) for packed in status.details) else None
