"""What a short form sends; anything longer is refused before it is read."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

MAX_FORM_BYTES: Final = 4096


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of an urlencoded form; raise HTTPException 413 unless it says that it is short."""
    size = request.headers.get("content-length", "")
    if not size.isdecimal() or int(size) > MAX_FORM_BYTES:
        raise HTTPException(413, "a form of at most 4 KB is expected")
    return dict(parse_qsl((await request.body()).decode("utf-8", "replace")))
