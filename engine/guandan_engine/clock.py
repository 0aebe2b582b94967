"""The chess-like clock of a seat: free time per move, then a bank that refills a little after each answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from guandan_engine.errors import InvalidRules

__all__ = ["STANDARD", "Clocks"]


@dataclass(frozen=True, slots=True)
class Clocks:
    """The times of a table in milliseconds.

    Each decision has ``move_ms`` free of charge; then the seat's bank, ``bank_ms`` at the start, is eaten. After an
    answer the bank grows by ``increment_ms``, never above its start. ``connect_ms`` is the time to join the table.
    ``play_clock``: whether the slower clock of the rule set, made for people, is kept beside this one.
    """

    connect_ms: int = 10_000
    move_ms: int = 1_000
    bank_ms: int = 10_000
    increment_ms: int = 100
    play_clock: bool = True

    def __post_init__(self) -> None:
        for name in ("connect_ms", "move_ms", "bank_ms", "increment_ms"):
            if getattr(self, name) < 0:
                raise InvalidRules(f"clocks: {name} is {getattr(self, name)}; it must not be negative")
        if self.move_ms + self.bank_ms == 0:
            raise InvalidRules("clocks: move_ms and bank_ms are both 0; a seat would have no time to answer")

    def allowance(self, bank: int) -> int:
        """Return how long a seat with this bank may think before it is timed out."""
        return self.move_ms + bank

    def limit_text(self, bank: int) -> str:
        """Say which clock has run out when nothing came in time: that of the move alone, or the bank with it."""
        move = f"the {self.move_ms} ms of the move"
        return f"{move} and {bank} ms of bank" if bank else f"{move}, with no bank left"

    def left(self, bank: int, used: int) -> int:
        """Return the bank after a decision of ``used`` ms: an answer in time earns the increment, silence leaves 0."""
        if used >= self.allowance(bank):
            return 0
        return min(self.bank_ms, bank - max(0, used - self.move_ms) + self.increment_ms)

    def longest(self, decisions: int) -> int:
        """Return how long four seats that are never too late may take, to join and for so many decisions in all."""
        return self.connect_ms + decisions * (self.move_ms + self.increment_ms) + 4 * self.bank_ms


STANDARD: Final = Clocks()
