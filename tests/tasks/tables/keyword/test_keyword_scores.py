"""Results as columns: the datasets and metrics that papers share, and each one's own score."""

from __future__ import annotations

from vivavoce.tasks.tables.items.keyword_papers import PoolText
from vivavoce.tasks.tables.items.keyword_table import Datasets, as_library_paper, results_of

TABLE = """Table 2: F1 on the Penn Treebank dataset.
Model | F1
Older parser | 88.1
{name} (ours) | {score}"""


def paper(label: str, name: str, score: str) -> PoolText:
    text = f"We test on the Penn Treebank dataset.\n\n{TABLE.format(name=name, score=score)}"
    return PoolText(label, f"{name}: a parser", "", text)


def test_papers_that_report_on_one_board_share_a_column() -> None:
    papers = [paper("P1", "OakNet", "91.5"), paper("P2", "ElmNet", "92.5")]
    assert results_of(papers, 4) == {("Penn Treebank", "F1"): {"P1": "91.5", "P2": "92.5"}}


def test_a_board_of_one_paper_is_no_column() -> None:
    other = PoolText("P2", "JamNet: a pot", "", "We boil. It takes 12.5 minutes on the Stove.")
    assert results_of([paper("P1", "OakNet", "91.5"), other], 4) == {}
    assert results_of([], 4) == {}


def test_tables_of_a_text_are_told_from_its_prose() -> None:
    library = as_library_paper(paper("P1", "OakNet", "91.5"))
    assert [section.text for section in library.sections] == [
        "We test on the Penn Treebank dataset."
    ]
    (table,) = library.tables
    assert table.caption == "Table 2: F1 on the Penn Treebank dataset."
    assert table.cells[0] == ("Model", "F1")
    assert table.cells[-1] == ("OakNet (ours)", "91.5")


def test_a_name_and_its_abbreviation_are_one_dataset_under_the_more_usual_name() -> None:
    texts = (
        "On the Penn Treebank dataset. On PTB it works.",
        "We use the Penn Treebank corpus. The PTB corpus is old.",
        "We use the Penn Treebank corpus.",
    )
    datasets = Datasets([PoolText(f"P{n}", "T", "", text) for n, text in enumerate(texts)])
    assert datasets.find("PTB (Penn Treebank)") == ["Penn Treebank"]
    assert datasets.find("on the Elm Treebank") == []


def test_a_model_is_no_dataset() -> None:
    papers = [PoolText(f"P{n}", "T", "", "We improve on BERT and on LSTM.") for n in range(3)]
    assert Datasets(papers).find("BERT and LSTM") == []
