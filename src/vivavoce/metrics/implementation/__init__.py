"""Implementation."""
