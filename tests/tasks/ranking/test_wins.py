"""Lines of tables and sentences that stand for papers of the corpus."""

from __future__ import annotations

import time
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.tasks.ranking.table_corpora import paper, reference, table, write_tables

from vivavoce.corpus import Corpus
from vivavoce.readers.claims import MAX_CLAIMS, find_claims
from vivavoce.readers.entries import MAX_COLUMNS, MAX_ENTRIES, read_entries
from vivavoce.tasks.ranking.items.pairwise_results import (
    ABOUT,
    COMPARISONS,
    find_comparisons,
    read_comparisons,
)

END = date(2021, 1, 1)
PAPERS = [
    paper("a", "Attentive Readers", "2018-01"),
    paper("b", "BIGRAM: Reading Pairs of Words", "2019-01"),
    paper("c", "Convolutions for Reading", "2020-01", abstract="We bring a model ( CFR )."),
    paper("late", "Later Readers", "2021-01"),
]
REFERENCES = [
    reference("c", 0, "Hermann", 2018, cited="a", title="Attentive Readers"),
    reference("c", 1, "Bell", 2019, cited="b", title="BIGRAM: Reading Pairs of Words"),
    reference("c", 2, "Elsewhere", 2017, title="Not in the corpus"),
]
GRID = [
    ["Model", "Dev", "Test"],
    ["Reader (Hermann et al., 2018)", "88.1", "87.0"],
    ["Outsider (Elsewhere, 2017)", "80.0", "79.9"],
    ["BIGRAM", "90.2", "-"],
    ["CFR", "91.0", "90.5"],
]
"""One line by its citation, one of a work outside, one by the title's name, one the paper's own."""


def tables_of(corpus: Corpus, papers: str = "a b c late") -> list[dict[str, Any]]:
    """The rows that are tables, after a passage through Arrow."""
    rows = find_comparisons(corpus, papers.split(), END)
    kept: list[dict[str, Any]] = pa.Table.from_pylist(rows, schema=COMPARISONS).to_pylist()
    return [row for row in kept if row["ordinal"] >= 0]


def told(row: dict[str, Any]) -> list[tuple[str, str, list[float | None]]]:
    return [(line["paper_id"], line["told_by"], line["numbers"]) for line in row["lines"]]


def test_each_line_of_a_table_is_given_to_its_paper(tmp_path: Path) -> None:
    corpus = write_tables(tmp_path, PAPERS, REFERENCES, [table("c", GRID, cited=[0, 2])])
    (row,) = tables_of(corpus)
    assert told(row) == [
        ("a", "mark", [88.1, 87.0]),
        ("b", "name", [90.2, None]),
        ("c", "own", [91.0, 90.5]),
    ]
    assert row["headers"] == ["Dev", "Test"]
    assert row["published"] == "2020-01"


def test_cells_one_below_the_other_are_read_as_lines(tmp_path: Path) -> None:
    column = [
        ["Accuracy on the reading test, where the best of five runs by the dev set is shown."],
        *[["Model"], ["Dev"], ["Test"]],
        *[["Reader (Hermann et al., 2018)"], ["88.1"], ["87.0"]],
        *[["BIGRAM (Bell, 2019) 90.2 89.0"]],
        *[["Ours"], ["-"], ["90.5 ± 0.2"]],
    ]
    corpus = write_tables(tmp_path, PAPERS, REFERENCES, [table("c", column, cited=[0, 1])])
    (row,) = tables_of(corpus)
    assert told(row) == [
        ("a", "mark", [88.1, 87.0]),
        ("b", "mark", [90.2, 89.0]),
        ("c", "own", [None, 90.5]),
    ]
    assert row["headers"] == ["Dev", "Test"]
    assert "Accuracy on the reading test" in row["caption"]


def test_methods_may_stand_above_the_columns(tmp_path: Path) -> None:
    turned = [list(column) for column in zip(*GRID, strict=True)]
    corpus = write_tables(tmp_path, PAPERS, REFERENCES, [table("c", turned, cited=[0])])
    (row,) = tables_of(corpus)
    assert [line[:2] for line in told(row)] == [("a", "mark"), ("b", "name"), ("c", "own")]


def test_numbers_in_brackets_are_places_in_the_list_of_references(tmp_path: Path) -> None:
    cells = [["Model", "F1"], ["Reader [1]", "88.1"], ["Other [2]", "88.9"], ["Mine", "90.0"]]
    corpus = write_tables(tmp_path, PAPERS, REFERENCES, [table("c", cells, cited=[0])])
    (row,) = tables_of(corpus)
    # [2] is not among what the table is known to cite; the line without a mark is the paper's.
    assert told(row) == [("a", "mark", [88.1]), ("c", "rest", [90.0])]


def test_a_name_cited_in_one_paper_is_known_in_another(tmp_path: Path) -> None:
    references = [
        reference("b", 0, "Hermann", 2018, cited="a"),
        reference("c", 0, "Hermann", 2018, cited="a"),
    ]
    first = [["", "F1"], ["AttnRead (Hermann et al., 2018)", "80"], ["Ours", "85"]]
    second = [["", "F1"], ["AttnRead", "81"], ["Ours", "86"]]
    tables = [table("b", first, cited=[0]), table("c", second)]
    corpus = write_tables(tmp_path, PAPERS, references, tables)
    one, other = tables_of(corpus)
    assert told(one) == [("a", "mark", [80.0]), ("b", "own", [85.0])]
    assert told(other) == [("a", "name", [81.0]), ("c", "own", [86.0])]


@pytest.mark.parametrize(
    "label",
    ["Human performance", "Reader (Hermann, 2018; Bell, 2019)", "Someone (Unknown, 1999)"],
)
def test_lines_in_doubt_are_nobodys(tmp_path: Path, label: str) -> None:
    cells = [["", "F1"], ["Reader (Hermann et al., 2018)", "88.1"], [label, "95.0"]]
    corpus = write_tables(tmp_path, PAPERS, REFERENCES, [table("c", cells, cited=[0, 1])])
    (row,) = tables_of(corpus)
    assert [line[0] for line in told(row)] == ["a"]


def test_a_table_without_any_citation_tells_only_what_says_ours(tmp_path: Path) -> None:
    cells = [["", "F1"], ["LSTM", "80"], ["Our model", "85"]]
    corpus = write_tables(tmp_path, PAPERS, REFERENCES, [table("c", cells)])
    (row,) = tables_of(corpus)
    assert told(row) == [("c", "own", [85.0])]


def test_only_papers_of_interest_from_before_the_end_are_told(tmp_path: Path) -> None:
    late = [["", "F1"], ["Ours", "99.9"]]
    tables = [table("c", GRID, cited=[0]), table("late", late)]
    corpus = write_tables(tmp_path, PAPERS, REFERENCES, tables)
    (row,) = tables_of(corpus, "a late")
    assert told(row) == [("a", "mark", [88.1, 87.0])]
    rows = find_comparisons(corpus, ["a", "late"], END)
    assert [(row["paper_id"], row["ordinal"]) for row in rows] == [("c", ABOUT), ("c", 0)]
    assert rows[0]["caption"] == "Convolutions for Reading We bring a model ( CFR )."


def test_sentences_state_scores_of_their_own_paper(tmp_path: Path) -> None:
    papers = [
        paper("a", "Readers", "2018", abstract="We reach 93.5 F1 on CoNLL-2003. It is fast."),
        paper("b", "Others", "2019"),
    ]
    texts = {"b": "Our ensemble has an accuracy of 71.2% on Quora.\n\nIt gains 3.5% in accuracy."}
    rows = find_comparisons(write_tables(tmp_path, papers, texts=texts), ["a", "b"], END)
    claims = [one for one in read_comparisons(rows) if one.ordinal < ABOUT]
    assert [(one.paper_id, one.lines[0].numbers) for one in claims] == [
        ("a", (93.5,)),
        ("b", (71.2,)),
    ]
    assert claims[0].headers == ("We reach F1 on CoNLL-2003.",)


def test_numbers_side_by_side_go_with_the_words_in_their_order() -> None:
    text = "We obtain perplexities of 47.69 and 40.68 on Treebank and WikiText, respectively."
    (claim,) = find_claims([text])
    assert claim.numbers == (47.69, 40.68)
    assert "Treebank" in claim.near[0]
    assert "WikiText" not in claim.near[0]
    assert "WikiText" in claim.near[1]
    assert "Treebank" not in claim.near[1]


def test_of_two_measures_the_nearer_belongs_to_a_number() -> None:
    (claim,) = find_claims(["It achieves an EM score of 73.3 and an F1 score of 81.1 there."])
    assert claim.numbers == (73.3, 81.1)
    assert "EM" in claim.near[0]
    assert "F1" not in claim.near[0]
    assert "F1" in claim.near[1]
    assert "EM" not in claim.near[1]


@pytest.mark.parametrize(
    "text",
    [
        "Smith et al. (2018) report an F1 of 81.1 there.",
        "It improves F1 by 2.1 over all.",
        "The previous best F1 was 80.2 there.",
        "With a dropout rate of 0.55 the error is low.",
        "In section 3.2 we describe the model.",
    ],
)
def test_what_is_not_a_score_of_ones_own_is_no_claim(text: str) -> None:
    assert find_claims([text]) == []


def test_of_a_long_paper_the_first_sentences_are_kept() -> None:
    text = "The F1 is 81.5 here. " * 500
    assert len(find_claims([text] * 3)) == MAX_CLAIMS


def test_counts_and_spreads_are_no_scores() -> None:
    (entries,) = read_entries([["Reader 21 M 1.27"], ["Other 46 M 1.30 ±.02"], ["Third - 1.25"]])
    assert [entry.numbers for entry in entries.entries] == [
        (None, 1.27),
        (None, 1.30),
        (None, 1.25),
    ]


def test_an_empty_cell_glued_to_the_next_is_two() -> None:
    (entries,) = read_entries([["mLSTM"], ["46"], ["-1.24"], ["T12"], ["44"], ["41 1.11"]])
    assert [entry.numbers for entry in entries.entries] == [(46.0, None, 1.24), (44.0, 41.0, 1.11)]


def test_numbers_too_many_in_front_end_a_label() -> None:
    (entries,) = read_entries([["A 1.1 2.2"], ["Depth 5 1.3 2.4"], ["C 1.5 2.6"]])
    assert [entry.numbers for entry in entries.entries] == [(1.1, 2.2), (1.3, 2.4), (1.5, 2.6)]


def test_a_line_above_says_what_the_next_ones_are_of() -> None:
    cells = [["", "F1", "EM"], ["On SQuAD", "", ""], ["X", "80", "70"], ["Y", "81", "71"]]
    by_rows = read_entries(cells)[0]
    assert [(entry.label, entry.group) for entry in by_rows.entries] == [
        ("X", "On SQuAD"),
        ("Y", "On SQuAD"),
    ]


HOSTILE = [
    pytest.param([["1.0 " * 200_000]], id="a cell of numbers"),
    pytest.param([["word " * 200_000, "3"]], id="a cell of words"),
    pytest.param([["(" * 100_000 + "[" * 100_000, "1.5"]], id="brackets"),
    pytest.param([["a", *["1.5"] * 100_000]] * 3, id="a wide grid"),
    pytest.param([["a", "1.5"]] * 20_000, id="a long grid"),
    pytest.param([["a"], ["1.5"]] * 10_000, id="a long list"),
    pytest.param([["Aa, " * 50_000 + "et al. 2015", "1.5"]] * 20, id="names"),
    pytest.param([["3 " + "% " * 100_000]], id="units"),
    pytest.param([[]], id="no cell"),
    pytest.param([[""], [""]], id="empty cells"),
]


@pytest.mark.parametrize("cells", HOSTILE)
def test_hostile_tables_are_bounded(cells: list[list[str]], tmp_path: Path) -> None:
    corpus = write_tables(tmp_path, PAPERS, REFERENCES, [table("c", cells, cited=[0])])
    start = time.process_time()
    rows = find_comparisons(corpus, ["a", "b", "c"], END)
    assert time.process_time() - start < 10
    for row in rows:
        assert len(row["lines"]) <= MAX_ENTRIES
        assert all(len(line["numbers"]) <= MAX_COLUMNS for line in row["lines"])


CELLS = st.lists(
    st.lists(st.text("aA1.9-–%±/ (et al,2015)[3]", max_size=20), max_size=4), max_size=8
)


@settings(deadline=None, max_examples=150)
@given(CELLS)
@example([[], ["A", "0"], ["–"], ["0000000000"], ["0", "A", "0"]])
def test_any_table_is_read(cells: list[list[str]]) -> None:
    for entries in read_entries(cells):
        widths = {len(entry.numbers) for entry in entries.entries}
        assert len(widths) == 1
        assert len(entries.headers) in {1, *widths}
        for entry in entries.entries:
            assert entry.label
            assert any(number is not None for number in entry.numbers)


@settings(deadline=None, max_examples=150)
@given(st.text("aF1 EM score of and,.%/()93.5 respectively", max_size=120))
def test_every_number_of_a_claim_has_its_words(text: str) -> None:
    for claim in find_claims([text]):
        assert len(claim.numbers) == len(claim.near) > 0
