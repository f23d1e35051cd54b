"""Demands."""
