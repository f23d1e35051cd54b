"""The board: rows with intervals and ranks, out of logs or a published file."""
