"""S2ORC JSON: what is read, and what is refused with a reason."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tests.sources.reading import reader

from vivavoce.corpus import ingest
from vivavoce.corpus.reading import load_corpus
from vivavoce.records import Document, Fault
from vivavoce.sources.fulltext.s2orc import SOURCE


def paragraph(text: str, section: str = "", number: str | None = None, **more: Any) -> Any:
    return {"text": text, "section": section, "sec_num": number, "cite_spans": [], **more}


PARSE = {
    "body_text": [
        paragraph("One.", "Introduction", "1"),
        paragraph(
            "See [2], [3] and [5] and BIBREF1.",
            "Introduction",
            "1",
            cite_spans=[
                {"start": 4, "end": 7, "text": "[2]", "ref_id": "BIBREF0"},
                {"start": 9, "end": 12, "text": "[3]", "ref_id": "BIBREF1"},
                {"start": 17, "end": 20, "text": "[5]", "ref_id": "BIBREF2"},
            ],
        ),
        paragraph("Two.", "Method", "2"),
        paragraph("Three.", "Data", "2.1"),
    ],
    "back_matter": [paragraph("Thanks.", "Acknowledgements"), paragraph("More.", "annex")],
    "bib_entries": {
        "BIBREF0": {
            "title": "First",
            "authors": [{"first": "A", "middle": ["B"], "last": "One", "suffix": ""}],
            "year": 1999,
            "venue": "J",
            "other_ids": {"DOI": ["10.1234/X"], "arXiv": ["1706.03762"]},
        },
        "BIBREF1": {"title": "Second", "raw_text": "B. Two. 2001. Second.", "year": "2001"},
        "BIBREF2": {"title": "", "authors": [], "year": None},
    },
    "ref_entries": {
        "FIGREF0": {"text": "A figure", "type_str": "figure"},
        "TABREF0": {
            "text": "As in [3]",
            "type_str": "table",
            "content": "<table><tr><td>a</td><td>BIBREF2</td></tr></table>",
        },
    },
}
RECORD = {
    "paper_id": "7",
    "title": "Small\n Networks",
    "authors": [{"first": "Author", "middle": [], "last": "One"}, {"first": "*", "last": ""}],
    "year": "2011-11",
    "venue": "ACL",
    "identifiers": {"arxiv_id": "1805.00001v2", "doi": "10.1234/Y"},
    "abstract": "Short.",
    "pdf_parse": PARSE,
}

read = reader("s2orc")


def write(folder: Path, record: object, name: str = "7.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def paper(folder: Path, record: object) -> Document:
    (found,) = read(write(folder, record))
    assert isinstance(found, Document), found
    return found


def test_a_record_gives_the_paper(tmp_path: Path) -> None:
    found = paper(tmp_path, RECORD)
    assert (found.title, found.abstract, found.venue) == ("Small Networks", "Short.", "ACL")
    assert [author.name for author in found.authors] == ["Author One"]
    assert (found.arxiv_id, found.version, found.doi) == ("1805.00001", "v2", "10.1234/y")
    assert (found.published, found.key, found.source_file) == ("2011-11", "7.json", "7.json")


def test_nested_headings_are_sections_inside_others(tmp_path: Path) -> None:
    parse = {"body_text": [paragraph("a", "Method ::: Data"), paragraph("b", "Method ::: Model")]}
    found = paper(tmp_path, {"paper_id": "1", "latex_parse": parse}).sections
    assert [(s.level, s.heading, s.text) for s in found] == [
        (1, "Method", ""),
        (2, "Data", "a"),
        (2, "Model", "b"),
    ]


def test_texts_of_a_release_are_joined_with_its_metadata(tmp_path: Path) -> None:
    about = {
        "paper_id": "77",
        "title": "Small Networks",
        "year": 2001,
        "authors": [{"first": "A", "middle": [], "last": "One"}],
        "has_pdf_parse": True,
    }
    text = {"paper_id": "77", "_pdf_hash": "0a", **PARSE}
    for folder, record in (("metadata", about), ("pdf_parses", text)):
        (tmp_path / "release" / folder).mkdir(parents=True)
        write(tmp_path / "release" / folder, record, "0.jsonl")
    report = ingest("s2orc", tmp_path / "release", tmp_path / "corpus")
    assert (report.read, report.failed) == (2, ())
    corpus = load_corpus(tmp_path / "corpus")
    (only,) = corpus.papers
    assert (only.paper_id, only.title, only.published) == ("s2:77", "Small Networks", "2001")
    assert len(list(corpus.rows("sections"))) == 5
    assert len(list(corpus.rows("authorships"))) == 1


def test_the_number_of_a_file_is_no_corpus_id(tmp_path: Path) -> None:
    assert paper(tmp_path, RECORD).given_id is None


def test_references_and_tables(tmp_path: Path) -> None:
    found = paper(tmp_path, RECORD)
    first, second, third = found.references
    assert first.raw == "A B One. First. J. 1999. 10.1234/X. 1706.03762."
    assert (first.arxiv_id, first.doi, first.first_author) == ("1706.03762", "10.1234/x", "One")
    assert (second.raw, second.year) == ("B. Two. 2001. Second.", 2001)
    assert (third.title, third.year, third.raw) == (None, None, "")
    (table,) = found.tables
    # The caption prints [3] for the second entry, whose ordinal is 1; the token names the third,
    # which is shown by its place in the list, as everywhere.
    assert (table.caption, table.cells, table.cited) == ("As in [3]", (("a", "[3]"),), (1, 2))


def test_long_packed_files_are_cut_too(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl.gz"
    rows = [json.dumps({"paper_id": str(n), "title": f"Paper {n}"}) for n in range(1_100)]
    content = gzip.compress("\n".join(rows).encode())
    path.write_bytes(content)
    assert [piece.first_row for piece in SOURCE.pieces(path)] == [1, 501, 1001]
    path.write_bytes(content[:-9])
    *_, fault = read(path)
    assert isinstance(fault, Fault)
    assert "cannot be read beyond line" in fault.reason


# Real files


@pytest.mark.parametrize(
    ("file", "sections", "references", "tables", "acl_id", "published"),
    [
        ("tei/s2orc_2020.acl-main.207.json", 20, 54, 4, "2020.acl-main.207", None),
        (
            "fulltext/s2orc_24e6b80e338a4e543de6b49cada07156c9149d22.json",
            *(5, 67, 3, None, "2011-11"),
        ),
    ],
)
def test_real_files_are_read_whole(
    data_dir: Path,
    file: str,
    sections: int,
    references: int,
    tables: int,
    acl_id: str | None,
    published: str | None,
) -> None:
    (found,) = read(data_dir / file)
    assert isinstance(found, Document)
    assert (len(found.sections), len(found.references)) == (sections, references)
    assert (len(found.tables), found.acl_id, found.published) == (tables, acl_id, published)
    record = json.loads((data_dir / file).read_bytes())
    parse = record.get("pdf_parse", record)
    text = " ".join("\n\n".join(s.text for s in found.sections).split())
    for row in [*parse["body_text"], *parse["back_matter"]]:
        assert " ".join(row["text"].split()) in text


def test_real_folders_hold_just_these_files(data_dir: Path, tmp_path: Path) -> None:
    names = [p.name for p in data_dir.rglob("*") if p.is_file() and SOURCE.matches(p)]
    assert sorted(names) == [
        "s2orc_2020.acl-main.207.json",
        "s2orc_24e6b80e338a4e543de6b49cada07156c9149d22.json",
    ]
    report = ingest("s2orc", data_dir / "fulltext", tmp_path / "corpus")
    assert (report.read, report.failed) == (1, ())
    (only,) = load_corpus(tmp_path / "corpus").papers
    assert only.gates == ()


# Hostile files


@pytest.mark.timeout(60)
def test_a_file_that_swells_is_left_in_time(tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for _ in range(200):
            stream.write(b" " * (1 << 20))
    found = read(path)
    # 200 MiB pack to under 1 MiB; a hundred times that or 64 MiB is where reading ends.
    assert isinstance(found[-1], Fault)
    assert "unpacks to over" in found[-1].reason
