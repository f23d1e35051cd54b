"""Checks of results: answers scored anew, submissions, what a model may have seen."""
