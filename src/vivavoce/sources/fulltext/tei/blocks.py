"""Safe reading of TEI bytes, and the divisions of a text before any is judged to be a section."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.sources.xml import children, parse_xml

XML_ID = "{http://www.w3.org/XML/1998/namespace}id"

# Their text stands beside the running text, not in it.
ASIDE = frozenset({"figure", "table", "note", "listBibl"})
# No white space separates these in the file, but their words do not touch on the page.
_APART = frozenset({"s", "p", "lb", "pb", "cb", "item", "row", "cell", "head", "label", "figDesc"})
# What GROBID names in the type of a division at the end of a paper.
_ROLE_OF_TYPE = {
    "acknowledgement": "acknowledgements",
    "acknowledgements": "acknowledgements",
    "acknowledgment": "acknowledgements",
    "funding": "acknowledgements",
    "annex": "appendix",
    "appendix": "appendix",
    "availability": "other",
    "contribution": "other",
    "conflict": "other",
}


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


@dataclass(slots=True)
class Block:
    """One heading and the text under it; `heading` is None for text without one."""

    heading: str | None
    label: str | None = None
    """The number, where the markup gives it apart from the heading."""
    depth: int = 0
    """Number of headed divisions around it."""
    place: str = "body"
    """`body`, or the type of the division at the end of the paper."""
    role: str | None = None
    paragraphs: list[str] = field(default_factory=list)
    is_open: bool = False
    """The last paragraph ends in a formula, so the next may continue it."""

    def add(self, text: str, *, is_formula: bool = False) -> None:
        """Append a paragraph, or a formula that stands inside one."""
        if not text:
            return
        continues = is_formula or (self.is_open and text[0].islower())
        if continues and self.paragraphs:
            self.paragraphs[-1] += f" {text}"
        else:
            self.paragraphs.append(text)
        self.is_open = is_formula


def read_blocks(root: etree._Element) -> list[Block]:
    """Every division of body and back matter with its own paragraphs; the bibliography is out."""
    text = root.find("text")
    blocks: list[Block] = []
    if text is None:
        return blocks
    for part in children(text):
        if part.tag == "body":
            blocks += _division(part, 0, "body", None)
        elif part.tag == "back":
            for end in children(part):
                place = (end.get("type") or "back").lower()
                blocks += _division(end, 0, place, _ROLE_OF_TYPE.get(place))
    return [
        part for block in blocks if block.heading or block.paragraphs for part in _separate(block)
    ]


def _division(
    division: etree._Element, depth: int, place: str, role: str | None
) -> Iterator[Block]:
    block = Block(None, depth=depth, place=place, role=role)
    block.add(" ".join((division.text or "").split()))
    inside = depth
    nested: list[Block] = []
    for child in children(division):
        if child.tag == "head":
            yield block
            yield from nested
            nested = []
            label = child.get("n")
            block = Block(text_of(child), label, depth=depth, place=place, role=role)
            inside = depth + 1
        elif child.tag == "div":
            nested += _division(child, inside, place, role)
        elif child.tag == "formula":
            block.add(text_of(child), is_formula=True)
        elif child.tag == "list":
            for item in children(child):
                block.add(text_of(item, ASIDE))
        elif child.tag not in ASIDE:
            block.add(text_of(child, ASIDE))
        block.add(" ".join((child.tail or "").split()))
    yield block
    yield from nested


def _separate(block: Block) -> Iterator[Block]:
    """Part a heading from that of its first subsection: `4 Experiments 4.1 Data` is two."""
    number = (block.label or "").strip().rstrip(".")
    if not re.fullmatch(r"\d{1,2}(\.\d{1,2}){0,3}", number) or not block.heading:
        yield block
        return
    found = re.search(rf"\s{re.escape(number)}\.1\.?\s+(?=\w)", block.heading)
    if found is None or not block.heading[: found.start()].strip():
        yield block
        return
    yield Block(
        block.heading[: found.start()].strip(), number, block.depth, block.place, block.role
    )
    block.heading, block.label = block.heading[found.end() :], f"{number}.1"
    yield block
