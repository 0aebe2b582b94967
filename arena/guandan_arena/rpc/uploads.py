"""Receiving an archive: spooled to disk, counted while it comes, refused as soon as it is too large."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from tempfile import SpooledTemporaryFile
from typing import IO, Final

from guandan_arena.errors import Exhausted, InvalidArgument
from guandan_arena.rpc.limits import CHUNK_BYTES, UPLOAD_SECONDS
from guandan_proto.v1 import arena_pb2

_ORDER: Final = "send one message with `submission`, then only messages with `chunk`"


@asynccontextmanager
async def received(
    requests: AsyncIterator[arena_pb2.SubmitVersionRequest], *, most_bytes: int
) -> AsyncIterator[tuple[arena_pb2.Submission, Iterator[bytes]]]:
    """Give what the first message says and the bytes of the rest; raise InvalidArgument or Exhausted otherwise."""
    with SpooledTemporaryFile(max_size=CHUNK_BYTES) as spool:
        try:
            async with asyncio.timeout(UPLOAD_SECONDS):
                submission = await _first(requests)
                _check_announced(submission.size_bytes, most_bytes)
                await _spool(requests, spool, announced=submission.size_bytes)
        except TimeoutError:
            reason = f"the upload took longer than {UPLOAD_SECONDS} s"
            raise Exhausted("upload_too_slow", reason, "try again on a faster line, or send less") from None
        spool.seek(0)
        yield submission, iter(lambda: spool.read(CHUNK_BYTES), b"")


async def _first(requests: AsyncIterator[arena_pb2.SubmitVersionRequest]) -> arena_pb2.Submission:
    async for request in requests:
        if request.WhichOneof("part") == "submission":
            return request.submission
        break
    raise InvalidArgument("upload_malformed", "the first message of an upload is not a submission", _ORDER)


def _check_announced(size: int, most_bytes: int) -> None:
    if size > most_bytes:
        reason = f"the archive has {size} bytes; at most {most_bytes} are accepted"
        raise Exhausted("archive_too_large", reason, "leave out what the bot does not need")


async def _spool(requests: AsyncIterator[arena_pb2.SubmitVersionRequest], spool: IO[bytes], *, announced: int) -> None:
    size = 0
    async for request in requests:
        if request.WhichOneof("part") != "chunk":
            raise InvalidArgument("upload_malformed", "a later message of an upload is not a chunk", _ORDER)
        if len(request.chunk) > CHUNK_BYTES:
            reason = f"a chunk of {len(request.chunk)} bytes; at most {CHUNK_BYTES} are accepted"
            raise InvalidArgument("chunk_too_large", reason, "send smaller chunks")
        size += len(request.chunk)
        if size > announced:
            break
        await asyncio.to_thread(spool.write, request.chunk)
    if size != announced:
        reason = f"{announced} bytes were announced, and {'more' if size > announced else size} came"
        raise InvalidArgument("upload_incomplete", reason, "send size_bytes as the size of the file, and all of it")
