"""The papers of a pool as the rules read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_LONGEST_TITLE, _LONGEST_ABSTRACT, _LONGEST_TEXT = 300, 5_000, 300_000
_ALL_TEXTS = 20_000_000
"""Characters that are read of a pool; of each paper of a large pool, less."""


@dataclass(frozen=True, slots=True)
class PoolText:
    """A paper of a pool; what is not known is empty."""

    label: str
    title: str
    abstract: str = ""
    text: str = ""

    @property
    def lead(self) -> str:
        """Title and abstract."""
        return f"{self.title}\n{self.abstract}"


def read_pool(rows: Iterable[Mapping[str, Any]]) -> list[PoolText]:
    """The papers of a sample's `pool`: objects with label, title, abstract and text."""
    given = list(rows)
    most = min(_LONGEST_TEXT, _ALL_TEXTS // max(1, len(given)))
    return [
        PoolText(
            str(row["label"]),
            " ".join(_part(row, "title", _LONGEST_TITLE).split()),
            _part(row, "abstract", _LONGEST_ABSTRACT),
            _part(row, "text", most),
        )
        for row in given
    ]


def cut_pool(papers: Sequence[PoolText]) -> list[PoolText]:
    """Papers of which no more is kept than is read."""
    return read_pool(
        {"label": one.label, "title": one.title, "abstract": one.abstract, "text": one.text}
        for one in papers
    )


def _part(row: Mapping[str, Any], name: str, most: int) -> str:
    return str(row.get(name) or "")[:most].strip()
