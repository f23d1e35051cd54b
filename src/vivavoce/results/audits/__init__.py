"""Audits: what may be behind a difference on a board, measured from the logs and the round.

- `judge`: what sways a judge beside the answers, and how far judges and people agree.
- `leakage`: gold inside inputs, dates, near copies, and how much the title alone gives away.
- `gains`, `drift`, `sweeps`, `overall`: logs held against each other through `results.contrast`.
"""
