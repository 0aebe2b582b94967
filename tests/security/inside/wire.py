"""Attacks on the table itself, by what is sent to it; no SDK."""

import os
import socket
import struct
import sys
import time

import grpc
from bare import Wire, answer, play

from guandan_engine.exchange import Answer
from guandan_proto import codec
from guandan_proto.codec import Answered, Hello
from guandan_proto.v1 import table_pb2 as pb

METHOD = "/guandan.v1.TableService/Play"


def two_connections(aims):
    first, second = Wire(), Wire()
    for wire in (first, second):
        wire.send(codec.encode_hello(Hello("twin")))
        time.sleep(0.2)
    try:
        for _ in second.frames:
            pass
    except grpc.RpcError as error:
        print("ended", error.details(), file=sys.stderr)
    time.sleep(600)


def flood(aims):
    """A gigabyte of messages, over as many streams as the table lets it open."""
    channel = grpc.insecure_channel(os.environ["GUANDAN_TABLE"])
    method = channel.stream_stream(METHOD, lambda message: message, pb.PlayResponse.FromString)
    sent = 0

    def messages():
        nonlocal sent
        yield codec.encode_hello(Hello("flood")).SerializeToString()
        while sent < 1_000_000_000:
            sent += 60_000
            yield bytes(60_000)

    for number in range(40):
        try:
            for _ in method(messages()):
                pass
        except grpc.RpcError as error:
            said = f"stream {number + 1}: {error.code().name}"
    print("SENT", sent, said, file=sys.stderr)
    sys.exit(7)


def future_version(aims):
    play(None, Hello("future", lowest=98, highest=99))
    sys.exit(7)


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def opened():
    """A connection on which one stream was opened by hand and said hello."""
    table = socket.socket(socket.AF_UNIX)
    table.connect(os.environ["GUANDAN_TABLE"].removeprefix("unix:"))
    names = {":method": "POST", ":scheme": "http", ":path": METHOD, ":authority": "localhost"}
    names |= {"te": "trailers", "content-type": "application/grpc"}
    words = [(name.encode(), value.encode()) for name, value in names.items()]
    block = b"".join(b"\0" + bytes((len(n),)) + n + bytes((len(v),)) + v for n, v in words)
    hello = codec.encode_hello(Hello("by hand")).SerializeToString()
    table.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"") + frame(1, 4, 1, block))
    table.sendall(frame(0, 0, 1, b"\0" + struct.pack(">I", len(hello)) + hello))
    return table


def half_a_message(aims):
    table = opened()
    table.sendall(frame(0, 0, 1, b"\0" + struct.pack(">I", 1000) + bytes(500)))
    print("SENT 500 of 1000 bytes", file=sys.stderr)
    time.sleep(600)


def huge_message(aims):
    """One message of 100 MB, in frames, not waiting for leave to send them."""
    table, sent = opened(), 0
    try:
        table.sendall(frame(0, 0, 1, b"\0" + struct.pack(">I", 100_000_000)))
        while sent < 100_000_000:
            table.sendall(frame(0, 0, 1, bytes(16_384)))
            sent += 16_384
        said = "all of it"
    except OSError as error:
        said = type(error).__name__
    print("SENT", sent, said, file=sys.stderr)
    sys.exit(7)


def late_answer(aims):
    def reply(wire, asked, view):
        time.sleep(aims["late_s"])
        answer(wire, asked, 0)

    play(reply)
    sys.exit(7)


def answer_after_the_deal(aims):
    """Answers every request in time, and the last one again when the deal is over."""
    wire, last = Wire(), None
    wire.send(codec.encode_hello(Hello("late")))
    try:
        for message in wire.frames:
            kind = message.WhichOneof("frame")
            for asked in message.requests.requests if kind == "requests" else ():
                last = asked
                answer_raw(wire, asked)
            if kind == "closed" and last is not None:
                answer_raw(wire, last)
                print("SENT an answer after the end", file=sys.stderr)
                wire.send(None)
    except grpc.RpcError as error:
        print("ended", error.code().name, error.details(), file=sys.stderr)
    sys.exit(0)


def answer_raw(wire, asked):
    wire.send(codec.encode_actions([Answered(asked.table_id, asked.request_id, Answer(0))]))


ATTACKS = {
    "two-connections": two_connections,
    "flood-of-messages": flood,
    "future-version": future_version,
    "half-a-message": half_a_message,
    "huge-message": huge_message,
    "late-answer": late_answer,
    "answer-after-the-deal": answer_after_the_deal,
}
