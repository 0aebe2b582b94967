"""Any values at the kernel's entry points: what is refused is refused by a documented error, and nothing else happens.

    python -m tests.kernel_fuzz SECONDS [SEED]

``EngineError`` for a value that makes no sense, ``TypeError`` for one of another type; anything else is a mistake.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from guandan_engine import kernel
from guandan_engine.cards import CARDS, DECK, Hand, Rank
from guandan_engine.combos import Combo, Kind
from guandan_engine.errors import EngineError
from guandan_engine.rules import load

RULES = [load(name) for name in ("standard", "digest_004", "anhui_jianzhu_2017")]
EDGES = (0, 1, 2, 3, 4, 5, 12, 13, 15, 27, 52, 53, 54, 62, 63, 64, 1023, 1024, 2**31, 2**32, 2**53, 2**62, 2**63, 2**64)
GAMES = 3


class Fuzz:
    """Draws values, calls an entry point with them, and counts what came of it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.state = kernel.random_state(seed, RULES[0])
        self.batch = kernel.Batch(GAMES, RULES[0])
        self.seen: Counter[str] = Counter()

    def number(self) -> int:
        """A number near an edge, or any of up to 200 bits."""
        near = self.rng.choice(EDGES) * self.rng.choice((1, -1)) + self.rng.randrange(-2, 3)
        return near if self.rng.random() < 0.8 else self.rng.getrandbits(self.rng.randrange(1, 200))

    def junk(self) -> Any:
        """A value of another type."""
        some = (None, "S9", b"\xff\x00", 1.5, float("nan"), [], [1], {}, (), object(), int, self.rng.randbytes(5))
        return self.rng.choice(some)

    def hand(self) -> Any:
        """A hand of the deck, or planes that are none."""
        if self.rng.random() < 0.6:
            return Hand.of(self.rng.sample(DECK, self.rng.randrange(28)))
        return Hand(self.number(), self.number())

    def combo(self) -> Any:
        if self.rng.random() < 0.6:
            return self.rng.choice(kernel.ACTIONS)
        rank = self.rng.choice(tuple(Rank))
        return Combo(self.rng.choice(tuple(Kind)), rank, self.number(), self.rng.choice((None, rank)), self.number())

    def or_junk(self, value: Any) -> Any:
        return self.junk() if self.rng.random() < 0.1 else value

    def rank(self) -> Any:
        return self.or_junk(self.rng.choice((*Rank, self.number())))

    def rules(self) -> Any:
        return self.or_junk(self.rng.choice(RULES))

    def call(self) -> None:
        """Call one entry point once."""
        name = self.rng.choice(sorted(CALLS))
        try:
            CALLS[name](self)
        except (EngineError, TypeError) as error:
            self.seen[f"{name}: {type(error).__name__}"] += 1
        else:
            self.seen[name] += 1
        if self.state.over:
            self.state = kernel.random_state(self.rng.getrandbits(64), self.rng.choice(RULES))

    def position(self) -> None:
        """Any moment; what is accepted must then play to its end."""
        hands = [self.hand() for _ in range(self.rng.choice((4, 4, 4, 4, 3)))]
        if self.rng.random() < 0.7:
            cards = self.rng.sample(DECK, self.rng.randrange(4, 40))
            hands = [Hand.of(cards[seat::4]) for seat in range(4)]
        changes: dict[str, Any] = {
            "to_beat": self.or_junk(self.combo()),
            "owner": self.or_junk(self.rng.choice((None, 0, 1, 2, 3, self.number()))),
            "passes": self.or_junk(self.rng.choice((0, 1, 2, self.number()))),
            "finished": self.or_junk(self.rng.choice(((), (0,), (1, 2), [self.number()]))),
            "laid": self.or_junk(self.rng.choice((None, self.hand()))),
        }
        kept = {key: value for key, value in changes.items() if self.rng.random() < 0.4}
        turn = self.or_junk(self.rng.choice((0, 1, 2, 3, self.number())))
        state = kernel.position(self.or_junk(hands), turn, self.rank(), self.rules(), **kept)
        kernel.playouts(state, self.number(), 2)
        self.state = state

    def lay(self) -> None:
        cards = self.rng.sample(CARDS, self.rng.randrange(6))
        self.state.lay(self.or_junk(self.combo()), self.or_junk(cards))

    def step(self) -> None:
        chosen: list[Any] = [self.rng.randrange(count) for count in self.batch.cnt]
        if self.rng.random() < 0.5:
            chosen[self.rng.randrange(GAMES)] = self.or_junk(self.number())
        self.batch.step(self.or_junk(chosen))

    def apply_any(self) -> None:
        legal = self.state.legal_actions()
        self.state.apply(self.or_junk(self.rng.choice((self.rng.choice(legal), self.number()))))


def _batch(fuzz: Fuzz) -> None:
    games = fuzz.or_junk(fuzz.rng.choice((1, 2, 0, -1, 65_537, 2**70)))
    kernel.Batch(games, fuzz.rules(), level=fuzz.rank())


CALLS: dict[str, Callable[[Fuzz], object]] = {
    "action_of": lambda fuzz: kernel.action_of(fuzz.or_junk(fuzz.combo())),
    "apply": Fuzz.apply_any,
    "batch": _batch,
    "batch.load": lambda fuzz: fuzz.batch.load(fuzz.or_junk(fuzz.number()), fuzz.or_junk(fuzz.state)),
    "batch.reset": lambda fuzz: fuzz.batch.reset(fuzz.or_junk(fuzz.number())),
    "batch.state": lambda fuzz: fuzz.batch.state(fuzz.or_junk(fuzz.number())),
    "batch.step": Fuzz.step,
    "combo_of": lambda fuzz: kernel.combo_of(fuzz.or_junk(fuzz.number())),
    "hand": lambda fuzz: fuzz.state.hand(fuzz.or_junk(fuzz.number())),
    "lay": Fuzz.lay,
    "legal_plays": lambda fuzz: kernel.legal_plays(
        fuzz.or_junk(fuzz.hand()), fuzz.or_junk(fuzz.combo()), fuzz.rules(), fuzz.rank()
    ),
    "observe": lambda fuzz: fuzz.state.observe(fuzz.or_junk(fuzz.number())),
    "play": lambda fuzz: fuzz.state.play(fuzz.or_junk(fuzz.combo())),
    "playouts": lambda fuzz: kernel.playouts(
        fuzz.or_junk(fuzz.state), fuzz.or_junk(fuzz.number()), fuzz.or_junk(fuzz.rng.choice((0, 1, 3, -1, 2**70)))
    ),
    "position": Fuzz.position,
    "random_state": lambda fuzz: kernel.random_state(fuzz.or_junk(fuzz.number()), fuzz.rules(), level=fuzz.rank()),
    "state_of": lambda fuzz: kernel.state_of(fuzz.junk(), fuzz.rules()),
}


def main() -> None:
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    fuzz, end = Fuzz(seed), time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(100):
            fuzz.call()
    for what, times in sorted(fuzz.seen.items()):
        print(f"{times:>10,}  {what}")
    print(f"{fuzz.seen.total():>10,}  calls, seed {seed}, kernel compiled: {kernel.compiled}")


if __name__ == "__main__":
    main()
