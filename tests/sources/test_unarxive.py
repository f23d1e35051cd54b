"""unarXive full texts: what is read, and what is refused with a reason."""

import gzip
import json
from pathlib import Path
from typing import Any

from tests.sources.reading import reader

from vivavoce.corpus import ingest
from vivavoce.corpus.reading import load_corpus
from vivavoce.records import Document
from vivavoce.sources import get_source
from vivavoce.sources.fulltext.unarxive import SOURCE


def paragraph(text: str, section: str, number: str, kind: str = "section") -> dict[str, Any]:
    return {"section": section, "sec_number": number, "sec_type": kind, "text": text}


RECORD = {
    "paper_id": "1805.00001",
    "metadata": {
        "id": "1805.00001",
        "title": "Small\n  Networks",
        "authors_parsed": [["One", "Author B", "Jr."], ["Two", "", ""]],
        "categories": "cs.CL cs.LG",
        "license": "http://creativecommons.org/licenses/by/4.0/",
        "abstract": "  Short\ntext. ",
        "doi": "10.1234/ABC",
        "journal-ref": "J 1",
        "versions": [
            {"version": "v1", "created": "Thu, 3 May 2018 23:30:00 -0200"},
            {"version": "v2", "created": "Fri, 4 Jan 2019 10:00:00 GMT"},
        ],
    },
    "body_text": [
        paragraph("Before.", "", "-1", ""),
        paragraph("See {{cite:b}}, {{cite:a}} and {{cite:gone}}.", "Introduction", "1"),
        paragraph("Let {{formula:f}} be as in {{table:t}}.", "Introduction", "1"),
        paragraph("Deep.", "Proof of {{formula:f}}", "1.1", "subsection"),
        paragraph("Deeper.", "Note", "1.1.1", ""),
    ],
    "bib_entries": {
        "a": {
            "bib_entry_raw": "A. One. First, pages 2001-2010, 1999.",
            "ids": {"doi": "10.1234/A", "arxiv_id": "1706.03762"},
        },
        "b": {
            "bib_entry_raw": "B. Two. Second, 2001.",
            "contained_arXiv_ids": [{"id": "1207.0580v1", "text": "x", "start": 0, "end": 1}],
            "contained_links": [{"url": "http://doi.org/10.1234/B"}],
        },
    },
    "ref_entries": {
        "f": {"type": "formula", "latex": " x ^2 "},
        "t": {"type": "table", "caption": "As {{cite:b}} did"},
        "u": {"type": "table", "caption": "NO_CAPTION"},
        "g": {"type": "figure", "caption": "A figure"},
    },
}

read = reader("unarxive")


def write(folder: Path, *records: object) -> Path:
    path = folder / "x.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


def paper(folder: Path) -> Document:
    (found,) = read(write(folder, RECORD))
    assert isinstance(found, Document), found
    return found


def test_the_metadata_gives_the_paper(tmp_path: Path) -> None:
    found = paper(tmp_path)
    assert (found.title, found.abstract) == ("Small Networks", "Short text.")
    assert [author.name for author in found.authors] == ["Author B One Jr.", "Two"]
    assert (found.arxiv_id, found.doi, found.key) == ("1805.00001", "10.1234/abc", "1805.00001")
    assert (found.categories, found.venue) == (("cs.CL", "cs.LG"), "J 1")
    assert found.licence == "http://creativecommons.org/licenses/by/4.0/"
    # 23:30 two hours west of Greenwich is 01:30 of the next day there.
    assert found.published == "2018-05-04"
    assert found.version is None  # the record does not say which of two was read
    assert found.source_file is None  # the file holds other papers too


def test_subsections_of_a_section_without_text_are_not_those_before_it(tmp_path: Path) -> None:
    # 2 and 3 are left out, since all their text stands in subsections, which are counted anew.
    rows = [
        ("1", "section"), ("1", "subsection"), ("1", "subsection"), ("2", "subsection"),
        ("1", "subsubsection"), ("1", "subsection"), ("4", "section"), ("1", "subsection"),
        ("5", "section"),
    ]  # fmt: skip
    body = [paragraph("Text.", f"H{n}", *row) for n, row in enumerate(rows)]
    (found,) = read(write(tmp_path, {**RECORD, "body_text": body}))
    assert isinstance(found, Document)
    assert [(s.level, s.number, s.heading) for s in found.sections] == [
        (1, "1", "H0"), (2, "1", "H1"),
        (1, "2", None), (2, "1", "H2"), (2, "2", "H3"), (3, "1", "H4"),
        (1, "3", None), (2, "1", "H5"),
        (1, "4", "H6"), (2, "1", "H7"), (1, "5", "H8"),
    ]  # fmt: skip


def test_references_and_tables(tmp_path: Path) -> None:
    found = paper(tmp_path)
    first, second = found.references
    assert (first.arxiv_id, first.doi) == ("1706.03762", "10.1234/a")
    assert first.year == 1999  # 2001-2010 are pages
    assert (second.arxiv_id, second.doi, second.year) == ("1207.0580", "10.1234/b", 2001)
    assert [(t.caption, t.cells, t.cited) for t in found.tables] == [
        ("As [2] did", (), (1,)),
        ("", (), ()),
    ]


def test_the_release_of_2024_holds_its_text_by_heading(tmp_path: Path) -> None:
    sections = {
        "Introduction": {"text": "See {{cite:b}}.", "cite_spans": []},
        "Data ": {"text": "Here.\n{{figure:g}}{{table:t}}although", "cite_spans": []},
    }
    record = {name: value for name, value in RECORD.items() if name != "body_text"}
    (found,) = read(write(tmp_path, {**record, "sections": sections}))
    assert isinstance(found, Document)
    assert [(s.heading, s.level, s.text) for s in found.sections] == [
        ("Introduction", 1, "See [2]."),
        ("Data", 1, "Here. Figure Table although"),
    ]


def test_one_record_may_be_spread_over_the_lines_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "preview.jsonl"
    path.write_text(json.dumps({**RECORD, "_source_name": "x.gz"}, indent=2), encoding="utf-8")
    (found,) = read(path)
    assert SOURCE.matches(path)
    assert isinstance(found, Document)
    assert found.arxiv_id == "1805.00001"


# Real files


def test_every_paper_of_the_real_sample_is_read_whole(data_dir: Path) -> None:
    path = data_dir / "fulltext" / "unarXive_sample.jsonl.gz"
    found = read(path)
    with gzip.open(path) as stream:
        records = [json.loads(line) for line in stream]
    assert len(found) == len(records) == 28
    for document, record in zip(found, records, strict=True):
        assert isinstance(document, Document)
        assert document.arxiv_id == record["paper_id"]
        assert len(document.references) == len(record["bib_entries"])
        assert document.published
        assert document.licence
        assert len(document.authors) == len(record["metadata"]["authors_parsed"])
        text = "\n\n".join(section.text for section in document.sections)
        assert not [
            kind for kind in ("cite", "formula", "figure", "table") if f"{{{{{kind}:" in text
        ]
        assert "[?]" not in text


def test_a_folder_with_the_real_sample_becomes_a_corpus(data_dir: Path, tmp_path: Path) -> None:
    report = ingest("unarxive", data_dir / "fulltext", tmp_path / "corpus")
    assert (report.read, report.failed, report.papers, report.dated) == (28, (), 28, 28)
    gates = [paper.gates for paper in load_corpus(tmp_path / "corpus").papers]
    assert sum(gate == () for gate in gates) >= 25


def test_each_real_file_is_of_one_kind(data_dir: Path) -> None:
    kinds = [get_source(kind) for kind in ("jats", "latex", "pdf", "s2orc", "tei", "unarxive")]
    for path in sorted((data_dir / "fulltext").iterdir()):
        assert len([source.kind for source in kinds if source.matches(path)]) == 1
    others = [path for path in data_dir.rglob("*.json*") if path.parent.name != "fulltext"]
    assert others
    assert not [path for path in others if SOURCE.matches(path)]


# Hostile files
