"""Statistics on arrays: intervals, paired comparisons, ranks.

A leaf: arrays in, numbers out; nothing here reads a log or a file.
"""

from vivavoce.statistics.corrected import Estimate, corrected_mean
from vivavoce.statistics.ranks import Standing, rank
from vivavoce.statistics.sequential import Decision, Sequential

__all__ = ["Decision", "Estimate", "Sequential", "Standing", "corrected_mean", "rank"]
