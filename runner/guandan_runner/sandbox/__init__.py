"""Running strangers' bots: one port, three adapters, the policy as data."""

from guandan_runner.sandbox.choose import Choice, choose
from guandan_runner.sandbox.policy import Policy, load_policy
from guandan_runner.sandbox.seat import Evidence, Sandbox, SeatProcess, SeatSpec

__all__ = ["Choice", "Evidence", "Policy", "Sandbox", "SeatProcess", "SeatSpec", "choose", "load_policy"]
