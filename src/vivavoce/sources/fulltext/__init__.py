"""Readers of the full text of papers."""
