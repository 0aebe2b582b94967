"""A referee's ruling on a running table: by operators only, in the journal first, carried out at most once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from guandan_arena.errors import InvalidArgument, Refused
from guandan_arena.ports import Ports
from guandan_arena.services.accounts import COMMAND_LINE, require_operator
from guandan_arena.services.boards import attempt_of
from guandan_arena.services.identity import fresh_id, require_text
from guandan_arena.services.records import Account, AuditEntry
from guandan_arena.services.states import MatchState
from guandan_engine.cards import Card
from guandan_engine.conduct import Offence, Sanction
from guandan_engine.conduct.rulings import RefereeRuling
from guandan_engine.errors import MalformedText

TABLE_RULE: Final = "table.rule"
_LONGEST_REASON: Final = 200
_MOST: Final = 12
_MOST_CARDS: Final = 27


def rule(
    ports: Ports,
    *,
    table_id: str,
    seat: int,
    kind: str,
    reason: str,
    amount: int = 1,
    cards: str = "",
    noticed_late: bool = False,
    previous_passed: bool = False,
    leader: int | None = None,
    caller: Account | None = None,
) -> str:
    """Send a ruling to the worker that plays a table and return its id; ``answer`` says what became of it.

    ``kind`` is an offence, which costs what the rule set says, or a sanction. ``caller`` None is an operator at the
    command line. Raises InvalidArgument, NotFound, or Refused (code ``not_playing``).
    """
    if caller is not None:
        require_operator(caller)
    offence, sanction = _kind(kind)
    ruling = RefereeRuling(
        id=fresh_id(ports.entropy, "g"),
        seat=_seat(seat),
        offence=offence,
        sanction=sanction,
        amount=_amount(amount),
        cards=_cards(cards),
        noticed_late=noticed_late,
        previous_passed=previous_passed,
        leader=None if leader is None else _seat(leader),
        reason=require_text(reason, what="reason of a ruling", most=_LONGEST_REASON),
    )
    _enter(ports, table_id, f"{ruling.id}: seat {seat}, {kind}: {reason}", caller)
    ports.rulings.put(table_id, text_of(ruling))
    return ruling.id


def _enter(ports: Ports, table_id: str, detail: str, caller: Account | None) -> None:
    """Write a ruling into the journal; raise Refused unless its table is being played."""
    match_id, fence = attempt_of(table_id)
    actor = COMMAND_LINE if caller is None else caller.name
    with ports.store.transaction() as tx:
        match = tx.pairings.get(match_id)
        if match.state is not MatchState.PLAYING or match.fence != fence:
            raise Refused("not_playing", f"table {table_id} is not being played", "a referee rules on running tables")
        tx.audit.add(AuditEntry(ports.clock.now_ms(), actor, TABLE_RULE, table_id, detail))


def answer(ports: Ports, *, table_id: str, ruling_id: str) -> str | None:
    """Return what became of a ruling: ``applied``, or why it was not; None while the worker has not said."""
    return ports.rulings.answer_to(table_id, ruling_id)


def kinds() -> tuple[str, ...]:
    """Return what a ruling may be about, and what it may impose."""
    return (*Offence, *Sanction)


def text_of(ruling: RefereeRuling) -> str:
    """Write a ruling as a line of JSON."""
    return json.dumps(
        {
            "id": ruling.id,
            "seat": ruling.seat,
            "offence": ruling.offence,
            "sanction": ruling.sanction,
            "amount": ruling.amount,
            "cards": " ".join(map(str, ruling.cards)),
            "noticed_late": ruling.noticed_late,
            "previous_passed": ruling.previous_passed,
            "leader": ruling.leader,
            "reason": ruling.reason,
        },
        ensure_ascii=False,
    )


def read(text: str) -> RefereeRuling:
    """Read a ruling that ``text_of`` wrote; raise InvalidArgument for anything else."""
    try:
        line = json.loads(text)
        return RefereeRuling(
            id=str(line["id"]),
            seat=_seat(line["seat"]),
            offence=Offence(line["offence"]),
            sanction=None if line["sanction"] is None else Sanction(line["sanction"]),
            amount=_amount(line["amount"]),
            cards=_cards(line["cards"]),
            noticed_late=line["noticed_late"] is True,
            previous_passed=line["previous_passed"] is True,
            leader=None if line["leader"] is None else _seat(line["leader"]),
            reason=str(line["reason"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidArgument("bad_ruling", f"not a ruling: {error}", "rulings are made by `table rule`") from error


def _kind(kind: str) -> tuple[Offence, Sanction | None]:
    """Read a kind: an offence, or a sanction for an offence that has no name here."""
    if kind in set(Offence):
        return Offence(kind), None
    if kind in set(Sanction):
        return Offence.OTHER, Sanction(kind)
    raise InvalidArgument("unknown_kind", f"{kind[:80]!r} is no ruling", f"choose one of {_listed(kinds())}")


def _seat(seat: int) -> int:
    if type(seat) is not int or seat not in range(4):
        raise InvalidArgument("unknown_seat", f"there is no seat {seat!r}", "seats are 0 to 3")
    return seat


def _amount(amount: int) -> int:
    if type(amount) is not int or not 1 <= amount <= _MOST:
        raise InvalidArgument("bad_amount", f"a ruling cannot move {amount!r}", f"choose 1 to {_MOST}")
    return amount


def _cards(text: str) -> tuple[Card, ...]:
    try:
        cards = tuple(Card.parse(word) for word in text.split())
    except MalformedText as error:
        raise InvalidArgument("unknown_card", str(error), "write cards as S3 HT SB HR") from error
    if len(cards) > _MOST_CARDS:
        raise InvalidArgument("too_many_cards", f"{len(cards)} cards", "no seat holds more than 27")
    return cards


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words)
