"""The three seats that are ours at a table of the conformity table: they follow a part and speak the real protocol."""

from __future__ import annotations

import asyncio
from typing import Final

from guandan_engine.actions import Ask, Lay
from guandan_engine.cards import Card, Hand
from guandan_engine.combos import Combo, Kind
from guandan_engine.exchange import Answer
from guandan_engine.rules import RuleSet
from guandan_proto import codec
from guandan_proto.codec import Answered, Asked, Hello, Wishes
from guandan_proto.v1 import table_pb2 as pb
from guandan_runner.checking.positions import SEAT, Part

CLIENT: Final = "guandan-check"


class ScriptedSeat:
    """The bot's end of a stream without a wire: it reads what the table writes, and has its answers read."""

    def __init__(self, part: Part, rules: RuleSet) -> None:
        self._part = part
        self._rules = rules
        self._led = 0
        self._said_hello = False
        self._frames: asyncio.Queue[bytes] = asyncio.Queue()

    async def write(self, message: bytes) -> None:
        """Take in a frame of the table."""
        self._frames.put_nowait(message)

    async def read(self) -> object:
        """Return this seat's next message, once there is something to say; None after the end of the table.

        Frames are read here and not where they are written, so that a mistake of ours ends the table at once.
        """
        if not self._said_hello:
            self._said_hello = True
            hello = Hello(CLIENT, wishes=Wishes(options=True, view=True))
            return codec.encode_hello(hello).SerializeToString()
        while True:
            frame = pb.PlayResponse.FromString(await self._frames.get())
            if frame.WhichOneof("frame") == "closed":
                return None
            if frame.WhichOneof("frame") == "requests":
                return codec.encode_actions(tuple(map(self._answer, frame.requests.requests))).SerializeToString()

    def _answer(self, request: pb.Request) -> Answered:
        asked = codec.decode_request(request, self._rules)
        return Answered(asked.table_id, asked.id, Answer(self._choose(asked)))

    def _choose(self, asked: Asked) -> int | Lay:
        """Do as the part says."""
        if asked.ask is Ask.PLAY:
            return self._lead(asked) if asked.to_beat is None else self._follow(asked)
        kept = {card for lead in self._part.leads for card in lead.cards}
        cards = [i for i, option in enumerate(asked.options) if isinstance(option, Card)]
        return next((i for i in cards if asked.options[i] not in kept), cards[0] if cards else 0)

    def _lead(self, asked: Asked) -> int | Lay:
        assert asked.view is not None
        assert asked.view.hand is not None
        while self._led < len(self._part.leads):
            lead = self._part.leads[self._led]
            self._led += 1
            if Hand.of(lead.cards) <= asked.view.hand:
                return Lay(lead.cards, lead.reading)
        plays = [(option.size, -i) for i, option in enumerate(asked.options) if isinstance(option, Combo)]
        return -max(plays)[1]

    def _follow(self, asked: Asked) -> int:
        """Win the lead from the bot with a bomb, and leave it to everybody else."""
        assert asked.view is not None
        holder = next(move.seat for move in reversed(asked.view.trick) if move.play is not None)
        if holder == SEAT:
            for i, option in enumerate(asked.options):
                if isinstance(option, Combo) and self._is_kept(option):
                    return i
        return 0

    def _is_kept(self, combo: Combo) -> bool:
        return combo.kind is Kind.BOMB and combo.rank in self._part.bombs and combo.size > 4 and not combo.wilds


__all__ = ["CLIENT", "ScriptedSeat"]
