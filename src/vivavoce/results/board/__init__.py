"""The board: rows with intervals and ranks."""
