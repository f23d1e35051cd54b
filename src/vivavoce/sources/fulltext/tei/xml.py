"""Safe reading of TEI bytes, and text out of elements."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.sources.xml import children, parse_xml

XML_ID = "{http://www.w3.org/XML/1998/namespace}id"

# Their text stands beside the running text, not in it.
ASIDE = frozenset({"figure", "table", "note", "listBibl"})
# No white space separates these in the file, but their words do not touch on the page.
_APART = frozenset({"s", "p", "lb", "pb", "cb", "item", "row", "cell", "head", "label", "figDesc"})


def parse_tei(content: bytes) -> etree._Element:
    """The root of a TEI file, tags without namespace; `InputError` says what is wrong."""
    root = parse_xml(content)
    if root.tag != "TEI":
        raise InputError(f"XML, but not TEI: the root element is <{root.tag}>")
    return root


def text_of(element: etree._Element | None, skip: frozenset[str] = frozenset()) -> str:
    """The text below an element with single spaces, leaving out elements whose tag is in `skip`."""
    if element is None:
        return ""
    return " ".join("".join(_pieces(element, skip)).split())


def lines_of(element: etree._Element) -> list[str]:
    """The text below an element by printed lines, blank ones dropped."""
    lines = "".join(_pieces(element, frozenset())).splitlines()
    return [line for printed in lines if (line := " ".join(printed.split()))]


def _pieces(element: etree._Element, skip: frozenset[str]) -> Iterator[str]:
    yield element.text or ""
    for child in children(element):
        if child.tag not in skip:
            yield from _pieces(child, skip)
        if child.tag in _APART:
            yield " "
        yield child.tail or ""
