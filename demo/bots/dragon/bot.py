"""The reference bot planner, as it is."""

from guandan_sdk import run
from guandan_sdk.bots.planner import PlannerBot


class Dragon(PlannerBot):
    """Plans every play."""


if __name__ == "__main__":
    run(Dragon)
