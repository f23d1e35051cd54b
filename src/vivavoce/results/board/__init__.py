"""The board: rows with intervals and ranks, from logs or a published file."""
