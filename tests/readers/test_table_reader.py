"""Leaderboards read out of tables by rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from vivavoce.readers.leaderboard import LIMIT, read_tables
from vivavoce.readers.paper_tables import LibraryPaper, LibrarySection, LibraryTable

ASKED: dict[str, Any] = {"task": "Question answering", "dataset": "SQuAD", "metric": "F1"}


def _table(caption: str, *rows: Sequence[str]) -> LibraryTable:
    return LibraryTable(caption, tuple(tuple(row) for row in rows))


def _paper(
    name: str, *tables: LibraryTable, title: str = "A study of reading", text: str = ""
) -> LibraryPaper:
    sections = (LibrarySection("Results", text),) if text else ()
    return LibraryPaper(name, title, "2017-05", "We read texts.", sections, tables)


def _board(papers: Sequence[LibraryPaper], **asked: str) -> list[tuple[str, str]]:
    return [(e.method, e.score) for e in read_tables(papers, **(ASKED | asked))]


def test_the_column_of_the_metric_and_of_the_test_set_is_read() -> None:
    table = _table(
        "Table 1: Results on SQuAD.",
        ["Model", "Dev", "", "Test", ""],
        ["", "EM", "F1", "EM", "F1"],
        ["AlphaReader (Smith et al., 2016)", "60.1", "70.2", "61.3", "71.4"],
        ["BetaReader (ours)", "62.5", "72.6", "63.7", "73.8"],
    )

    assert _board([_paper("p", table)]) == [("AlphaReader", "71.4"), ("BetaReader", "73.8")]
    assert _board([_paper("p", table)], metric="EM") == [
        ("AlphaReader", "61.3"),
        ("BetaReader", "63.7"),
    ]
    assert _board([_paper("p", table)], metric="Validation F1") == [
        ("AlphaReader", "70.2"),
        ("BetaReader", "72.6"),
    ]


def test_rows_whose_columns_were_lost_are_put_together() -> None:
    lines = ["Model", "EM", "F1", "AlphaReader", "61.3 71.4", "BetaReader 63.7", "73.8"]
    table = _table("Table 2: Scores on the SQuAD test set.", *([line] for line in lines))

    assert _board([_paper("p", table)]) == [("AlphaReader", "71.4"), ("BetaReader", "73.8")]


def test_a_table_of_another_dataset_is_left_out() -> None:
    tables = (
        _table("Table 1: F1 on NewsQA.", ["Model", "F1"], ["GammaReader", "50.1"]),
        _table("Table 2: F1 on SQuAD.", ["Model", "F1"], ["AlphaReader", "71.4"]),
    )

    assert _board([_paper("p", *tables)]) == [("AlphaReader", "71.4")]


def test_columns_may_be_datasets_and_the_metric_stand_in_the_caption() -> None:
    table = _table(
        "Table 1: F1 of all systems.",
        ["System", "NewsQA", "SQuAD", "TriviaQA"],
        ["AlphaReader", "50.1", "71.4", "61.2"],
        ["BetaReader", "52.3", "73.8", "63.4"],
    )

    assert _board([_paper("p", table)]) == [("AlphaReader", "71.4"), ("BetaReader", "73.8")]


def test_rows_may_be_datasets_and_columns_methods() -> None:
    table = _table(
        "Table 1: F1 of all systems.",
        ["Dataset", "AlphaReader", "BetaReader"],
        ["NewsQA", "50.1", "52.3"],
        ["SQuAD", "71.4", "73.8"],
    )

    assert _board([_paper("p", table)]) == [("AlphaReader", "71.4"), ("BetaReader", "73.8")]


def test_an_abbreviation_stands_for_the_name_of_a_dataset() -> None:
    tables = (
        _table("Table 1: Perplexity on WT2.", ["Model", "Test"], ["OtherLM", "65.8"]),
        _table("Table 2: Perplexity on PTB.", ["Model", "Test"], ["AlphaLM", "57.3"]),
    )
    asked: dict[str, str] = {
        "task": "Language modelling",
        "dataset": "Penn Treebank",
        "metric": "Test perplexity",
    }

    assert _board([_paper("p", *tables)], **asked) == [("AlphaLM", "57.3")]


def test_values_that_cannot_be_of_the_metric_are_no_scores() -> None:
    table = _table(
        "Table 1: F1 on SQuAD.", ["Model", "F1"], ["AlphaReader", "71.4"], ["BetaReader", "12M"],
        ["GammaReader", "130.5"], ["DeltaReader", "-"],
    )  # fmt: skip

    assert _board([_paper("p", table)]) == [("AlphaReader", "71.4")]


def test_ours_is_called_what_the_title_calls_it() -> None:
    table = _table("Table 1: F1 on SQuAD.", ["Model", "F1"], ["Our model", "73.8"])
    paper = _paper("p", table, title="BetaReader: Reading Twice")

    assert _board([paper]) == [("BetaReader", "73.8")]


def test_a_sentence_gives_the_score_of_the_papers_own_method() -> None:
    text = "Our model improves F1 on SQuAD from 70.1 to 73.8 without other data."
    paper = _paper("p", title="BetaReader: Reading Twice", text=text)

    (entry,) = read_tables([paper], **ASKED)

    assert (entry.method, entry.score, entry.paper_id, entry.table) == (
        "BetaReader",
        "73.8",
        "p",
        -1,
    )


def test_the_score_that_most_papers_give_a_method_is_taken() -> None:
    papers = [
        _paper(f"p{n}", _table("Table 1: F1 on SQuAD.", ["Model", "F1"], ["AlphaReader", score]))
        for n, score in enumerate(["71.9", "71.4", "71.4"])
    ]

    assert _board(papers) == [("AlphaReader", "71.4")]


def test_nothing_to_read_gives_no_entry() -> None:
    assert read_tables([], **ASKED) == []
    assert read_tables([_paper("p")], **ASKED) == []
    assert read_tables([_paper("p", _table("", [], [""]))], **ASKED) == []


def test_a_board_is_no_longer_than_the_limit() -> None:
    rows = [[f"Reader-{n}X", f"{50 + n / 10:.1f}"] for n in range(200)]
    table = _table("Table 1: F1 on SQuAD.", ["Model", "F1"], *rows)

    assert len(read_tables([_paper("p", table)], **ASKED)) == LIMIT
    assert len(read_tables([_paper("p", table)], **ASKED, limit=5)) == 5


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "make",
    [
        lambda: _table(
            "Table 1: F1 on SQuAD.", *[["A" * 50 + str(n), "F1", "50.1"] for n in range(40_000)]
        ),
        lambda: _table("Table 1", *[["x 1.5 " * 400] * 20 for _ in range(500)]),
        lambda: _table("Table 1", ["1.5 " * 250_000], ["A" * 1_000_000], ["(" * 500_000]),
        lambda: _table("Model F1 1.5 " * 50_000, ["Model"]),
        lambda: _table("Table", *[[f"{n}.5"] for n in range(100_000)]),
    ],
    ids=["rows", "full cells", "huge cells", "caption", "numbers"],
)
def test_hostile_tables_are_read_in_bounded_time(make: Callable[[], LibraryTable]) -> None:
    table = make()

    entries = read_tables([_paper("p", table)], **ASKED)

    assert len(entries) <= LIMIT
    assert all(len(entry.method) < 300 and len(entry.score) < 100 for entry in entries)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["Alpha 1.5 ", "Table 1: ", "we 1.5 ", "SQuAD ", "(", "A.", "\n"])
def test_hostile_text_is_read_in_bounded_time(piece: str) -> None:
    paper = _paper("p", title=piece * 100, text=piece * (600_000 // len(piece)))

    assert len(read_tables([paper], **ASKED)) <= LIMIT


_CELLS = st.lists(
    st.lists(
        st.one_of(
            st.sampled_from(["Model", "F1", "EM", "SQuAD", "Ours", "71.4", "50.1 60.2", "-"]),
            st.text(max_size=8),
        ),
        max_size=4,
    ),
    max_size=8,
)
_PAPERS = st.lists(
    st.builds(
        lambda cells, caption: _table(caption, *cells),
        _CELLS,
        st.sampled_from(["", "F1 on SQuAD", "Table 1: Statistics"]),
    ),
    max_size=4,
)


@settings(deadline=None, max_examples=60)
@given(_PAPERS)
@example(
    [_table("", ["Model", "Model", "71.4"], ["Model", "71.4", "Model"], ["0", "Model", "Model"])]
)
def test_any_tables_give_distinct_methods_best_first_whatever_the_papers_order(
    tables: list[LibraryTable],
) -> None:
    papers = [_paper(f"p{n}", table) for n, table in enumerate(tables)]

    entries = read_tables(papers, **ASKED)

    assert entries == read_tables(papers, **ASKED)
    assert entries == read_tables(papers[::-1], **ASKED)
    sure = [entry.confidence for entry in entries]
    assert sure == sorted(sure, reverse=True)
    assert all(entry.method and entry.score for entry in entries)
