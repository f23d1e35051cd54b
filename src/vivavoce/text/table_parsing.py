r"""Parsing of the tables in a model's answer, in time linear in its length.

An answer may have prose and code fences around its tables. Tables are Markdown pipes (with or
without the rule line, with grid borders or box drawing), HTML, LaTeX or delimited text. Delimited
text counts in a `csv` fence, or anywhere if there is no other table. Cells are stripped, runs of
white space become one space, and entities and escapes are resolved. Emphasis stays.

A hostile answer costs no more than `TableBudget` allows: the rest is not read, and the result is
`truncated`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vivavoce.text import read_patterns
from vivavoce.text.cell_text import collapse_spaces, latex_words, skip_group, unescape_entities
from vivavoce.text.table_lines import (
    MAX_CHARACTERS,
    MAX_COLUMNS,
    MAX_ROWS,
    PIPES,
    ParsedTable,
    TableBudget,
    build_table,
    choose_delimiter,
    delimited_rows,
    is_consistent,
    is_pipe_line,
    is_rule_line,
    read_pipe_block,
    starts_pipe_table,
)

HTML_START = re.compile(r"<table\b", re.IGNORECASE)
LATEX_START = re.compile(
    r"\\begin\s?\{(tabular|tabular\*|tabularx|tabulary|longtable|longtabu|tblr|array)\}"
)
MARKUP_END = re.compile(r"</table\s{0,9}>|\\end\s?\{[a-z]{1,20}\*?\}", re.IGNORECASE)
_TABLE_TAG = re.compile(r"<(/?)table\b", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)([^<>]*)>|<![^<>]*>")
_COLSPAN = re.compile(r"colspan\s{0,9}=\s{0,9}[\"']?(\d{1,5})", re.IGNORECASE)
_ROWSPAN = re.compile(r"rowspan\s{0,9}=\s{0,9}[\"']?(\d{1,5})", re.IGNORECASE)
_CELLS = frozenset({"td", "th"})
_STRUCTURE = _CELLS | {"table", "tr"}
_SPACING = _STRUCTURE | {"br", "p", "div", "li", "ul", "ol"}

_WIDTH_FIRST = frozenset({"tabular*", "tabularx", "tabulary"})
_POSITION = re.compile(r"\s{0,9}\[[^\[\]{}]{0,20}\]")
_LATEX_EDGE = re.compile(
    r"\\(begin|end)\s?\{(?:tabular|tabular\*|tabularx|tabulary|longtable|longtabu|tblr|array)\}"
)
_PATTERNS = read_patterns(__file__, "table_patterns.toml")
_LATEX_SPLIT = _PATTERNS["latex_split"]
_LATEX_RULE = _PATTERNS["latex_rule"]
_MULTICOLUMN = re.compile(r"\s*\\multicolumn\s?\{\s?(\d{1,4})\s?\}")


def html_end(text: str, start: int) -> int:
    """End of the HTML table that starts at `start`; the text's end if the table never closes."""
    depth = 0
    for match in _TABLE_TAG.finditer(text, start):
        depth += -1 if match.group(1) else 1
        if depth <= 0:
            close = text.find(">", match.end())
            return len(text) if close < 0 else close + 1
    return len(text)


def html_rows(text: str) -> Iterator[list[str]]:
    """Rows of one HTML table; spanning cells are repeated, and inner tables become text.

    A row with nothing but one cell over several columns is a title, and left out.
    """
    hanging: dict[int, tuple[int, str]] = {}
    """For each column that a cell spans into from above: the rows left, and the cell's text."""
    for cells in html_cells(text):
        row: list[str] = []
        for words, columns, rows in [*cells, ("", 0, 1)]:
            while (above := hanging.pop(len(row), None)) is not None:
                left, spanning = above
                if left > 1:
                    hanging[len(row)] = (left - 1, spanning)
                row.append(spanning)
            for _ in range(min(columns, MAX_COLUMNS + 1 - len(row))):
                if rows > 1:
                    hanging[len(row)] = (rows - 1, words)
                row.append(words)
        if not _is_title([(words, columns) for words, columns, _ in cells]):
            yield row


def _is_title(cells: Sequence[tuple[str, int]]) -> bool:
    """Check whether the only text in a row of cells, with their column spans, spans columns."""
    return [columns > 1 for words, columns in cells if words] == [True]


def html_cells(text: str) -> Iterator[list[tuple[str, int, int]]]:
    """Rows of one HTML table; each cell is (text, column span, row span)."""
    row: list[tuple[str, int, int]] = []
    words: list[str] | None = None
    spans = (1, 1)
    depth = position = 0
    for tag in _TAG.finditer(text):
        if words is not None:
            words.append(text[position : tag.start()])
        position = tag.end()
        name, is_close = (tag.group(2) or "").lower(), bool(tag.group(1))
        if name == "table" and not is_close:
            depth += 1
        is_full = len(row) > MAX_COLUMNS
        is_outer = depth <= 1 and name in _STRUCTURE and not (is_full and name in _CELLS)
        if name == "table" and is_close:
            depth -= 1
        if is_outer and words is not None:
            row.append((_html_words(words), *spans))
            words = None
        if is_outer and name in {"tr", "table"}:
            if row:
                yield row
                row = []
        elif is_outer and not is_close:
            words, spans = [], (_span(_COLSPAN, tag.group(3)), _span(_ROWSPAN, tag.group(3)))
        elif words is not None and name in _SPACING:
            words.append(" ")
    if words is not None:
        row.append((_html_words([*words, text[position:]]), *spans))
    if row:
        yield row


def _html_words(parts: list[str]) -> str:
    return collapse_spaces(unescape_entities("".join(parts)))


def _span(pattern: re.Pattern[str], attributes: str) -> int:
    match = pattern.search(attributes)
    return min(max(int(match.group(1)), 1), MAX_ROWS) if match else 1


def latex_body(text: str, start: re.Match[str]) -> tuple[int, int]:
    """Start and end of a LaTeX table's rows; an unclosed table extends to the text's end."""
    depth = 0
    end = len(text)
    for match in _LATEX_EDGE.finditer(text, start.start()):
        depth += 1 if match.group(1) == "begin" else -1
        if depth == 0:
            end = match.start()
            break
    begin = start.end()
    for _ in range(2 if start.group(1) in _WIDTH_FIRST else 1):
        option = _POSITION.match(text, begin)
        begin = skip_group(text, option.end() if option else begin, end)
    return begin, end


def latex_rows(text: str) -> Iterator[list[str]]:
    r"""The rows of a LaTeX table's body; `\\` and `&` inside braces do not split."""
    cells: list[str] = []
    parts: list[str] = []
    depth = position = 0
    for token in _LATEX_SPLIT.finditer(text):
        if token.start() < position:  # inside a comment
            continue
        mark = token.group()
        if mark == "%":
            parts.append(text[position : token.start()])
            newline = text.find("\n", token.end())
            position = len(text) if newline < 0 else newline + 1
        elif mark[0] == "{" or mark == "\\begin":
            depth += len(mark) if mark[0] == "{" else 1
        elif mark in ("}", "\\end"):
            depth = max(0, depth - 1)
        elif mark == "&" and depth == 0:
            parts.append(text[position : token.start()])
            cells.append("".join(parts))
            parts, position = [], token.end()
        # A row break at the end of a line ends the row even if a brace is open.
        elif mark.startswith(("\\\\", "\\tabularnewline")) and (
            depth == 0 or text[token.end() : token.end() + 1] in ("", "\n")
        ):
            parts.append(text[position : token.start()])
            cells.append("".join(parts))
            yield from _latex_row(cells)
            cells, parts, position, depth = [], [], token.end(), 0
    cells.append("".join([*parts, text[position:]]))
    yield from _latex_row(cells)


def _latex_row(raw: list[str]) -> Iterator[list[str]]:
    raw[0] = _LATEX_RULE.sub("", raw[0])
    cells = [
        (latex_words(cell), min(int(span.group(1)), MAX_COLUMNS) if span else 1)
        for cell in raw
        for span in [_MULTICOLUMN.match(cell)]
    ]
    is_row = len(raw) > 1 or cells[0][0] or raw[0].strip() == "{}"
    if is_row and not _is_title(cells):
        yield [words for words, columns in cells for _ in range(columns)]


_FENCE = re.compile(r"[ \t>]*(?:```|~~~)")
_FENCE_LINES = re.compile(r"^[ \t>]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_DELIMITED_FENCE = re.compile(r"[ \t>]*(?:```|~~~)[ \t]*(csv|tsv)\b", re.IGNORECASE)
_MARK = re.compile(
    rf"[{PIPES}]|^{_DELIMITED_FENCE.pattern}|{HTML_START.pattern}|{LATEX_START.pattern}",
    re.MULTILINE | re.IGNORECASE,
)
_MANY_BLANKS = re.compile(r"\n{3,}")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The tables of one answer, in the order they appear."""

    tables: tuple[ParsedTable, ...]
    truncated: bool
    """True if something beyond the limits was not read."""


class _Lines:
    """A cursor over the lines of a text; it avoids a list of a million lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def peek(self) -> str | None:
        """The line at the cursor without its newline; None at the end."""
        if self.position >= len(self.text):
            return None
        return self.text[self.position : self._line_end()]

    def advance(self) -> None:
        """Move to the next line."""
        self.position = self._line_end() + 1

    def following(self) -> str:
        """The line after the cursor's line; empty at the end."""
        start = self._line_end() + 1
        end = self.text.find("\n", start)
        return self.text[start : len(self.text) if end < 0 else end]

    def _line_end(self) -> int:
        end = self.text.find("\n", self.position)
        return len(self.text) if end < 0 else end


def parse_tables(text: str) -> ParsedAnswer:
    """Parse every table in an answer; an answer without tables is no error."""
    budget = TableBudget()
    if len(text) > MAX_CHARACTERS:
        text, budget.truncated = text[:MAX_CHARACTERS], True
    text = _MANY_BLANKS.sub("\n\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    was_cut, budget.truncated = budget.truncated, False
    tables = list(_marked_tables(text, budget))
    if not tables and not budget.truncated:
        tables = list(_unmarked_tables(text, budget))
    return ParsedAnswer(tuple(tables), was_cut or budget.truncated)


def _marked_tables(text: str, budget: TableBudget) -> Iterator[ParsedTable]:
    if MARKUP_END.search(text):  # else a long line would be scanned once for each of its tables
        text = MARKUP_END.sub(r"\g<0>\n", text)
    lines = _Lines(text)
    while not budget.truncated and (mark := _MARK.search(text, lines.position)):
        lines.position = max(
            lines.position, lines.text.rfind("\n", lines.position, mark.start()) + 1
        )
        line = lines.peek() or ""
        if fence := _DELIMITED_FENCE.match(line):
            lines.advance()
            is_tabbed = fence.group(1).lower() == "tsv"
            delimiter = "\t" if is_tabbed else choose_delimiter(lines.peek() or "")
            rows = delimited_rows(_fenced_lines(lines), delimiter, budget)
            yield from build_table(rows, budget)
        elif html := HTML_START.match(text, mark.start()):
            lines.position = html_end(text, html.start())
            rows = html_rows(text[html.start() : lines.position])
            yield from build_table(rows, budget)
        elif latex := LATEX_START.match(text, mark.start()):
            begin, lines.position = latex_body(text, latex)
            body = text[begin : lines.position]
            if latex.group(1) != "array" or "\\hline" in body:  # else it is an equation
                yield from build_table(latex_rows(body), budget)
        elif starts_pipe_table(line, lines.following()):
            yield from read_pipe_block(_pipe_lines(lines), budget)
        else:
            lines.advance()


def _fenced_lines(lines: _Lines) -> Iterator[str]:
    while (line := lines.peek()) is not None:
        lines.advance()
        if _FENCE.match(line):
            return
        yield line + "\n"


def _pipe_lines(lines: _Lines) -> Iterator[str]:
    """Read the run of pipe and border lines at the cursor, across single blank lines in it."""
    while (line := lines.peek()) is not None:
        if is_pipe_line(line) or is_rule_line(line):
            lines.advance()
            yield line
        elif not line.strip() and lines.following().lstrip()[:1] == "|":
            lines.advance()
            yield ""
        else:
            return


def _unmarked_tables(text: str, budget: TableBudget) -> Iterator[ParsedTable]:
    """Read delimited tables outside a `csv` fence: runs of lines with equally many fields."""
    for paragraph in _BLANK_LINE.split(_FENCE_LINES.sub("", text)):
        if "\n" not in paragraph or budget.truncated:
            continue
        lines = paragraph.strip("\n").split("\n", MAX_ROWS + 2)[: MAX_ROWS + 2]
        block = [line for line in lines if not line.rstrip().endswith(":")]
        delimiter = choose_delimiter(block[0]) if block else ","
        if is_consistent(block, delimiter):
            yield from build_table(delimited_rows(block, delimiter, budget), budget)
