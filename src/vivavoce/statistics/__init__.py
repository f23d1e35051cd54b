"""Statistics on arrays: intervals, paired comparisons, ranks.

A leaf package: it takes arrays, returns numbers, and reads no log or file.
"""

from vivavoce.statistics.corrected import Estimate, corrected_mean
from vivavoce.statistics.ranks import significant_pairs
from vivavoce.statistics.sequential import Decision, Sequential

__all__ = ["Decision", "Estimate", "Sequential", "corrected_mean", "significant_pairs"]
