"""Pure readers of scores, methods and names of boards in texts and tables."""
