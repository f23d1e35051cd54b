"""Lines joined to paragraphs."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.sources.fulltext.pdf.floats import Columns
from vivavoce.sources.fulltext.pdf.hyphens import Vocabulary
from vivavoce.sources.fulltext.pdf.layout import Layout, Line, join_words
from vivavoce.sources.fulltext.pdf.lines import Word

_CLOSED = (".", "!", "?", ":", ".”", '."', ".)", ";")


class Paragraphs:
    """Builds the text of a section out of its lines."""

    def __init__(self, layout: Layout, columns: Columns, vocabulary: Vocabulary) -> None:
        self.layout = layout
        self.columns = columns
        self.vocabulary = vocabulary

    def text(self, lines: Sequence[Line], opening: Sequence[Word] = ()) -> str:
        """Paragraphs parted by blank lines; `opening` stands before the first line."""
        paragraphs: list[str] = []
        last: Line | None = None
        current = join_words(opening).lstrip(" .:—–-") if opening else ""
        for line in lines:
            is_new = last is not None and self._starts_paragraph(line, last)
            if current and is_new:
                paragraphs.append(current)
                current = line.text
            else:
                current = self.vocabulary.join(current, line.text) if current else line.text
            last = line
        return "\n\n".join([*paragraphs, current] if current else paragraphs)

    def one(self, lines: Sequence[Line]) -> str:
        """All lines as one paragraph."""
        text = ""
        for line in lines:
            text = self.vocabulary.join(text, line.text) if text else line.text
        return text

    def _starts_paragraph(self, line: Line, last: Line) -> bool:
        column, before = self.columns.of(line), self.columns.of(last)
        size = self.layout.body.size
        is_closed = last.text.endswith(_CLOSED)
        is_short = last.x1 < before.right - 0.12 * before.width
        is_indented = 0.7 * size < line.x0 - column.left < 4 * size
        was_indented = last.x0 - before.left > 0.7 * size
        if line.page == last.page and line.column == last.column:
            step = line.y - last.y
            if step > 1.4 * self.layout.leading:
                return is_closed or step > 2.2 * self.layout.leading
            if is_indented and not was_indented and abs(line.size - size) < 0.6:
                return is_closed
            return is_short and is_closed and not is_indented
        return is_closed and (is_indented or is_short)
