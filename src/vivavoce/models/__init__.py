"""Inspect model providers that need no network and no key."""
