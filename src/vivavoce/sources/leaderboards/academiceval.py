"""Reader of AcademicEval samples: papers with a part to write, and papers shown as examples."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.records import Author, Document, Fault, Reference, Section
from vivavoce.sources import Piece, ReadOptions, Source, name_in_folder
from vivavoce.sources.json_records import (
    Fields,
    cut,
    line_at,
    list_at,
    object_at,
    read_head,
    read_values,
    text_at,
)
from vivavoce.text.dates import date_in
from vivavoce.text.identifiers import arxiv_id_in, find_arxiv_id
from vivavoce.text.normalise import clean_line

_CITED = "Related Work"
"""Label of a candidate that the paper cites; the other candidates are padding."""
_MAX_EXAMPLES = 10_000
_PARTS = (
    ("introduction", "Introduction", "introduction"),
    ("related", "Related Work", "related_work"),
    ("main_content", None, None),
)
"""Field, heading and role of each part of the text, in the order of a paper."""
_SUFFIXES = (".json", ".json.gz", ".jsonl", ".jsonl.gz")
_MARKS = (b'"main_content"', b'"gt"', b'"paper_cat"')
_LARGEST_FILE = 128 << 20


def _paper(fields: Fields, wanted: str, key: str | None) -> Document:
    url, title = line_at(fields, "url"), line_at(fields, "title")
    if not (url or title):
        raise InputError("the paper has neither a 'url' nor a 'title'")
    arxiv = find_arxiv_id(url)
    return Document(
        kind="academiceval",
        key=key if key is not None else f"url:{url or title}",
        arxiv_id=arxiv[0] if arxiv else None,
        version=arxiv[1] if arxiv else None,
        source_url=url or None,
        title=title or None,
        abstract=text_at(fields, "abstract") or None,
        published=date_in(line_at(fields, "published")),
        categories=_categories(fields),
        authors=_authors(fields),
        sections=_sections(fields, wanted),
    )


def _categories(fields: Fields) -> tuple[str, ...]:
    """Categories without duplicates, the primary one first."""
    listed = fields.get("cats")
    names = listed if isinstance(listed, list) else line_at(fields, "cats").split()
    if not all(isinstance(name, str) for name in names):
        raise InputError("'cats' is not a list of categories")
    first = line_at(fields, "primary_cat")
    cleaned = (clean_line(name) for name in [first, *names])
    return tuple(dict.fromkeys(name for name in cleaned if name))


def _authors(fields: Fields) -> tuple[Author, ...]:
    names = (" ".join(name.split()) for name in line_at(fields, "authors").split(","))
    return tuple(Author(name) for name in names if any(map(str.isalpha, name)))


def _sections(fields: Fields, wanted: str) -> tuple[Section, ...]:
    """Parts of the text in a sample, including the part to be written."""
    known = {name: text_at(fields, name) for name, _, _ in _PARTS}
    gold = line_at(fields, "gt")
    if gold not in {line_at(fields, "title"), line_at(fields, "abstract")}:
        known[wanted] = known[wanted] or text_at(fields, "gt")
    texts = [(heading, role, known[name]) for name, heading, role in _PARTS if known[name]]
    return tuple(
        Section(ordinal, 1, heading, role, text)
        for ordinal, (heading, role, text) in enumerate(texts)
    )


def _references(candidates: Sequence[Fields]) -> Iterator[Reference]:
    cited = [fields for fields in candidates if line_at(fields, "label") == _CITED]
    for ordinal, fields in enumerate(cited):
        title = line_at(fields, "title")
        authors = _authors(fields)
        published = date_in(line_at(fields, "published"))
        yield Reference(
            ordinal=ordinal,
            raw=title or line_at(fields, "url"),
            title=title or None,
            year=int(published[:4]) if published else None,
            first_author=authors[0].name if authors else None,
            arxiv_id=arxiv_id_in(line_at(fields, "url")),
        )


def _examples(fields: Fields) -> Iterator[Fields]:
    """Papers shown as examples: random ones, and papers of the authors' neighbours."""
    drawn = list_at(fields, "additional_info")
    examples = [one[0] if isinstance(one, list) and one else one for one in drawn]
    papers: Mapping[str, Any] = object_at(object_at(fields, "additional_graph_info"), "node_feat")
    for author_papers in papers.values():
        if not isinstance(author_papers, list):
            raise InputError("'node_feat' holds a value that is not a list of papers")
        examples += author_papers
    if len(examples) > _MAX_EXAMPLES:
        raise InputError(f"the sample has over {_MAX_EXAMPLES} examples")
    for example in examples:
        yield _object(example, "an example")


def _object(value: Any, what: str) -> Fields:
    if not isinstance(value, dict):
        raise InputError(f"{what} is not a JSON object")
    return value


def _matches(path: Path) -> bool:
    """Check the start of a JSON file for the fields of these samples."""
    if not path.name.lower().endswith(_SUFFIXES):
        return False
    head = read_head(path)
    return b'"url"' in head and b'"primary_cat"' in head and any(mark in head for mark in _MARKS)


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    file = name_in_folder(piece.path)
    for place, value in read_values(piece, _LARGEST_FILE):
        where = place.replace(piece.path.name, file, 1)
        if isinstance(value, str):
            yield Fault(where, value)
            continue
        # In a sample of related work only the first object has a text to be written; the others
        # are candidates to cite.
        second = value[1] if isinstance(value, list) and len(value) > 1 else None
        is_nested = isinstance(value, list) and value and isinstance(value[0], list)
        is_listed = isinstance(second, dict) and "gt" in second
        samples = value if isinstance(value, list) and (is_nested or is_listed) else [value]
        for number, sample in enumerate(samples, start=1):
            name = where if len(samples) == 1 else f"{where}:{number}"
            try:
                # Read the paper of a sample, then those shown as examples.
                if isinstance(sample, list) and not sample:
                    raise InputError("the sample is an empty array")
                target, *candidates = sample if isinstance(sample, list) else [sample]
                wanted = "related" if isinstance(sample, list) else "introduction"
                fields = _object(target, "the sample")
                paper = _paper(fields, wanted, name)
                references = tuple(
                    _references([_object(other, "a candidate") for other in candidates])
                )
                examples = [_paper(example, wanted, None) for example in _examples(fields)]
                yield replace(paper, references=references)
                yield from {example.key: example for example in examples}.values()
            except InputError as error:
                yield Fault(name, str(error))


SOURCE = Source(
    kind="academiceval",
    summary="AcademicEval samples in JSON: titles, abstracts, introductions, related work",
    dates="version",
    matches=_matches,
    pieces=cut,
    read=_read,
    name_of=name_in_folder,
)
