"""The synthetic market that formulas are computed on, and its data dictionary."""
