"""The provable shuffle: commitments, one secret per deal, hands and seeds that follow from it (docs/shuffle.md)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from typing import Final

from guandan_engine.board import Board, Hands
from guandan_engine.cards import DECK, Card, Hand, Rank
from guandan_engine.dealing import Dealt, joker_counts
from guandan_engine.rules import RuleSet

__all__ = [
    "board",
    "board_level",
    "commit",
    "deal",
    "deal_label",
    "deal_secret",
    "first_leader",
    "lot",
    "seat_seed",
    "seat_seeds",
    "shuffle",
]

_COMMIT_DOMAIN: Final = b"guandan/commit/v1\0"
_SHUFFLE_DOMAIN: Final = b"guandan/shuffle/v1\0"
_WORD: Final = 1 << 32


def commit(secret: bytes, event_id: str) -> str:
    """Return the commitment to a secret, published before play: it binds the secret to this event."""
    return hashlib.sha256(_COMMIT_DOMAIN + event_id.encode() + b"\0" + secret).hexdigest()


def deal_secret(secret: bytes, label: str) -> bytes:
    """Return the secret of one deal, such as ``round/3/board/2``; it can be revealed without the rest."""
    return hmac.digest(secret, label.encode(), "sha256")


def deal_label(label: str, deal: int | None) -> str:
    """Return the label of a deal of a classic match (``deal`` from 1), or the label itself for a board (None)."""
    return label if deal is None else f"{label}/deal/{deal}"


def shuffle(deal_secret: bytes) -> Hands:
    """Deal the 108 cards that follow from a deal's secret: four hands of 27."""
    a, b, c, d = (Hand.of(block) for block in _blocks(deal_secret))
    return (a, b, c, d)


def deal(deal_secret: bytes, rules: RuleSet) -> Dealt:
    """Return a deal of a classic match with all that chance gives it: hands, face-up card, leader, lot."""
    blocks = _blocks(deal_secret)
    a, b, c, d = map(Hand.of, blocks)
    leader = first_leader(deal_secret)
    face_up = _face_up(deal_secret, blocks[leader], jokers=joker_counts(rules))
    return Dealt((a, b, c, d), leader, face_up, lot(deal_secret))


def board(deal_secret: bytes, rules: RuleSet) -> Board:
    """Return the whole context of a board: its hands, its level and who leads."""
    return Board(shuffle(deal_secret), board_level(deal_secret, rules), first_leader(deal_secret))


def board_level(deal_secret: bytes, rules: RuleSet) -> Rank:
    """Return the level of a board, each up to the final one equally likely (a classic match climbs instead)."""
    if rules.fixed_level is not None:
        return rules.fixed_level
    draw = hmac.digest(deal_secret, b"level", "sha256")
    return Rank(int.from_bytes(draw[:8], "big") % (rules.final_level + 1))


def lot(deal_secret: bytes) -> int:
    """Return the number from 0 to 3 for what else is left to chance: who cuts, equal tributes by lot."""
    return hmac.digest(deal_secret, b"lot", "sha256")[0] & 3


def first_leader(deal_secret: bytes) -> int:
    """Return the seat that leads a board or the first deal of a match: it drew the face-up card, or the lot."""
    return hmac.digest(deal_secret, b"leader", "sha256")[0] & 3


def seat_seed(deal_secret: bytes, way: int, seat: int) -> int:
    """Return the 63-bit seed given to the bot at this seat of this table."""
    digest = hmac.digest(deal_secret, f"seed/{way}/{seat}".encode(), "sha256")
    return int.from_bytes(digest[:8], "big") & (2**63 - 1)


def seat_seeds(deal_secret: bytes, way: int) -> tuple[int, int, int, int]:
    """Return the seeds of seats 0 to 3 of a table."""
    a, b, c, d = (seat_seed(deal_secret, way, seat) for seat in range(4))
    return (a, b, c, d)


def _blocks(deal_secret: bytes) -> tuple[list[Card], ...]:
    """Return the shuffled deck as the four blocks that the seats hold, in their order."""
    words = _words(deal_secret)
    deck = list(DECK)
    for i in range(len(deck) - 1, 0, -1):
        j = _below(i + 1, words)
        deck[i], deck[j] = deck[j], deck[i]
    return deck[:27], deck[27:54], deck[54:81], deck[81:]


def _face_up(deal_secret: bytes, block: list[Card], *, jokers: bool) -> Card:
    """Return the card of the leader's that lies face up; a joker is drawn again where it does not count."""
    turn = 0
    while True:
        draw = hmac.digest(deal_secret, f"face-up/{turn}".encode(), "sha256")
        card = block[int.from_bytes(draw[:8], "big") % len(block)]
        if jokers or not card.is_joker:
            return card
        turn += 1


def _words(deal_secret: bytes) -> Iterator[int]:
    """Yield the 32-bit words of the SHA-256 counter stream of a secret."""
    counter = 0
    while True:
        block = hashlib.sha256(_SHUFFLE_DOMAIN + deal_secret + counter.to_bytes(8, "big")).digest()
        for i in range(0, 32, 4):
            yield int.from_bytes(block[i : i + 4], "big")
        counter += 1


def _below(n: int, words: Iterator[int]) -> int:
    """Return a number below ``n``, each equally likely: words past the last whole multiple of n are rejected."""
    limit = _WORD - _WORD % n
    while (word := next(words)) >= limit:
        pass
    return word % n
