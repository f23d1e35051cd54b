"""Ranking items, and methods that rank them without a model; none of it imports Inspect."""
