"""Reader of NLP-progress: pages of leaderboards in Markdown, or their rows in JSON Lines."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Fault, Result
from vivavoce.sources import holds_in_text, name_in_folder
from vivavoce.sources.leaderboards.rows import (
    ResultRow,
    has_name,
    plain,
    read_fields,
    read_lines,
    read_score,
    read_text,
    results_source,
)
from vivavoce.text.cell_text import plain_words
from vivavoce.text.table_lines import is_pipe_line, split_pipes

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.{1,300}?)[ \t#]*")
_LINK = re.compile(
    r"\[([^\[\]]{1,500})\]\(\s?([^()\s]{1,500}(?:\([^()\s]{0,100}\)[^()\s]{0,200})?)"
)
_PAPER = re.compile(r"paper|source|reference", re.IGNORECASE)
_METHOD = re.compile(r"(?:approach|method|model|parser|system)(?:es|s)?", re.IGNORECASE)
_DATASET = re.compile(r"(?:benchmark|corpus|data ?set)s?", re.IGNORECASE)
_OTHER = re.compile(
    r"(?:code|note|comment|year|date|published|link|type|data|remark)s?|#.*", re.IGNORECASE
)
"""Headers of columns that hold no scores; a number sign heads a count."""
_RULE_CELL = re.compile(r"\s*:?-+:?\s*")
_LABEL = 120
"""Most characters of a line above a table that can name the table."""
_SHORT = 4
"""Most words of a line that can be a name although only its first word has a capital."""
_ROWS = re.compile(r"nlp[-_]?progress[-_a-z0-9]*\.jsonl")
_LARGEST_FILE = 64 << 20
_RULE = re.compile(
    rb"^[ \t]{0,3}\|?[ \t]{0,9}:?-{2,}:?[ \t]{0,999}\|[ \t:|-]{0,9999}\r?$", re.MULTILINE
)


@dataclass(slots=True)
class _Board:
    """A table and its place in the page."""

    headings: tuple[str, ...]
    """Headings above the table, from the page's to the nearest."""
    label: str
    """The line above the table, if it ends in a colon."""
    rows: list[list[str]] = field(default_factory=list)


def read_page(text: str) -> Iterator[ResultRow]:
    """Read the scores of a page: its first heading is the task, those below it name the dataset.

    If a heading has several tables, the line above a table names it.
    """
    boards = [board for board in _boards(text.splitlines()) if len(board.rows) > 1]
    for board in boards:
        beside = [other for other in boards if other.headings == board.headings]
        dataset = " > ".join(board.headings[1:] or board.headings)
        if len(beside) > 1:
            number = next(n for n, other in enumerate(beside, 1) if other is board)
            dataset = f"{dataset} / {board.label or f'table {number}'}"
        task = board.headings[0] if board.headings else ""
        yield from _read_board(board, task, dataset)


def _boards(lines: Sequence[str]) -> Iterator[_Board]:
    headings: dict[int, str] = {}
    open_board: _Board | None = None
    label = ""
    for line in lines:
        if is_pipe_line(line):
            if open_board is None:
                path = tuple(headings[level] for level in sorted(headings))
                open_board = _Board(path, label)
            cells = split_pipes(line)
            if not all(_RULE_CELL.fullmatch(cell) for cell in cells):
                open_board.rows.append(cells)
            continue
        if open_board is not None:
            yield open_board
            open_board, label = None, ""
        if heading := _HEADING.fullmatch(line):
            level = len(heading[1])
            headings = {n: title for n, title in headings.items() if n < level}
            headings[level] = plain(plain_words(heading[2])).rstrip(":. ")
            label = ""
        elif line.strip():
            label = _label(line)
    if open_board is not None:
        yield open_board


def _label(line: str) -> str:
    """The name that a line gives to the table below it; a sentence gives none."""
    name = plain(plain_words(line)).rstrip(":* ")
    words = name.split()
    is_sentence = len(words) > _SHORT and all(map(str.islower, words[1:]))
    return "" if len(line) > _LABEL or is_sentence or name.endswith(".") else name


def _read_board(board: _Board, task: str, dataset: str) -> Iterator[ResultRow]:
    """Read the scores of a table.

    The method is in a column headed as such, otherwise in the first column of words. If rows
    name their datasets, the method must have such a header.
    """
    header = [plain(plain_words(cell)) for cell in board.rows[0]]
    rows = [[*row, *[""] * len(header)][: len(header)] for row in board.rows[1:]]
    metrics = [n for n in range(len(header)) if _is_metric(header, rows, n)]
    words = [n for n in range(len(header)) if n not in metrics]
    paper = next((n for n in words if _PAPER.search(header[n])), None)
    datasets = next((n for n in words if _DATASET.fullmatch(header[n])), None)
    named = [n for n in words if n not in (paper, datasets) and not _OTHER.fullmatch(header[n])]
    method = next((n for n in named if _METHOD.fullmatch(header[n])), None)
    if method is None and datasets is None:
        method = next(iter(named), paper)
    if method is None:  # a list of data sets, or numbers without names
        return
    for row in rows:
        title, url = _link(row[method if paper is None else paper])
        own = "" if datasets is None else plain(plain_words(row[datasets]))
        for column in metrics:
            score = plain(plain_words(row[column]))
            if read_score(score) is not None:
                part = f"{dataset} > {own}" if own else dataset
                used = plain(plain_words(row[method]))
                yield ResultRow(Result(part, task, header[column], used, None, score, url), title)


def _is_metric(header: Sequence[str], rows: Sequence[Sequence[str]], column: int) -> bool:
    """Check whether a column holds scores: most of its cells are numbers."""
    name = header[column]
    if not name or any(kind.fullmatch(name) for kind in (_OTHER, _METHOD, _DATASET)):
        return False
    given = [cell for row in rows if (cell := plain(plain_words(row[column]))) not in ("", "-")]
    return 2 * sum(read_score(cell) is not None for cell in given) > len(given)


def _link(cell: str) -> tuple[str | None, str | None]:
    """Title and address of the paper in a cell; without a link, the cell's text as title."""
    match = _LINK.search(cell)
    if match is None:
        return plain(plain_words(cell)) or None, None
    return plain(plain_words(match[1])) or None, match[2]


def _matches(path: Path) -> bool:
    """Check for a Markdown page with a table, or a file of rows with the project's name."""
    name = path.name.lower()
    if _ROWS.fullmatch(name):
        return True
    is_page = name.endswith(".md") and not name.startswith("readme")
    return is_page and holds_in_text(path, _RULE, _LARGEST_FILE)


def _read(path: Path, name: str, faults: list[Fault]) -> Iterable[ResultRow]:
    text = read_text(path, _LARGEST_FILE, "page")
    if path.name.lower().endswith(".jsonl"):
        return read_lines(text.splitlines(), name, _read_row, faults)
    return read_page(text)


def _read_row(line: str) -> list[ResultRow]:
    text = {key: plain(content) for key, content in read_fields(line).items()}
    path = text.get("section") or text.get("dataset", "")
    # Headings without links and closing colons, as pages give them.
    headings = [plain(plain_words(part)).rstrip(":. ") for part in path.split(" > ")]
    result = Result(
        dataset=" > ".join(headings),
        task=text.get("task", ""),
        metric=text.get("metric", "").replace("\\", ""),
        method=text.get("method", ""),
        score=None,
        score_text=text.get("score", ""),
        paper_url=text.get("paper_url") or None,
    )
    row = ResultRow(result, text.get("paper_title") or None)
    if not has_name(row):
        raise InputError("the row has no dataset, metric or score")
    return [row]


SOURCE = results_source(
    "nlp_progress",
    "NLP-progress (pages in Markdown, or nlp_progress.jsonl): leaderboards",
    _matches,
    _read,
    # Pages in several languages have the same name.
    name_of=lambda path: name_in_folder(path.absolute()),
)
