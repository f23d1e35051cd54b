"""A volume of the ACL Anthology: what its XML says of each paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Author, Document, Fault
from vivavoce.sources.acl.identifiers import build_id
from vivavoce.text.dates import parse_date, parse_month
from vivavoce.text.identifiers import find_doi
from vivavoce.text.normalise import clean_text

KIND = "acl"
_WITHDRAWN = ("retracted", "removed")
_FRONT_MATTER = re.compile(r"0+")
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class _Volume:
    """What holds for every paper of a volume."""

    collection: str
    name: str
    published: str | None
    venue: str | None


def read_collection(root: etree._Element, file: str) -> Iterator[Document | Fault]:
    """The papers of a collection in the order of the file; front matter is none."""
    collection = _attribute(root, "id")
    for element in root.iterfind("volume"):
        volume = _read_meta(collection, element)
        for place, paper in enumerate(element.iterfind("paper"), start=1):
            if _FRONT_MATTER.fullmatch(_attribute(paper, "id")):
                continue  # as it was written before it had an element of its own
            where = f"{file}: volume {volume.name[:40]}, paper {place}"
            try:
                acl_id = build_id(collection, volume.name, _attribute(paper, "id"))
                where = f"{file}: {acl_id}"
                yield _read_paper(paper, acl_id, volume)
            except InputError as error:
                yield Fault(where, str(error))


def _read_meta(collection: str, element: etree._Element) -> _Volume:
    meta = element.find("meta")
    venues = [_text(venue) for venue in element.iterfind("meta/venue")]
    names = ["; ".join(filter(None, venues))]
    if meta is not None:
        names += [_text(meta.find("booktitle")), _text(meta.find("journal-title"))]
    return _Volume(
        collection=collection,
        name=_attribute(element, "id"),
        published=_date(meta),
        venue=next(filter(None, names), None),
    )


def _read_paper(paper: etree._Element, acl_id: str, volume: _Volume) -> Document:
    for tag in _WITHDRAWN:
        notice = paper.find(tag)
        if notice is not None:
            reason = _text(notice)[:_SHOWN] or "no reason given"
            raise InputError(f"{tag} {_attribute(notice, 'date')}: {reason}".replace(" :", ":"))
    title = _text(paper.find("title"))
    if not title:
        raise InputError("the paper has no title")
    return Document(
        kind=KIND,
        key=f"acl:{acl_id}",
        acl_id=acl_id,
        doi=find_doi(_text(paper.find("doi"))),
        source_url=f"https://aclanthology.org/{acl_id}",
        title=title,
        abstract=_text(paper.find("abstract")) or None,
        published=_finer(_date(paper), volume.published),
        venue=volume.venue,
        authors=tuple(_authors(paper)),
    )


def _authors(paper: etree._Element) -> Iterator[Author]:
    """Authors with the ids that tell people of one name apart; other scripts are left out."""
    for author in paper.iterfind("author"):
        name = " ".join(filter(None, (_text(author.find("first")), _text(author.find("last")))))
        if any(map(str.isalpha, name)):
            yield Author(name, _attribute(author, "id") or None)


def _date(element: etree._Element | None) -> str | None:
    """Year and month, as far as they are known; of a span of months the first."""
    if element is None:
        return None
    year = parse_date(_text(element.find("year")))
    if year is None or year[1] != "year":
        return None
    month = parse_month(_text(element.find("month")))
    return f"{year[0]}-{month:02d}" if month else year[0]


def _finer(own: str | None, of_volume: str | None) -> str | None:
    """A paper's own date, unless the volume's says the same and more."""
    if own and of_volume and of_volume.startswith(own):
        return of_volume
    return own or of_volume


def _attribute(element: etree._Element, name: str) -> str:
    return clean_text(element.get(name) or "").strip()


def _text(element: etree._Element | None) -> str:
    """Text in one line without its markup; a formula stands between dollar signs."""
    if element is None:
        return ""
    return " ".join(clean_text("".join(_pieces(element))).split())


def _pieces(element: etree._Element) -> Iterator[str]:
    # Depth is bounded by the parser, which refuses deep trees.
    yield element.text or ""
    for child in element.iterchildren(etree.Element):
        formula = child.tag == "tex-math"
        yield from (
            ("$", "".join(map(str, child.itertext())).strip(), "$") if formula else _pieces(child)
        )
        yield child.tail or ""
