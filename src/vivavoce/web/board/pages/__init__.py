"""Pages of the leaderboard site."""
