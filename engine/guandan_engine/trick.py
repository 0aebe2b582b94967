"""A trick (一轮): whose turn it is, what must be beaten, and who leads next (docs/rules.md §6)."""

from __future__ import annotations

from dataclasses import dataclass

from guandan_engine.actions import Play
from guandan_engine.board import side_of
from guandan_engine.combos import Combo
from guandan_engine.events import Event, Finished, Passed, Played, TrickWon
from guandan_engine.rules import RuleSet


@dataclass(frozen=True, slots=True)
class Trick:
    """A moment of a trick. ``owner`` laid ``to_beat``, and ``passes`` came since; both None on the lead.

    ``finished``: the seats that are out, in finishing order; they are never asked again.
    """

    turn: int
    owner: int | None = None
    to_beat: Play | None = None
    passes: int = 0
    finished: tuple[int, ...] = ()

    @property
    def combo(self) -> Combo | None:
        """The combo to beat, None on the lead."""
        return None if self.to_beat is None else self.to_beat.combo

    @property
    def over(self) -> bool:
        """Whether the deal is decided: one side is out, which is so at a double-down and when three are out."""
        return any(seat in self.finished and partner_of(seat) in self.finished for seat in (0, 1))


def partner_of(seat: int) -> int:
    """Return the seat opposite."""
    return (seat + 2) % 4


def next_active(seat: int, finished: tuple[int, ...]) -> int:
    """Return the next seat in play order that still holds cards, ``seat`` itself when it is the only one."""
    following = (seat + 1) % 4
    while following in finished and following != seat:
        following = (following + 1) % 4
    return following


def lay(trick: Trick, play: Play, left: int) -> tuple[Trick, tuple[Event, ...]]:
    """Lay a play for the seat on turn, which keeps ``left`` cards."""
    seat = trick.turn
    played = Played(seat, play, left)
    if left:
        return Trick(next_active(seat, trick.finished), seat, play, 0, trick.finished), (played,)
    finished = (*trick.finished, seat)
    return Trick(next_active(seat, finished), seat, play, 0, finished), (played, Finished(seat, len(finished)))


def step_aside(trick: Trick, rules: RuleSet) -> tuple[Trick, tuple[Event, ...]]:
    """Pass for the seat on turn; when all others have passed, the owner leads, or who leads on for it if it is out."""
    seat, owner = trick.turn, trick.owner
    passes = trick.passes + 1
    needed = sum(s not in trick.finished and s != owner for s in range(4))
    if owner is None or passes < needed:
        return Trick(next_active(seat, trick.finished), owner, trick.to_beat, passes, trick.finished), (Passed(seat),)
    leader = _leads_on(owner, trick.finished, rules) if owner in trick.finished else owner
    jiefeng = leader == partner_of(owner) and owner in trick.finished
    return Trick(leader, finished=trick.finished), (Passed(seat), TrickWon(leader, jiefeng))


def _leads_on(owner: int, finished: tuple[int, ...], rules: RuleSet) -> int:
    """Return who leads after the best player, who is out: its partner (接风), or the next seat (§6.5)."""
    in_scope = rules.jiefeng_scope == "any" or owner == finished[0]
    return partner_of(owner) if rules.jiefeng == "partner" and in_scope else next_active(owner, finished)


def places(finished: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Return all four seats by place; open places go in play order from the seat after the first."""
    rest = [s for step in (1, 2, 3) if (s := (finished[0] + step) % 4) not in finished]
    a, b, c, d = (*finished, *rest)
    return (a, b, c, d)


def is_double_down(order: tuple[int, ...]) -> bool:
    """Whether one side took the first two places (双下)."""
    return side_of(order[0]) == side_of(order[1])
