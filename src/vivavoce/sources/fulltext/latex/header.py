"""Names of authors out of the many ways that classes set them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vivavoce.records import Author
from vivavoce.sources.fulltext.latex.layout import Layout, Span
from vivavoce.sources.fulltext.latex.typeset import Typesetter
from vivavoce.sources.fulltext.latex.vocabulary import SILENT

_PARTS = frozenset({"\\and", "\\And", "\\AND", "\\qquad", "\\hfill"})
_BLOCK = frozenset({"\\IEEEauthorblockN"})
_RAISED = frozenset({"\\textsuperscript", "\\inst", "\\thanks", "\\Thanks", "\\footnotemark"})
_MARK = "\x04"
_SEPARATOR = re.compile(rf"[,;{_MARK}]|\s(?:and|AND|&)\s|^(?:and|AND|&)\s|\s{{3,}}")
_NO_NAME = re.compile(
    r"universit|institut|department|school|college|laborator|research|academy|faculty|centre|center"
    r"|corporation|\binc\b|\bltd\b|google|microsoft|amazon|facebook|openai|deepmind|anonymous|paper"
    r"|equal|contribut|correspond|member|submission|author|\bteam\b|street|email|hospital|foundation"
    r"|division|group|technolog|science|\blabs?\b|@|\d|https?:|\\|pages",
    re.IGNORECASE,
)
_MAX_AUTHORS = 3_000
_MAX_NAME = 60


def read_authors(setter: Typesetter, arguments: Sequence[Span]) -> tuple[Author, ...]:
    r"""The authors named in the arguments of `\author` commands, each once."""
    names: dict[str, None] = {}
    for argument in arguments:
        for name in _names(setter, argument):
            names.setdefault(name)
    return tuple(Author(name) for name in list(names)[:_MAX_AUTHORS])


def _names(setter: Typesetter, argument: Span) -> Iterator[str]:
    layout = setter.layout
    blocks = [
        layout.group(place + 1) for place in layout.find(_BLOCK, argument.start, argument.end)
    ]
    for block in blocks or [argument]:
        if block is None:
            continue
        for part in _split(layout, block, _PARTS):
            yield from _names_of_part(setter, part)


def _names_of_part(setter: Typesetter, part: Span) -> Iterator[str]:
    """The names at the start of one author's or one group's lines; affiliations follow."""
    is_open = True
    for line in _split(setter.layout, part, frozenset({"\\\\", "\\newline"})):
        text = _line(setter, line).strip()
        if not text.strip(f" ,{_MARK}"):
            continue
        pieces = [" ".join(piece.split()) for piece in _SEPARATOR.split(text)]
        pieces = [
            piece.strip(" .*†‡§¶") + ("." if piece.endswith("Jr.") else "") for piece in pieces
        ]
        pieces = [piece for piece in pieces if piece]
        are_names = all(map(_is_name, pieces))
        is_marked = _MARK in text and not text.startswith(_MARK)
        if not (is_open or (is_marked and are_names)):
            return
        yield from filter(_is_name, pieces)
        is_open = text.rstrip(f" {_MARK}").endswith(",")


def _split(layout: Layout, span: Span, at: frozenset[str]) -> Iterator[Span]:
    start = span.start
    for place in layout.find(at, span.start, span.end):
        yield Span(start, place, place)
        start = place + 1
    yield Span(start, span.end, span.end)


def _line(setter: Typesetter, span: Span) -> str:
    """The text of a line with marks for what is raised: numbers of affiliations and notes."""
    layout = setter.layout
    out: list[str] = []
    place = span.start
    while place < span.end:
        token = layout.tokens[place]
        if token in _RAISED:
            group = layout.group(layout.past_options(place + 1))
            place = group.after if group and token in {*SILENT, "\\textsuperscript"} else place + 1
            out.append(_MARK)
            continue
        if token == "$":
            end = next(layout.find(frozenset({"$"}), place + 1, span.end), span.end)
            place = end + 1
            out.append(_MARK)
            continue
        if token == "\\quad":
            out.append(",")
            place += 1
            continue
        following = place + 1
        while following < span.end and layout.tokens[following] not in {*_RAISED, "$", "\\quad"}:
            following += 1
        text: list[str] = []
        setter.walk(place, following, text, 1)
        out += text
        place = following
    return "".join(out).replace("\n", " ")


def _is_name(text: str) -> bool:
    words = text.split()
    return (
        1 < len(text) <= _MAX_NAME
        and 1 <= len(words) <= 6
        and _NO_NAME.search(text) is None
        and words[0][0].isalpha()
        and not words[-1][0].islower()
        and any(map(str.isalpha, text))
    )
