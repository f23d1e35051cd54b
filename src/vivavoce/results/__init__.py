"""Logs and files of answers turned into boards and scores, recomputable by anyone who has them.

- `logs`: Inspect logs read and chosen; `board`: rows, ranks, comparisons.
- `scoring`: metrics of files of answers; `integrity`: verification and submissions; `audits`.

Only `logs` and `board` need Inspect.
"""
