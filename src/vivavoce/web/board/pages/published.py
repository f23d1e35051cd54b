"""What the papers published: their result tables as facts, never ranked with our own results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from vivavoce.errors import VivaError
from vivavoce.web.board.model import Site
from vivavoce.web.board.page import Page, page_of

PATH = "published.html"
_NOT_GIVEN = "~"
_ORDER = ("academiceval", "academiceval_earlier", "legobench", "arxiv2table", "rd2bench")


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One line of a table, as printed."""

    labels: tuple[str, ...]
    values: tuple[str | None, ...]
    """None for what the paper leaves empty."""


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """One table of a paper."""

    number: str
    title: str
    judge: str
    unit: str
    note: str
    labels: tuple[str, ...]
    groups: tuple[tuple[str, int], ...]
    """Headings over the columns, each with how many it spans; empty for none."""
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]


@dataclass(frozen=True, slots=True)
class PublishedPaper:
    """One paper and its tables."""

    key: str
    title: str
    source: str
    family: str
    round: str
    tables: tuple[PublishedTable, ...]

    @property
    def name(self) -> str:
        """Its short name."""
        short = self.title.partition(":")[0]
        return f"{short} (earlier)" if self.key.endswith("_earlier") else short


@cache
def published_papers() -> tuple[PublishedPaper, ...]:
    """The papers, each from its file in `web/board/published`.

    Raises:
        VivaError: A file lacks a field, or a row is not as long as its head.
    """
    folder = resources.files("vivavoce.web.board") / "published"
    return tuple(_paper(key, (folder / f"{key}.yaml").read_text("utf-8")) for key in _ORDER)


def pages(site: Site) -> list[Page]:
    """The page of published results; the same beside every board."""
    return [
        page_of(PATH, "published.html.j2", {}, lambda: {"papers": published_papers()}, nav=site.nav)
    ]


def _paper(key: str, text: str) -> PublishedPaper:
    import yaml

    # Every number stays the text that the paper prints, its last zeros included.
    found = yaml.BaseLoader(text).get_single_data()
    try:
        return PublishedPaper(
            key=key,
            title=found["title"],
            source=found["source"],
            family=found["family"],
            round=found["round"],
            tables=tuple(_table(key, table) for table in found["tables"]),
        )
    except KeyError as error:
        raise VivaError(f"published/{key}.yaml lacks {error}. Add it.") from error


def _table(key: str, found: Mapping[str, Any]) -> PublishedTable:
    labels, columns = tuple(found["labels"]), tuple(found["columns"])
    groups = tuple((name, int(span)) for name, span in found.get("groups", ()))
    where = f"Table {found['number']} in published/{key}.yaml"
    if groups and sum(span for _, span in groups) != len(columns):
        raise VivaError(f"The groups of {where} do not span its {len(columns)} columns.")
    return PublishedTable(
        number=found["number"],
        title=found["title"],
        judge=found["judge"],
        unit=found["unit"],
        note=found.get("note", ""),
        labels=labels,
        groups=groups,
        columns=columns,
        rows=tuple(_row(row, len(labels), len(columns), where) for row in found["rows"]),
    )


def _row(cells: list[str], labels: int, columns: int, where: str) -> PublishedRow:
    if len(cells) != labels + columns:
        raise VivaError(f"A row of {where} has {len(cells)} cells, its head {labels + columns}.")
    values = (None if cell == _NOT_GIVEN else cell.replace("-", "−", 1) for cell in cells[labels:])
    return PublishedRow(tuple(cells[:labels]), tuple(values))
