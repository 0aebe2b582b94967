"""Checking a version before it plays for rating: stages, their outcomes, and the report, the same everywhere."""

from guandan_runner.checking.boards import BoardsEnd
from guandan_runner.checking.check import CheckSpec, check_bot, run_check
from guandan_runner.checking.differences import SERVER_BOARDS, differences
from guandan_runner.checking.facts import fact_lines
from guandan_runner.checking.hints import HINTS
from guandan_runner.checking.limits import Usage
from guandan_runner.checking.report import Report
from guandan_runner.checking.rows import Row
from guandan_runner.checking.stages import Outcome, Progress, Silent, Stage, StageEnd
from guandan_runner.checking.unpacked import unpacked

__all__ = [
    "HINTS",
    "SERVER_BOARDS",
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
    "differences",
    "fact_lines",
    "run_check",
    "unpacked",
]
