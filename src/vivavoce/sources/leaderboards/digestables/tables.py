"""Tables of DIGESTables and arXiv2Table, with the works that they cite."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from vivavoce.errors import InputError
from vivavoce.records import CitedTable, Document, Reference
from vivavoce.sources.fulltext.citing import RowsCited
from vivavoce.sources.json_records import (
    Fields,
    line_at,
    list_at,
    object_at,
    raw_json,
    rows_at,
    text_at,
)
from vivavoce.text.identifiers import find_arxiv_id
from vivavoce.text.normalise import clean_line

_MAX_CELLS = 200_000
Cells = tuple[tuple[str, ...], ...]


def check_id(value: Any, name: str) -> str:
    """Read an id as text; empty if it is absent or -1, `InputError` if neither number nor text."""
    if value is None or value == -1:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InputError(f"{name!r} is a {type(value).__name__}, not an id")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = clean_line(str(value))
    return "" if text == "-1" else text


def read_table(fields: Fields, where: str, listed_as: str) -> Document:
    """Read a row of tables.jsonl as the document of its paper, known by its arXiv id.

    The table's own id stands for an unknown paper; `InputError` names the field of a bad row.
    """
    name = check_id(fields.get("tabid"), "tabid") or listed_as
    arxiv = find_arxiv_id(f"arXiv:{line_at(fields, 'arxiv_id')}")
    if not (arxiv or name):
        raise InputError("the table has neither an 'arxiv_id' nor a 'tabid'")
    works = rows_at(fields, "row_bib_map")
    is_own = [line_at(work, "type") == "ours" for work in works]
    own: Fields = next((work for work, is_it in zip(works, is_own, strict=True) if is_it), {})
    number = check_id(own.get("corpus_id"), "corpus_id")
    cells = _cells(object_at(fields, "table"), works)
    cited = tuple(place for place, is_it in enumerate(is_own) if not is_it)
    rows = _row_cited(works, is_own)
    return Document(
        kind="digestables",
        key=f"tables:{arxiv[0] if arxiv else f'table:{name}'}",
        given_id=f"s2:{number}" if number else None,
        arxiv_id=arxiv[0] if arxiv else None,
        version=arxiv[1] if arxiv else None,
        title=line_at(own, "title") or None,
        abstract=text_at(own, "abstract") or None,
        references=tuple(_reference(work, place) for place, work in enumerate(works)),
        tables=(CitedTable(0, line_at(fields, "caption"), cells, cited, rows),),
    )


def paper_of(rows: Sequence[Document]) -> Document:
    """Join the documents of a paper's tables, in their order, into one."""
    references: list[Reference] = []
    tables: list[CitedTable] = []
    for ordinal, row in enumerate(rows):
        start = len(references)
        references += (replace(one, ordinal=start + one.ordinal) for one in row.references)
        (table,) = row.tables
        cited = tuple(start + place for place in table.cited)
        by_row = tuple(tuple(start + place for place in line) for line in table.row_cited)
        tables.append(replace(table, ordinal=ordinal, cited=cited, row_cited=by_row))
    described = (row for row in rows if row.given_id or row.title or row.abstract)
    about = replace(next(described, rows[0]), version=rows[0].version)
    return replace(about, references=tuple(references), tables=tuple(tables))


def benchmark_document(fields: Fields, where: str, listed_as: str) -> Document:
    """Read an entry of arXiv2Table, a table without its paper; `InputError` for a bad entry."""
    name = check_id(fields.get("table_id"), "table_id")
    query = check_id(fields.get("table_query_id"), "table_query_id")
    if not (name or query):
        raise InputError("the entry has neither a 'table_id' nor a 'table_query_id'")
    papers = list_at(fields, "table_references")
    if not papers:
        labels = list_at(fields, "input_references_label")  # 1: the paper belongs to the table
        labelled = zip(list_at(fields, "input_references_id"), labels, strict=False)
        papers = [paper for paper, label in labelled if label == 1]
    listed = (paper if isinstance(paper, dict) else {"corpus_id": paper} for paper in papers)
    works = [{**paper, "row": row} for row, paper in enumerate(listed)]
    references = tuple(_reference(work, place) for place, work in enumerate(works))
    cells = _cells(object_at(fields, "table"), works)
    rows = _row_cited(works, [False] * len(works))
    caption = line_at(fields, "table_caption")
    return Document(
        kind="digestables",
        key=f"arxiv2table:{name}:{query}",
        references=references,
        tables=(CitedTable(0, caption, cells, tuple(range(len(references))), rows),),
        raw=raw_json(fields),
    )


def _cells(table: Mapping[str, Any], works: Sequence[Fields]) -> Cells:
    """Make the header, then a row for each row of the upstream table that cites a work.

    If several rows cite the same paper, upstream has only the last one's values.
    """
    columns = {name: object_at(table, name) for name in table}
    cited = [check_id(work.get("corpus_id"), "corpus_id") for work in works]
    rows: dict[int, list[int]] = defaultdict(list)
    last_row: dict[str, int] = {}
    for place, work in enumerate(works):
        row = _row_of(work, place)
        rows[row].append(place)
        last_row[cited[place]] = row
    if len(rows) * (len(columns) + 1) > _MAX_CELLS:
        raise InputError(f"the table has over {_MAX_CELLS} cells")
    cells = [("", *map(clean_line, columns))]
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
    """Row of the upstream table that cites a work; the work's place in the map if missing."""
    row = work.get("row")
    return row if isinstance(row, int) and not isinstance(row, bool) else place


def _row_cited(works: Sequence[Fields], is_own: Sequence[bool]) -> RowsCited:
    """References cited by each row of `_cells`; the header and the paper's own row cite none."""
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
        given_id=f"s2:{number}" if number else None,
    )


def _text(value: Any) -> str:
    """Text of a cell, with its values separated by semicolons."""
    parts = value if isinstance(value, list) else [value]
    lines = (clean_line(str(part)) for part in parts if part is not None)
    return "; ".join(filter(None, lines))
