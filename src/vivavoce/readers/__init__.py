"""Scores, methods and names of boards read out of texts and tables; pure, without a corpus."""
