"""Annotation by people: campaigns, two blind pairs and a consensus, agreement, export.

Nothing here knows the time: a clock is handed in.
"""
