"""Logs and files of answers turned into boards and scores, recomputable by anyone who has them.

- `logs`: Inspect logs read and chosen; `board`: rows, ranks, comparisons.
- `scoring`: metrics of files of answers; `integrity`: verification and submissions; `audits`.

The report of every audit is one class: tables of rows, counts, and notes on how to read them. Only
`logs` and `board` need Inspect.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from vivavoce.store import Row


class Report:
    """Base of dataclasses whose fields are what a report shows, in this order."""

    __slots__ = ()

    def as_dict(self) -> Row:
        """The fields as plain JSON values; those of a report inside it stand among them."""
        plain: Row = {}
        for field in fields(self):  # type: ignore[arg-type]  # every report is a dataclass
            value = getattr(self, field.name)
            if isinstance(value, Report):
                plain |= value.as_dict()
            else:
                plain[field.name] = list(value) if isinstance(value, tuple) else value
        return plain


@dataclass(frozen=True, slots=True)
class Table(Report):
    """Rows of a comparison, and what a reader has to know beside them."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...]
