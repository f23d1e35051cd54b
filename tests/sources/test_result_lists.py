"""Leaderboards of three origins, read into results; small files typed by hand."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from vivavoce.records import Document, Fault, Result
from vivavoce.sources import ReadOptions, list_sources


def read(kind: str, path: Path) -> tuple[list[Document], list[Fault]]:
    source = list_sources()[kind]
    found = [one for piece in source.pieces(path) for one in source.read(piece, ReadOptions())]
    documents = [one for one in found if isinstance(one, Document)]
    return documents, [one for one in found if isinstance(one, Fault)]


def results(documents: list[Document]) -> list[Result]:
    return [result for document in documents for result in document.results]


def board(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"metrics": ["Accuracy"], "rows": list(rows)}


ROW = {
    "model_name": "Tree net",
    "paper_title": "Trees for text",
    "paper_url": "https://arxiv.org/abs/1801.00001v2",
    "paper_date": "2018-01-02",
    "metrics": {"Accuracy": "91.2%", "Params": "24M"},
}


def test_evaluation_tables_nest_tasks_datasets_and_their_parts(tmp_path: Path) -> None:
    tree = {
        "task": "Parsing",
        "categories": ["Natural language processing"],
        "datasets": [
            {
                "dataset": "Bank",
                "sota": board(ROW),
                "subdatasets": [
                    {"subdataset": "short", "sota": board(ROW | {"metrics": {"F1": 8}})}
                ],
            }
        ],
        "subtasks": [{"task": "Chunking", "datasets": [{"dataset": "Pieces", "sota": board(ROW)}]}],
    }
    path = tmp_path / "evaluation-tables.json"
    path.write_text(json.dumps([tree]))
    documents, faults = read("pwc", path)
    assert faults == []
    # All rows name one paper, which gives one document.
    assert [document.arxiv_id for document in documents] == ["1801.00001"]
    assert documents[0].title == "Trees for text"
    found = [(r.task, r.dataset, r.metric, r.method, r.score, r.area) for r in results(documents)]
    area = "Natural language processing"
    assert found == [
        ("Parsing", "Bank", "Accuracy", "Tree net", 91.2, area),
        ("Parsing", "Bank", "Params", "Tree net", 24_000_000.0, area),
        ("Parsing", "Bank / short", "F1", "Tree net", 8.0, area),
        ("Chunking", "Pieces", "Accuracy", "Tree net", 91.2, area),
        ("Chunking", "Pieces", "Params", "Tree net", 24_000_000.0, area),
    ]
    assert {result.date for result in results(documents)} == {"2018-01-02"}
    assert results(documents)[0].score_text == "91.2%"


def test_flat_rows_are_told_by_their_first_line_also_when_packed(tmp_path: Path) -> None:
    row = {"task": "QA", "dataset": "Squares", "metric": "EM", "method": "A", "score": 71.5}
    other = row | {"paper_title": "https://example.org/a", "paper_url": "https://example.org/a"}
    path = tmp_path / "pwc_rows.jsonl.gz"
    lines = [json.dumps(row), json.dumps(other), json.dumps({"task": "QA"}), "{", ""]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    documents, faults = read("pwc", path)
    assert [result.score for result in results(documents)] == [71.5, 71.5]
    # An address in the place of a title is not a title.
    assert [document.title for document in documents] == [None, None]
    assert [fault.where for fault in faults] == ["pwc_rows.jsonl.gz:3", "pwc_rows.jsonl.gz:4"]


def test_a_subtask_that_says_which_models_are_compared_is_a_heading(tmp_path: Path) -> None:
    boards = [{"dataset": "Bank", "sota": board(ROW)}]
    below = [{"task": name, "datasets": boards} for name in ("Word level models", "Tagging")]
    path = tmp_path / "sota.json"
    path.write_text(json.dumps({"task": "Language modeling", "subtasks": below}))
    documents, _ = read("pwc", path)
    assert {(r.task, r.dataset) for r in results(documents)} == {
        ("Language modeling", "Word level models > Bank"),
        ("Tagging", "Bank"),
    }


def test_the_modalities_of_datasets_are_told_by_the_file_beside_a_list(tmp_path: Path) -> None:
    datasets = [
        {"name": "Bank", "modalities": ["Texts"], "variants": ["Bank", "Bank v2"]},
        {"name": "Views", "full_name": "Views of Lakes", "modalities": ["Images", "Texts"]},
        {"name": "Pond", "modalities": []},
    ]
    named = ["BANK", "Bank v2", "Views / small", "Views of Lakes", "Pond", "Sea"]
    tree = {"task": "T", "datasets": [{"dataset": n, "sota": board(ROW)} for n in named]}
    path = tmp_path / "evaluation-tables.json"
    path.write_text(json.dumps([tree]))
    source = list_sources()["pwc"]
    assert source.parts is not None
    assert [part.name for part in source.parts(path)] == [path.name]
    beside = tmp_path / "datasets.json.gz"
    beside.write_bytes(gzip.compress(json.dumps(datasets).encode()))
    assert [part.name for part in source.parts(path)] == [path.name, beside.name]
    documents, faults = read("pwc", path)
    found = {r.dataset: r.modality for r in results(documents)}
    assert list(found.values()) == ["Texts", "Texts", *["Images; Texts"] * 2, None, None]
    assert faults == []
    # Without it the results still go in.
    beside.write_bytes(b"[")
    documents, faults = read("pwc", path)
    assert {r.modality for r in results(documents)} == {None}
    assert [fault.where for fault in faults] == ["datasets.json.gz"]


def test_a_work_without_an_id_is_dated_by_its_earliest_entry(tmp_path: Path) -> None:
    row = {"task": "QA", "dataset": "Squares", "metric": "EM", "method": "A", "score": 71.5}
    dated = [("https://example.org/a", "2019-03-02"), ("https://example.org/a", "2018-11-20")]
    # An arXiv id dates a paper better than the day somebody added a score.
    dated += [("https://arxiv.org/abs/1801.00001", "2020-08-11")]
    path = tmp_path / "pwc_rows.jsonl"
    lines = [json.dumps(row | {"paper_url": url, "paper_date": day}) for url, day in dated]
    path.write_text("\n".join(lines))
    assert [document.published for document in read("pwc", path)[0]] == ["2018-11-20", None]


def test_nesting_without_end_is_a_fault_and_no_crash(tmp_path: Path) -> None:
    tree: dict[str, Any] = {"task": "deepest", "datasets": [{"dataset": "D", "sota": board(ROW)}]}
    for _ in range(60):
        tree = {"task": "above", "subtasks": [tree]}
    path = tmp_path / "evaluation-tables.json"
    path.write_text(json.dumps([tree]))
    documents, faults = read("pwc", path)
    assert documents == []
    assert "nested too deeply" in faults[0].reason
    path.write_text("[" * 100_000)
    assert "not readable JSON" in read("pwc", path)[1][0].reason


def test_annotations_give_a_paper_its_scores(tmp_path: Path) -> None:
    path = tmp_path / "resultsAnnotation.tsv"
    path.write_text(
        "1801.00001.pdf\tpart-of-speech_tagging#UD#Avg Accuracy#95.55$parsing#Bank#F1#-\n"
        "P18-1001.pdf\tparsing#Bank#Params#$parsing#Bank#F1#92.1\n"
        ".pdf\tparsing#Bank#LAS#90\n"
        "no tab here\n"
        "wang13a.pdf\tparsing#Bank\n"
    )
    documents, faults = read("tdms", path)
    named = [(d.arxiv_id, d.acl_id, d.source_file) for d in documents]
    assert named == [
        ("1801.00001", None, "1801.00001.pdf"),
        (None, "P18-1001", "P18-1001.pdf"),
        (None, None, None),
    ]
    found = [(r.task, r.metric, r.score, r.score_text, r.method) for r in results(documents)]
    assert found == [
        ("part-of-speech tagging", "Avg Accuracy", 95.55, "95.55", ""),
        ("parsing", "F1", None, "-", ""),
        ("parsing", "F1", 92.1, "92.1", ""),
        ("parsing", "LAS", 90.0, "90", ""),
    ]
    assert [fault.where for fault in faults] == [
        "resultsAnnotation.tsv:4",
        "resultsAnnotation.tsv:5",
    ]


PAGE = """# Parsing

Parsing is a task.

### Bank

Some words with a | bar.

Short sentences:

| Model | F1 score | UAS | Paper / Source | Code |
| --- | :---: | ---: | --- | --- |
| Tree net (Doe, 2018) | **91.2** | 88 | [Trees for text](https://arxiv.org/abs/1801.00001) | x |
| Old net | 90.1 | - | [Old ways](http://www.aclweb.org/anthology/P98-1001) | |

Long sentences:

| Model | F1 score | Notes |
| --- | --- | --- |
| Tree net | 81.2 | 3 layers |

## Chunking

Model | Accuracy
--- | ---
Bits | 70.5%
"""


def test_a_page_gives_each_number_its_task_dataset_metric_and_paper(tmp_path: Path) -> None:
    path = tmp_path / "english" / "parsing.md"
    path.parent.mkdir()
    path.write_text(PAGE)
    assert list_sources()["nlp_progress"].matches(path)
    documents, faults = read("nlp_progress", path)
    assert faults == []
    found = [(r.task, r.dataset, r.metric, r.method, r.score) for r in results(documents)]
    assert found == [
        ("Parsing", "Bank / Short sentences", "F1 score", "Tree net (Doe, 2018)", 91.2),
        ("Parsing", "Bank / Short sentences", "UAS", "Tree net (Doe, 2018)", 88.0),
        ("Parsing", "Bank / Short sentences", "F1 score", "Old net", 90.1),
        ("Parsing", "Bank / Long sentences", "F1 score", "Tree net", 81.2),
        ("Parsing", "Chunking", "Accuracy", "Bits", 70.5),
    ]
    assert [(d.arxiv_id, d.acl_id, d.title) for d in documents][:2] == [
        ("1801.00001", None, "Trees for text"),
        (None, "P98-1001", "Old ways"),
    ]
    assert all(document.key.startswith("english/parsing.md#") for document in documents)


SCORES_FIRST = """
| WER clean | WER noisy | Paper | Published |
| --- | --- | --- | --- |
| 1.8% | 2.9% | [Hearing words](https://arxiv.org/abs/1801.00002) | 2018 |
"""
DATASETS_IN_ROWS = """
| Dataset | Type | F1 | Method | Paper |
| --- | --- | --- | --- | --- |
| [Bank](https://b.org) | one model | 91.2 | Tree net | [Trees](https://arxiv.org/abs/1801.00001) |
| News | several | 80.5 | Tree net | [Trees](https://arxiv.org/abs/1801.00001) |
"""
POOLED = """
| Tags | Parser | F1 |
| --- | --- | --- |
| Gold tags | Tree net | 91.2 |
"""
NAMED_WITHOUT_COLON = """
| Model | F1 |
| --- | --- |
| Old net | 90.1 |

Spoken to written

| Model | F1 |
| --- | --- |
| Tree net | 70.1 |

All systems in this table use the same words.

| Model | F1 |
| --- | --- |
| Tree net | 60.1 |
"""


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        pytest.param(
            SCORES_FIRST,
            [
                ("Bank", "WER clean", "Hearing words", 1.8),
                ("Bank", "WER noisy", "Hearing words", 2.9),
            ],
            id="scores first, named by the paper",
        ),
        pytest.param(
            DATASETS_IN_ROWS,
            [("Bank > Bank", "F1", "Tree net", 91.2), ("Bank > News", "F1", "Tree net", 80.5)],
            id="each row names its dataset",
        ),
        pytest.param(
            POOLED, [("Bank", "F1", "Tree net", 91.2)], id="the method is not the first column"
        ),
        pytest.param(
            NAMED_WITHOUT_COLON,
            [
                ("Bank / table 1", "F1", "Old net", 90.1),
                ("Bank / Spoken to written", "F1", "Tree net", 70.1),
                ("Bank / table 3", "F1", "Tree net", 60.1),
            ],
            id="a short line names the table, a sentence does not",
        ),
        pytest.param(
            "\n| Domain | # words | F1 |\n| --- | --- | --- |\n| News | 300 | 70.1 |\n",
            [("Bank", "F1", "News", 70.1)],
            id="a number sign heads a count",
        ),
        pytest.param(
            "\n| Dataset | Words |\n| --- | --- |\n| Bank | 300 |\n", [], id="a list of datasets"
        ),
        pytest.param("\n| 2018 | 2019 |\n| --- | --- |\n| 3 | 4 |\n", [], id="numbers alone"),
    ],
)
def test_columns_of_a_page_are_told_by_their_headers(
    table: str, expected: list[tuple[str, str, str, float]], tmp_path: Path
) -> None:
    (tmp_path / "parsing.md").write_text(f"# Parsing\n\n### <b>Bank</b>.\n{table}")
    documents, _ = read("nlp_progress", tmp_path / "parsing.md")
    assert [(r.dataset, r.metric, r.method, r.score) for r in results(documents)] == expected


@pytest.mark.parametrize("kind", ["nlp_progress", "pwc", "tdms"])
def test_lists_of_results_only_complete_papers(kind: str) -> None:
    source = list_sources()[kind]
    assert source.completes
    assert source.holds_many


def test_the_real_pages_give_the_scores_that_were_read_from_them_before(data_dir: Path) -> None:
    folder = data_dir / "leaderboards"
    flat, _ = read("nlp_progress", folder / "nlp_progress.jsonl")
    pages = [
        document
        for path in sorted((folder / "nlp_progress_md").rglob("*.md"))
        if list_sources()["nlp_progress"].matches(path)
        for document in read("nlp_progress", path)[0]
    ]
    known = {(r.metric, r.method, r.score) for r in results(flat)}
    found = {(r.metric, r.method, r.score) for r in results(pages)}
    # Two readers of one set of pages: they agree but for a few odd tables.
    assert len(known & found) / len(known | found) > 0.9


def test_the_real_lists_are_read(data_dir: Path) -> None:
    folder = data_dir / "leaderboards"
    for kind, name, at_least in (
        ("pwc", "pwc_sota_extractor.jsonl.gz", 3_200),
        ("tdms", "tdms_results.jsonl", 660),
    ):
        documents, _ = read(kind, folder / name)
        assert len(results(documents)) > at_least
        unread = sum(result.score is None for result in results(documents))
        assert unread / len(results(documents)) < 0.1
