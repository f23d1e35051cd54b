"""Safe reading of JATS bytes, and text out of elements."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.sources.xml import parse_xml
from vivavoce.text.normalise import clean_text

# Their text stands beside the running text, not in it.
ASIDE = frozenset(
    {"fig", "fig-group", "table-wrap", "table-wrap-group", "table", "fn", "fn-group", "ref-list"}
    | {"supplementary-material", "media", "graphic", "inline-graphic", "object-id"}
)
# No white space separates these in the file, but their words do not touch on the page.
_APART = frozenset(
    {"p", "title", "subtitle", "label", "break", "list", "list-item", "tr", "td", "th", "def"}
    | {"term", "disp-formula", "disp-quote", "sec", "attrib", "caption"}
)
_NAME_PARTS = frozenset({"surname", "given-names", "prefix", "suffix"})
_TEX_DOCUMENT = re.compile(r"\\begin\{document\}(.*?)(?:\\end\{document\}|\Z)", re.DOTALL)
_MARKER = re.compile(r"[\s0-9a-z,;–—-]{1,60}")


def parse_jats(content: bytes) -> etree._Element:
    """The root of a JATS article, tags without namespace; `InputError` says what is wrong."""
    root = parse_xml(content)
    article = root if root.tag == "article" else root.find(".//article")
    if article is None:
        raise InputError(f"XML, but not JATS: the root element is <{root.tag}>")
    return article


def text_of(element: etree._Element | None, skip: frozenset[str] = frozenset()) -> str:
    """The text below an element with single spaces, leaving out elements whose tag is in `skip`."""
    if element is None:
        return ""
    return clean_text(" ".join("".join(_pieces(element, skip)).split()))


def _pieces(element: etree._Element, skip: frozenset[str]) -> Iterator[str]:
    yield element.text or ""
    for child in element.iterchildren():
        if not isinstance(child.tag, str):  # a named character of the DTD, such as &nbsp;
            yield html.unescape(child.text or "")
        elif child.tag == "tex-math":
            yield _tex(child)
        elif child.tag in {"sup", "xref"} and _is_raised_marker(child):
            # Raised numbers would grow into the word before them.
            yield f" [{''.join(_pieces(child, skip)).strip()}]"
        elif child.tag not in skip:
            yield from _pieces(child, skip)
        if child.tag in _APART or (child.tag in _NAME_PARTS and child.getnext() is not None):
            yield " "
        yield child.tail or ""


def _is_raised_marker(element: etree._Element) -> bool:
    """Check whether an element is a raised citation: `sup` around `xref`, or the reverse."""
    inner = element.find("xref" if element.tag == "sup" else "sup")
    if inner is None or (element if element.tag == "xref" else inner).get("ref-type") != "bibr":
        return False
    return _MARKER.fullmatch("".join(_text(element))) is not None


def _text(element: etree._Element) -> Iterator[str]:
    for piece in element.itertext(etree.Element):
        yield str(piece)


def _tex(element: etree._Element) -> str:
    """A formula's TeX where nothing else prints it; MathML beside it says the same."""
    parent = element.getparent()
    if parent is not None and parent.find("math") is not None:
        return ""
    text = "".join(_text(element))
    found = _TEX_DOCUMENT.search(text)
    return found[1] if found is not None else text
