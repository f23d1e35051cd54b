"""Papers out of comparison tables: cells in the order of the rows, and the works they cite."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vivavoce.errors import InputError
from vivavoce.records import CitedTable, Document, Reference
from vivavoce.sources.json_records import Fields, line_at, object_at, raw_json, rows_at, text_at
from vivavoce.sources.leaderboards.digestables.records import Entry, check_id, held_record, raw_of
from vivavoce.text.identifiers import find_arxiv_id
from vivavoce.text.normalise import clean_text
from vivavoce.text.row_citations import RowsCited

_MOST_ROWS, _MOST_COLUMNS, _MOST_CELLS = 5_000, 1_000, 200_000

Cells = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class TableRecord:
    """One table of a paper, with references that count from 0."""

    entry: Entry
    paper: str
    """The arXiv id of the paper it stands in; the table's own id where that is unknown."""
    arxiv_id: str | None
    version: str | None
    caption: str
    cells: Cells
    references: tuple[Reference, ...]
    cited: tuple[int, ...]
    row_cited: RowsCited
    own: Fields | None
    """What the table says of the paper that it stands in."""


def read_table(entry: Entry) -> TableRecord:
    """A row of tables.jsonl; `InputError` says which field is not what it should be."""
    fields = entry.fields
    name = check_id(fields.get("tabid"), "tabid") or entry.listed_as or ""
    arxiv = find_arxiv_id(f"arXiv:{line_at(fields, 'arxiv_id')}")
    if not (arxiv or name):
        raise InputError("the table has neither an 'arxiv_id' nor a 'tabid'")
    works = rows_at(fields, "row_bib_map")
    is_own = [line_at(work, "type") == "ours" for work in works]
    own = next((work for work, is_it in zip(works, is_own, strict=True) if is_it), None)
    text_at(own or {}, "abstract")  # so that only this table is refused
    return TableRecord(
        entry=entry,
        paper=arxiv[0] if arxiv else f"table:{name}",
        arxiv_id=arxiv[0] if arxiv else None,
        version=arxiv[1] if arxiv else None,
        caption=line_at(fields, "caption"),
        cells=_cells(object_at(fields, "table"), works),
        references=tuple(_reference(work, place) for place, work in enumerate(works)),
        cited=tuple(place for place, is_it in enumerate(is_own) if not is_it),
        row_cited=_row_cited(works, is_own),
        own=own,
    )


def paper_of(tables: Sequence[TableRecord]) -> Document:
    """The paper that all these tables stand in, in their order."""
    first = tables[0]
    references: list[Reference] = []
    cited_tables: list[CitedTable] = []
    for ordinal, table in enumerate(tables):
        start = len(references)
        references += [replace(r, ordinal=start + r.ordinal) for r in table.references]
        cited = tuple(start + place for place in table.cited)
        rows = tuple(tuple(start + place for place in row) for row in table.row_cited)
        cited_tables.append(CitedTable(ordinal, table.caption, table.cells, cited, rows))
    own: Fields = next((table.own for table in tables if table.own is not None), {})
    number = check_id(own.get("corpus_id"), "corpus_id")
    return Document(
        kind="digestables",
        key=f"tables:{first.paper}",
        given_id=f"s2:{number}" if number else None,
        arxiv_id=first.arxiv_id,
        version=first.version,
        title=line_at(own, "title") or None,
        abstract=text_at(own, "abstract") or None,
        references=tuple(references),
        tables=tuple(cited_tables),
        raw=raw_json([held_record(table.entry) for table in tables]),
    )


def benchmark_document(entry: Entry) -> Document:
    """An entry of arXiv2Table: one table, without the paper it comes from.

    `InputError` for an entry without an id, or with a field of another kind.
    """
    fields = entry.fields
    name = check_id(fields.get("table_id"), "table_id")
    query = check_id(fields.get("table_query_id"), "table_query_id")
    if not (name or query):
        raise InputError("the entry has neither a 'table_id' nor a 'table_query_id'")
    works = [_listed_work(value) for value in _list_at(fields, "table_references")]
    if not works:
        works = [_listed_work(value) for value in _wanted(fields)]
    for row, work in enumerate(works):
        work["row"] = row
    references = tuple(_reference(work, place) for place, work in enumerate(works))
    cells = _cells(object_at(fields, "table"), works)
    rows = _row_cited(works, [False] * len(works))
    caption = line_at(fields, "table_caption")
    return Document(
        kind="digestables",
        key=f"arxiv2table:{name}:{query}",
        references=references,
        tables=(CitedTable(0, caption, cells, tuple(range(len(references))), rows),),
        raw=raw_of(entry),
    )


def _cells(table: Mapping[str, Any], works: Sequence[Fields]) -> Cells:
    """The header, then a row for each of the upstream table that cites.

    Upstream keeps the values by the cited paper. Where two rows cite one paper only the last
    one's values are there, so the others stay empty.
    """
    columns = {name: object_at(table, name) for name in table}
    cited = [check_id(work.get("corpus_id"), "corpus_id") for work in works]
    rows: dict[int, list[int]] = defaultdict(list)
    last_row: dict[str, int] = {}
    for place, work in enumerate(works):
        row = _row_of(work, place)
        rows[row].append(place)
        last_row[cited[place]] = row
    if len(rows) > _MOST_ROWS or len(columns) > _MOST_COLUMNS:
        raise InputError(f"the table has over {_MOST_ROWS} rows or {_MOST_COLUMNS} columns")
    if len(rows) * len(columns) > _MOST_CELLS:
        raise InputError(f"the table has over {_MOST_CELLS} cells")
    cells = [("", *(_line(name) for name in columns))]
    for row, places in sorted(rows.items()):
        label = "; ".join(filter(None, (line_at(works[place], "title") for place in places)))
        known = [cited[p] for p in places if cited[p] and last_row[cited[p]] == row]
        values = (
            next((_text(column[number]) for number in known if number in column), "")
            for column in columns.values()
        )
        cells.append((label, *values))
    return tuple(cells)


def _row_of(work: Fields, place: int) -> int:
    """Which row of the upstream table cites a work; its place in the map where that is not told."""
    row = work.get("row")
    return row if isinstance(row, int) and not isinstance(row, bool) else place


def _row_cited(works: Sequence[Fields], is_own: Sequence[bool]) -> RowsCited:
    """What each row of `_cells` cites: the header nothing, the paper's own row neither."""
    rows: dict[int, list[int]] = defaultdict(list)
    for place, work in enumerate(works):
        rows[_row_of(work, place)] += [] if is_own[place] else [place]
    return ((), *(tuple(places) for _, places in sorted(rows.items())))


def _reference(work: Fields, ordinal: int) -> Reference:
    title = line_at(work, "title")
    name = check_id(work.get("bib_hash_or_arxiv_id"), "bib_hash_or_arxiv_id")
    arxiv = find_arxiv_id(f"arXiv:{name}") if name.replace("arXiv:", "")[:1].isalnum() else None
    number = check_id(work.get("corpus_id"), "corpus_id")
    return Reference(
        ordinal=ordinal,
        raw=title or name or (f"CorpusId:{number}" if number else ""),
        title=title or None,
        arxiv_id=arxiv[0] if arxiv else None,
    )


def _listed_work(value: Any) -> dict[str, Any]:
    """A cited paper of a benchmark entry, which is its id or an object."""
    if isinstance(value, dict):
        return dict(value)
    return {"corpus_id": check_id(value, "table_references")}


def _wanted(fields: Fields) -> list[Any]:
    """The input papers that are labelled as belonging to the table."""
    labels = _list_at(fields, "input_references_label")
    papers = _list_at(fields, "input_references_id")
    return [paper for paper, label in zip(papers, labels, strict=False) if label == 1]


def _list_at(fields: Fields, name: str) -> list[Any]:
    value = fields.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"{name!r} is a {type(value).__name__}, not a list")
    return value


def _text(value: Any) -> str:
    """What a cell says; its values are parted by semicolons."""
    parts = value if isinstance(value, list) else [value]
    return "; ".join(filter(None, (_line(part) for part in parts if part is not None)))


def _line(value: Any) -> str:
    return " ".join(clean_text(value if isinstance(value, str) else str(value)).split())
