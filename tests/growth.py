"""How the work of a function grows with what it is given."""

from __future__ import annotations

import time
from collections.abc import Callable

ATTEMPTS = 5


def is_linear(work: Callable[[int], object], small: int, *, slack: float) -> bool:
    """True when ten times the size takes less than 30 times the CPU seconds, and some slack more.

    A step for each pair of units would take a hundred times as long. Others on the machine only
    ever lengthen a measurement, so the shortest of several is the one that tells.
    """
    least = [float("inf"), float("inf")]
    for _ in range(ATTEMPTS):
        for place, size in enumerate((small, 10 * small)):
            start = time.process_time()
            work(size)
            least[place] = min(least[place], time.process_time() - start)
        if least[1] < 30 * least[0] + slack:
            return True
    return False
