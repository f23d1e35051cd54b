"""Charts of the leaderboard site."""
