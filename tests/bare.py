"""Bots without the SDK: the wire and nothing else, so that they can do what no client library would."""

from __future__ import annotations

import textwrap
from pathlib import Path

from guandan_runner.results import BotFiles
from tests.seating import write_bot

# A bot without the SDK: it answers every request with what ``reply`` returns and otherwise behaves.
BARE = """
import os, sys, time
import grpc
from guandan_engine.actions import Give, Lay, Pass
from guandan_engine.cards import CARDS, DECK, Hand, Rank
from guandan_engine.combos import Kind, Reading
from guandan_engine.rules import load
from guandan_engine.exchange import Answer
from guandan_engine.view import SeatView, fold
from guandan_proto import codec
from guandan_proto.codec import Answered, Hello
from guandan_proto.v1 import table_pb2 as pb
from queue import SimpleQueue

class Wire:
    def __init__(self):
        self.channel = grpc.insecure_channel(os.environ["GUANDAN_TABLE"])
        self.out = SimpleQueue()
        method = self.channel.stream_stream("/guandan.v1.TableService/Play",
            request_serializer=lambda message: message if isinstance(message, bytes) else message.SerializeToString(),
            response_deserializer=pb.PlayResponse.FromString)
        self.frames = method(iter(self.out.get, None))
    def send(self, message):
        self.out.put(message)

def play(reply, hello=Hello("bare")):
    wire = Wire()
    wire.send(codec.encode_hello(hello))
    view = None
    try:
        for frame in wire.frames:
            kind = frame.WhichOneof("frame")
            if kind == "welcome":
                welcome = codec.decode_welcome(frame.welcome)
                view = SeatView(welcome.seat, welcome.rules)
            elif kind == "requests":
                for message in frame.requests.requests:
                    asked = codec.decode_request(message, view.rules)
                    for record in asked.records:
                        view = fold(view, record.event)
                    reply(wire, asked, view)
            elif kind == "refused":
                print("refused", frame.refused.code, frame.refused.reason, file=sys.stderr)
                if frame.refused.attempts_left and frame.refused.code != "stale":
                    reply(wire, asked, view)
            elif kind == "closed":
                wire.send(None)
    except grpc.RpcError as error:
        print("ended", error.code().name, error.details(), file=sys.stderr)
    wire.channel.close()

def answer(wire, asked, choice):
    wire.send(codec.encode_actions([Answered(asked.table_id, asked.id, Answer(choice))]))
"""


def bare_bot(source: str, folder: Path) -> BotFiles:
    return write_bot("bad", BARE + textwrap.dedent(source), folder)
