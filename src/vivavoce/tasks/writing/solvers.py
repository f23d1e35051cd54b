"""Methods of the writing tasks."""

from __future__ import annotations

from vivavoce.tasks.shared.direct import direct

__all__ = ["direct"]
