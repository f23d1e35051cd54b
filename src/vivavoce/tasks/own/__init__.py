"""Questions of a user's own table, each answered and compared with its gold by one metric."""
