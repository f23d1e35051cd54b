"""Statistics on arrays: intervals, paired comparisons, ranks.

A leaf package: it takes arrays, returns numbers, and reads no log or file. Users call the names
below, so their signatures and results stay.
"""

from vivavoce.statistics.corrected import Estimate, corrected_mean
from vivavoce.statistics.ranks import Standing, rank
from vivavoce.statistics.sequential import Decision, Sequential

__all__ = ["Decision", "Estimate", "Sequential", "Standing", "corrected_mean", "rank"]
