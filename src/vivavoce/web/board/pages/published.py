"""Published results: the papers' tables as facts, never ranked with our own results."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.errors import VivaError
from vivavoce.reports import NOTHING, Sheet
from vivavoce.web.board.blocks import Block, Words, words_page
from vivavoce.web.board.model import Site
from vivavoce.web.board.page import Page

PATH = "published.html"
_NOT_GIVEN = "~"
_ORDER = ("academiceval", "academiceval_earlier", "legobench", "arxiv2table", "rd2bench")


class PublishedRow(NamedTuple):
    """One line of a table, as printed."""

    labels: tuple[str, ...]
    values: tuple[str | None, ...]
    """None for what the paper leaves empty."""


class _AsPrinted(BaseModel):
    # Every number stays the text that the paper prints, its last zeros included.
    model_config = ConfigDict(frozen=True, extra="forbid")


class PublishedTable(_AsPrinted):
    """One table of a paper."""

    number: str
    title: str
    judge: str
    unit: str
    note: str = ""
    labels: tuple[str, ...]
    groups: tuple[tuple[str, int], ...] = ()
    """Headings over the columns, each with how many it spans; empty for none."""
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...] = Field(alias="rows")

    @property
    def rows(self) -> list[PublishedRow]:
        """Labels and values of each line."""
        first = len(self.labels)
        return [PublishedRow(row[:first], tuple(map(_value, row[first:]))) for row in self.cells]


class PublishedPaper(_AsPrinted):
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
    return [words_page(PATH, {}, _words, nav=site.nav)]


def _words() -> Words:
    papers = published_papers()
    return Words(
        title="Published results",
        heading="What the papers published",
        lead="Results of the papers whose tasks this project builds on, as they print them. They "
        "come from other papers, other prompts, other judges and other code: none of them is "
        "ranked with the results of our own rounds, and no two tables here compare.",
        jumps=[(paper.name, paper.key) for paper in papers],
        blocks=[
            Block(
                title=paper.title,
                id=paper.key,
                words=[f"{paper.source}. {paper.round}"],
                sheets=[_sheet(paper, table) for table in paper.tables],
                style="grid published",
            )
            for paper in papers
        ],
    )


def _sheet(paper: PublishedPaper, table: PublishedTable) -> Sheet:
    """A table as printed; a heading over several columns precedes the head of each."""
    over = [name for name, span in table.groups for _ in range(span)] or [""] * len(table.columns)
    heads = (": ".join(filter(None, pair)) for pair in zip(over, table.columns, strict=True))
    about = f"Table {table.number} of {paper.name}. Unit: {table.unit}. Judge: {table.judge}."
    return Sheet(
        f"Table {table.number}: {table.title}",
        (*table.labels, *heads),
        tuple((*row.labels, *(v or NOTHING for v in row.values)) for row in table.rows),
        (about, table.note),
        named=len(table.labels) - 1,
    )


def _value(cell: str) -> str | None:
    return None if cell == _NOT_GIVEN else cell.replace("-", "−", 1)


def _paper(key: str, text: str) -> PublishedPaper:
    import yaml

    try:
        found = PublishedPaper(key=key, **yaml.BaseLoader(text).get_single_data())
    except ValidationError as error:
        first = error.errors()[0]
        name = repr(first["loc"][-1])
        lacking = f"lacks {name}. Add it." if first["type"] == "missing" else f"has an odd {name}."
        raise VivaError(f"published/{key}.yaml {lacking}") from error
    for table in found.tables:
        where = f"Table {table.number} in published/{key}.yaml"
        columns, head = len(table.columns), len(table.labels) + len(table.columns)
        if table.groups and sum(span for _, span in table.groups) != columns:
            raise VivaError(f"The groups of {where} do not span its {columns} columns.")
        for row in table.cells:
            if len(row) != head:
                raise VivaError(f"A row of {where} has {len(row)} cells, its head {head}.")
    return found
