r"""Authors in the arguments of `\author` commands."""

import re
from collections.abc import Iterator, Sequence

from vivavoce.records import Author
from vivavoce.sources.fulltext.latex.layout import (
    ACCENTS,
    PLAIN,
    SILENT,
    SYMBOLS,
    Layout,
    Span,
)
from vivavoce.sources.fulltext.latex.typeset import Typesetter
from vivavoce.sources.fulltext.references import MARK, names_in

_PARTS = frozenset({"\\and", "\\And", "\\AND", "\\qquad", "\\hfill"})
_BLOCK = frozenset({"\\IEEEauthorblockN"})
_RAISED = frozenset({"\\textsuperscript", "\\inst", "\\thanks", "\\Thanks", "\\footnotemark"})
_BREAKS = frozenset({"\\\\", "\\newline"})
_GAPS = frozenset({"\\quad", "\\hspace"})
_SMALL = frozenset(
    {"\\textit", "\\emph", "\\textsl", "\\it", "\\itshape", "\\em", "\\small", "\\footnotesize"}
    | {"\\scriptsize", "\\tiny", "\\normalsize"}
)
_NAME_BEFORE = re.compile(rf"[^\s,;{MARK}]+\s+[^\s,;{MARK}]+\s*$")
_MAX_MARK = 2
"""Most characters of an affiliation mark such as `a1`."""
_MAX_AUTHORS = 3_000


def read_authors(setter: Typesetter, arguments: Sequence[tuple[Span, ...]]) -> tuple[Author, ...]:
    r"""The authors named in the arguments of `\author` commands, each once.

    A command has one argument, or two for the given names and the surname of an author.
    """
    names = dict.fromkeys(name for argument in arguments for name in _names(setter, argument))
    return tuple(map(Author, list(names)[:_MAX_AUTHORS]))


def _names(setter: Typesetter, arguments: tuple[Span, ...]) -> Iterator[str]:
    layout = setter.layout
    argument = arguments[0]
    if len(arguments) > 1:
        yield from names_in([" ".join(_line(setter, part) for part in arguments)])
        return
    places = list(layout.find(_BLOCK, argument.start, argument.end))
    blocks = [layout.group(place + 1) for place in places] or [argument]
    for block in filter(None, blocks):
        for part in _split(layout, block, _PARTS):
            lines = _split(layout, part, _BREAKS)
            yield from names_in(_line(setter, line) for line in lines)


def _split(layout: Layout, span: Span, breaks: frozenset[str]) -> Iterator[Span]:
    start = span.start
    for place in layout.find(breaks, span.start, span.end):
        yield Span(start, place, place)
        start = layout.past_options(place + 1)
    yield Span(start, span.end, span.end)


def _line(setter: Typesetter, span: Span) -> str:
    """The text of a line, with marks for its raised parts: affiliation numbers and notes."""
    layout = setter.layout
    out: list[str] = []
    place = span.start
    while place < span.end:
        token = layout.tokens[place]
        if token in _RAISED:
            group = layout.group(layout.past_options(place + 1))
            place = group.after if group and token in {*SILENT, "\\textsuperscript"} else place + 1
            out.append(MARK)
            continue
        if token == "$":
            place = 1 + next(layout.find(frozenset({"$"}), place + 1, span.end), span.end)
            out.append(MARK)
            continue
        if token in SILENT and SILENT[token] and layout.required(place) is None:
            break  # `\email a@b.org` takes the rest of the line
        group = layout.group(place + 1) if token[0] == "\\" else None
        aside = layout.source(group) if group and token not in PLAIN else ""
        before = "".join(out)
        is_mark = 0 < len(aside) <= _MAX_MARK and not before[-1:].isspace()
        if ("," in aside or is_mark or token in _SMALL) and _NAME_BEFORE.search(before):
            # Small print behind a name, such as a membership, is no name.
            place = group.after if group else span.end
            out.append(MARK)
            continue
        if token in _GAPS:
            out.append(",")
            place = layout.past_groups(layout.past_options(place + 1), SILENT.get(token, 0))
            continue
        following = place + 1
        while following < span.end and not _may_mark(layout.tokens[following]):
            following += 1
        setter.walk(place, following, out, 1)
        place = following
    return "".join(out).replace("\n", " ")


def _may_mark(token: str) -> bool:
    """Check whether a token may begin what is no part of a name."""
    return token == "$" or (token[0] == "\\" and token not in SYMBOLS and token not in ACCENTS)
