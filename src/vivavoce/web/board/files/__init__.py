"""Downloads of the leaderboard site, and its bundle of logs."""
