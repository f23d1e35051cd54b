"""Formulas and networks composed for a round from its seed."""
