r"""Find the tables in a model's answer, in time linear in its length.

An answer holds tables as Markdown pipes (with or without the rule line, with grid borders or box
drawing), HTML, LaTeX or delimited text (in a `csv` fence, or without one when nothing else is a
table), with prose around them and code fences. Cells are stripped of padding, runs of white
space become one space, entities and escapes are resolved; emphasis stays.

A hostile answer costs no more than `table_budget` allows: what lies beyond is not read, and the
answer is `truncated`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vivavoce.text.table_lines import (
    MAX_CHARACTERS,
    MAX_ROWS,
    PIPES,
    ParsedTable,
    TableBudget,
    build_table,
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

    def go_to_line_of(self, position: int) -> None:
        """Move forward to the line that holds `position`."""
        self.position = max(self.position, self.text.rfind("\n", self.position, position) + 1)

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
    text = _MANY_BLANKS.sub("\n\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    was_cut, budget.truncated = budget.truncated, False
    tables = list(_marked_tables(text, budget))
    if not tables and not budget.truncated:
        tables = list(_unmarked_tables(text, budget))
    return ParsedAnswer(tuple(tables), was_cut or budget.truncated, budget.rows)


def _marked_tables(text: str, budget: TableBudget) -> Iterator[ParsedTable]:
    if MARKUP_END.search(text):  # else a long line full of tables would be scanned once for each
        text = MARKUP_END.sub(r"\g<0>\n", text)
    lines = _Lines(text)
    while not budget.truncated and (mark := _MARK.search(text, lines.position)):
        lines.go_to_line_of(mark.start())
        line = lines.peek() or ""
        if fence := _DELIMITED_FENCE.match(line):
            lines.advance()
            yield from _read_fence(lines, fence.group(1).lower(), budget)
        elif html := HTML_START.match(text, mark.start()):
            lines.position = html_end(text, html.start())
            rows = html_rows(text[html.start() : lines.position])
            yield from _one(build_table("html", rows, budget))
        elif latex := LATEX_START.match(text, mark.start()):
            begin, lines.position = latex_body(text, latex)
            body = text[begin : lines.position]
            if latex.group(1) != "array" or "\\hline" in body:  # else it is an equation
                yield from _one(build_table("latex", latex_rows(body), budget))
        elif starts_pipe_table(line, lines.following()):
            yield from read_pipe_block(_pipe_lines(lines), budget)
        else:
            lines.advance()


def _one(table: ParsedTable | None) -> Iterator[ParsedTable]:
    if table is not None:
        yield table


def _read_fence(lines: _Lines, language: str, budget: TableBudget) -> Iterator[ParsedTable]:
    first = lines.peek() or ""
    delimiter = "\t" if language == "tsv" else choose_delimiter(first)
    yield from _one(read_delimited(_fenced_lines(lines), delimiter, budget))


def _fenced_lines(lines: _Lines) -> Iterator[str]:
    while (line := lines.peek()) is not None:
        lines.advance()
        if _FENCE.match(line):
            return
        yield line + "\n"


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
    for paragraph in _BLANK_LINE.split(_FENCE_LINES.sub("", text)):
        if "\n" not in paragraph or budget.truncated:
            continue
        lines = paragraph.strip("\n").split("\n", MAX_ROWS + 2)[: MAX_ROWS + 2]
        block = [line for line in lines if not line.rstrip().endswith(":")]
        delimiter = choose_delimiter(block[0]) if block else ","
        if is_consistent(block, delimiter):
            yield from _one(read_delimited(block, delimiter, budget))
