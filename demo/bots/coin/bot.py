"""Any legal play: the yardstick at the bottom."""

from guandan_sdk import run
from guandan_sdk.bots.random import RandomBot


class Coin(RandomBot):
    """Plays any option."""


if __name__ == "__main__":
    run(Coin)
