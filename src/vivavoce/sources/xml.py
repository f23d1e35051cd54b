"""Safe reading of XML and HTML, and of the text inside, for all sources with markup files."""

import html
import re
from collections.abc import Callable, Iterator
from contextlib import suppress

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.text.normalise import clean_line

MAX_WIDTH, MAX_HEIGHT = 40, 200
"""Most columns and rows that a cell may cover."""
_DECLARED = re.compile(rb"\s*<\?xml[^>]{0,80}\bencoding\s*=\s*[\"']([\w.-]{1,40})[\"']")
_DASH = re.compile(r"\s*[\])]?\s*[-‐–—−]\s*[\[(]?\s*")


def parse_xml(content: bytes) -> etree._Element:
    """The root of an XML file, or `InputError`; tags lose namespaces, nothing outside is loaded."""
    content = _as_utf8(content)
    # The parser always expands entities in attribute values, so their declaration is refused.
    if b"<!ENTITY" in content:
        raise InputError("the file declares XML entities, which are not read for safety")
    try:
        root = etree.fromstring(content, safe_parser())
    except etree.XMLSyntaxError as error:
        raise InputError(f"not well-formed XML: {error.msg or 'no element found'}") from error
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    return root


def _as_utf8(content: bytes) -> bytes:
    """The content, converted if it is not UTF-8 but in the encoding that its declaration names."""
    declared = _DECLARED.match(content)
    with suppress(LookupError, UnicodeError):
        if declared and not _is_utf8(content):
            return content.decode(declared[1].decode()).encode()
    check_text(content)
    return content


def _is_utf8(content: bytes) -> bool:
    with suppress(UnicodeDecodeError):
        return bool(content.decode("utf-8"))
    return False


def check_text(content: bytes) -> None:
    """Raise `InputError` for bytes that are blank or not UTF-8."""
    if not content.strip():
        raise InputError("the file is empty")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text: {error.reason} at byte {error.start}") from error


def safe_parser() -> etree.XMLParser:
    """A parser of UTF-8 that loads nothing, expands no entity and refuses huge trees."""
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def children(element: etree._Element) -> Iterator[etree._Element]:
    """The child elements, without entity references."""
    return element.iterchildren(etree.Element)


def span_of(value: str, most: int) -> int:
    """Number of rows or columns that a cell covers; 1 if its attribute is not a number."""
    span = int(value) if value.isascii() and value.isdigit() and len(value) < 5 else 1
    return min(max(span, 1), most)


def is_all_in(element: etree._Element, is_mark: Callable[[etree._Element], bool]) -> bool:
    """Check whether all letters and digits below an element are inside marked elements."""
    if is_mark(element):
        return True
    if any(map(str.isalnum, element.text or "")):
        return False
    below = list(children(element))
    return any(map(_has_text, below)) and all(
        (not _has_text(one) or is_all_in(one, is_mark))
        and not any(map(str.isalnum, one.tail or ""))
        for one in below
    )


def _has_text(element: etree._Element) -> bool:
    return any(map(str.isalnum, "".join(map(str, element.itertext()))))


def is_dash(text: str) -> bool:
    """Check whether the text between two citation marks is a dash, with or without brackets."""
    return _DASH.fullmatch(text) is not None


Special = Callable[[etree._Element, frozenset[str]], str | None]
"""Gives the text of an element that prints differently from its content; None for others."""


def text_of(
    element: etree._Element | None,
    apart: frozenset[str] = frozenset(),
    skip: frozenset[str] = frozenset(),
    special: Special = lambda element, skip: None,
) -> str:
    """The text below an element with single spaces; empty for None.

    `apart` are tags of elements whose words are apart although no white space separates them,
    `skip` those whose text is left out; `special` gives the text of elements that print otherwise.
    """
    if element is None:
        return ""
    return clean_line("".join(pieces_of(element, apart, skip, special)))


def pieces_of(
    element: etree._Element, apart: frozenset[str], skip: frozenset[str], special: Special
) -> Iterator[str]:
    """The text below an element piece by piece, as `text_of` joins it."""
    yield element.text or ""
    for child in element.iterchildren():
        if not isinstance(child.tag, str):  # a named character of the DTD, such as &nbsp;
            yield html.unescape(child.text or "")
        elif (own := special(child, skip)) is not None:
            yield own
        elif child.tag not in skip:
            yield from pieces_of(child, apart, skip, special)
        if child.tag in apart:
            yield " "
        yield child.tail or ""
