"""Boards and scores made from logs and answer files; anyone who has these can recompute them.

- `logs`: reading and choosing Inspect logs; `board`: rows, ranks, comparisons.
- `scoring`: metrics of answer files; `integrity`: verification and submissions; `audits`.

`scoring` does not need Inspect.
"""
