"""Gold tables, demands and pools of a round, and a table by rule: everything free of Inspect."""
