"""Reader of the ACL Anthology's XML: each file is a collection of volumes with many papers."""

import re
from collections.abc import Iterator
from dataclasses import replace

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Author, Document, Fault
from vivavoce.sources import Source, read_with
from vivavoce.sources.xml import parse_xml
from vivavoce.sources.xml import text_of as print_text
from vivavoce.text.dates import parse_date, parse_month
from vivavoce.text.identifiers import find_doi
from vivavoce.text.normalise import clean_text

_OLD = re.compile(r"[A-Z][0-9]{2}")
_NEW = re.compile(r"[0-9]{4}\.[a-z0-9_]{1,60}")
_COLLECTION = re.compile(rf"(?:{_OLD.pattern}|{_NEW.pattern})\.xml")
_NEW_VOLUME = re.compile(r"[a-zA-Z0-9_]{1,60}")
_NUMBER = re.compile(r"[0-9]{1,5}")
_FIRST_WIDE_VOLUME_OF_D19 = 5
KIND = "acl"
_WITHDRAWN = ("retracted", "removed")
_NO_PAPERS = ("frontmatter", "backmatter")
_SHOWN = 200
_LARGEST_FILE = 64 << 20


def build_id(collection: str, volume: str, paper: str) -> str:
    """The full id of a paper: `P19-1001`, `W19-0101` or `2020.acl-main.1`; else `InputError`.

    Ids before 2020 have four digits. The first is the volume's; workshops use the first two
    (`W`, `C69`, and `D19` from volume 5).
    """
    if not _NUMBER.fullmatch(paper):
        raise InputError(f"the paper's id {paper[:40]!r} is not a number")
    if _NEW.fullmatch(collection) and _NEW_VOLUME.fullmatch(volume):
        return f"{collection}-{volume}.{int(paper)}"
    if not (_OLD.fullmatch(collection) and _NUMBER.fullmatch(volume)):
        raise InputError(f"{collection[:40]!r} and volume {volume[:40]!r} are no Anthology id")
    is_wide = collection.startswith("W") or collection == "C69"
    if collection == "D19":
        is_wide = int(volume) >= _FIRST_WIDE_VOLUME_OF_D19
    width = 2 if is_wide else 1
    digits = f"{int(volume):0{width}d}{int(paper):0{4 - width}d}"
    if len(digits) != 4:
        raise InputError(f"volume {volume} and paper {paper} of {collection} exceed four digits")
    return f"{collection}-{digits}"


def read_collection(content: bytes, file: str) -> Iterator[Document | Fault]:
    """Read the papers of a collection in file order, without front and back matter."""
    root = parse_xml(content)
    if root.tag != "collection":
        tag = str(root.tag)[:80]
        raise InputError(f"the XML is not an Anthology collection: its root is <{tag}>")
    collection = attribute_of(root, "id")
    for element in root.iterfind("volume"):
        meta = element.find("meta")
        venues = [text_of(venue) for venue in element.iterfind("meta/venue")]
        names = ["; ".join(filter(None, venues))]
        if meta is not None:
            names += [text_of(meta.find("booktitle")), text_of(meta.find("journal-title"))]
        volume, published = attribute_of(element, "id"), date_of(meta)
        venue = next(filter(None, names), None)
        for place, paper in enumerate(element.iterfind("paper"), start=1):
            if attribute_of(paper, "type") in _NO_PAPERS:
                continue
            where = f"{file}: volume {volume[:40]}, paper {place}"
            try:
                acl_id = build_id(collection, volume, attribute_of(paper, "id"))
                where = f"{file}: {acl_id}"
                yield replace(read_paper(paper, acl_id, published), venue=venue)
            except InputError as error:
                yield Fault(where, str(error))


def read_paper(paper: etree._Element, acl_id: str, of_volume: str | None) -> Document:
    """Read the paper in an element, of a volume with a date; `InputError` says why not."""
    for tag in _WITHDRAWN:
        notice = paper.find(tag)
        if notice is not None:
            reason = text_of(notice)[:_SHOWN] or "no reason given"
            raise InputError(f"{tag} {attribute_of(notice, 'date')}: {reason}".replace(" :", ":"))
    title = text_of(paper.find("title"))
    if not title:
        raise InputError("the paper has no title")
    authors = []
    for author in paper.iterfind("author"):  # in Latin script; `variant` holds other scripts
        name = " ".join(filter(None, (text_of(author.find("first")), text_of(author.find("last")))))
        if any(map(str.isalpha, name)):
            authors.append(Author(name, attribute_of(author, "id") or None))
    published = date_of(paper, of_volume) or of_volume
    if published and of_volume and of_volume.startswith(published):
        published = of_volume  # the day or month missing from the paper's own date
    return Document(
        kind=KIND,
        key=f"acl:{acl_id}",
        acl_id=acl_id,
        doi=find_doi(text_of(paper.find("doi"))),
        source_url=f"https://aclanthology.org/{acl_id}",
        title=title,
        abstract=text_of(paper.find("abstract")) or None,
        published=published,
        authors=tuple(authors),
    )


def date_of(element: etree._Element | None, of_volume: str | None = None) -> str | None:
    """Year (the volume's if need be) and, if known, month: the first month of a span."""
    if element is None:
        return None
    parsed = parse_date(text_of(element.find("year")))
    year = parsed[0] if parsed and parsed[1] == "year" else (of_volume or "")[:4]
    if not year:
        return None
    month = parse_month(text_of(element.find("month")))
    return f"{year}-{month:02d}" if month else year


def attribute_of(element: etree._Element, name: str) -> str:
    """Read an attribute as text that is safe to store; empty if it is absent."""
    return clean_text(element.get(name) or "").strip()


def text_of(element: etree._Element | None) -> str:
    """Text in one line without markup; formulas are between dollar signs."""
    return print_text(element, special=_special)


def _special(element: etree._Element, skip: frozenset[str]) -> str | None:
    if element.tag == "tex-math":
        return f"${''.join(map(str, element.itertext())).strip()}$"
    return " " if element.tag == "par" else None


SOURCE = Source(
    kind=KIND,
    summary="XML files of the ACL Anthology (2020.acl.xml, P19.xml): titles, abstracts, authors",
    is_metadata=True,
    dates="venue",
    matches=lambda path: _COLLECTION.fullmatch(path.name) is not None,
    read=read_with(read_collection, _LARGEST_FILE, "collection"),
    holds_many=True,
    reader_version="4",
)
