"""Scores, methods and names of boards read in texts and tables; pure, without a corpus."""
