"""Annotation by people: campaigns, two blind labels and a consensus, agreement, export.

Nothing here reads the time: callers pass a clock.
"""
