"""Write a Guandan bot: one method, local tables, the guandan command.

from guandan_sdk import Bot, run

class MyBot(Bot):
    def play(self, view, options):
        return options[-1]

if __name__ == "__main__":
    run(MyBot)
"""

from guandan_engine.actions import Lay, Pass, Play
from guandan_engine.cards import Card, Hand, Rank, Suit
from guandan_engine.combos import Combo, Kind, Reading
from guandan_engine.view import SeatView
from guandan_sdk.bot import Bot, Choice, Options, TimeLeft, Welcome, run

__all__ = [
    "Bot",
    "Card",
    "Choice",
    "Combo",
    "Hand",
    "Kind",
    "Lay",
    "Options",
    "Pass",
    "Play",
    "Rank",
    "Reading",
    "SeatView",
    "Suit",
    "TimeLeft",
    "Welcome",
    "run",
]
