"""Pure functions that read scores, methods and board names in texts and tables."""
