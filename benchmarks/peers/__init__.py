"""What this package does beside what its users would take instead: one command, one table."""
