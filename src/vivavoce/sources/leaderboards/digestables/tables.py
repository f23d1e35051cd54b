"""Records of DIGESTables and arXiv2Table files, recognised by their fields, and their tables."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vivavoce.errors import InputError
from vivavoce.records import CitedTable, Document, Fault, Reference
from vivavoce.sources import Piece
from vivavoce.sources.fulltext.citing import RowsCited
from vivavoce.sources.json_records import (
    Fields,
    is_lines,
    line_at,
    list_at,
    object_at,
    raw_json,
    read_values,
    rows_at,
    text_at,
)
from vivavoce.text.identifiers import find_arxiv_id
from vivavoce.text.normalise import clean_line

TABLE, PAPER, TEXT, BENCHMARK = "table", "paper", "text", "benchmark"

_LARGEST_FILE = 128 << 20
_SORTS_BY_ID = (TABLE, PAPER)
_MAX_ROWS, _MAX_COLUMNS, _MAX_CELLS = 5_000, 1_000, 200_000
Cells = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class PlacedRecord:
    """A record, its place in the file, and the id it is listed under, if that is outside it."""

    sort: str
    """`table`, `paper`, `text` or `benchmark`."""
    fields: Fields
    where: str
    """File, and number of its line or element from 1."""
    listed_as: str | None = None


def read_entries(piece: Piece, file: str) -> Iterator[PlacedRecord | Fault]:
    """Records of a piece, or a fault for one that cannot be read."""
    has_lines = is_lines(piece.path)
    for where, value in read_values(piece, _LARGEST_FILE, nan_is_null=True):
        if isinstance(value, str):
            yield Fault(where.replace(piece.path.name, file, 1), value)
            continue
        row = int(where.rpartition(":")[2]) if has_lines else 1
        elements = value if isinstance(value, list) else [value]
        for place, element in enumerate(elements):
            yield from _entries_of(element, file, row + place)


def _entries_of(element: Any, file: str, row: int) -> Iterator[PlacedRecord | Fault]:
    where = f"{file}:{row}"
    if not isinstance(element, dict):
        yield Fault(where, "not a JSON object")
        return
    sort = _sort_of(element)
    if sort is not None:
        yield PlacedRecord(sort, element, where)
        return
    is_by_id = bool(element) and all(isinstance(value, dict) for value in element.values())
    if not is_by_id or _is_prediction(element):
        yield Fault(where, _strange(element))
        return
    for place, (key, value) in enumerate(element.items()):
        where = f"{file}:{row + place}"
        sort = _sort_of(value) or _sort_of({**value, "corpus_id": key})
        if sort in _SORTS_BY_ID:
            yield PlacedRecord(sort, value, where, key)
        else:
            yield Fault(where, _strange(value))


def _sort_of(fields: Fields) -> str | None:
    if _is_prediction(fields):
        return None
    if "row_bib_map" in fields:
        return TABLE
    if "input_references_id" in fields or "table_query_id" in fields:
        return BENCHMARK
    if "content" in fields and ("metadata" in fields or "corpusid" in fields):
        return TEXT
    if "tabids" in fields or ("corpus_id" in fields and "title" in fields):
        return PAPER
    return None


def _is_prediction(fields: Fields) -> bool:
    return "scores" in fields or ("metadata" in fields and "table" in fields)


def _strange(fields: Fields) -> str:
    if _is_prediction(fields):
        return "a table made by a system: predictions are not read"
    return "neither a table with its row_bib_map, a paper, a full text nor a benchmark entry"


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


def read_table(entry: PlacedRecord) -> Document:
    """Read a row of tables.jsonl as the document of its paper, known by its arXiv id.

    The table's own id stands for an unknown paper; `InputError` names the field of a bad row.
    """
    fields = entry.fields
    name = check_id(fields.get("tabid"), "tabid") or entry.listed_as or ""
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


def benchmark_document(entry: PlacedRecord) -> Document:
    """Read an entry of arXiv2Table, a table without its paper; `InputError` for a bad entry."""
    fields = entry.fields
    name = check_id(fields.get("table_id"), "table_id")
    query = check_id(fields.get("table_query_id"), "table_query_id")
    if not (name or query):
        raise InputError("the entry has neither a 'table_id' nor a 'table_query_id'")
    works = [_listed_work(value) for value in list_at(fields, "table_references")]
    if not works:
        papers = list_at(fields, "input_references_id")
        labels = list_at(fields, "input_references_label")  # 1: the paper belongs to the table
        labelled = zip(papers, labels, strict=False)
        works = [_listed_work(paper) for paper, label in labelled if label == 1]
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
    if len(rows) > _MAX_ROWS or len(columns) > _MAX_COLUMNS:
        raise InputError(f"the table has over {_MAX_ROWS} rows or {_MAX_COLUMNS} columns")
    if len(rows) * len(columns) > _MAX_CELLS:
        raise InputError(f"the table has over {_MAX_CELLS} cells")
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


def _listed_work(value: Any) -> dict[str, Any]:
    """Read a cited paper of a benchmark entry, given as an id or an object."""
    if isinstance(value, dict):
        return dict(value)
    return {"corpus_id": check_id(value, "table_references")}


def _text(value: Any) -> str:
    """Text of a cell, with its values separated by semicolons."""
    parts = value if isinstance(value, list) else [value]
    return "; ".join(filter(None, (_line(part) for part in parts if part is not None)))


def _line(value: Any) -> str:
    return clean_line(value if isinstance(value, str) else str(value))
