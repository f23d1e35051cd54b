"""Statistics on arrays: intervals, paired comparisons, ranks.

A leaf: arrays in, numbers out; nothing here reads a log or a file.
"""

from vivavoce.statistics.ranks import Standing, rank

__all__ = ["Standing", "rank"]
