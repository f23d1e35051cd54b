r"""Decoding of catalogue text: TeX accents, entities and tags become the characters they mean.

Formulas between dollar signs stay as they are.
"""

import html
import re
from dataclasses import replace

from lxml import etree

from vivavoce.records import Document
from vivavoce.sources.fulltext.assemble import plain_text
from vivavoce.sources.fulltext.jats.parts import print_text
from vivavoce.sources.fulltext.latex.layout import SYMBOLS, accented
from vivavoce.sources.fulltext.references import is_grade
from vivavoce.sources.xml import safe_parser
from vivavoce.text.cell_text import unescape_entities

_MAX_ESCAPES = 3
"""Most times that an entity may have been escaped, as in `&amp;amp;`."""
_FORMULA = re.compile(
    r"<((?:[a-z]{1,9}:)?(?:inline-formula|disp-formula|math|su[bp]))\b[^<>]{0,500}>", re.IGNORECASE
)
_MAX_FORMULA = 20_000
_PREFIX = re.compile(r"(</?)[a-z]{1,9}:", re.IGNORECASE)
_INLINE = re.compile(
    r"</?(?:jats:)?(?:i|b|u|s|em|strong|small|big|tt|font|sc|scp|sub|sup|span|italic|bold|mml:\w+)(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_NO_TEXT = re.compile(r"<!--[^<>]{0,500}-->|<\?[^<>]{0,500}>|<!\[CDATA\[|\]\]>")
"""Comments, instructions, and marks of literal text in XML."""
_BLOCK = re.compile(
    r"</?(?:p|br|div|sec|title|list|list-item|jats:[\w-]{1,30})(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_MAX_BEFORE = 60
_SPACES = re.compile(r"[ \t]{2,}")
_MATH = re.compile(r"((?<!\\)\$[^$]{1,2000}(?<!\\)\$)")
_ACCENT = re.compile(
    r"(?P<command>\\(?:[`'^\"~=.]|[cvuHkrbd](?![A-Za-z])))\s*"
    r"(?:\{\s*(?P<group>\\?[A-Za-z]{1,3})\s*\}|(?P<letter>\\[ij](?![A-Za-z])|[A-Za-z]))"
)
_SYMBOL = re.compile(r"(\\(?:ss|ae|AE|oe|OE|o|O|aa|AA|l|L|i|j))(?![A-Za-z])(?:\{\}|\s+(?=\w))?")
_STYLE = re.compile(r"\\(?:emph|url|nolinkurl|text(?:it|bf|tt|sc|rm|sf))\s?\{([^{}]*)\}")
_STYLED = re.compile(r"\{\\(?:it|bf|em|sc|sl|tt|rm|sf)\s+([^{}]*)\}")
_ESCAPE = re.compile(r"\\([&%_#$])")
_PRINTED = {"``": "“", "''": "”", "---": "—", "--": "–"}
_TYPED = re.compile("|".join(_PRINTED))
_TIE = re.compile(r"(?<!/)~")
_GROUP = re.compile(r"(?<![_^\w\\}])\{([^\W_][\w'-]*)\}|(?<=\w)\{([^\W\d_])\}|\{([^\x00-\x7f])\}")


def decode_text(text: str) -> str:
    """Replace the entities, tags and TeX commands in a text with the characters they mean."""
    for _ in range(_MAX_ESCAPES):
        if "&" not in text or (plain := unescape_entities(text)) == text:
            break
        text = plain
    if "<" in text:
        text = _print_formulas(_NO_TEXT.sub("", text))
        text = _BLOCK.sub(" ", _INLINE.sub("", text))
    if "\\" in text or "{" in text:
        parts = _MATH.split(text)
        parts[::2] = map(_without_tex, parts[::2])
        text = "".join(parts)
    return plain_text(text)


def _print_formulas(text: str) -> str:
    """A text with its formulas as a paper in JATS prints them, if they are well-formed."""
    closings: dict[str, int] = {}
    """Place of the next closing tag; -1 if there is none."""
    out: list[str] = []
    place = 0
    for opening in _FORMULA.finditer(text):
        closing, after = f"</{opening[1]}>", opening.end()
        if 0 <= closings.get(closing, 0) < after:
            closings[closing] = text.find(closing, after)
        end = closings[closing]
        if opening.start() < place or end < 0 or end - after > _MAX_FORMULA:
            continue
        before = _INLINE.sub("", text[max(0, opening.start() - _MAX_BEFORE) : opening.start()])[-1:]
        stop = end + len(closing)
        formula = _PREFIX.sub(r"\1", html.escape(before) + text[opening.start() : stop])
        try:
            printed = print_text(etree.fromstring(f"<p>{formula}</p>", safe_parser()))
        except etree.XMLSyntaxError:
            printed = before + text[opening.start() : stop]
        out += [text[place : opening.start()], printed[len(before.strip()) :]]
        place = stop
    return "".join([*out, text[place:]])


def _without_tex(text: str) -> str:
    text = _ACCENT.sub(
        lambda m: accented(m["command"], SYMBOLS.get(m[2] or m[3], m[2] or m[3])), text
    )
    text = _SYMBOL.sub(lambda match: SYMBOLS[match[1]], text)
    text = _STYLED.sub(r"\1", _STYLE.sub(r"\1", text))
    text = _ESCAPE.sub(r"\1", _TYPED.sub(lambda typed: _PRINTED[typed[0]], _TIE.sub(" ", text)))
    return _GROUP.sub(lambda match: match[match.lastindex or 0], text)


def decode_document(document: Document) -> Document:
    """A catalogue's document with every text field decoded."""
    title, venue = (
        line and " ".join(decode_text(line).split()) for line in (document.title, document.venue)
    )
    abstract = document.abstract and _SPACES.sub(" ", decode_text(document.abstract)).strip()
    named = (replace(author, name=decode_text(author.name)) for author in document.authors)
    authors = tuple(author for author in named if not is_grade(author.name))
    return replace(document, title=title, abstract=abstract, venue=venue, authors=authors)
