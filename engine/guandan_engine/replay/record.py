"""Writing a table's log as GDR v1 lines and reading them back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guandan_engine.errors import BrokenReplay, EngineError
from guandan_engine.events import MatchEnded
from guandan_engine.exchange import Record
from guandan_engine.replay.chain import START, Line, canonical, link, mark, parse_line
from guandan_engine.replay.header import HEADER_KEYS, Header, header_line, read_header
from guandan_engine.replay.lines import KEYS, Context, from_line, to_line

LINE_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay as read. ``secrets``: the revealed deal secrets, one per deal, or () when not revealed.

    ``chain``: the hash over all lines. ``lines``: the number in the file of each record's line, from 1.
    """

    header: Header
    records: tuple[Record, ...]
    secrets: tuple[bytes, ...]
    chain: str
    lines: tuple[int, ...]


def write(header: Header, records: Sequence[Record], *, secrets: Sequence[bytes] = ()) -> bytes:
    """Return the whole file: a header line, a line per record, the last one with secrets and final chain hash."""
    if not records or not isinstance(records[-1].event, MatchEnded):
        raise EngineError("only a table that has ended has a replay")
    context = Context(header.rules)
    lines = [header_line(header), *(to_line(record, context) for record in records)]
    lines[-1]["secrets"] = [secret.hex() for secret in secrets]
    return b"".join(_chained(lines))


def _chained(lines: list[Line]) -> list[bytes]:
    """Return the texts of lines, each with the mark of the chain, the last with the whole of it."""
    value, texts = START, []
    for line in lines:
        value = link(value, line)
        hashes = {"h": mark(value)} if line is not lines[-1] else {"chain": value.hex()}
        texts.append(canonical(line | hashes) + b"\n")
    return texts


def read(data: bytes) -> Replay:
    """Parse a replay and check its chain and its form; raise BrokenReplay naming the line.

    Keys and ``x-`` events that this version does not know are passed over, though the chain covers them.
    """
    lines = _unchained(data)
    header = _read_first(lines[0])
    context = Context(header.rules)
    numbered = [(n, line) for n, line in enumerate(lines[1:], 2) if not str(line.get("e")).startswith("x-")]
    records = tuple(_read_record(n, line, i, context) for i, (n, line) in enumerate(numbered, 1))
    ends = [n for (n, _), record in zip(numbered, records, strict=True) if isinstance(record.event, MatchEnded)]
    if ends != [len(lines)]:
        raise BrokenReplay(ends[0] if ends else len(lines), "a replay has one end, on its last line")
    return Replay(header, records, _secrets(lines), lines[-1]["chain"], tuple(n for n, _ in numbered))


def _unchained(data: bytes) -> list[Line]:
    """Parse all lines and follow the chain through them."""
    texts = data.split(b"\n")
    if texts.pop() != b"":
        raise BrokenReplay(len(texts) + 1, "the last line does not end; the file is cut off")
    if len(texts) < 2:
        raise BrokenReplay(max(1, len(texts)), "a replay has at least a header and an end")
    value, lines = START, []
    for n, text in enumerate(texts, 1):
        line = _parse(n, text)
        value = link(value, line)
        key, expected = ("h", mark(value)) if n < len(texts) else ("chain", value.hex())
        if line.get(key) != expected:
            raise BrokenReplay(n, f"{key} is {line.get(key)!r}, the chain says {expected!r}: the line was altered")
        lines.append(line)
    return lines


def _parse(n: int, text: bytes) -> Line:
    if len(text) > LINE_BYTES:
        raise BrokenReplay(n, f"{len(text)} bytes; a line has at most {LINE_BYTES}")
    try:
        return parse_line(text)
    except EngineError as error:
        raise BrokenReplay(n, str(error)) from error


def _read_first(line: Line) -> Header:
    try:
        header = read_header(line)
        written = header_line(header)
        # A parameter that is younger than the file is not in it.
        written["rules"] = {key: written["rules"][key] for key in line["rules"]}
        _same(written, line, HEADER_KEYS)
    except _UNREADABLE as error:
        raise BrokenReplay(1, _reason(error)) from error
    return header


def _read_record(n: int, line: Line, number: int, context: Context) -> Record:
    try:
        record = from_line(line, context)
        if record.n != number:
            raise EngineError(f"n is {record.n}, the line before makes it {number}")
        _same(to_line(record, context), line, KEYS)
    except _UNREADABLE as error:
        raise BrokenReplay(n, _reason(error)) from error
    return record


_UNREADABLE = (EngineError, LookupError, TypeError, ValueError, AttributeError)


def _reason(error: Exception) -> str:
    return f"no {error} on this line" if isinstance(error, KeyError) else str(error)


def _same(written: Line, line: Line, keys: frozenset[str]) -> None:
    """Raise EngineError unless a line says what its record says: no other text, nothing missing."""
    known = {key: value for key, value in line.items() if key in keys}
    if canonical(known) == canonical({key: value for key, value in written.items() if key in keys}):
        return
    for key in sorted(keys):
        if canonical({"": written.get(key)}) != canonical({"": known.get(key)}):
            raise EngineError(f"{key} is {known.get(key)!r}; it must be {written.get(key)!r}")
    raise EngineError("a key has no value")


def _secrets(lines: list[Line]) -> tuple[bytes, ...]:
    try:
        return tuple(bytes.fromhex(text) for text in lines[-1]["secrets"])
    except _UNREADABLE as error:
        raise BrokenReplay(len(lines), f"secrets: {_reason(error)}") from error
