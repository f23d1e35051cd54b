"""Statistics on arrays: intervals, paired comparisons, ranks.

A leaf: arrays in, numbers out; nothing here reads a log or a file.
"""
