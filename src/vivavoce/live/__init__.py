"""Boards kept alive: one configuration, one ledger, and every step of every period once."""
