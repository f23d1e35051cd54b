"""Logs turned into boards: rows with intervals, recomputable by anyone who has the logs."""

from vivavoce.results.board import Board, leaderboard

__all__ = ["Board", "leaderboard"]
