"""Join lines to paragraphs; the other words of the paper show how to mend broken ones."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from vivavoce.sources.fulltext.pdf.floats import Columns
from vivavoce.sources.fulltext.pdf.lines import Word
from vivavoce.sources.fulltext.pdf.runs import Line, join_words

_CLOSED = (".", "!", "?", ":", ".”", '."', ".)", ";")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LAST = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)-$")
_FIRST = re.compile(r"([^\W\d_]+)(-?)")
_IDEOGRAPH = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")
_PREFIXES = frozenset(
    "anti auto co cross de extra few half hyper hypo inter intra macro mega meta micro mid mini"
    " multi nano neo non over para poly post pre pro pseudo quasi re self semi sub super supra"
    " trans tri ultra un under uni well zero bi ex all high low long short cost time state".split()
)
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly", "er", "al", "ation", "ations", "ization")


class Vocabulary:
    """The words of a paper that are printed whole on one line."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.words: Counter[str] = Counter()
        is_broken = False
        for line in lines:
            text = line
            if is_broken:  # the second half of a broken word is not a word
                text = _FIRST.sub("", text.lstrip(), count=1)
            is_broken = line.endswith("-") and line[-2:-1].isalpha()
            if is_broken:
                text = text.rpartition(" ")[0]
            self.words.update(word.casefold() for word in _WORD.findall(text))
        for word in [word for word in self.words if "-" in word]:
            self.words.update(dict.fromkeys(word.split("-"), self.words[word]))

    def join(self, before: str, after: str) -> str:
        """Two lines as one text; a broken word loses its hyphen if it is one word."""
        if _IDEOGRAPH.fullmatch(before[-1:]) and _IDEOGRAPH.fullmatch(after[:1]):
            return before + after
        last = _LAST.search(before, max(len(before) - 80, 0)) if before.endswith("-") else None
        first = _FIRST.match(after)
        if last is None or first is None:
            is_open = before.endswith(("-", "/", "–", "—")) and after[:1].isalnum()
            return before + after if is_open else f"{before} {after}"
        if self._is_one_word(last[1], first[1], bool(first[2])):
            return before[:-1] + after
        return before + after

    def _is_one_word(self, first: str, second: str, has_hyphen: bool) -> bool:
        start = first.rpartition("-")[2].casefold()
        end = second.casefold()
        if f"{first}-{second}".casefold() in self.words and start + end not in self.words:
            return False
        if start + end in self.words:
            return True
        if not second.islower() and not first.isupper():
            return False
        if self._is_known(start + end):
            return True
        if has_hyphen and end in self.words:
            return False
        if len(end) <= 2 or end not in self.words:
            return not (start in _PREFIXES and self._is_known(end))
        return start not in self.words and start not in _PREFIXES

    def _is_known(self, word: str) -> bool:
        """Check whether a word, or the same word with another ending, occurs elsewhere."""
        if word in self.words:
            return True
        stems = {word} | {word.removesuffix(ending) for ending in _ENDINGS}
        return any(
            len(stem) > 4 and any(stem + ending in self.words for ending in ("", *_ENDINGS, "e"))
            for stem in sorted(stems)
        )


class Paragraphs:
    """Builds the text of a section from its lines."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.layout = columns.layout
        self.vocabulary = Vocabulary(line.text for line in self.layout.lines)

    def text(self, lines: Sequence[Line], opening: Sequence[Word] = ()) -> str:
        """Paragraphs separated by blank lines; `opening` is put before the first line."""
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
