"""Markers in a reply: words in brackets, such as `<think>`, and lines that announce a part.

A marker opens or closes a block. It closes one if it has a slash, or a word such as `end`, which is
not part of the name. A word of a sentence ("the </think> token") is no marker. Lines that announce
a part are `## Reasoning`, `=== Answer ===`, `Final answer: ...`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from lxml.html.defs import tags as HTML_ELEMENTS

from vivavoce.text.headings import role_of_heading

ASIDE = frozenset({"details", "aside"})
"""HTML elements for asides; unlike other HTML elements, they are not part of the text."""

_NAME = r"[^\W\d_](?:[\w.:▁-]|[ ](?=\w)){0,40}"
_OPENING = r"<!--\s?|&lt;|<{1,3}|\[{1,3}|\{{2,3}|[«‹《〈「『◁⟨⟪【〔〖]"
_CLOSING = r"\s?-->|&gt;|>{1,3}|\]{1,3}|\}{2,3}|[»›》〉」』▷⟩⟫】〕〗]"
MARKER = re.compile(
    rf"[<\[][|｜](?P<special>/?{_NAME})(?:[|｜]?>|[|｜]\])|<(?P<end>{_NAME})[|｜]>"
    rf"|(?P<bracket>{_OPENING})(?:\s?(?P<slash>/))?\s?(?P<name>{_NAME})"
    rf"(?:\s[^<>\n]{{0,200}}?)?(?P<self>/?)(?:{_CLOSING})"
)
_PAIRED = re.compile(r"\[|\{|<<|&|<!|[«‹《〈「『⟪〔〖]")
"""Brackets that are common in text: a marker in them needs `/` or another sign."""
_WORD_BEFORE = re.compile(r"[\w,'\"`“‘(] ?\Z")
_WORD_AFTER = re.compile(r"['\"”’)]|`(?!``)|[.,;:](?:\s|\Z)| [a-z]")
_SIDE = re.compile(
    r"(?P<first>begin|start|open)(?:[_▁ -]of)?[_▁ -]|(?P<last>end|stop|close)(?:[_▁ -]of)?[_▁ -]"
)
_SIDE_BEHIND = re.compile(r"[_▁ -](?:(?P<first>begin|start|open)|(?P<last>end|stop|close))\Z")

_REASONING = re.compile(
    r"think|thought|reason|reflect|analy|scratch|ponder|delib|brainstorm|plan|cot\b|monolog"
)
_ANSWER = re.compile(r"answer|respon|output|final|result|solution|reply|conclusion")


def says_reasoning(name: str) -> bool:
    """Check whether the name of a block or of a field means reasoning."""
    return _REASONING.search(name.casefold()) is not None


_PRODUCTS = (
    *("answer", "title", "paper", "text", "table", "list", "leaderboard", "ranking"),
    "introduction",
)
"""Names of task products other than sections of a paper; a prefix of a name is enough."""


def is_product(name: str) -> bool:
    """Check whether a name is that of a product that a task may ask for."""
    words = re.sub(r"[_.:-]", " ", name.casefold())
    is_section = role_of_heading(words) or role_of_heading(words.replace("related", "related ", 1))
    return bool(is_section) or any(product.startswith(words) for product in _PRODUCTS)


def says_answer(name: str) -> bool:
    """Check whether the name of a block or of a field means an answer."""
    return _ANSWER.search(name.casefold()) is not None and not says_reasoning(name)


@dataclass(frozen=True, slots=True)
class Marker:
    """A word in brackets that opens or closes a block."""

    start: int
    end: int
    name: str
    bracket: str
    """Opening bracket of the marker; empty for a special token."""
    is_closing: bool
    opener: Marker | None = None
    """For a closing marker, the marker that opened its block, if there is one."""

    @property
    def is_html(self) -> bool:
        """True for an HTML element, which is part of the text."""
        return self.bracket == "<" and self.name in HTML_ELEMENTS - ASIDE and not self.is_answer

    @property
    def is_reasoning(self) -> bool:
        """True if the name means reasoning."""
        return says_reasoning(self.name)

    @property
    def is_answer(self) -> bool:
        """True if the name means an answer."""
        return says_answer(self.name)


@lru_cache(maxsize=16)
def read_markers(text: str) -> tuple[Marker, ...]:
    """Find the markers in a text, in order; closing markers have their opener.

    In brackets that are common in text, a word is a marker only if a marker closes it. In square
    brackets, it is also one if in capitals, for reasoning, or for an answer at the end of a line.
    """
    every = list(_every_marker(text))
    closed = {_kind(candidate) for candidate in every if candidate.is_closing}
    opened: dict[str, list[Marker]] = {}
    markers = []
    for marker in every:
        if marker.is_closing:
            stack = opened.get(_kind(marker))
            markers.append(replace(marker, opener=stack.pop()) if stack else marker)
        elif (
            not _PAIRED.match(marker.bracket)
            or _kind(marker) in closed
            or (marker.bracket == "[" and _is_plain(text, marker))
        ):
            markers.append(marker)
            if marker.bracket:
                opened.setdefault(_kind(marker), []).append(marker)
    return tuple(markers)


def _kind(marker: Marker) -> str:
    """Key shared by both markers of a block: bracket and name; all reasoning has one name."""
    return f"{marker.bracket}{'?' if marker.is_reasoning else marker.name}"


def _is_plain(text: str, marker: Marker) -> bool:
    is_alone = marker.is_answer and text[marker.end : marker.end + 1] == "\n"
    return marker.is_reasoning or is_alone or text[marker.start : marker.end].isupper()


def _every_marker(text: str) -> Iterator[Marker]:
    for match in MARKER.finditer(text):
        start, end = match.span()
        before, after = text[max(0, start - 2) : start], text[end : end + 3]
        if (not before.strip() and after[:1] in (",", ":")) or (
            _WORD_BEFORE.search(before) and _WORD_AFTER.match(after)
        ):
            continue  # a word of a sentence
        name = (match["special"] or match["end"] or match["name"]).casefold()
        side = _SIDE.match(name.lstrip("/")) or _SIDE_BEHIND.search(name)
        closes = (
            match["end"]
            or match["slash"]
            or match["self"]
            or name.startswith("/")
            or name == "end"
            or (side and side["last"])
        )
        if side:
            name = name.lstrip("/").replace(side[0], "", 1) or name
        yield Marker(start, end, name.lstrip("/"), match["bracket"] or "", bool(closes))


_WHAT = (
    r"(?:\w+[ _:-]){0,3}?\w{0,12}?(?:think|thought|reason|reflect|analysis|scratch|ponder|delib"
    r"|brainstorm|cot\b|monolog)\w*(?:[ _:-](?:of[ _-]thought|process|steps?|trace|content|pad))?"
)
_SAYS_THOUGHT = re.compile(_WHAT)
_SURE = re.compile(r"think|thought|reasoning", re.IGNORECASE)
_LABEL = re.compile(
    r"(?P<mark>[`~]{3,}|>|(?P<run>[#*_=+%-]{0,6}))[ \t*_#]*"
    r"(?P<name>\w+(?:(?:[ _-]|:(?=\w))\w+){0,4})"
    r"(?P<colon>[*_ \t]*(?:[:：]|\.{3}|…)|)[ \t*_=+%#-]*(?P<more>[^\n]*)(?:\n|\Z)"
)
_DONE = re.compile(
    rf"^\W*(?:end|done|finished|stop)\w*[ _](?:of[ _])?(?:the )?{_WHAT}\W*$",
    re.IGNORECASE | re.MULTILINE,
)
_TIMED = re.compile(r"\W*\w+ for (?:\d+|a few|a couple of|several)\b[^\n]{0,30}\n+")
_FINAL = re.compile(
    r"^[ \t#>*_=-]*(?:(?:the |my )?final answer[ \t*_]*[:：.]?"
    r"|(?:(?:final|revised)(?: \w+){0,2}|(?P<bare>answer))[ \t*_]*[:：])[ \t*_=-]*$"
    r"|^[ \t]*(?:#{1,6} |[*_=-]{2,} ?)(?:final )?(?:answer|output|response)[ *_=-]*$",
    re.IGNORECASE | re.MULTILINE,
)
_ANNOUNCED = re.compile(
    r"^[^\w\n]{0,8}(?:\w+ ){0,5}(?:answer|response|output|reply)[ *_]{0,4}[:：][ *_]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
_BARE_LINE = re.compile(r"^\w+(?: \w+)?:$", re.MULTILINE)
_INLINE = re.compile(
    r"^[ \t#>*_]*(?:my |the )?(?:final|revised) (?P<name>\w+(?: work)?)(?: is)?[ *_]*[:：]"
    r"[*_]*(?=[^\n]*\w)",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE_ANSWER = re.compile(
    r"^[ \t#>*_]*(?:answer|response|output|reply)[ *_]*[:：](?=\s{0,9}[^\n]*\w)",
    re.I | re.MULTILINE,
)
_RULE_LINE = re.compile(r"^[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*$", re.MULTILINE)
_STRIPPED = re.compile(r"(?:analysis|commentary|thought)(?=[A-Z\d])")
_STRIPPED_ANSWER = re.compile(r"assistant(?:final|response|answer)(?=\S)")


def end_of_thought(text: str) -> int | None:
    """Position just after reasoning opened by a label; 0 without a label, None if never closed."""
    if timed := _TIMED.match(text):
        return timed.end() if _SURE.search(timed[0]) or "eason" in timed[0] else 0
    if _STRIPPED.match(text):  # channels whose tokens were stripped
        return max((match.end() for match in _STRIPPED_ANSWER.finditer(text)), default=None)
    label = _LABEL.match(text)
    if label is None or not _SAYS_THOUGHT.fullmatch(label["name"].casefold()):
        return 0
    is_loud = label["name"].isupper() and label["name"].startswith("BEGIN")
    if not (label["mark"] or label["colon"] or is_loud):
        return 0
    start = label.end()
    if end := _end_of(text, label, start):
        return end if text[end:].strip() else None
    is_sure = bool(_SURE.search(label["name"])) and "\n" in text[start:].strip()
    is_open = bool(label["colon"]) or not label["run"] or len(label["name"].split()) < 3
    return None if is_open and text[start:].strip() and (is_sure or not label["more"]) else 0


def _end_of(text: str, label: re.Match[str], start: int) -> int:
    """Position just after the labelled reasoning; 0 if it never closes."""
    if label["more"]:
        ends = (_INLINE_ANSWER, _FINAL, _ANNOUNCED) if label["colon"] else ()
        found = [match for end in ends for match in end.finditer(text, start)]
        found += _finals(text, start) if label["colon"] else []
        return max((match.end() for match in found), default=0)
    if label["mark"] == ">":
        quoted = re.compile(r"^(?!>)", re.MULTILINE).search(text, start)
        return quoted.end() if quoted else 0
    if label["mark"][:1] in ("`", "~"):
        fence = re.compile(rf"^{label['mark']}[ \t]*$", re.MULTILINE).search(text, start)
        return fence.end() if fence else 0
    if end := answer_line(text, start):
        return end
    others = [_DONE, _ANNOUNCED]
    if run := label["run"]:
        others += [re.compile(rf"^{re.escape(run)}[^\n]*\w[^\n]*$", re.MULTILINE), _RULE_LINE]
    matches = (other.search(text, start) for other in others)
    return next((match.end() for match in matches if match), 0)


def answer_line(text: str, start: int = 0) -> int:
    """End of the last line or phrase that announces the final answer; 0 if there is none."""
    last = len(text.rstrip())
    lines = [line for line in _FINAL.finditer(text, start) if line.end() < last]
    if any(line["bare"] for line in lines) and len(_BARE_LINE.findall(text)) > 1:
        lines = [line for line in lines if not line["bare"]]
    inline = _finals(text, start)
    if not start and (first := _INLINE_ANSWER.match(text)):
        inline.append(first)
    return max((match.end() for match in (*lines, *inline)), default=0)


def _finals(text: str, start: int) -> list[re.Match[str]]:
    """Beginnings of lines such as `Final answer:` and `Revised title:`."""
    return [line for line in _INLINE.finditer(text, start) if is_product(line["name"])]
