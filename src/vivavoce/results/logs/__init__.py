"""Logs read into typed rows, chosen for a board, with the texts of their answers."""
