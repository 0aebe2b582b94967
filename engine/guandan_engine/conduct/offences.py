"""What a player may do wrong at the table, and what it may cost, each with its words for people."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = ["FOUL", "OFFENCE_WORDS", "SANCTION_WORDS", "VIOLATION", "Offence", "Sanction"]


class Offence(StrEnum):
    """What a player did wrong (docs/rules.md §11)."""

    SLOW = "slow"
    UNANNOUNCED = "unannounced"
    WRONG_COUNT = "wrong_count"
    OUT_OF_TURN = "out_of_turn"
    GESTURE = "gesture"
    EXPOSED = "exposed"
    BAD_MOVE = "bad_move"
    WRONG_TRIBUTE = "wrong_tribute"
    SIGNAL = "signal"
    LATE = "late"
    OTHER = "other"


class Sanction(StrEnum):
    """What an offence costs; the words are those of the ``ladder`` parameter."""

    WARN = "warn"
    SKIP_TURN = "skip_turn"
    SKIP_LAP = "skip_lap"
    FOUL = "foul"
    LEVEL_TO_OPPONENTS = "level_to_opponents"
    LOSE_LEVEL = "lose_level"
    LOSE_POINT = "lose_point"
    LOSE_DEAL = "lose_deal"
    LOSE_MATCH = "lose_match"
    BAN = "ban"

    @property
    def weight(self) -> int:
        """How grave this is: 0 a warning, 1 a violation (违例), 2 a foul (犯规), 3 the match, 4 the event."""
        return _WEIGHTS.get(self, VIOLATION if self in (Sanction.SKIP_TURN, Sanction.SKIP_LAP) else FOUL)


VIOLATION: Final = 1
FOUL: Final = 2
_WEIGHTS: Final = {Sanction.WARN: 0, Sanction.LOSE_MATCH: 3, Sanction.BAN: 4}

# Offence or sanction -> (English, Chinese): the one table of words for people.
OFFENCE_WORDS: Final[dict[Offence, tuple[str, str]]] = {
    Offence.SLOW: ("slow play", "拖延时间"),
    Offence.UNANNOUNCED: ("did not announce its cards", "未报牌"),
    Offence.WRONG_COUNT: ("announced a wrong number", "报错牌张"),
    Offence.OUT_OF_TURN: ("played out of turn", "越序出牌"),
    Offence.GESTURE: ("made to play out of turn", "越序出牌的手势或动作"),
    Offence.EXPOSED: ("exposed cards", "暴露牌张"),
    Offence.BAD_MOVE: ("made an illegal play", "出牌违规"),
    Offence.WRONG_TRIBUTE: ("paid or returned a wrong card", "进贡或还贡违规"),
    Offence.SIGNAL: ("gave signals", "传递信号"),
    Offence.LATE: ("came late", "迟到"),
    Offence.OTHER: ("broke the rules of conduct", "其他违规"),
}

SANCTION_WORDS: Final[dict[Sanction, tuple[str, str]]] = {
    Sanction.WARN: ("is warned", "警告"),
    Sanction.SKIP_TURN: ("may not follow in its next turns", "停止跟牌"),
    Sanction.SKIP_LAP: ("violation: may not play in this trick", "违例，停止一圈出牌权"),
    Sanction.FOUL: ("foul", "犯规"),
    Sanction.LEVEL_TO_OPPONENTS: ("its opponents go up", "对方升级"),
    Sanction.LOSE_LEVEL: ("its side goes down", "己方降级"),
    Sanction.LOSE_POINT: ("its side loses points", "己方扣分"),
    Sanction.LOSE_DEAL: ("its side loses the deal", "本副判负"),
    Sanction.LOSE_MATCH: ("its side loses the match", "本轮判负"),
    Sanction.BAN: ("its side is disqualified", "取消比赛资格"),
}
