"""Sizes beyond which a message is not even looked at."""

from __future__ import annotations

from typing import Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from guandan_arena.errors import InvalidArgument

MESSAGE_BYTES: Final = 2 * 1024 * 1024
CHUNK_BYTES: Final = 1024 * 1024
REPLAY_CHUNK_BYTES: Final = 256 * 1024
UPLOADS: Final = 8
UPLOAD_SECONDS: Final = 300
CALLS: Final = 256
ATTENDANTS: Final = 128  # of those calls, so that who waits keeps nobody out
ATTENDANTS_OF_ONE: Final = 16  # account; a stream that is displaced counts until it has noticed
_TEXT_CHARACTERS: Final = 256
_LONGER: Final = {"guandan.v1.Submission.message": 500}


def check_texts(message: Message) -> None:
    """Raise InvalidArgument when a text of a request is longer than any that could mean something."""
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_STRING:
            _check_text(field, value)
        elif isinstance(value, Message):
            check_texts(value)


def _check_text(field: FieldDescriptor, value: str) -> None:
    most = _LONGER.get(field.full_name, _TEXT_CHARACTERS)
    if len(value) > most:
        reason = f"{field.name} has {len(value)} characters; at most {most} are accepted"
        raise InvalidArgument("text_too_long", reason, f"shorten {field.name}")
    if "\x00" in value:
        raise InvalidArgument("text_malformed", f"{field.name} contains a zero character", f"send {field.name} as text")
