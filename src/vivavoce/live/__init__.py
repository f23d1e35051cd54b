"""Live boards: a configuration, a ledger, and steps that are each done once per period."""
