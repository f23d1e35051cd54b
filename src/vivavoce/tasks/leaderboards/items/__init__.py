"""Leaderboard items: boards, excerpts and ceilings; none of it imports Inspect."""
