"""The synthetic market that formulas are computed on, and what a model is told about it."""

from vivavoce.tasks.implementation.items.market.dictionary import (
    LEVELS,
    NOTES,
    Level,
    describe,
    notes,
)
from vivavoce.tasks.implementation.items.market.generate import TABLES, Market, generate, to_parquet

__all__ = [
    "LEVELS",
    "NOTES",
    "TABLES",
    "Level",
    "Market",
    "describe",
    "generate",
    "notes",
    "to_parquet",
]
