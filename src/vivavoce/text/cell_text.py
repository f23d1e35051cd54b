"""The words of a table cell without markup, and the places that a spanning cell covers."""

import html
import re
from collections.abc import Iterable, Sequence
from html.entities import html5

from vivavoce.text import read_data

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_FOOTNOTE = re.compile(r"\[\^[^\[\]]{1,40}\]")
_INLINE_TAG = re.compile(
    r"</?(?:a|b|br|code|em|font|i|p|small|span|strong|sub|sup|u)(?:\s[^<>]*)?/?>", re.IGNORECASE
)
_MARKUP = re.compile(r"[*_~`&<\\$^]|\]\(")
_EMPHASIS = re.compile(r"\*+|__+|~~+|`+")
_EDGE_UNDERSCORE = re.compile(r"^_(.+)_$")

_LATEX_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}$]+|~", re.DOTALL)
_SWITCH = re.compile(
    r"(?:rm|bf|it|tt|sf|sl|sc|em|cal|display|text|script|scriptscript)(?:style|family|series|shape)?"
    r"|left|right|middle|[bB]igg?[lrm]?|(?:no)?limits"
)
"""Commands that change only how the rest is printed: fonts, and sizes of brackets."""
_FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "nicefrac", "sfrac"})
_OPENING = re.compile(r"\s{0,9}\{")
_BRACE = re.compile(r"\\.|\{+|\}", re.DOTALL)
_OPTION = re.compile(r"\s*(?:\[[^\[\]]{0,200}\]|\([^()]{0,200}\))")

_CODE = re.compile(r"""\s*(?:(?P<hexadecimal>"[0-9A-Fa-f]{1,6})|(?P<decimal>[0-9]{1,7}))\s*""")
_ELSEWHERE = dict(zip((37, 42, 43, 72, 108, 110, 115, 116, 117, 119), "☎☛☞★●■▲▼◆◗", strict=True))
_ELSEWHERE |= dict(zip(range(168, 182), "♣♦♥♠①②③④⑤⑥⑦⑧⑨⑩", strict=True))

_COMMANDS = read_data(__file__, "cell_commands.toml")
_DROPPED_ARGUMENTS: dict[str, int] = _COMMANDS["dropped_arguments"]
_SYMBOLS: dict[str, str] = _COMMANDS["symbols"]


def collapse_spaces(text: str) -> str:
    """Collapse white space to single spaces, with none at the ends."""
    return " ".join(text.split())


def unescape_entities(text: str) -> str:
    """Replace entities such as `&lt;`; an entity without a closing semicolon stays."""
    if "&" not in text:
        return text
    return _ENTITY.sub(lambda match: html.unescape(match.group()), text)


def skip_group(text: str, position: int, stop: int | None = None) -> int:
    """Position after the next brace group; `position` if there is none, `stop` if unclosed."""
    stop = len(text) if stop is None else stop
    start = position
    while start < stop and text[start].isspace():
        start += 1
    if start >= stop or text[start] != "{":
        return position
    depth = 0
    for match in _BRACE.finditer(text, start, stop):
        mark = match.group()
        depth += len(mark) if mark[0] == "{" else -(mark == "}")
        if depth == 0:
            return match.end()
    return stop


def latex_words(text: str) -> str:
    r"""Text that LaTeX prints for a cell: `\textbf{88.5} $\pm$ 0.2\%` -> `88.5 ± 0.2%`.

    Citations, labels, colours and rules are dropped. Unknown commands are dropped but keep their
    arguments. In a formula, one without an argument prints its name as a function: `$\log n$`.
    """
    words: list[str] = []
    numerators: list[int] = []
    """For each open numerator, the number of braces open around it; the innermost is last."""
    position = depth = 0
    is_formula = False
    while match := _LATEX_TOKEN.search(text, position):
        words.append(text[position : match.start()])
        token, position = match.group(), match.end()
        if token == "~":
            words.append(" ")
        elif token[0] == "\\" and (name := token[1:].rstrip("*")) in _FRACTIONS:
            if _OPENING.match(text, position):
                numerators.append(depth)
            else:  # \frac12
                words.append(f"{text[position : position + 1]}/")
                position += 1
        elif token[0] == "\\" and token[1].isalpha():
            position = _read_command(name, text, position, words, is_formula=is_formula)
        elif token[1:] in {"(", ")", "[", "]"}:
            is_formula = token[1] in "(["
        elif token[0] == "\\":
            words.append(" " if token[1] in "\\,;:! \n" else token[1])
        else:
            is_formula ^= token.count("$") % 2 == 1
            for brace in token.replace("$", ""):
                depth += 1 if brace == "{" else -1
                if numerators and numerators[-1] == depth:
                    words.append("/")
                    numerators.pop()
    words.append(text[position:])
    return collapse_spaces("".join(words))


def _read_command(
    name: str, text: str, position: int, words: list[str], *, is_formula: bool
) -> int:
    """Add the output of a command to `words`, and return the position after the command."""
    has_argument = text[position : position + 1] == "{" and text[position + 1 : position + 2] != "}"
    if name == "ding":
        end = skip_group(text, position)
        words.append(dingbat(text[position:end].strip("{} ")))
        return end
    if name in _DROPPED_ARGUMENTS:
        while option := _OPTION.match(text, position):
            position = option.end()
        for _ in range(_DROPPED_ARGUMENTS[name]):
            position = skip_group(text, position)
    elif name in _SYMBOLS:
        words.append(_SYMBOLS[name])
    elif not has_argument and not _SWITCH.fullmatch(name):
        words.append(html5.get(f"{name};", name if is_formula else ""))
    return position


def dingbat(number: str) -> str:
    r"""The sign that `\ding` prints, by its place in Zapf Dingbats; empty if the font has none.

    Source: the package pifont; The Unicode Standard, Dingbats, whose block has the font's order.
    """
    place = int(number) if re.fullmatch(r"\s*[0-9]{1,3}\s*", number) else 0
    if place in _ELSEWHERE:
        return _ELSEWHERE[place]
    if 33 <= place <= 126:
        return chr(0x2700 + place - 32)
    return chr(0x2760 + place - 160) if 161 <= place <= 254 else ""


def character(number: str) -> str:
    r"""The character for a code as in `\symbol`, such as `10003` or `"2713`; empty if none."""
    match = _CODE.fullmatch(number)
    if match is None:
        return ""
    code = int(match["hexadecimal"][1:], 16) if match["hexadecimal"] else int(match["decimal"])
    return chr(code) if code <= 0x10FFFF and chr(code).isprintable() else ""


def plain_words(cell: str) -> str:
    """The words of a cell, without emphasis, links, footnotes, inline tags and LaTeX."""
    if _MARKUP.search(cell) is None:
        return collapse_spaces(cell)
    text = cell
    if "](" in text:
        text = _MARKDOWN_LINK.sub(r"\1", text)
    if "[^" in text:
        text = _FOOTNOTE.sub("", text)
    if "<" in text:
        text = _INLINE_TAG.sub(" ", text)
    if "\\" in text or "$" in text:
        text = latex_words(text)
    text = _EMPHASIS.sub("", unescape_entities(text))
    return collapse_spaces(_EDGE_UNDERSCORE.sub(r"\1", text.strip()))


def spread_cells(cells: Sequence[Sequence[str]], spans: Iterable[Sequence[int]]) -> list[list[str]]:
    """Repeat each spanning cell of a table in every place that it covers; return the rows.

    Spans are (row, column, height, width), ignored once they cover more places than exist.
    """
    rows = [list(row) for row in cells]
    places = sum(map(len, rows))
    for top, left, height, width in spans:
        places -= height * width
        if places < 0:
            break  # more places than the table has
        text = rows[top][left] if top < len(rows) and left < len(rows[top]) else ""
        for row in rows[top : top + height]:
            row[left : left + width] = [text] * len(row[left : left + width])
    return rows
