"""Logs and files of answers turned into boards and scores, recomputable by anyone who has them.

Importing this package loads nothing: only `logs` and `board` need Inspect.
"""
