"""Checks of results: answers scored again, submissions, possible contamination of a model."""
