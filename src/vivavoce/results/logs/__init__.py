"""Reading logs into typed records, choosing those of a board, and reading texts of answers."""
