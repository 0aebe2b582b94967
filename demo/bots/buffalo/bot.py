"""The reference bot greedy, as it is."""

from guandan_sdk import run
from guandan_sdk.bots.greedy import GreedyBot


class Buffalo(GreedyBot):
    """Pulls as greedy does."""


if __name__ == "__main__":
    run(Buffalo)
