"""Documents from rows of leaderboards: one for each work that a file names.

Such a document does not become a paper. Its results go to the paper in the corpus with the same
identifier or title; results of works outside the corpus have no paper.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from vivavoce.errors import InputError
from vivavoce.metrics.tables.cell_matching import read_number
from vivavoce.records import Document, Fault, Result
from vivavoce.sources import Piece, ReadOptions, Source, read_whole
from vivavoce.sources.json_records import parse_strictly
from vivavoce.text.dates import date_in
from vivavoce.text.identifiers import find_acl_id, find_arxiv_id, find_doi
from vivavoce.text.normalise import clean_line, normalise_title

Line = TypeVar("Line", str, bytes)

_MAX_FAULTS = 1_000
"""Most faults listed for a file."""
_MAX_CHARACTERS = 1_000
"""Most characters of a name; longer ones are cut."""
_NUMBER_FIRST = re.compile(r"[\W_]*\d")


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One score of one method, and the paper that reports it."""

    result: Result
    """The score and the date are as printed: `score_text` is read later."""
    paper_title: str | None = None
    file_name: str | None = None
    """Name of the paper's file, if rows are identified by it."""


def read_lines(
    lines: Iterable[Line],
    name: str,
    read: Callable[[Line], Iterable[ResultRow]],
    faults: list[Fault],
) -> Iterator[ResultRow]:
    """Read rows from the lines that are not blank; an `InputError` of `read` becomes a fault."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield from read(line)
            except InputError as error:
                faults.append(Fault(f"{name}:{number}", str(error)))


def read_fields(line: str | bytes) -> dict[str, Any]:
    """Read the object in a line of JSON, empty for other values; `InputError` for invalid JSON."""
    content = line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass")
    value = parse_strictly(content, "the line")
    return value if isinstance(value, dict) else {}


def results_source(
    kind: str,
    summary: str,
    matches: Callable[[Path], bool],
    read: Callable[[Path, str, list[Fault]], Iterable[ResultRow]],
    *,
    name_of: Callable[[Path], str] = lambda path: path.name,
    parts: Callable[[Path], Sequence[Path]] | None = None,
    best_first: bool = True,
) -> Source:
    """Make a source whose files hold rows of leaderboards.

    `read` takes a file, its name and a list for faults, and returns its rows. Its `InputError`
    becomes the fault of the whole file.
    """

    def read_piece(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
        name = name_of(piece.path)
        faults: list[Fault] = []
        try:
            rows = list(read(piece.path, name, faults))
        except InputError as error:
            yield Fault(name, str(error))
            return
        # A document for each paper that rows name, in order, then the first faults.
        groups: dict[str, list[ResultRow]] = {}
        for number, row in enumerate(rows):
            title = normalise_title(row.paper_title or "")
            paper = row.result.paper_url or row.file_name or title or f"row {number}"
            score, date = read_score(row.result.score_text), date_in(row.result.date)
            result = replace(row.result, score=score, date=date)
            if best_first:
                result = replace(result, listed_in=name, position=number)
            groups.setdefault(paper, []).append(replace(row, result=result))
        for paper, members in groups.items():
            yield _document(members, kind, f"{name}#{paper}")
        yield from faults[:_MAX_FAULTS]

    return Source(
        kind=kind,
        summary=summary,
        is_metadata=True,
        matches=matches,
        read=read_piece,
        name_of=name_of,
        holds_many=True,
        parts=parts,
        completes=True,
        reader_version="3",
    )


def read_text(path: Path, largest: int, noun: str) -> str:
    """Read the UTF-8 text of a `noun`, such as `page`; raises `InputError` if it cannot be read."""
    try:
        return read_whole(path, largest, noun).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError, InputError) as error:
        raise InputError(f"the file cannot be read: {error}") from error


def plain(value: Any) -> str:
    """Write a field as one line of text; empty if it is neither text nor a number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return clean_line(str(value))[:_MAX_CHARACTERS]


def has_name(row: ResultRow) -> bool:
    """Check that a row has a score, its dataset and its metric."""
    return bool(row.result.dataset and row.result.metric and row.result.score_text)


def _document(rows: list[ResultRow], kind: str, key: str) -> Document:
    first, results = rows[0], tuple(row.result for row in rows)
    url = results[0].paper_url
    # Some lists give the address of the paper instead of its title. Rows that share a link but not
    # a title give no title.
    titles = [
        row.paper_title
        for row in rows
        if row.paper_title and not row.paper_title.startswith(("http://", "https://"))
    ]
    is_agreed = len(set(map(normalise_title, titles))) == 1
    arxiv = find_arxiv_id(url or first.file_name or "")
    acl_id = find_acl_id(url or first.file_name or "")
    # Lists date their entries: the earliest date is near the paper's, an identifier is nearer.
    dates = [] if arxiv or acl_id else sorted(r.date for r in results if r.date)
    return Document(
        kind=kind,
        key=key,
        source_file=first.file_name,
        arxiv_id=arxiv[0] if arxiv else None,
        acl_id=acl_id,
        doi=find_doi(url or ""),
        source_url=url,
        title=titles[0] if is_agreed else None,
        published=dates[0] if dates else None,
        results=results,
    )


def read_score(text: str) -> float | None:
    """The number that a printed score stands for; None if the text does not begin with it."""
    return read_number(text) if _NUMBER_FIRST.match(text) else None
