"""The one place where errors become statuses: what we refused says why, what we broke gets an incident id."""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import grpc
from google.protobuf.message import Message

from guandan_arena.errors import ArenaError, InvalidArgument
from guandan_arena.rpc.limits import check_texts
from guandan_arena.rpc.refusals import rich_status, status_of
from guandan_proto.codec import CodecError

_LOG: Final = logging.getLogger(__name__)


class Refusals(grpc.aio.ServerInterceptor):  # type: ignore[type-arg]  # generic in the stubs only
    """Checks the texts of every request, and maps every error of a servicer to a rich status."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any]]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any]:
        """Wrap the handler of a call, whichever of its sides streams."""
        handler: Any = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or not method.startswith("/guandan.v1."):
            return handler  # type: ignore[no-any-return]  # health and reflection answer for themselves
        if handler.response_streaming:
            kind = "stream_stream" if handler.request_streaming else "unary_stream"
            wrapped: Any = _streaming(getattr(handler, kind), method)
        else:
            kind = "stream_unary" if handler.request_streaming else "unary_unary"
            wrapped = _single(getattr(handler, kind), method)
        make = getattr(grpc, f"{kind}_rpc_method_handler")
        result: grpc.RpcMethodHandler[Any, Any] = make(
            wrapped, request_deserializer=handler.request_deserializer, response_serializer=handler.response_serializer
        )
        return result


def _single(serve: Callable[[Any, Any], Awaitable[Any]], method: str) -> Callable[[Any, Any], Awaitable[Any]]:
    async def served(request: Any, context: Any) -> Any:
        try:
            return await serve(_checked(request), context)
        except Exception as error:
            await _abort(context, error, method)

    return served


def _streaming(
    serve: Callable[[Any, Any], AsyncIterator[Any]], method: str
) -> Callable[[Any, Any], AsyncIterator[Any]]:
    async def served(request: Any, context: Any) -> AsyncIterator[Any]:
        try:
            async for response in serve(_checked(request), context):
                yield response
        except Exception as error:
            await _abort(context, error, method)

    return served


def _checked(request: Any) -> Any:
    """Return the request once its texts are checked; a stream is checked message by message."""
    if not isinstance(request, Message):
        return _checked_stream(request)
    check_texts(request)
    return request


async def _checked_stream(requests: AsyncIterator[Message]) -> AsyncIterator[Message]:
    async for request in requests:
        check_texts(request)
        yield request


async def _abort(context: Any, error: Exception, method: str) -> None:
    if isinstance(error, grpc.aio.AbortError):
        raise error
    if isinstance(error, CodecError):
        error = InvalidArgument(error.code, error.reason, error.hint)
    if isinstance(error, ArenaError):
        await context.abort_with_status(status_of(error))
    incident = secrets.token_hex(6)
    _LOG.error("incident %s in %s", incident, method, exc_info=error)
    status = rich_status(
        grpc.StatusCode.INTERNAL,
        machine="internal",
        reason=f"the arena failed; this is incident {incident}",
        hint="try again; if it stays, give the incident number to the operator",
    )
    await context.abort_with_status(status)
