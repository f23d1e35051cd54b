r"""Find the tables in a model's answer, in time linear in its length.

An answer holds tables as Markdown pipes (with or without the rule line, with grid borders or box
drawing), HTML, LaTeX or delimited text (in a `csv` fence, or without one when nothing else is a
table), with prose around them and code fences. Cells are stripped of padding, runs of white
space become one space, entities and escapes are resolved; emphasis stays.

A hostile answer costs no more than `table_budget` allows: what lies beyond is not read, and the
answer is `truncated`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from vivavoce.text.table_budget import (
    MAX_CHARACTERS,
    MAX_ROWS,
    ParsedTable,
    TableBudget,
    build_table,
)
from vivavoce.text.table_lines import (
    choose_delimiter,
    is_consistent,
    is_pipe_line,
    is_rule_line,
    read_delimited,
    read_pipe_block,
    starts_pipe_table,
)
from vivavoce.text.table_markup import (
    HTML_START,
    LATEX_START,
    MARKUP_END,
    html_end,
    html_rows,
    latex_body,
    latex_rows,
)

_FENCES = ("```", "~~~")
_DELIMITED_LANGUAGES = {"csv": "", "tsv": "\t", "tab": "\t"}


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The tables of one answer, in the order they appear."""

    tables: tuple[ParsedTable, ...]
    truncated: bool
    """Something beyond the limits was not read."""
    rows_read: int


class _Lines:
    """A cursor over the lines of a text, so that no list of a million lines is ever made."""

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
        """The line after the one at the cursor; empty at the end."""
        start = self._line_end() + 1
        end = self.text.find("\n", start)
        return self.text[start : len(self.text) if end < 0 else end]

    def _line_end(self) -> int:
        end = self.text.find("\n", self.position)
        return len(self.text) if end < 0 else end


def parse_tables(text: str) -> ParsedAnswer:
    """Every table of an answer; an answer without one gives no tables, never an error."""
    budget = TableBudget()
    if len(text) > MAX_CHARACTERS:
        text, budget.truncated = text[:MAX_CHARACTERS], True
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    was_cut, budget.truncated = budget.truncated, False
    tables = list(_marked_tables(text, budget))
    if not tables and not budget.truncated:
        tables = list(_unmarked_tables(text, budget))
    return ParsedAnswer(tuple(tables), was_cut or budget.truncated, budget.rows)


def _marked_tables(text: str, budget: TableBudget) -> Iterator[ParsedTable]:
    has_html = HTML_START.search(text) is not None
    has_latex = LATEX_START.search(text) is not None
    if has_html or has_latex:  # a long line full of tables would be scanned once for each
        text = MARKUP_END.sub(r"\g<0>\n", text)
    lines = _Lines(text)
    while not budget.truncated and (line := lines.peek()) is not None:
        start = lines.position
        language = _fence_language(line)
        if language in _DELIMITED_LANGUAGES:
            lines.advance()
            yield from _read_fence(lines, _DELIMITED_LANGUAGES[language], budget)
        elif has_html and (html := HTML_START.search(line)) and "|" not in line[: html.start()]:
            lines.position = html_end(text, start + html.start())
            yield from _one("html", html_rows(text[start + html.start() : lines.position]), budget)
        elif has_latex and (latex := LATEX_START.search(line)) and "|" not in line[: latex.start()]:
            begin, end = latex_body(text, start, latex)
            lines.position = end
            yield from _one("latex", latex_rows(text[begin:end]), budget)
        elif _opens_pipes(line, lines):
            yield from read_pipe_block(_pipe_lines(lines), budget)
        else:
            lines.advance()


def _one(kind: str, rows: Iterator[list[str]], budget: TableBudget) -> Iterator[ParsedTable]:
    table = build_table(kind, rows, budget)
    if table is not None:
        yield table


def _fence_language(line: str) -> str | None:
    """What a fence line says of its content: `csv`, or nothing; None for any other line."""
    text = line.lstrip("> \t")
    return text[3:].strip(" `~").lower() if text.startswith(_FENCES) else None


def _read_fence(lines: _Lines, delimiter: str, budget: TableBudget) -> Iterator[ParsedTable]:
    first = lines.peek()
    if first is None:
        return
    rows = _fenced_lines(lines)
    table = read_delimited(rows, delimiter or choose_delimiter(first), budget)
    if table is not None:
        yield table


def _fenced_lines(lines: _Lines) -> Iterator[str]:
    while (line := lines.peek()) is not None:
        lines.advance()
        if line.startswith(_FENCES):
            return
        yield line + "\n"


def _opens_pipes(line: str, lines: _Lines) -> bool:
    if is_pipe_line(line):
        return starts_pipe_table(line, lines.following())
    return is_rule_line(line) and is_pipe_line(lines.following())


def _pipe_lines(lines: _Lines) -> Iterator[str]:
    """The run of pipe and border lines at the cursor, over single blank lines between rows."""
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
    """Delimited rows outside a `csv` fence: each run of lines that all have the same shape."""
    lines = _Lines(text)
    while not budget.truncated and lines.peek() is not None:
        block = [
            line
            for line in islice(_unbroken_lines(lines), MAX_ROWS + 2)
            if not line.rstrip().endswith(":")
        ]
        if not block:
            continue
        delimiter = choose_delimiter(block[0])
        if is_consistent(block, delimiter):
            table = read_delimited(block, delimiter, budget)
            if table is not None:
                yield table


def _unbroken_lines(lines: _Lines) -> Iterator[str]:
    """Lines up to a blank line or a fence, which is passed over."""
    while (line := lines.peek()) is not None:
        lines.advance()
        if not line.strip() or _fence_language(line) is not None:
            return
        yield line
