"""Lines of a model's answer, and the lists that they form: numbered, bulleted or plain.

HTML, LaTeX and JSON markup is removed; letters, words and Roman numerals that number the items
become digits.
"""

import html
import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from vivavoce.text.json_answer import find_json

MAX_CHARACTERS = 500_000
"""Maximum number of characters read from an answer; a longer one counts as truncated."""
MAX_LINES = 10_000
"""Maximum number of lines read from an answer, not counting blank ones."""

_CIRCLED = re.compile(r"^[ \t]{0,20}([①-⑳⑴-⒇⒈-⒛❶-➓㉑-㉟])", re.MULTILINE)
_FULL_WIDTH = {code + 0xFEE0: code for code in range(0x21, 0x7F)}
_BREAK_TAG = re.compile(r"</?(?:li|ol|ul|p|br|tr|div|table|h[1-6])\b[^<>\n]{0,200}>", re.IGNORECASE)
_CELL_TAG = re.compile(r"</?t[dh]\b[^<>\n]{0,200}>", re.IGNORECASE)
OTHER_TAG = re.compile(r"</?[a-z][^<>\n]{0,200}>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.MULTILINE)

# Brackets are matched in whole runs, with or without a quote: a search starting at each bracket of
# a run of n would take n * n steps.
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
    r"(?:\.?[ºª]\.?\s|\\?[.)\],:]+[*_]*+(?![0-9])|\s*+\||\s[-–—:]\s|[*_]+\s)",
    re.IGNORECASE,
)
_HASH_NUMBER = re.compile(r"[\s>*_|-]*+#(?P<number>[0-9]{1,5})\s")
_INLINE_NUMBER = re.compile(r"(?<=[\s,;])([0-9]{1,5})[.)]\s")
_BULLETS = "-+•‣▪◦●○–—·"
_BULLET = re.compile(rf"[\s>]*+(?:[{_BULLETS}]|\*(?!\*))")
_HEADING_END = re.compile(r"(?::|\s-)[\s*_#]*+$")
_INLINE_SEPARATORS = ('", "', " > ", " ≻ ", " → ", " -> ", "; ", " | ")


@dataclass(slots=True)
class LineList:
    """Consecutive lines of one kind."""

    kind: str
    items: list[tuple[int, str]] = field(default_factory=list)
    """(Line number, line)."""
    number: int = 0
    is_spaced: bool = False


def read_lines(text: str) -> tuple[list[str], bool]:
    """Read the lines of an answer without its markup; also return whether it was truncated."""
    truncated = len(text) > MAX_CHARACTERS
    text = _CIRCLED.sub(
        lambda mark: f"{int(unicodedata.numeric(mark[1]))}. ",
        text[:MAX_CHARACTERS].translate(_FULL_WIDTH),
    )
    for pattern, mark in _MARKS:
        text = pattern.sub(mark, text)
    text = _numbered(text)
    text = _CELL_TAG.sub(" | ", _BREAK_TAG.sub("\n", _FENCE.sub("\n", text)))
    text = html.unescape(OTHER_TAG.sub("", text))
    lines = _open_containers(_by_rank(text)).splitlines()
    kept = [number for number, line in enumerate(lines) if line.strip()]
    if len(kept) > MAX_LINES:
        lines, truncated = lines[: kept[MAX_LINES]], True
    return lines, truncated


def _by_rank(text: str) -> str:
    """Put the records of a JSON list in order, if one of their fields counts them from 1."""
    records = find_json(text, lambda value: isinstance(value, list))
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        return text
    shared = set.intersection(*map(set, records)) if records else set()
    for key in sorted(shared):
        ranks = {str(record.get(key)): record for record in records}
        order = [ranks.get(str(number)) for number in range(1, len(records) + 1)]
        if None not in order:
            return json.dumps(order, ensure_ascii=False)
    return text


def _open_containers(text: str) -> str:
    """Put each string of a JSON or Python list on its own line."""
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
    (
        re.compile(
            r"^([ \t]*)[\u2190-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
            r"\ufe0f?[ \t]*",
            re.MULTILINE,
        ),
        r"\1- ",
    ),
)
"""Item marks in LaTeX and in tab-separated tables, keycaps, arrows and pictures such as medals;
each with its replacement."""
_LABELLED = re.compile(
    r"^[ \t*_(]{0,6}([a-z]{1,8})[*_]{0,3}[:.),][*_]{0,3}[ \t]+", re.I | re.MULTILINE
)
_SEQUENCES = (
    "first second third fourth fifth sixth seventh eighth ninth tenth".split(),
    list("abcdefghijklmnopqrstuvwxyz"),
    "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split(),
)


def _numbered(text: str) -> str:
    """Replace line numbers in words, letters or Roman numerals with digits."""
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


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, code)


def split_inline(line: str, is_single: bool) -> list[str]:
    """Split a list that is written on one line, such as `1. A 2. B 3. C`.

    A line that is the whole answer may also be `1. A 2. B`, `A > B` or `A; B`.
    """
    number = number_of(line)
    if number is not None:
        parts, start = [], 0
        for match in _INLINE_NUMBER.finditer(line):
            if int(match[1]) == number + 1:
                parts.append(line[start : match.start()])
                start, number = match.start(), number + 1
        parts.append(line[start:])
        if len(parts) >= (2 if is_single else 3):
            return parts
    separators = _INLINE_SEPARATORS if is_single else ()
    separator = next((mark for mark in separators if mark in line), None)
    return [line] if separator is None else line.split(separator)


def read_lists(lines: Sequence[str]) -> list[LineList]:
    """Group lines into lists, in order."""
    lists: list[LineList] = []
    numbered: LineList | None = None
    current: LineList | None = None
    after_blank = False
    for position, line in enumerate(lines):
        if not line.strip():
            after_blank = True
            continue
        number = number_of(line)
        if number is not None:
            # Markdown may also number every item 1.
            if numbered is None or not (
                number > numbered.number or (number == numbered.number == 1 and current is numbered)
            ):
                numbered = LineList("numbered")
                lists.append(numbered)
            numbered.number = number
            current = numbered
        else:
            kind = "bullet" if _BULLET.match(line) else "plain"
            if (
                current is None
                or current.kind != kind
                # A blank line separates two lists, unless blank lines separate all lines.
                or (after_blank and len(current.items) > 1 and not current.is_spaced)
            ):
                current = LineList(kind)
                lists.append(current)
            current.is_spaced = after_blank
        current.items.append((position, line))
        after_blank = False
        if number is None and _HEADING_END.search(line):
            current = None
    return lists


def number_of(line: str) -> int | None:
    """The number that begins a line; None without one."""
    match = _NUMBER.match(line) or _HASH_NUMBER.match(line)
    return None if match is None else int(match["number"])


def without_marker(line: str) -> str:
    """A line without the number that begins it."""
    match = _NUMBER.match(line) or _HASH_NUMBER.match(line)
    return line if match is None else line[match.end() :]


_ITEM_MARK = re.compile(rf"\s*(?:[{_BULLETS}*]|\(?[0-9]{{1,5}}[.)])\s+")


def is_item(line: str) -> bool:
    """True if a line begins with a bullet or a number, as in a list of ids or short answers."""
    return _ITEM_MARK.match(line) is not None


def item_of(line: str) -> str:
    """A line without the bullet or number that begins it."""
    mark = _ITEM_MARK.match(line)
    return line[mark.end() :] if mark else line
