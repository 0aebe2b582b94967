"""The mean of a sample and how well it is known."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval, mean plus and minus ``margin``; with one value nothing is known: infinite."""

    mean: float
    margin: float
    count: int

    @property
    def low(self) -> float:
        """Lower end."""
        return self.mean - self.margin

    @property
    def high(self) -> float:
        """Upper end."""
        return self.mean + self.margin


def estimate(values: Sequence[float]) -> Estimate:
    """Estimate the mean behind independent values, by Student's t."""
    count = len(values)
    mean = statistics.fmean(values)
    if count < 2:
        return Estimate(mean, math.inf, count)
    return Estimate(mean, _student_t(count - 1) * statistics.stdev(values) / math.sqrt(count), count)


_SMALL_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306)
"""Student's t at 97.5 % for 1 to 8 degrees of freedom, where the expansion below is not yet good."""


def _student_t(freedom: int) -> float:
    """Return the 97.5 % point of Student's t: a table, then the expansion in 1/freedom (within 0.001 of the table)."""
    if freedom <= len(_SMALL_T):
        return _SMALL_T[freedom - 1]
    z = 1.959964
    first = (z**3 + z) / (4 * freedom)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    return z + first + second
