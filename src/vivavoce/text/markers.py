"""Markers in a reply: words in brackets, such as `<think>`, `[/THINK]`, `«end of thought»`.

A marker opens or closes a block. It closes one by a slash, or by a word such as `end`; those words
are left off its name. A marker that is a word of a sentence ("the </think> token") is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lxml.html.defs import tags as HTML_ELEMENTS

ASIDE = frozenset({"details", "aside"})
"""HTML elements that hold what stands beside a text."""

_NAME = r"[^\W\d_](?:[\w.:▁-]|[ ](?=\w)){0,40}"
_OPENING = r"<!--\s?|&lt;|<{1,3}|\[{1,3}|\{{2,3}|[«‹《〈「『◁⟨⟪【〔〖]"
_CLOSING = r"\s?-->|&gt;|>{1,3}|\]{1,3}|\}{2,3}|[»›》〉」』▷⟩⟫】〕〗]"
MARKER = re.compile(
    rf"[<\[][|｜](?P<special>/?{_NAME})(?:[|｜]?>|[|｜]\])|<(?P<end>{_NAME})[|｜]>"
    rf"|(?P<bracket>{_OPENING})(?:\s?(?P<slash>/))?\s?(?P<name>{_NAME})"
    rf"(?:\s[^<>\n]{{0,200}}?)?(?P<self>/?)(?:{_CLOSING})"
)
_PAIRED = re.compile(r"\[|\{|<<|&|<!|[«‹《〈「『⟪〔〖]")
"""Brackets that texts have too: without `/` or another sign of a marker they are text."""
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
    """Check whether the name of a block or of a field speaks of reasoning."""
    return _REASONING.search(name.casefold()) is not None


def says_answer(name: str) -> bool:
    """Check whether the name of a block or of a field speaks of an answer."""
    return _ANSWER.search(name.casefold()) is not None and not says_reasoning(name)


@dataclass(frozen=True, slots=True)
class Marker:
    """A word in brackets."""

    start: int
    end: int
    name: str
    bracket: str
    """Empty for a special token."""
    is_closing: bool
    opener: Marker | None = None
    """The marker that a closing one closes."""

    @property
    def is_html(self) -> bool:
        """True for an element of a page, which is a part of a text."""
        return self.bracket == "<" and self.name in HTML_ELEMENTS - ASIDE and not self.is_answer

    @property
    def is_reasoning(self) -> bool:
        """True if its name speaks of reasoning."""
        return says_reasoning(self.name)

    @property
    def is_answer(self) -> bool:
        """True if its name speaks of an answer."""
        return says_answer(self.name)


def read_markers(text: str) -> list[Marker]:
    """The markers of a text in order; a closing one knows what it closes.

    A word in brackets that texts have too is text, unless a marker closes it. In square brackets it
    is a marker also if it is in capitals, says reasoning, or says answer alone in its line.
    """
    every = list(_every_marker(text))
    closed = {_kind(each) for each in every if each.is_closing}
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
    return markers


def _kind(marker: Marker) -> str:
    """The bracket and the name that two markers share; all that say reasoning have one name."""
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
