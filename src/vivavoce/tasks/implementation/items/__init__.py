"""Hand-made items: one file a formula family, an architecture or a report."""
