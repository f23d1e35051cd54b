"""Titles that a model's free answer lists, out of those wanted, in its order.

The answer is cut into lists: numbered lines, bulleted lines, runs of plain lines, and the strings
of a JSON or Python list. A line names a title when both are equal after `normalise_title`, with
the line's number left off, and a tail such as ` - 93.4%` or ` (2019)` or anything after a bold or
quoted title. Lines that name no title cost nothing.

Lists that name different titles are parts of one answer. A list that names titles again (a ranking
after a copy of the input) replaces the earlier ones, if it names more than half as many. A list
that only repeats the beginning (a model in a loop) does not.

Two more rules serve answers that are no plain list. Where no list names two titles, or all is one
line, the line that names most of them is the answer, as in `First A, then B`. Where each title has
a number, before or behind it, and the numbers are 1 to n, they give the order.

Source: LEGOBench, section A.4.2, which leaves the parsing open; the rules are ours.

All are counts in one answer:

- `invented`: different items of its lists that are no listed title;
- `repeated`: items that say an earlier item again;
- `missing`: listed titles that it leaves out;
- `markup`: HTML tags;
- `chatter`: different lines with a letter that hold no listed title and bear no mark of a list
  (number, bullet, bar, quotation mark or bracket). An invented title on a line without such a mark
  is both.

Source: ours; LEGOBench, section A.4.2, names the faults without counting them.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from vivavoce.text.normalise import normalise_title

MAX_CHARACTERS = 500_000
"""An answer's text beyond this is not read, and the answer is counted truncated."""
MAX_LINES = 10_000
"""The same for lines that are not blank."""

_MAX_TAILS = 50
_CIRCLED = re.compile(r"^[ \t]{0,20}([①-⑳⑴-⒇⒈-⒛❶-➓㉑-㉟])", re.MULTILINE)
_BREAK_TAG = re.compile(r"</?(?:li|ol|ul|p|br|tr|div|table|h[1-6])\b[^<>\n]{0,200}>", re.IGNORECASE)
_CELL_TAG = re.compile(r"</?t[dh]\b[^<>\n]{0,200}>", re.IGNORECASE)
_OTHER_TAG = re.compile(r"</?[a-z][^<>\n]{0,200}>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.MULTILINE)

# Brackets are taken in whole runs, quote or not: sought again from each of them, a run of n takes
# n * n steps.
_BRACKETS = re.compile(r"[\[{][\s\[{]*+(?P<quote>[\"'])?")
# A quote closes a string only before a comma, a colon or a bracket: models forget to escape. No
# group is repeated possessively: Python before 3.11.5 matches such a pattern wrongly.
_CLOSING = r"\s*+(?:[,:\]}]|$)"
_STRING = re.compile(
    r"[\s,:\[\]{}]*+(?:"
    rf"\"(?P<double>[^\"\\]*+(?:(?:\\.|\"(?!{_CLOSING}))[^\"\\]*+)*)\"(?={_CLOSING})|"
    rf"'(?P<single>[^'\\]*+(?:(?:\\.|'(?!{_CLOSING}))[^'\\]*+)*)'(?={_CLOSING})|"
    r"(?P<bare>[-+.\w]++))(?P<key>\s*+:)?",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\n", "b": " ", "f": " "}

_NUMBER = re.compile(
    r"[\s>*_|\"'#-]*+(?:(?:rank|paper|title|no|number|position|place)\b[\s.:#*]*+)?[(\[]?"
    r"(?P<number>[0-9]{1,5})(?:st|nd|rd|th)?(?:\s+place)?"
    r"(?:\\?[.)\],:]+[*_]*+(?![0-9])|\s*+\||\s[-–—:]\s|[*_]+\s)",
    re.IGNORECASE,
)
_HASH_NUMBER = re.compile(r"[\s>*_|-]*+#(?P<number>[0-9]{1,5})\s")
_BARE_NUMBER = re.compile(r"\s*+[0-9]{1,5}[.)]")
_INLINE_NUMBER = re.compile(r"(?<=[\s,;])([0-9]{1,5})[.)]\s")
_BULLET = re.compile(r"[\s>]*+(?:[-+•‣▪◦●○–—·]|\*(?!\*))")
_HEADING_END = re.compile(r"(?::|\s-)[\s*_#]*+$")
_TAIL = re.compile(r"\s[-–—:]+\s|[(\[\]|\t\"“”»`]|\*\*|__|:\s")
_MAX_NAMED_WORDS = 2_000
"""Words of a line that are searched for titles."""
_RANK_BEHIND = re.compile(r"[|,:\t]\s*#?([0-9]{1,4})\s*\|?\s*$")
_INLINE_SEPARATORS = ('", "', " > ", " ≻ ", " → ", " -> ", "; ", " | ")


@dataclass(frozen=True, slots=True)
class FoundTitles:
    """Wanted titles that an answer lists, and faults of the list."""

    order: tuple[int, ...]
    """Indices of the wanted titles it lists, each once, in the answer's order."""
    missing: int
    """Wanted titles it does not list."""
    invented: int
    """Different lines of its lists that name no wanted title."""
    repeated: int
    """Lines of its lists that say an earlier line again."""
    truncated: bool
    """True if the answer was longer than the part that is read."""


@dataclass(slots=True)
class _List:
    kind: str
    items: list[tuple[int, str]] = field(default_factory=list)
    """(Line number, line)."""
    number: int = 0
    is_spaced: bool = False


def title_key(title: str) -> str:
    """Key that two spellings of one title share; never empty for a text with a character."""
    return normalise_title(title) or unicodedata.normalize("NFKC", title).casefold().strip()


def distinct_titles(titles: Sequence[str]) -> list[int]:
    """Indices of the titles that differ from all earlier ones."""
    first: dict[str, int] = {}
    for position, title in enumerate(titles):
        first.setdefault(title_key(title), position)
    return list(first.values())


def find_titles(text: str | None, wanted: Sequence[str]) -> FoundTitles:
    """Find the wanted titles in an answer; None is an empty answer.

    Wanted titles that are equal after normalisation count as one, the first of them.
    """
    finder = _Finder(wanted)
    whole, truncated = _read_lines(text or "")
    is_single = sum(bool(line.strip()) for line in whole) == 1
    lines = [part for line in whole for part in _split_inline(line, is_single)]
    lists = _read_lists(lines)
    placed, used = _merge([(found, each) for each in lists if (found := finder.find_in(each))])
    order = _in_order(placed)
    ranks = [_rank_of(lines[placed[title]]) for title in order]
    if sorted(rank or 0 for rank in ranks) == list(range(1, len(order) + 1)):
        order = [title for _, title in sorted(zip(ranks, order, strict=True))]
    if is_single or len(order) < 2:
        named = max(map(finder.names_in, reversed(whole)), key=len, default=[])
        order = named if len(named) > max(1, len(order)) else order
    listed = [each for each in lists if each.kind != "plain" or len(each.items) > 1]
    invented, repeated = finder.count_faults(used or listed)
    return FoundTitles(
        order=tuple(order),
        missing=len(finder.index) - len(order),
        invented=invented,
        repeated=repeated,
        truncated=truncated,
    )


class _Finder:
    def __init__(self, wanted: Sequence[str]) -> None:
        self.index = {title_key(wanted[position]): position for position in distinct_titles(wanted)}
        self._word_counts = sorted({key.count(" ") + 1 for key in self.index})
        self._seen: dict[str, int | None] = {}

    def find_in(self, lines: _List) -> dict[int, int]:
        """Wanted title -> the line where the list names it first."""
        found: dict[int, int] = {}
        for number, line in lines.items:
            title = self.find(line)
            if title is not None:
                found.setdefault(title, number)
        return found

    def find(self, line: str) -> int | None:
        """The wanted title a line names."""
        if line not in self._seen:
            self._seen[line] = self._look_up(line)
        return self._seen[line]

    def names_in(self, line: str) -> list[int]:
        """The wanted titles that a line names anywhere, in order; of two, the longer one."""
        words = title_key(line).split(" ")[:_MAX_NAMED_WORDS]
        found: dict[int, None] = {}
        start = 0
        while start < len(words):
            for count in reversed(self._word_counts):
                title = self.index.get(" ".join(words[start : start + count]))
                if title is not None:
                    found[title] = None
                    start += count - 1
                    break
            start += 1
        return list(found)

    def count_faults(self, lists: Sequence[_List]) -> tuple[int, int]:
        """Lines that are no wanted title, each counted once, and repetitions of a line."""
        named = [self._name(line) for each in lists for _, line in each.items]
        different = set(named)
        invented = sum(isinstance(name, str) for name in different)
        return invented, len(named) - len(different)

    def _name(self, line: str) -> int | str:
        title = self.find(line)
        return title_key(_without_marker(line)) if title is None else title

    def _look_up(self, line: str) -> int | None:
        # `3.3D Nets` may be number 3 or a title: both are tried.
        bare = _BARE_NUMBER.sub("", line, count=1)
        for text in dict.fromkeys((_without_marker(line), line, bare)):
            key = title_key(text)
            if key in self.index:
                return self.index[key]
            words = key.split(" ")
            if any(" ".join(words[:count]) in self.index for count in self._word_counts):
                return self._look_up_before_tail(text)
        return self.index.get(title_key(line.partition(":")[2]))  # `Best: Tides`

    def _look_up_before_tail(self, text: str) -> int | None:
        cuts = [match.start() for match in islice(_TAIL.finditer(text), _MAX_TAILS)]
        keys = (normalise_title(text[:cut]) for cut in reversed(cuts))
        return next((self.index[key] for key in keys if key in self.index), None)


def _merge(named: list[tuple[dict[int, int], _List]]) -> tuple[dict[int, int], list[_List]]:
    """Line of each title of the answer, and the lists they come from."""
    answer: dict[int, int] = {}
    used: list[_List] = []
    for found, lines in named:
        if answer.keys().isdisjoint(found):
            answer |= found
            used.append(lines)
        elif 2 * len(found) > len(answer) and _in_order(answer)[: len(found)] != _in_order(found):
            answer, used = dict(found), [lines]
    return answer, used


def _in_order(lines: dict[int, int]) -> list[int]:
    return sorted(lines, key=lines.__getitem__)


def _rank_of(line: str) -> int | None:
    """The number before or behind a title in its line."""
    behind = _RANK_BEHIND.search(line)
    return int(behind[1]) if behind else _number_of(line)


def _read_lines(text: str) -> tuple[list[str], bool]:
    """The lines of an answer without its mark-up, and whether some were left unread."""
    truncated = len(text) > MAX_CHARACTERS
    text = _CIRCLED.sub(_as_number, text[:MAX_CHARACTERS])
    for pattern, mark in _MARKS:
        text = pattern.sub(mark, text)
    text = _numbered(text)
    text = _CELL_TAG.sub(" | ", _BREAK_TAG.sub("\n", _FENCE.sub("\n", text)))
    text = html.unescape(_OTHER_TAG.sub("", text))
    lines = _open_containers(text).splitlines()
    kept = [number for number, line in enumerate(lines) if line.strip()]
    if len(kept) > MAX_LINES:
        lines, truncated = lines[: kept[MAX_LINES]], True
    return lines, truncated


def _open_containers(text: str) -> str:
    """Put each string of a JSON or Python list on lines of its own."""
    start = next((run for run in _BRACKETS.finditer(text) if run["quote"]), None)
    if start is None:
        return text
    values: list[str] = []
    keys: list[str] = []
    end = start.start()
    while token := _STRING.match(text, end):
        end = token.end()
        string = token["double"] if token["double"] is not None else token["single"]
        if string is not None:
            (keys if token["key"] else values).append(_ESCAPE.sub(_unescape, string))
        elif keys and token["bare"].isdecimal():
            keys[-1] += f": {token['bare']}"
    return "\n\n".join((text[: start.start()], "\n".join(values or keys), text[end:]))


_MARKS = (
    (re.compile(r"^[ \t]*\\item(?:\[[^\]\n]{0,20}\])?[ \t]*", re.MULTILINE), "- "),
    (re.compile(r"^[ \t]*\\(?:begin|end)\{[^{}\n]{0,30}\}[^\n]*$", re.MULTILINE), ""),
    (re.compile(r"^[ \t]{0,20}([0-9]{1,5})[ ]?(?:\t|&)[ \t]*", re.MULTILINE), r"\1. "),
    (re.compile(r"[ \t]?\\\\[ \t]?$", re.MULTILINE), ""),
    (re.compile(r"([0-9])\ufe0f?\u20e3[ \t]?"), r"\1. "),
)
"""Marks of items in LaTeX, in tables parted by tabs, and keycaps."""
_LABELLED = re.compile(
    r"^[ \t*_(]{0,6}([a-z]{1,8})[*_]{0,3}[:.),][*_]{0,3}[ \t]+", re.I | re.MULTILINE
)
_SEQUENCES = (
    "first second third fourth fifth sixth seventh eighth ninth tenth".split(),
    list("abcdefghijklmnopqrstuvwxyz"),
    "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split(),
)


def _numbered(text: str) -> str:
    """A text whose lines are counted by words, letters or Roman numerals, with numbers instead."""
    labels = list(_LABELLED.finditer(text))
    for sequence in _SEQUENCES:
        counted = [label for label in labels if label[1].lower() in sequence]
        if [label[1].lower() for label in counted] != sequence[: max(2, len(counted))]:
            continue
        for number in range(len(counted), 0, -1):
            start, end = counted[number - 1].span()
            text = f"{text[:start]}{number}. {text[end:]}"
        break
    return text


def _as_number(match: re.Match[str]) -> str:
    return f"{int(unicodedata.numeric(match[1]))}. "


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, code)


def _split_inline(line: str, is_single: bool) -> list[str]:
    """The parts of a list written on one line: `1. A 2. B 3. C`.

    A line that is the whole answer may also be `1. A 2. B`, `A > B` or `A; B`.
    """
    number = _number_of(line)
    if number is not None:
        parts = list(_split_at_numbers(line, number))
        if len(parts) >= (2 if is_single else 3):
            return parts
    separators = _INLINE_SEPARATORS if is_single else ()
    separator = next((each for each in separators if each in line), None)
    return [line] if separator is None else line.split(separator)


def _split_at_numbers(line: str, number: int) -> Iterator[str]:
    start = 0
    for match in _INLINE_NUMBER.finditer(line):
        if int(match[1]) == number + 1:
            yield line[start : match.start()]
            start, number = match.start(), number + 1
    yield line[start:]


def _read_lists(lines: Sequence[str]) -> list[_List]:
    lists: list[_List] = []
    numbered: _List | None = None
    current: _List | None = None
    after_blank = False
    for position, line in enumerate(lines):
        if not line.strip():
            after_blank = True
            continue
        number = _number_of(line)
        if number is not None:
            if numbered is None or not _continues(numbered, number, current):
                numbered = _List("numbered")
                lists.append(numbered)
            numbered.number = number
            current = numbered
        else:
            kind = "bullet" if _BULLET.match(line) else "plain"
            if (
                current is None
                or current.kind != kind
                # A blank line parts two lists, but not lines that all stand apart.
                or (after_blank and len(current.items) > 1 and not current.is_spaced)
            ):
                current = _List(kind)
                lists.append(current)
            current.is_spaced = after_blank
        current.items.append((position, line))
        after_blank = False
        if number is None and _HEADING_END.search(line):
            current = None
    return lists


def _number_of(line: str) -> int | None:
    match = _NUMBER.match(line) or _HASH_NUMBER.match(line)
    return None if match is None else int(match["number"])


def _continues(numbered: _List, number: int, current: _List | None) -> bool:
    """Check whether a number carries on the open list; Markdown also numbers every item 1."""
    return number > numbered.number or (number == numbered.number == 1 and current is numbered)


def _without_marker(line: str) -> str:
    match = _NUMBER.match(line) or _HASH_NUMBER.match(line)
    return line if match is None else line[match.end() :]


FAULTS = ("invented", "repeated", "missing", "markup", "chatter")

_ITEM_TAG = re.compile(r"<(?:li|td|th)\b[^<>\n]{0,200}>", re.IGNORECASE)
_MARK = re.compile(
    r"[\s>*_]{0,20}(?:[-+•‣▪◦●○–—·|\"'“‘\[{`~]|#?\(?[0-9]{1,5}\s?[.):|–-])|\s{0,20}\*\s"
)
_LETTER = re.compile(r"[^\W\d_]")


def count_faults(text: str, titles: Sequence[str], found: FoundTitles) -> dict[str, float]:
    """Count what an answer holds beside the titles: the values of `FAULTS`."""
    text = text[:MAX_CHARACTERS]
    keys = [f" {title_key(title)} " for title in titles]
    marked = _OTHER_TAG.sub(" ", _ITEM_TAG.sub("\n- ", text))
    lines = marked.splitlines()[:MAX_LINES]
    tags = _OTHER_TAG.findall(text)
    chatter = sum(_is_chatter(line, keys) for line in dict.fromkeys(lines))
    counts = (found.invented, found.repeated, found.missing, len(tags), chatter)
    return dict(zip(FAULTS, map(float, counts), strict=True))


def _is_chatter(line: str, keys: Sequence[str]) -> bool:
    if _MARK.match(line) or not _LETTER.search(line):
        return False
    said = f" {title_key(line)} "
    return not any(key in said for key in keys)
