"""Live boards: a configuration, a ledger, and every step of every period done once."""
