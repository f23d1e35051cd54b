"""TEI files as written by GROBID: one paper per file, with its tables."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Author, Document
from vivavoce.sources import Source, has_suffix, read_with
from vivavoce.sources.formulas import print_mathml, print_script
from vivavoce.sources.fulltext.assemble import assemble
from vivavoce.sources.fulltext.model import (
    Block,
    Cell,
    Entry,
    Manuscript,
    RawTable,
    bounded,
    full_name,
)
from vivavoce.sources.fulltext.outline import find_sections
from vivavoce.sources.xml import (
    MAX_HEIGHT,
    MAX_WIDTH,
    children,
    parse_xml,
    pieces_of,
    span_of,
    text_of,
)
from vivavoce.text.dates import date_in, find_day
from vivavoce.text.identifiers import find_acl_id, find_arxiv_id, find_doi, find_orcid, find_year

_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"

# Elements whose text is beside the running text, not in it.
_ASIDE = frozenset({"figure", "table", "note", "listBibl"})
# Elements without white space between them in the file, whose words are apart on the page.
_APART = frozenset({"s", "p", "lb", "pb", "cb", "item", "row", "cell", "head", "label", "figDesc"})
# Types that GROBID gives to the divisions at the end of a paper.
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
_SUFFIXES = (".grobid.tei.xml", ".tei.xml", ".grobid.xml", ".tei")
_LARGEST_FILE = 32 << 20
_PARTS = ("forename", "surname")
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
# The banner that journals and conferences print above a title, up to the year.
_BANNER = re.compile(
    r"(?:preprint\.?\s+)?"
    r"(?:(?:published|accepted|presented|appeared) (?:as|at|in|by|for|to)"
    r"|under (?:double[- ]blind )?review (?:as|at|for|by|in)|under review|in submission"
    r"|to appear (?:in|at)|submitted (?:to|as)|workshop track)"
    r"\b[^:?!]{0,100}?\b(?:19|20)\d\d\b\)?[\s.,:;|–—-]*",
    re.IGNORECASE,
)
_YEARLESS_BANNER = re.compile(
    r"(?:under review as a (?:conference|workshop|journal) (?:paper|submission|contribution)"
    r"|preprint\. under review\.|preprint\. work in progress\.|work in progress\.)[\s.,:;|–—-]*",
    re.IGNORECASE,
)


def read_document(content: bytes, name: str) -> Document:
    """The paper in a TEI file; `InputError` says why there is none."""
    root = parse_xml(content)
    if root.tag != "TEI":
        raise InputError(f"XML, but not TEI: the root element is <{root.tag}>")
    title = clean_title(_title(root))
    header: dict[str, str] = {}
    """Identifiers of the paper itself by lower-case type; the first of a type counts."""
    for path in ("publicationStmt/idno", "sourceDesc/biblStruct//idno"):
        for number in root.iterfind(f"teiHeader/fileDesc/{path}"):
            parent = number.getparent()
            if parent is not None and parent.tag not in {"author", "editor"}:
                header.setdefault((number.get("type") or "").lower(), _text(number))
    suffix = next((s for s in _SUFFIXES if name.lower().endswith(s)), "")
    stem = name[: len(name) - len(suffix)]
    arxiv = find_arxiv_id(header.get("arxiv", "")) or find_arxiv_id(stem)
    acl_id = find_acl_id(stem)
    about = Document(
        kind="tei",
        key=name,
        source_file=name,
        arxiv_id=arxiv[0] if arxiv else None,
        version=arxiv[1] if arxiv else None,
        acl_id=acl_id,
        doi=find_doi(header.get("doi", "")),
        # These ids tell when the first version came; a header may have the day of the last one.
        published=None if arxiv or acl_id else _published(root),
    )
    licence = root.find("teiHeader/fileDesc/publicationStmt/availability/licence")
    if licence is not None:
        about = replace(about, licence=_text(licence) or licence.get("target") or None)
    paper = Manuscript(
        title=title,
        abstract=_abstract(root),
        authors=list(_authors(root)),
        blocks=find_sections(_blocks(root), title),
        entries=[_entry(one) for one in root.iterfind("text/back//listBibl/biblStruct")],
        tables=[_table(figure) for figure in root.iterfind("text//figure[@type='table']")],
        marks=[(_text(mark), _targets(mark)) for mark in _marks(root, "text//ref")],
    )
    return assemble(paper, about)


def clean_title(title: str) -> str:
    """A title without the venue banner printed above it, if a title remains."""
    for banner in (_BANNER, _YEARLESS_BANNER):
        match = banner.match(title)
        if match is not None and any(map(str.isalpha, title[match.end() :])):
            return title[match.end() :]
    return title


def _title(root: etree._Element) -> str:
    file = "teiHeader/fileDesc/"
    for path in (file + "titleStmt/title", file + "sourceDesc/biblStruct/analytic/title"):
        for element in root.iterfind(path):
            title = _text(element, frozenset({"note"}))
            if any(map(str.isalpha, title)):
                subtitles = (
                    other
                    for other in element.itersiblings("title")
                    if other.get("type") == "sub" and other.get(_LANGUAGE) == element.get(_LANGUAGE)
                )
                subtitle = next(subtitles, None)
                return title if subtitle is None else f"{title}: {_text(subtitle)}"
    return ""


def _abstract(root: etree._Element) -> str:
    abstract = root.find("teiHeader/profileDesc/abstract")
    if abstract is None:
        return ""
    paragraphs = [_text(p, _ASIDE) for p in abstract.iter("p")]
    return "\n\n".join(p for p in paragraphs if p) or _text(abstract, _ASIDE)


def _authors(root: etree._Element) -> Iterator[Author]:
    source = root.find("teiHeader/fileDesc/sourceDesc/biblStruct")
    if source is None:
        return
    for author in source.findall("analytic/author") or source.findall("monogr/author"):
        name = _name(author.find("persName"))
        if name:
            numbers = [n for n in author.iter("idno") if (n.get("type") or "").upper() == "ORCID"]
            yield Author(name, find_orcid(_text(numbers[0])) if numbers else None)


def _published(root: etree._Element) -> str | None:
    """The date of publication in the header, never the day on which a program made the file.

    A date without a type counts where no other source of the text is named.
    """
    known = {"published", "datePub"}
    if root.find("teiHeader/fileDesc/sourceDesc/biblStruct") is None:
        known.add("")
    places = ("publicationStmt/date", "sourceDesc/biblStruct/monogr/imprint/date")
    dates = (date for place in places for date in root.iterfind(f"teiHeader/fileDesc/{place}"))
    stated = (date for date in dates if date.get("type", "") in known)
    found = (
        date_in(date.get("when")) or date_in(_text(date)) or find_day(_text(date))
        for date in stated
    )
    return next(filter(None, found), None)


def _blocks(root: etree._Element) -> list[Block]:
    """Every division of body and back matter with its own paragraphs, but no bibliography."""
    text = root.find("text")
    blocks: list[Block] = []
    for part in () if text is None else children(text):
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
    block = Block(depth=depth, place=place, role=role)
    block.add(" ".join((division.text or "").split()))
    inside = depth
    nested: list[Block] = []
    for child in children(division):
        if child.tag == "head":
            yield block
            yield from nested
            nested = []
            label = child.get("n")
            block = Block(_text(child), label, role=role, place=place, depth=depth)
            inside = depth + 1
        elif child.tag == "div":
            nested += _division(child, inside, place, role)
        elif child.tag == "formula":
            block.add(_text(child), is_formula=True)
        elif child.tag == "list":
            for item in children(child):
                block.add(_text(item, _ASIDE))
        elif child.tag not in _ASIDE:
            block.add(_text(child, _ASIDE))
        block.add(" ".join((child.tail or "").split()))
    yield block
    yield from nested


def _separate(block: Block) -> Iterator[Block]:
    """Separate a heading from that of its first subsection: `4 Experiments 4.1 Data` is two."""
    number = (block.number or "").strip().rstrip(".")
    heading = block.heading or ""
    if re.fullmatch(r"\d{1,2}(\.\d{1,2}){0,3}", number):
        second = re.search(rf"\s{re.escape(number)}\.1\.?\s+(?=\w)", heading)
        if second is not None and (first := heading[: second.start()].strip()):
            yield Block(first, number, role=block.role, place=block.place, depth=block.depth)
            block.heading, block.number = heading[second.end() :], f"{number}.1"
    yield block


def _table(figure: etree._Element) -> RawTable:
    grids = bounded(_rows(table) for table in figure.iterfind("table"))
    notes = [_text(note) for note in figure.iterfind("note")]
    return RawTable(_caption(figure), grids, _keys(figure), notes)


def _rows(table: etree._Element) -> Iterator[Iterable[Cell]]:
    marked = list(table.iter("row"))
    for row in marked:
        yield map(_cell, children(row))
    if not marked:
        lines = "".join(pieces_of(table, _APART, frozenset(), lambda element, skip: None))
        yield from ([Cell(" ".join(line.split()))] for line in lines.splitlines())


def _keys(element: etree._Element) -> list[str]:
    return [key for mark in _marks(element, ".//ref") for key in _targets(mark)]


def _marks(element: etree._Element, path: str) -> Iterator[etree._Element]:
    return (mark for mark in element.iterfind(path) if mark.get("type") == "bibr")


def _cell(cell: etree._Element) -> Cell:
    return Cell(
        text=_text(cell),
        keys=_keys(cell),
        width=span_of(cell.get("cols") or "1", MAX_WIDTH),
        height=span_of(cell.get("rows") or "1", MAX_HEIGHT),
    )


def _caption(figure: etree._Element) -> str:
    pieces = [_text(figure.find("head")), _text(figure.find("figDesc"))]
    label = _text(figure.find("label"))
    if not pieces[0] and label and not pieces[1].casefold().startswith("tab"):
        pieces[0] = f"Table {label}:"
    caption = ""
    for piece in pieces:
        if _bare(piece).startswith(_bare(caption)):
            caption = piece
        elif _bare(piece) not in _bare(caption):
            caption += f" {piece}"
    return caption


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _targets(mark: etree._Element) -> list[str]:
    return sorted({target.lstrip("#") for target in (mark.get("target") or "").split()})


def _name(person: etree._Element | None) -> str:
    """Forenames and surname as ordered on a title page; empty if they have no letters."""
    if person is None:
        return ""
    tags = ("forename", "surname", "genName")
    parts = (_text(name) for tag in tags for name in person.iterfind(tag))
    return full_name(parts, otherwise=_text(person))


def _entry(work: etree._Element) -> Entry:
    authors = work.findall("analytic/author") or work.findall("monogr/author")
    surnames = [author.find("persName/surname") for author in authors]
    people = [_name(author.find("persName")) or _text(author) for author in authors]
    analytic = work.find("analytic")
    holder = analytic if analytic is not None else work.find("monogr")
    dates = [text for one in work.iter("date") for text in (one.get("when") or "", _text(one))]
    notes = work.findall("note")
    numbers = [((n.get("type") or "").lower(), _text(n)) for n in work.iter("idno")]
    year = next((str(year) for text in dates if (year := find_year(text))), "")
    pieces = [", ".join(filter(None, people)), *(_text(one) for one in work.iter("title"))]
    pieces += [_text(one) for tags in (notes, work.iter("meeting", "publisher")) for one in tags]
    links = [number for _, number in numbers]
    links += [pointer.get("target") or "" for pointer in work.iter("ptr")]
    return Entry(
        key=work.get(_XML_ID) or "",
        raw=" ".join(_text(note) for note in notes if note.get("type") == "raw_reference"),
        pieces=[*pieces, *(number for _, number in numbers), year],
        titles=[] if holder is None else [_text(title) for title in holder.iterfind("title")],
        years=dates,
        surnames=[_text(s) or name for s, name in zip(surnames, people, strict=True)],
        people=[name for name in people if name],
        full_names=sum(
            name != "" and all(author.find(f"persName/{part}") is not None for part in _PARTS)
            for author, name in zip(authors, people, strict=True)
        ),
        numbers={
            kind: " ".join(number for own, number in numbers if own == kind)
            for kind in ("arxiv", "doi")
        },
        links=" ".join(links),
    )


def _text(element: etree._Element | None, skip: frozenset[str] = frozenset()) -> str:
    return text_of(element, _APART, skip, _special)


def _special(element: etree._Element, skip: frozenset[str]) -> str | None:
    if element.tag == "math":
        return print_mathml(element)
    sign = {"sup": "^", "sub": "_"}.get((element.get("rend") or "")[:3])
    return print_script(element, sign) if sign else None


SOURCE = Source(
    kind="tei",
    summary="GROBID TEI XML: full text, references and tables, one paper a file",
    matches=has_suffix(*_SUFFIXES),
    read=read_with(lambda content, name: [read_document(content, name)], _LARGEST_FILE, "paper"),
    reader_version="9",
)
