"""Audits: possible causes of a difference on a board, measured from the logs and the round.

- `judge`: what sways a judge other than the answers, and how far judges and people agree.
- `leakage`: gold inside inputs, dates, demonstrations, near copies, and exclusions.
- `contrasts`, `sweeps`: logs compared with each other.
"""
