"""Safe reading of XML bytes, for every source whose files are XML."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from vivavoce.errors import InputError


def parse_xml(content: bytes) -> etree._Element:
    """The root of an XML file, tags without namespace; `InputError` says what is wrong.

    Nothing outside the file is loaded and no entity is expanded.
    """
    check_text(content)
    # Attribute values are expanded whatever the parser is told, so the declaration is refused.
    if b"<!ENTITY" in content:
        raise InputError("the file declares XML entities, which are not read for safety")
    try:
        root = etree.fromstring(content, safe_parser())
    except etree.XMLSyntaxError as error:
        raise InputError(f"not well-formed XML: {error.msg or 'no element found'}") from error
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    return root


def check_text(content: bytes) -> None:
    """Refuse bytes that are blank or not UTF-8 with an `InputError`."""
    if not content.strip():
        raise InputError("the file is empty")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text: {error.reason} at byte {error.start}") from error


def safe_parser() -> etree.XMLParser:
    """A parser of UTF-8 that loads nothing, expands no entity and has no room for huge trees."""
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
