"""Logs and files of answers turned into boards and scores, recomputable by anyone who has them.

- `logs`: Inspect logs read and chosen; `board`: rows, ranks, comparisons, published boards.
- `scoring`: metrics of files of answers; `integrity`: verification and submissions; `audits`.

Importing this package loads nothing: only `logs` and `board` need Inspect.
"""
