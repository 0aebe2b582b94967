"""The fast heart of the rules: which plays there are, and whole deals played with them.

The readable engine lists plays by it, so the rules of combination stand here alone. Numbers are ints outside, words of
at most 62 bits inside. A value that makes no sense raises EngineError, IllegalAction where an actor is at fault, and
one of another type TypeError; nothing has changed then.
"""

from __future__ import annotations

from guandan_engine.kernel.build import PACKAGE, compiled_folder

if _folder := compiled_folder(PACKAGE):
    __path__.insert(0, _folder)

from guandan_engine.kernel import listing
from guandan_engine.kernel.actions import ACTION_COUNT, ACTIONS, PASS, action_of, combo_of
from guandan_engine.kernel.batch import LEGAL, Batch
from guandan_engine.kernel.layout import ROW_BYTES
from guandan_engine.kernel.listing import legal_plays
from guandan_engine.kernel.order import beats, may_follow, rank_strength, strength
from guandan_engine.kernel.playouts import Playouts, playouts
from guandan_engine.kernel.positions import position, random_state, state_of
from guandan_engine.kernel.shapes import shape
from guandan_engine.kernel.state import State

compiled: bool = not str(listing.__file__).endswith(".py")
"""Whether the compiled kernel runs; the source does the same, slower."""

__all__ = [
    "ACTIONS",
    "ACTION_COUNT",
    "LEGAL",
    "PASS",
    "ROW_BYTES",
    "Batch",
    "Playouts",
    "State",
    "action_of",
    "beats",
    "combo_of",
    "compiled",
    "legal_plays",
    "may_follow",
    "playouts",
    "position",
    "random_state",
    "rank_strength",
    "shape",
    "state_of",
    "strength",
]
