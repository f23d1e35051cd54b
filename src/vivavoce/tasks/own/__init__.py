"""Questions from a user's table, scored against their gold by one metric."""
