"""NLP-progress: pages of leaderboards in Markdown, or their rows as JSON Lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, one_piece, read_whole
from vivavoce.sources.leaderboards.nlp_progress.pages import read_page
from vivavoce.sources.leaderboards.rows import ResultRow, documents_of, has_name, plain
from vivavoce.sources.raw import parse_strictly
from vivavoce.text.cell_text import plain_words

KIND = "nlp_progress"
_ROWS = re.compile(r"nlp[-_]?progress[-_a-z0-9]*\.jsonl")
_LARGEST_FILE = 64 << 20
_MOST_FAULTS = 1_000
_RULE = re.compile(
    rb"^[ \t]{0,3}\|?[ \t]{0,9}:?-{2,}:?[ \t]{0,999}\|[ \t:|-]{0,9999}\r?$", re.MULTILINE
)


def _matches(path: Path) -> bool:
    """A Markdown page with a table, or rows under the name of the project."""
    name = path.name.lower()
    if _ROWS.fullmatch(name):
        return True
    if not name.endswith(".md") or name.startswith("readme"):
        return False
    try:
        with path.open("rb") as stream:
            return _RULE.search(stream.read(_LARGEST_FILE)) is not None
    except OSError:
        return True  # reading it says what is wrong


def _name_of(path: Path) -> str:
    """Pages of several languages bear one name: the folder tells them apart."""
    return f"{path.absolute().parent.name}/{path.name}"


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    name = _name_of(piece.path)
    faults: list[Fault] = []
    try:
        text = read_whole(piece.path, _LARGEST_FILE, "page").decode("utf-8-sig")
    except (OSError, UnicodeDecodeError, InputError) as error:
        yield Fault(name, f"the file cannot be read: {error}")
        return
    if piece.path.name.lower().endswith(".jsonl"):
        rows = list(_read_rows(text, name, faults))
    else:
        rows = list(read_page(text))
    yield from documents_of(rows, KIND, name)
    yield from faults[:_MOST_FAULTS]


def _read_rows(text: str, name: str, faults: list[Fault]) -> Iterator[ResultRow]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = _read_row(line)
        except InputError as error:
            faults.append(Fault(f"{name}:{number}", str(error)))
        else:
            yield row


def _read_row(line: str) -> ResultRow:
    value: Any = parse_strictly(line.encode("utf-8", "surrogatepass"), "the line")
    fields = value if isinstance(value, dict) else {}
    text = {key: plain(content) for key, content in fields.items() if isinstance(key, str)}
    row = ResultRow(
        task=text.get("task", ""),
        dataset=_dataset(text.get("section") or text.get("dataset", "")),
        metric=text.get("metric", "").replace("\\", ""),
        method=text.get("method", ""),
        score=text.get("score", ""),
        paper_title=text.get("paper_title") or None,
        paper_url=text.get("paper_url") or None,
    )
    if not has_name(row):
        raise InputError("the row lacks a dataset, a metric or a score")
    return row


def _dataset(path: str) -> str:
    """Headings without links and closing colons, as pages give them."""
    return " > ".join(plain(plain_words(part)).rstrip(": ") for part in path.split(" > "))


SOURCE = Source(
    kind=KIND,
    summary="NLP-progress (pages in Markdown, or nlp_progress.jsonl): leaderboards",
    is_metadata=True,
    matches=_matches,
    pieces=one_piece,
    read=_read,
    name_of=_name_of,
    holds_many=True,
    holds_papers=False,
    completes=True,
    reader_version="2",
)
