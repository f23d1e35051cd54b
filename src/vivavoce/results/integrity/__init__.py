"""Checks of results: answers scored again, submissions, and forgotten API keys."""
