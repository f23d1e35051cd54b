"""arXiv's snapshot of all metadata: the real first records of it, and typed odd ones."""

import json
from pathlib import Path
from typing import Any

from tests.sources.reading import reader

from vivavoce.corpus import ingest, load_corpus
from vivavoce.records import Author, Document

ROW: dict[str, Any] = {
    "id": "2406.00007",
    "submitter": "Ada First",
    "authors": 'Ada First, Bo \\"Osten III',
    "title": "A Title of\n  Two Lines",
    "comments": None,
    "journal-ref": "A Journal 3 (2024)",
    "doi": "10.1000/ABC 10.1000/def",
    "report-no": None,
    "categories": "cs.CL math.NA",
    "license": "http://creativecommons.org/licenses/by/4.0/",
    "abstract": "  An\nabstract.\n",
    "versions": [
        {"version": "v1", "created": "Mon, 3 Jun 2024 23:30:00 GMT"},
        {"version": "v2", "created": "Thu, 20 Jun 2024 08:00:00 GMT"},
    ],
    "update_date": "2024-06-21",
    "authors_parsed": [["First", "Ada", ""], ["Östen", "Bo", "III", "Here"]],
}


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


read = reader("snapshot")


def test_what_a_line_says_of_a_paper(tmp_path: Path) -> None:
    assert read(write(tmp_path / "a.snapshot.jsonl", ROW)) == [
        Document(
            kind="snapshot",
            key="arxiv:2406.00007",
            arxiv_id="2406.00007",
            version="v2",
            doi="10.1000/abc",
            source_url="https://arxiv.org/abs/2406.00007v2",
            title="A Title of Two Lines",
            abstract="An abstract.",
            published="2024-06-03",
            categories=("cs.CL", "math.NA"),
            venue="A Journal 3 (2024)",
            licence="http://creativecommons.org/licenses/by/4.0/",
            authors=(Author("Ada First"), Author("Bo Östen III")),
        )
    ]


def test_the_real_sample_goes_into_a_corpus_whole(data_dir: Path, tmp_path: Path) -> None:
    sample = data_dir / "arxiv_api" / "arxiv_metadata_oai_sample.jsonl"
    lines = [json.loads(line) for line in sample.read_text("utf-8").splitlines()]
    report = ingest("snapshot", data_dir / "arxiv_api", tmp_path)
    assert (report.read, report.failed, report.undated) == (len(lines), (), 0)
    papers = {paper.arxiv_id: paper for paper in load_corpus(tmp_path).papers}
    assert list(papers) == sorted(line["id"] for line in lines)
    for line in lines:
        paper = papers[line["id"]]
        if not set("\\$&") & set(line["title"]):
            assert paper.title == " ".join(line["title"].split())
        assert "\n" not in (paper.abstract or "\n")
        assert paper.version == line["versions"][-1]["version"]
        assert paper.licence == line["license"]
        day = line["versions"][0]["created"].split()[1]
        assert paper.published is not None
        assert int(paper.published[8:]) == int(day)
        assert paper.date_source == "metadata"
