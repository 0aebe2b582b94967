"""Checking a version before it plays for rating: stages, their outcomes, and the report, the same everywhere."""

from guandan_runner.checking.boards import BoardsEnd
from guandan_runner.checking.check import CheckSpec, check_bot
from guandan_runner.checking.hints import HINTS
from guandan_runner.checking.limits import Usage
from guandan_runner.checking.report import Report
from guandan_runner.checking.rows import Row
from guandan_runner.checking.stages import Outcome, Progress, Silent, Stage, StageEnd

__all__ = [
    "HINTS",
    "BoardsEnd",
    "CheckSpec",
    "Outcome",
    "Progress",
    "Report",
    "Row",
    "Silent",
    "Stage",
    "StageEnd",
    "Usage",
    "check_bot",
]
