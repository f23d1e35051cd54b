"""arxivDIGESTables and arXiv2Table: tables by paper, cited works, papers and full texts.

The records are typed by hand from the data description in the repository of arxivDIGESTables
(data/README.md and the script that writes tables.jsonl and papers.jsonl), from the S2ORC fields
that its full texts have, and from the fields that arXiv2Table names; no real file was tried.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tests.sources.reading import reader

from vivavoce.corpus import ingest, load_corpus
from vivavoce.records import Document, Fault


def work(number: int, row: int, kind: str = "ref", name: str = "f00ba4") -> dict[str, Any]:
    return {
        "bib_hash_or_arxiv_id": name,
        "row": row,
        "corpus_id": number,
        "type": kind,
        "title": f"Work {number}" if number > 0 else None,
        "abstract": f"About {number}.",
    }


TABLE = {
    "tabid": "t1",
    "table": {
        "Size": {"11": ["small"], "22": ["1M", "2M"], "99": ["own size"]},
        "Data": {"11": [3], "22": [None], "99": ["Ours"]},
    },
    "row_bib_map": [
        work(11, 1),
        work(22, 0, name="2005.14165"),
        work(99, 3, "ours", "2301.00001v2"),
        work(-1, 2),
    ],
    "caption": "Models  and\ntheir sizes",
    "in_text_ref": ["See Table 1."],
    "arxiv_id": "2301.00001v2",
}
PAPER = {"tabids": ["t1"], "corpus_id": 11, "title": "Work 11", "abstract": "About 11."}


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


read = reader("digestables")


def written(folder: Path, content: str, name: str = "tables.jsonl") -> list[Document | Fault]:
    (folder / name).write_text(content)
    return read(folder / name)


def paper(folder: Path, *records: Any) -> Document:
    (found,) = written(folder, lines(*records))
    assert isinstance(found, Document), found
    return found


def test_rows_stand_in_their_order_with_the_works_they_cite(tmp_path: Path) -> None:
    (table,) = paper(tmp_path, TABLE).tables
    assert table.caption == "Models and their sizes"
    assert table.cells == (
        ("", "Size", "Data"),
        ("Work 22", "1M; 2M", ""),  # row 0
        ("Work 11", "small", "3"),  # row 1
        ("", "", ""),  # row 2 cites a work without a number: upstream keeps no values
        ("Work 99", "own size", "Ours"),  # row 3
    )
    assert table.cited == (0, 1, 3)  # not the paper itself, which is entry 2


def test_papers_by_id_have_identifiers(tmp_path: Path) -> None:
    about = {
        "title": "T",
        "abstract": None,
        "externalIds": {"ArXiv": "2005.14165", "ACL": "P18-1001", "DOI": "10.1234/X", "MAG": "1"},
        "full_text_parsed_Arxiv": None,
    }
    content = json.dumps({"11": about})
    (found,) = written(tmp_path, content, "arxiv2table_papers.json")
    assert isinstance(found, Document)
    assert (found.arxiv_id, found.acl_id, found.doi) == ("2005.14165", "P18-1001", "10.1234/x")
    assert found.key == "paper:11"


CONTENTS = (
    "A Paper\nAbout it.\nIntroduction\nFirst words [1].\nMethod\nMore.\nReferences\nOne. Two."
)


def span(words: str, **attributes: Any) -> dict[str, Any]:
    start = CONTENTS.index(words)
    return {"start": start, "end": start + len(words), "attributes": attributes or None}


TEXT = {
    "id": 11,
    "metadata": {
        "title": "Work 11",
        "abstract": "About 11.",
        "venue": "Conf",
        "corpusId": 11,
        "publication_date": {"year": 2020, "month": 5, "day": None},
        "externalIds": {"ArXiv": "2005.00011"},
    },
    "content": {
        "source": {"oa_info": {"status": "GREEN", "license": "CC-BY"}},
        "grobid": {
            "contents": CONTENTS,
            "annotations": {
                "paragraph": json.dumps([span("First words [1]."), span("More.")]),
                "section_header": [span("Introduction", n="1"), span("Method", n="2")],
                "bib_entry": [span("One. Two.", id="b0", matched_paper_id=22)],
                "bib_title": json.dumps([span("Two.")]),
                "bib_ref": None,
            },
        },
    },
}


def test_full_texts_are_cut_by_their_annotations(tmp_path: Path) -> None:
    path = tmp_path / "full_texts.jsonl.gz"
    path.write_bytes(gzip.compress(lines(TEXT).encode()))
    (found,) = read(path)
    assert isinstance(found, Document)
    assert (found.given_id, found.title, found.published) == ("s2:11", "Work 11", "2020-05")
    assert (found.arxiv_id, found.venue, found.licence) == ("2005.00011", "Conf", "CC-BY")
    assert [(s.number, s.heading, s.text) for s in found.sections] == [
        ("1", "Introduction", "First words [1]."),
        ("2", "Method", "More."),
    ]
    assert [(r.raw, r.title) for r in found.references] == [("One. Two.", "Two.")]


def test_a_paper_and_its_full_text_are_one_paper_of_the_corpus(tmp_path: Path) -> None:
    source = tmp_path / "high"
    source.mkdir()
    for name, record in (("papers", PAPER), ("full_texts", TEXT), ("tables", TABLE)):
        # A title of two words would be too short to be known by.
        content = lines(record).replace("Work 11", "Small models that read")
        (source / f"{name}.jsonl").write_text(content)
    report = ingest("digestables", source, tmp_path / "corpus")
    assert (report.read, report.failed) == (3, ())
    corpus = load_corpus(tmp_path / "corpus")
    assert [p.paper_id for p in corpus.papers] == ["arxiv:2005.00011", "arxiv:2301.00001"]
    cited = [(row["title"], row["cited_paper_id"]) for row in corpus.rows("references")]
    assert ("Small models that read", "arxiv:2005.00011") in cited


BENCHMARK = {
    "table_id": "t1",
    "table_query_id": 3,
    "table_caption": "Sizes",
    "user_demand": "Compare sizes.",
    "table": {"Size": {"7": ["1"], "8": ["2"]}},
    "input_references_id": [7, 9, 8],
    "input_references_label": [1, 0, 1],
    "table_references": [8, 7],
    "sampled_noisy_paper": [9],
}


def test_a_benchmark_entry_is_a_table_and_the_papers_in_it(tmp_path: Path) -> None:
    (found,) = written(tmp_path, json.dumps([BENCHMARK]), "arXiv2Table.json")
    assert isinstance(found, Document)
    assert found.key == "arxiv2table:t1:3"
    assert [r.raw for r in found.references] == ["CorpusId:8", "CorpusId:7"]
    (table,) = found.tables
    assert table.cells == (("", "Size"), ("", "2"), ("", "1"))
    assert table.cited == (0, 1)
    labelled = {**BENCHMARK, "table_references": None}
    (found,) = written(tmp_path, json.dumps([labelled]), "arXiv2Table.json")
    assert isinstance(found, Document)
    assert [r.raw for r in found.references] == ["CorpusId:7", "CorpusId:8"]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "record",
    [
        {**TABLE, "table": {f"c{n}": {} for n in range(2_000)}},
        {**TABLE, "row_bib_map": [{"row": n} for n in range(100_000)]},
        {**TABLE, "row_bib_map": [work(11, 10**18 - n) for n in range(3_000)]},
        {"a": {"b": {}}},
    ],
)
def test_a_hostile_record_is_read_or_a_fault(tmp_path: Path, record: dict[str, Any]) -> None:
    found = written(tmp_path, lines(record) + "[" * 100_000)
    assert all(isinstance(one, Document | Fault) for one in found)
