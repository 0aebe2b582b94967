"""Many deals at once for learning: everything is NumPy arrays over the engine's own memory."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guandan_engine.cards import Rank
from guandan_engine.kernel import Batch, State
from guandan_engine.rules import RuleSet
from guandan_sdk.envs.setting import level_of, rules_of
from guandan_sdk.errors import InvalidInput
from guandan_sdk.observation import OBSERVATION_BYTES, action_count

__all__ = ["VecEnv"]

Choices: TypeAlias = "NDArray[np.integer[Any]] | list[int]"
MOST_GAMES: Final = 1 << 16


class VecEnv:
    """So many deals played side by side; each step lays one play in every one of them.

    The arrays are made once. They are live: a step changes what is in them, so copy what you want to keep. They cannot
    be written to. N is ``games``; seats 0 and 2 play against 1 and 3.

    | array | shape, type | holds |
    |---|---|---|
    | ``observations`` | (N, 128) uint8 | what the seat on turn knows, see ``guandan_sdk.observation`` |
    | ``legal`` | (N, 1024) int16 | numbers of its legal plays; only the first ``counts`` of a row count |
    | ``counts`` | (N,) int32 | how many legal plays it has, at least 1 |
    | ``turn`` | (N,) uint8 | the seat on turn |
    | ``levels`` | (N,) uint8 | rank of the level card |
    | ``done`` | (N,) uint8 | 1 where the last step ended a deal |
    | ``points`` | (N,) int32 | what that deal brought side 0, less what it brought side 1; 0 where none ended |
    | ``orders`` | (N, 4) uint8 | the seats by place in the last deal that ended |

    Where a step ends a deal, the next one is dealt at once: ``observations``, ``legal``, ``counts``, ``turn`` and
    ``levels`` are already those of the new deal, ``done``, ``points`` and ``orders`` tell of the old one.
    The k-th deal of game i follows from the seed, i and k alone, so the same seed and the same choices give the same
    games, however many others are played beside them, with and without the compiled kernel.
    """

    def __init__(
        self, games: int, *, rules: str | RuleSet = "standard", level: str | Rank | None = None, seed: int = 0
    ) -> None:
        """Deal ``games`` deals. ``rules``: a preset's name or a rule set.

        ``level``: of every deal, as ``2`` or ``A``. None draws each from 2 to A, unless the rule set fixes it.
        """
        if not 1 <= games <= MOST_GAMES:
            raise InvalidInput(f"{games} games cannot be played at once", f"take 1 to {MOST_GAMES}; 256 are fast")
        self.games: Final = games
        self.rules: Final = rules_of(rules)
        self.actions: Final = action_count(self.rules)
        self._batch = batch = Batch(games, self.rules, level=level_of(level, self.rules))
        self.observations: Final = _view(batch.obs).view(np.uint8).reshape(games, OBSERVATION_BYTES)
        self.legal: Final = _view(batch.legal).reshape(games, -1)
        self.counts: Final = _view(batch.cnt)
        self.turn: Final = _view(batch.turn)
        self.levels: Final = _view(batch.level)
        self.done: Final = _view(batch.done)
        self.points: Final = _view(batch.reward)
        self.orders: Final = _view(batch.order).reshape(games, 4)
        self._mask = np.zeros((games, self.actions), np.bool_)
        self._games = np.arange(games)
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Deal all games anew."""
        self._batch.reset(int(seed))

    def step(self, choices: Choices) -> None:
        """Lay in each game the legal play at this place of its row of ``legal``.

        Raise IllegalAction, with nothing laid anywhere, when there is no such place or not one choice for each game.
        """
        self._batch.step(_whole(choices) if isinstance(choices, np.ndarray) else choices)

    def play(self, actions: NDArray[np.integer[Any]]) -> None:
        """Lay in each game the play of this number: as ``step``, for a policy that chooses among all plays."""
        listed = np.arange(self.legal.shape[1]) < self.counts[:, None]
        found = (self.legal == actions[:, None]) & listed
        self.step(np.where(found.any(1), found.argmax(1), -1))

    def state(self, game: int) -> State:
        """Return a copy of one game, all hands open: for looking and searching, not for a policy to see."""
        return self._batch.state(game)

    def load(self, game: int, state: State) -> None:
        """Go on in one game from this position."""
        self._batch.load(game, state)

    def mask(self) -> NDArray[np.bool_]:
        """Write which of all plays are legal, (N, ``actions``); the same array at every call."""
        self._mask.fill(False)
        width = int(self.counts.max())
        listed = np.arange(width) < self.counts[:, None]
        self._mask[np.repeat(self._games, self.counts), self.legal[:, :width][listed]] = True
        return self._mask

    def rewards(self) -> NDArray[np.int32]:
        """Return what the deals that the last step ended brought each seat, (N, 4): its side's points or their loss."""
        return self.points[:, None] * np.array([1, -1, 1, -1], np.int32)


def _whole(choices: NDArray[Any]) -> list[int]:
    """Return a row of whole numbers as a list; nothing is rounded."""
    if choices.dtype.kind not in "iu" or choices.ndim != 1:
        given = f"choices are {choices.dtype} of shape {choices.shape}"
        raise InvalidInput(given, "give one whole number for each game, as choices.astype(int)")
    listed: list[int] = choices.tolist()
    return listed


def _view(memory: Any) -> NDArray[Any]:
    """Look at memory of the engine without a copy; only the engine may write to it."""
    array = np.asarray(memory)
    array.setflags(write=False)
    return array
