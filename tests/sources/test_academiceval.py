"""AcademicEval samples: targets, the parts of their texts, examples and cited works.

The samples are typed by hand from the scripts in the repository of AcademicEval that write and
read its data set (main.py, exp_comparison.py); no real file was tried.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.sources.reading import reader

from vivavoce.corpus import ingest, load_corpus
from vivavoce.records import Document


def about(number: int, **more: Any) -> dict[str, Any]:
    return {
        "url": f"http://arxiv.org/abs/2406.0000{number}v2",
        "title": f"Paper number {number}",
        "abstract": f"What paper {number}\nis about.",
        "authors": "A One, B  Two",
        "published": "2024-06-01",
        "updated": "2024-06-03",
        "primary_cat": "cs.LG",
        "cats": ["cs.CL", "cs.LG"],
        "label": "Original Paper",
        **more,
    }


TITLE = about(1, paper_cat="Mamba", gt="Paper number 1", main_content="All of the paper.")
ABSTRACT = about(1, gt="What paper 1\nis about.", main_content="Without its end.")
INTRODUCTION = about(1, gt="It starts here.", main_content="All but the start.")
CITED = about(7, label="Related Work")
PADDING = {**about(8, category="Mamba"), "label": None}
RELATED = [about(1, gt="Others did this.", main_content="All but that."), CITED, PADDING]

read = reader("academiceval")


def papers(folder: Path, sample: Any, name: str = "sample.json") -> list[Document]:
    (folder / name).write_text(json.dumps(sample))
    found = read(folder / name)
    assert all(isinstance(document, Document) for document in found), found
    return [document for document in found if isinstance(document, Document)]


def texts(document: Document) -> list[tuple[str | None, str | None, str]]:
    return [(s.heading, s.role, s.text) for s in document.sections]


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        (TITLE, [(None, None, "All of the paper.")]),
        (ABSTRACT, [(None, None, "Without its end.")]),
        (
            INTRODUCTION,
            [
                ("Introduction", "introduction", "It starts here."),
                (None, None, "All but the start."),
            ],
        ),
        (
            RELATED,
            [("Related Work", "related_work", "Others did this."), (None, None, "All but that.")],
        ),
        (about(1), []),
    ],
)
def test_the_part_to_write_is_a_section(tmp_path: Path, sample: Any, expected: list[Any]) -> None:
    (found,) = papers(tmp_path, sample)
    assert texts(found) == expected


def test_only_works_that_are_really_cited_are_references(tmp_path: Path) -> None:
    (found,) = papers(tmp_path, RELATED)
    assert [(r.ordinal, r.title, r.arxiv_id, r.year, r.first_author) for r in found.references] == [
        (0, "Paper number 7", "2406.00007", 2024, "A One")
    ]


def test_examples_are_documents_of_their_own(tmp_path: Path) -> None:
    graph = {
        "graph": [["A One", "B Two"]],
        "node_feat": {
            "A One": [about(3, main_content="Text 3.", introduction="Start 3."), about(4)],
            "B Two": [about(3, main_content="Text 3.", introduction="Start 3.")],
        },
        "edge_feat": {},
    }
    example = about(2, gt="Start 2.", main_content="Text 2.")
    sample = {**INTRODUCTION, "additional_info": [example], "additional_graph_info": graph}
    _, *examples = papers(tmp_path, sample)
    assert [document.key for document in examples] == [
        f"url:http://arxiv.org/abs/2406.0000{number}v2" for number in (2, 3, 4)
    ]
    assert texts(examples[0])[0] == ("Introduction", "introduction", "Start 2.")
    assert texts(examples[1])[0] == ("Introduction", "introduction", "Start 3.")


def test_a_file_may_hold_many_samples(tmp_path: Path) -> None:
    name = f"{tmp_path.name}/test.json"
    assert [d.key for d in papers(tmp_path, [TITLE, ABSTRACT], "test.json")] == [
        f"{name}:1",
        f"{name}:2",
    ]
    assert [d.key for d in papers(tmp_path, [RELATED, RELATED], "test.json")] == [
        f"{name}:1",
        f"{name}:2",
    ]
    (tmp_path / "test.jsonl").write_text(f"{json.dumps(TITLE)}\n\n{json.dumps(RELATED)}\n")
    found = read(tmp_path / "test.jsonl")
    assert [d.key for d in found if isinstance(d, Document)] == [f"{name}l:1", f"{name}l:3"]


def test_the_samples_of_one_paper_are_one_paper_of_the_corpus(tmp_path: Path) -> None:
    for folder, sample in (("title_10K", TITLE), ("intro_8K", INTRODUCTION)):
        (tmp_path / "in" / folder).mkdir(parents=True)
        (tmp_path / "in" / folder / "x_2406.00001v2.json").write_text(json.dumps(sample))
    report = ingest("academiceval", tmp_path / "in", tmp_path / "corpus")
    assert (report.read, report.failed) == (2, ())
    (paper,) = load_corpus(tmp_path / "corpus").papers
    assert (paper.paper_id, paper.published) == ("arxiv:2406.00001", "2024-06-01")
