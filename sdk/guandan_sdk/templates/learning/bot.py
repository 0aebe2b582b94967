"""A bot that plays what its weights value most: ``train.py`` learns them and writes ``weights.json``."""

from __future__ import annotations

import json
from operator import add, sub
from pathlib import Path
from typing import Any

from features import KEPT, KEPT_CARDS, KEPT_WILDS, MOST, by_key, needs, play_rows, state_rows, taken

from guandan_sdk import Bot, Choice, Options, SeatView, Welcome, run
from guandan_sdk.errors import SdkError
from guandan_sdk.observation import COUNTS, HAND, LEVEL, action_of, observe

WEIGHTS = Path(__file__).with_name("weights.json")


class LearnedBot(Bot):
    """Plays the option of the highest value; needs nothing but the SDK."""

    def start(self, welcome: Welcome) -> None:
        """Read the weights."""
        if not WEIGHTS.is_file():
            raise SdkError(f"there is no {WEIGHTS.name} beside bot.py", "make it: python train.py")
        self.take(json.loads(WEIGHTS.read_text("utf-8")))

    def take(self, weights: dict[str, Any]) -> None:
        """Use these weights: rows of hidden values, their bias, and what the hidden values are worth."""
        self.rows, self.bias = weights["rows"], weights["bias"]
        self.output, (self.offset,) = weights["output"], weights["offset"]

    def play(self, view: SeatView, options: Options) -> Choice:
        """Choose the option of the highest value; the first of equal ones."""
        numbers = [action_of(play) for play in options]
        values = self.values(observe(view, self.memory), numbers)
        return options[max(range(len(options)), key=values.__getitem__)]

    def values(self, seen: bytes, numbers: list[int]) -> list[float]:
        """Return what each play is worth: the points of this seat's side that the deal is expected to bring, over 3."""
        hidden = self.bias
        for row in state_rows(seen):
            hidden = list(map(add, hidden, self.rows[row]))
        held, wilds = by_key(seen[HAND], seen[LEVEL])
        for key, count in enumerate(held):
            hidden = self.kept(hidden, key, count, 0)
        return [
            self.value(hidden, held, self.other_rows(seen, wilds, number), number, seen[LEVEL]) for number in numbers
        ]

    def kept(self, hidden: list[float], key: int, count: int, before: int) -> list[float]:
        """Add the rows of the cards kept of a key, or take away those that are kept no longer."""
        step = add if count >= before else sub
        low, high = sorted((min(count, MOST), min(before, MOST)))
        for place in range(low, high):
            hidden = list(map(step, hidden, self.rows[KEPT + key * MOST + place]))
        return hidden

    def other_rows(self, seen: bytes, wilds: int, number: int) -> list[int]:
        """Return the rows of a play itself, of the wilds and of the number of cards that it leaves."""
        cards, used = taken(number)
        left = [KEPT_WILDS + one for one in range(wilds - used)]
        return [*play_rows(number, seen[LEVEL]), KEPT_CARDS + seen[COUNTS][0] - cards, *left]

    def value(self, hidden: list[float], held: list[int], rows: list[int], number: int, level: int) -> float:
        """Return what one play is worth, given the hidden values as if nothing were laid."""
        for key, count in needs(number, level):
            hidden = self.kept(hidden, key, max(0, held[key] - count), held[key])
        for row in rows:
            hidden = list(map(add, hidden, self.rows[row]))
        return self.offset + sum(w * h for w, h in zip(self.output, hidden, strict=True) if h > 0)


if __name__ == "__main__":
    run(LearnedBot)
