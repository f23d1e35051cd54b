"""Safe reading of XML bytes, for every source whose files are XML."""

from __future__ import annotations

from lxml import etree

from vivavoce.errors import InputError


def parse_xml(content: bytes) -> etree._Element:
    """The root of an XML file, tags without namespace; `InputError` says what is wrong.

    Nothing outside the file is loaded and no entity is expanded.
    """
    if not content.strip():
        raise InputError("the file is empty")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text: {error.reason} at byte {error.start}") from error
    # Attribute values are expanded whatever the parser is told, so the declaration is refused.
    if b"<!ENTITY" in content:
        raise InputError("the file declares XML entities, which are not read for safety")
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise InputError(f"not well-formed XML: {error.msg or 'no element found'}") from error
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    return root
