"""S2ORC JSON: a paper a file, or a paper a line."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Author, CitedTable, Document, Fault, Reference
from vivavoce.sources import Piece, ReadOptions, Source
from vivavoce.sources.fulltext.tei.blocks import Block
from vivavoce.sources.fulltext.tei.citations import LONE_NUMBER
from vivavoce.sources.fulltext.tei.sections import build_sections
from vivavoce.sources.json_records import (
    Fields,
    Record,
    cut,
    is_lines,
    line_at,
    object_at,
    objects_at,
    read_documents,
    read_head,
    rows_at,
    text_at,
    texts_at,
)
from vivavoce.text.citation_markers import numeric_mentions
from vivavoce.text.dates import parse_date
from vivavoce.text.identifiers import arxiv_id_in, find_acl_id, find_arxiv_id, find_doi
from vivavoce.text.row_citations import Mention, RowsCited
from vivavoce.text.table_parsing import html_rows

_TOKEN = re.compile(r"BIBREF[0-9]{1,6}")
_PRINTED_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_ENOUGH_NUMBERS = 3
_MAX_MARK = 200
_SHORTEST_NAMED = 8
_MAX_NAMED = 500
_MAX_MENTIONS = 200_000
"""In the rows of a table; cells that span are repeated in every place."""
_GONE = "\0"
_BARE = str.maketrans("", "", "()[],;. ")
_NESTED = re.compile(r"\s*:::?\s*")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20\d\d|2100)(?!\d)")
_MAX_ROWS = 2000
_ROLE_OF_BACK = {
    "acknowledgement": "acknowledgements",
    "acknowledgements": "acknowledgements",
    "acknowledgment": "acknowledgements",
    "acknowledgments": "acknowledgements",
    "annex": "appendix",
    "appendix": "appendix",
}
_PLAIN_NAMES = frozenset({"annex"})
"""Headings that the parser made up."""
_PARSE_FIELDS = ("latex_parse", "pdf_parse", "grobid_parse")
_BULK_FIELDS = ("_pdf_hash", "s2_pdf_hash", "s2_url", "has_pdf_parse")
"""Fields of the releases, in which a number is the corpus id; elsewhere it is a file's name."""
_SUFFIXES = (".json", ".json.gz", ".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
_PARSES = (b'"pdf_parse"', b'"latex_parse"', b'"grobid_parse"', b'"has_pdf_parse"')
# Both kinds hold paragraphs with citation spans; only the other numbers and types them so.
_OTHER_KIND = (b'"_source_hash"', b'"_source_name"', b'"bib_entry_raw"', b'"content_type"')


class Marks:
    """Citation marks of a paper, learnt from those of its running text."""

    def __init__(self, paragraphs: Iterable[Fields], ordinals: Mapping[str, int]) -> None:
        self._ordinals = ordinals
        numbers: dict[int, set[int]] = defaultdict(set)
        named: dict[str, set[int]] = defaultdict(set)
        for paragraph in paragraphs:
            for span in rows_at(paragraph, "cite_spans"):
                ordinal = ordinals.get(text_at(span, "ref_id"))
                printed = text_at(span, "text")
                if ordinal is None or len(printed) > _MAX_MARK:
                    continue
                lone = LONE_NUMBER.fullmatch(printed)
                if lone is not None:
                    numbers[int(lone[1])].add(ordinal)
                elif _PRINTED_YEAR.search(printed) and len(printed) >= _SHORTEST_NAMED:
                    named[printed.translate(_BARE)].add(ordinal)
        sure = {mark: min(of) for mark, of in named.items() if len(of) == 1}
        some = islice(sure.items(), _MAX_NAMED)
        self._longest_first = sorted(some, key=lambda pair: (-len(pair[0]), pair[0]))
        is_numeric = len(numbers) >= _ENOUGH_NUMBERS and len(numbers) > len(named)
        self._numbers = {n: min(of) for n, of in numbers.items() if is_numeric and len(of) == 1}

    def cited_in(self, text: str) -> tuple[tuple[int, ...], frozenset[int]]:
        """The references that a text without marks of its own cites, where that is sure.

        First in order of mention, each once; then with those whose names end other names.
        """
        found: list[Mention] = [
            (token.start(), (self._ordinals[token[0]],))
            for token in _TOKEN.finditer(text)
            if token[0] in self._ordinals
        ]
        found += numeric_mentions(text, self._numbers)
        found.sort(key=lambda mention: mention[0])
        cited = dict.fromkeys(ordinal for _, meant in found for ordinal in meant)
        named = sorted(self._named_in(text.translate(_BARE)))
        cited.update(dict.fromkeys(ordinal for place, ordinal in named if place >= 0))
        return tuple(cited), frozenset((*cited, *(ordinal for _, ordinal in named)))

    def _named_in(self, bare: str) -> Iterator[tuple[int, int]]:
        """Place and reference of names; below 0 the place of one that only ends other names."""
        left = bare
        for mark, ordinal in self._longest_first:
            if mark in bare:
                yield left.find(mark), ordinal
                left = left.replace(mark, _GONE * len(mark))


def rows_cited(marks: Marks, rows: Sequence[Sequence[str]]) -> tuple[set[int], RowsCited]:
    """References cited by all rows, and by each; the latter is empty where they are too many."""
    known: dict[str, tuple[int, ...]] = {}
    together: set[int] = set()
    found: list[tuple[int, ...]] = []
    room = _MAX_MENTIONS
    for row in rows:
        cells = list(dict.fromkeys(row))  # a cell that spans is repeated in every place
        for cell in cells:
            if cell not in known:
                known[cell], everything = marks.cited_in(cell)
                together |= everything
        room -= sum(len(known[cell]) for cell in cells)
        if room >= 0:
            found.append(tuple(dict.fromkeys(o for cell in cells for o in known[cell])))
    return together, tuple(found) if room >= 0 else ()


def print_marks(text: str, ordinals: Mapping[str, int]) -> str:
    """A text with `[3]` in place of the token of the third reference."""

    def printed(found: re.Match[str]) -> str:
        ordinal = ordinals.get(found[0])
        return found[0] if ordinal is None else f"[{ordinal + 1}]"

    return _TOKEN.sub(printed, text)


def document_from(record: Fields, key: str, source_file: str | None) -> Document:
    """The paper of a record; `InputError` says which field is not what it should be."""
    parse = next((held for name in _PARSE_FIELDS if (held := object_at(record, name))), record)
    about = {**record, **object_at(record, "metadata")}
    entries = objects_at(parse, "bib_entries")
    ordinals = {key: ordinal for ordinal, key in enumerate(entries)}
    body, back = rows_at(parse, "body_text"), rows_at(parse, "back_matter")
    blocks = [*_blocks(body, "body", ordinals), *_blocks(back, "back", ordinals)]
    title = line_at(about, "title")
    abstract = _abstract(record, parse, ordinals)
    sections = build_sections(blocks, title)
    if not (title or abstract or sections or entries):
        raise InputError("the record holds no title, no abstract, no text and no references")
    numbers = _numbers(about, source_file)
    arxiv = find_arxiv_id(numbers.get("arxiv", ""))
    published = parse_date(line_at(about, "year"))
    names = [_name(person) for person in rows_at(about, "authors")]
    # It joins the lines of text of a release with those of its metadata.
    number = line_at(record, "paper_id")
    is_bulk = number.isascii() and number.isdigit() and any(n in record for n in _BULK_FIELDS)
    return Document(
        kind="s2orc",
        key=key,
        source_file=source_file,
        given_id=f"s2:{number}" if is_bulk else None,
        arxiv_id=arxiv[0] if arxiv else None,
        version=arxiv[1] if arxiv else None,
        acl_id=find_acl_id(numbers.get("acl", "")),
        doi=find_doi(numbers.get("doi", "")),
        title=title or None,
        abstract=abstract or None,
        published=published[0] if published else None,
        venue=line_at(about, "venue") or line_at(about, "journal") or None,
        licence=line_at(about, "license") or None,
        authors=tuple(Author(name) for name in names if sum(map(str.isalpha, name)) > 1),
        sections=sections,
        references=tuple(_reference(e, place) for place, e in enumerate(entries.values())),
        tables=_tables(parse, Marks([*body, *back], ordinals), ordinals),
    )


def _numbers(about: Fields, source_file: str | None) -> dict[str, str]:
    """Identifiers by scheme: those the record names, else those in the file's name."""
    named = {**about, **object_at(about, "identifiers")}
    stem = (source_file or "").removesuffix(".gz").removesuffix(".json")
    arxiv = line_at(named, "arxiv_id") or line_at(named, "arxiv")
    return {
        "arxiv": f"arXiv:{arxiv}" if arxiv else stem,
        "acl": line_at(named, "acl_id") or line_at(named, "acl") or stem,
        "doi": line_at(named, "doi"),
    }


def _abstract(record: Fields, parse: Fields, ordinals: Mapping[str, int]) -> str:
    """As the record gives it, else by the paragraphs of its parse."""
    for holder in (record, parse):
        if isinstance(holder.get("abstract"), str):
            found = text_at(holder, "abstract")
        else:
            rows = (text_at(row, "text") for row in rows_at(holder, "abstract"))
            found = "\n\n".join(text for text in rows if text)
        if found:
            return print_marks(found, ordinals)
    return ""


def _name(person: Fields) -> str:
    parts = [line_at(person, "first"), *texts_at(person, "middle")]
    parts += [line_at(person, "last"), line_at(person, "suffix")]
    return " ".join(part for part in parts if part) or line_at(person, "name")


def _blocks(
    paragraphs: Sequence[Fields], place: str, ordinals: Mapping[str, int]
) -> Iterator[Block]:
    """Runs of paragraphs under one heading; `Methods ::: Data` is a heading inside another."""
    path: list[str] = []
    block: Block | None = None
    for paragraph in paragraphs:
        heading, number = line_at(paragraph, "section"), line_at(paragraph, "sec_num")
        names = [name for name in _NESTED.split(heading) if name]
        if block is None or names != path or number != (block.label or ""):
            if block is not None:
                yield block
            for depth in range(len(names) - 1):
                if names[: depth + 1] != path[: depth + 1]:
                    yield Block(names[depth], depth=depth, place=place)
            block = _block(names, number, place)
            path = names
        block.add(print_marks(line_at(paragraph, "text"), ordinals))
    if block is not None:
        yield block


def _block(names: Sequence[str], number: str, place: str) -> Block:
    heading = names[-1] if names else None
    role = _ROLE_OF_BACK.get((heading or "").lower()) if place == "back" else None
    if heading is not None and place == "back" and heading.lower() in _PLAIN_NAMES:
        heading = None
    depth = max(len(names) - 1, 0)
    where = f"{place}:{role}" if role else place
    return Block(heading, number or None, depth=depth, place=where, role=role)


def _reference(entry: Fields, ordinal: int) -> Reference:
    people = rows_at(entry, "authors")
    title = line_at(entry, "title")
    year = _YEAR.search(line_at(entry, "year"))
    ids = object_at(entry, "other_ids")
    numbers = {key.lower(): " ".join(texts_at(ids, key)) for key in ids}
    pieces = [", ".join(filter(None, map(_name, people))), title, line_at(entry, "venue")]
    pieces += [year[0] if year else "", *(text for text in numbers.values())]
    made = ". ".join(text for piece in pieces if (text := piece.rstrip(" .")))
    raw = line_at(entry, "raw_text") or line_at(entry, "bib_entry_raw") or (made and f"{made}.")
    links = " ".join(texts_at(entry, "urls"))
    surnames = (line_at(person, "last") or _name(person) for person in people)
    return Reference(
        ordinal=ordinal,
        raw=raw,
        title=title if any(map(str.isalpha, title)) else None,
        year=int(year[0]) if year else None,
        first_author=next((name for name in surnames if any(map(str.isalpha, name))), None),
        arxiv_id=arxiv_id_in(f"arXiv:{numbers.get('arxiv', '')}") or arxiv_id_in(raw),
        doi=find_doi(numbers.get("doi", "")) or find_doi(f"{raw} {links}"),
    )


def _tables(parse: Fields, marks: Marks, ordinals: Mapping[str, int]) -> tuple[CitedTable, ...]:
    found: list[CitedTable] = []
    for entry in objects_at(parse, "ref_entries").values():
        if (line_at(entry, "type_str") or line_at(entry, "type")) != "table":
            continue
        caption = print_marks(line_at(entry, "text") or line_at(entry, "caption"), ordinals)
        markup = text_at(entry, "content") or text_at(entry, "html")
        rows = (tuple(row) for row in islice(html_rows(markup), _MAX_ROWS))
        cells = tuple(row for row in rows if any(row))
        in_rows, row_cited = rows_cited(marks, cells)
        _, in_caption = marks.cited_in(line_at(entry, "text"))
        cited = tuple(sorted(in_rows | in_caption))
        shown = {cell: print_marks(cell, ordinals) for cell in set(chain.from_iterable(cells))}
        cells = tuple(tuple(shown[cell] for cell in row) for row in cells)
        found.append(CitedTable(len(found), caption, cells, cited, row_cited))
    return tuple(found)


def _matches(path: Path) -> bool:
    """Check whether the start of a JSON file holds what only S2ORC records do."""
    if not path.name.lower().endswith(_SUFFIXES):
        return False
    head = read_head(path)
    if not head.lstrip().startswith(b"{") or b'"paper_id"' not in head:
        return False
    if any(mark in head for mark in _PARSES):
        return True
    return b'"cite_spans"' in head and not any(mark in head for mark in _OTHER_KIND)


def _name_of(path: Path) -> str:
    """Releases have files of the same names in a folder for metadata and one for texts."""
    return f"{path.parent.name}/{path.name}" if is_lines(path) else path.name


def _key_of(record: Record) -> str:
    """Key of a line: a release has one line with the text of a paper, one without it."""
    number = line_at(record, "paper_id")
    return f"metadata:{number}" if number and "has_pdf_parse" in record else number


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    name = piece.path.name
    if is_lines(piece.path):
        return read_documents(
            piece, lambda record, where: document_from(record, _key_of(record) or where, None)
        )
    return read_documents(piece, lambda record, where: document_from(record, name, name))


SOURCE = Source(
    kind="s2orc",
    summary="S2ORC JSON, a paper a file (.json) or a line (.jsonl), plain or gzip",
    matches=_matches,
    pieces=cut,
    read=_read,
    name_of=_name_of,
    reader_version="4",
)
