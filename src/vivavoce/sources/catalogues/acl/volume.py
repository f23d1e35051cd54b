"""A volume of the ACL Anthology: what its XML says of each paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Author, Document, Fault
from vivavoce.sources.catalogues.acl.identifiers import build_id
from vivavoce.text.dates import parse_date, parse_month
from vivavoce.text.identifiers import find_doi
from vivavoce.text.normalise import clean_text

KIND = "acl"
_WITHDRAWN = ("retracted", "removed")
_FRONT_MATTER = re.compile(r"0+")
_NO_PAPERS = ("frontmatter", "backmatter")
_PARAGRAPH = "par"
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Volume:
    """What holds for every paper of a volume."""

    collection: str
    name: str
    published: str | None
    venue: str | None


def read_collection(root: etree._Element, file: str) -> Iterator[Document | Fault]:
    """The papers of a collection in the order of the file; front matter is none."""
    collection = attribute_of(root, "id")
    for element in root.iterfind("volume"):
        volume = _read_meta(collection, element)
        for place, paper in enumerate(element.iterfind("paper"), start=1):
            if not is_paper(paper):
                continue
            where = f"{file}: volume {volume.name[:40]}, paper {place}"
            try:
                acl_id = build_id(collection, volume.name, attribute_of(paper, "id"))
                where = f"{file}: {acl_id}"
                yield read_paper(paper, acl_id, volume)
            except InputError as error:
                yield Fault(where, str(error))


def _read_meta(collection: str, element: etree._Element) -> Volume:
    meta = element.find("meta")
    venues = [text_of(venue) for venue in element.iterfind("meta/venue")]
    names = ["; ".join(filter(None, venues))]
    if meta is not None:
        names += [text_of(meta.find("booktitle")), text_of(meta.find("journal-title"))]
    return Volume(
        collection=collection,
        name=attribute_of(element, "id"),
        published=date_of(meta),
        venue=next(filter(None, names), None),
    )


def is_paper(paper: etree._Element) -> bool:
    """Whether it is neither front matter, written as paper 0 once, nor an index at the end."""
    is_front = _FRONT_MATTER.fullmatch(attribute_of(paper, "id")) is not None
    return not is_front and attribute_of(paper, "type") not in _NO_PAPERS


def read_paper(paper: etree._Element, acl_id: str, volume: Volume) -> Document:
    """What the XML says of a paper; `InputError` says why there is none."""
    for tag in _WITHDRAWN:
        notice = paper.find(tag)
        if notice is not None:
            reason = text_of(notice)[:_SHOWN] or "no reason given"
            raise InputError(f"{tag} {attribute_of(notice, 'date')}: {reason}".replace(" :", ":"))
    title = text_of(paper.find("title"))
    if not title:
        raise InputError("the paper has no title")
    return Document(
        kind=KIND,
        key=f"acl:{acl_id}",
        acl_id=acl_id,
        doi=find_doi(text_of(paper.find("doi"))),
        source_url=f"https://aclanthology.org/{acl_id}",
        title=title,
        abstract=text_of(paper.find("abstract")) or None,
        published=_finer(date_of(paper, volume.published), volume.published),
        venue=volume.venue,
        authors=tuple(_authors(paper)),
    )


def _authors(paper: etree._Element) -> Iterator[Author]:
    """Authors with the ids that tell people of one name apart; other scripts are left out."""
    for author in paper.iterfind("author"):
        name = " ".join(filter(None, (text_of(author.find("first")), text_of(author.find("last")))))
        if any(map(str.isalpha, name)):
            yield Author(name, attribute_of(author, "id") or None)


def date_of(element: etree._Element | None, of_volume: str | None = None) -> str | None:
    """Year and month, as far as they are known; of a span of months the first.

    A paper that gives its month alone is of the volume's year.
    """
    if element is None:
        return None
    parsed = parse_date(text_of(element.find("year")))
    year = parsed[0] if parsed and parsed[1] == "year" else (of_volume or "")[:4]
    if not year:
        return None
    month = parse_month(text_of(element.find("month")))
    return f"{year}-{month:02d}" if month else year


def _finer(own: str | None, of_volume: str | None) -> str | None:
    """A paper's own date, unless the volume's says the same and more."""
    if own and of_volume and of_volume.startswith(own):
        return of_volume
    return own or of_volume


def attribute_of(element: etree._Element, name: str) -> str:
    """An attribute, safe to store; empty without one."""
    return clean_text(element.get(name) or "").strip()


def text_of(element: etree._Element | None) -> str:
    """Text in one line without its markup; a formula stands between dollar signs."""
    if element is None:
        return ""
    return " ".join(clean_text("".join(_pieces(element))).split())


def _pieces(element: etree._Element) -> Iterator[str]:
    # Depth is bounded by the parser, which refuses deep trees.
    yield element.text or ""
    for child in element.iterchildren(etree.Element):
        if child.tag == "tex-math":
            yield from ("$", "".join(map(str, child.itertext())).strip(), "$")
        elif child.tag == _PARAGRAPH:
            yield " "
        else:
            yield from _pieces(child)
        yield child.tail or ""
