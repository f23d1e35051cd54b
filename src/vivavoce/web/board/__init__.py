"""The pages of the leaderboard: plain files that open anywhere, without a server."""
