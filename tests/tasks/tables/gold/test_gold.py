"""Tables of a corpus become gold tables: which rows, which works, and what is left out and why."""

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.support.corpora import paper, reference, write_papers

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.corpus.schema import TABLES, paper_from_row
from vivavoce.errors import InputError
from vivavoce.records import Window
from vivavoce.store import Row
from vivavoce.tasks.library import library_as_bytes, read_library
from vivavoce.tasks.tables.gold import GoldTables, find_duplicates, read_gold_tables
from vivavoce.tasks.tables.item import (
    GoldRow,
    GoldTable,
    TablesOptions,
    Work,
    answer_table,
)
from vivavoce.tasks.tables.pool import (
    corpus_works,
    merge_works,
    work_id,
    work_of_reference,
    works_library,
)

SURVEY = "arxiv:2003.00001"
OLD = "arxiv:1901.00001"

HEADER = ("Method", "Encoder", "Data")
LINES = (("Ash [1]", "LSTM", "news"), ("Bay [2]", "CNN", "-"), ("Cob [3]", "LSTM", "web [1]"))
"""Lines of a table with 5 of 6 cells filled."""


def printed(
    lines: Sequence[Sequence[str]] = LINES,
    *,
    header: Sequence[Sequence[str]] = (HEADER,),
    cites: Sequence[Sequence[int]] | None = None,
    caption: str = "Table 1: Parsers.",
    ordinal: int = 0,
    paper_id: str = SURVEY,
) -> Row:
    """A row of `tables`; by default line n cites reference n."""
    rows = [[n] for n in range(len(lines))] if cites is None else [list(row) for row in cites]
    return {
        "paper_id": paper_id,
        "ordinal": ordinal,
        "caption": caption,
        "cells": [list(row) for row in (*header, *lines)],
        "cited": sorted({one for row in rows for one in row}),
        "row_cited": [*([] for _ in header), *rows],
    }


def survey_corpus(
    folder: Path,
    *tables: Row,
    references: Sequence[Row] | None = None,
    published: str | None = "2020-03-01",
    text: str = "Table 1 is about parsers. Nothing else is.",
) -> Corpus:
    """A survey of five works, the first of which is a paper of the corpus."""
    papers = [
        paper(OLD, "Parsing with Ash", "2019-01-01", source="tei", abstract="On ash."),
        paper(SURVEY, "A Survey of Parsing", published, source="html"),
    ]
    if references is None:
        references = [
            reference(SURVEY, 0, "Ames", 2019, title="Parsing with Ash", cited=OLD),
            *(
                reference(SURVEY, n, "Bell", 2010 + n, title=f"Work number {n}")
                for n in range(1, 5)
            ),
        ]
    texts = {SURVEY: text, OLD: "Of ash."}
    return write_papers(folder, papers, references=references, tables=tables, texts=texts)


WINDOW = Window(date(2020, 1, 1), date(2021, 1, 1))
BAY, COB = work_id("Work number 1", ""), work_id("Work number 2", "")


def gold(
    folder: Path, *tables: Row, options: TablesOptions | None = None, **more: Any
) -> GoldTables:
    return read_gold_tables(
        survey_corpus(folder, *tables, **more), WINDOW, options or TablesOptions()
    )


def reasons(found: GoldTables) -> dict[str, str]:
    return {one.paper_id.removeprefix(SURVEY): one.reason for one in found.excluded}


def test_a_line_that_cites_one_work_is_a_row_about_it(tmp_path: Path) -> None:
    (table,) = gold(tmp_path, printed()).tables
    assert table.id == f"{SURVEY}/table/0"
    assert (table.source_paper, table.published) == (SURVEY, "2020-03-01")
    assert table.kind == "cited"
    assert table.columns == ("Encoder", "Data")
    assert table.rows == (
        GoldRow(1, OLD, "Ash", ("LSTM", "news")),
        GoldRow(2, BAY, "Bay", ("CNN", None)),
        GoldRow(3, COB, "Cob", ("LSTM", "web")),
    )


def test_lines_with_several_works_or_none_are_dropped_and_counted(tmp_path: Path) -> None:
    found = gold(tmp_path, printed(cites=[[0], [1], []]), printed(cites=[[0], [1, 2], []]))
    assert reasons(found) == {"/table/0": "few_rows"}
    assert [row.paper for row in found.tables[0].rows] == [OLD, BAY]
    assert found.dropped == {"no_work": 1}


def test_rows_of_one_paper_stay_apart(tmp_path: Path) -> None:
    (table,) = gold(tmp_path, printed(cites=[[0], [1], [0]])).tables
    assert [(row.ordinal, row.paper) for row in table.rows] == [(1, OLD), (2, BAY), (3, OLD)]
    assert table.papers == (OLD, BAY)


@pytest.mark.parametrize(
    ("table", "options", "reason"),
    [
        (printed(caption=" "), {}, "no_caption"),
        (printed(cites=[[0], [0], [0]]), {}, "few_papers"),
        (printed([("Ash [1]",), ("Bay [2]",)], header=[("Method",)]), {}, "few_columns"),
        (printed(header=()), {}, "no_header"),
        (printed([("A", "", ""), ("B", "x", "-"), ("C", "", "web")]), {}, "sparse"),
        (printed(cites=[[0], [1, 2], []]), {}, "few_rows"),
        (printed(), {"min_rows": 4}, "few_rows"),
        (printed([("A", "x", "y"), ("B", "x", "y")], header=[("Year", "Data", "")]), {},
         "shifted_header"),
        (printed([("A", "\\good", "y"), ("B", "x", "y")]), {}, "unread_cells"),
    ],
)  # fmt: skip
def test_every_table_left_out_has_a_reason(
    tmp_path: Path, table: Row, options: dict[str, Any], reason: str
) -> None:
    found = gold(tmp_path, table, options=TablesOptions(**options))
    assert not found.tables
    assert reasons(found) == {"/table/0": reason}


def test_a_cell_that_spans_rows_is_a_value_of_each(tmp_path: Path) -> None:
    rows = [("Ash [1]", "LSTM", "news"), ("Bay [2]", "", "web"), ("Cob [3]", "CNN", "web")]
    table = printed(rows) | {"spans": [[1, 1, 2, 1]]}
    (found,) = gold(tmp_path, table).tables
    assert [row.cells for row in found.rows] == [("LSTM", "news"), ("LSTM", "web"), ("CNN", "web")]


def test_half_empty_tables_and_tables_of_numbers_are_gold(tmp_path: Path) -> None:
    half = printed([("A", "88.1", ""), ("B", "", "2")])
    assert len(gold(tmp_path, half).tables) == 1


def test_a_table_that_cites_nowhere_is_none_of_ours(tmp_path: Path) -> None:
    found = gold(tmp_path, printed(cites=[[], [], []]))
    assert not found.tables
    assert not found.excluded


def test_a_table_printed_twice_is_gold_once(tmp_path: Path) -> None:
    found = gold(tmp_path, printed(), printed(ordinal=1, caption="Table 9: Again."))
    assert [table.id.rpartition("/")[2] for table in found.tables] == ["0"]
    assert [(one.reason, one.detail) for one in found.excluded] == [
        ("duplicate", f"{SURVEY}/table/0")
    ]


def test_a_duplicate_may_be_in_another_order() -> None:
    def made(name: str, columns: tuple[str, ...], *rows: tuple[str, ...]) -> GoldTable:
        lines = tuple(GoldRow(n, cells[0], "", cells[1:]) for n, cells in enumerate(rows))
        return GoldTable(name, "p", "cited", "c", columns, lines, None)

    first = made("a", ("Year", "Data"), ("x", "2020", "news"), ("y", "2021", "web"))
    turned = made("b", ("data", "years"), ("y", "Web", "2021"), ("x", "news", "2020"))
    other = made("c", ("Year", "Data"), ("x", "2020", "news"), ("z", "2021", "web"))
    assert find_duplicates([first, turned, other]) == {"b": "a"}


@pytest.mark.parametrize(
    ("published", "reason"),
    [("2019-12-31", "outside_window"), ("2021-01-01", "outside_window"), (None, "undated_source")],
)
def test_tables_of_the_window_are_gold(tmp_path: Path, published: str | None, reason: str) -> None:
    found = gold(tmp_path, printed(), published=published)
    assert not found.tables
    assert reasons(found) == {"/table/0": reason}
    lenient = gold(tmp_path, printed(), published=published, options=TablesOptions(undated=True))
    assert [table.published for table in lenient.tables] == ([None] if published is None else [])


def test_works_are_those_of_rows_and_related_what_any_table_cites(tmp_path: Path) -> None:
    other = printed(cites=[[3], [4], []], caption="", ordinal=1)
    found = gold(tmp_path, printed(), other)
    assert {name: work.evidence for name, work in found.works.items()} == {
        OLD: "fulltext",
        BAY: "title",
        COB: "title",
    }
    related = found.related_works[f"{SURVEY}/table/0"]
    assert related == {SURVEY, OLD, *(work_id(f"Work number {n}", "") for n in (1, 2, 3, 4))}


def test_a_work_without_a_title_is_no_evidence(tmp_path: Path) -> None:
    references = [
        reference(SURVEY, 0, "Ames", 2019, cited=OLD),  # the corpus knows its title
        reference(SURVEY, 1, "Bell", 2011),
        reference(SURVEY, 2, "Cole", 2012, title="doi: 10.1000/1"),
    ]
    found = gold(tmp_path, printed(), references=references)
    assert reasons(found) == {"/table/0": "no_evidence"}


def test_a_table_of_arxivdigestables_is_read_with_its_ordinals(tmp_path: Path) -> None:
    works = [
        {"corpus_id": n, "row": row, "type": "ref", "title": f"Work {n}"}
        | {"bib_hash_or_arxiv_id": "f"}
        for n, row in ((11, 1), (22, 0))
    ]
    record = {
        "tabid": "t1",
        "table": {"Size": {"11": ["small"], "22": ["1M"]}, "Data": {"11": ["web"], "22": ["-"]}},
        "row_bib_map": works,
        "caption": "Models and sizes",
        "arxiv_id": "2003.00001v2",
    }
    (tmp_path / "tables.jsonl").write_text(json.dumps(record) + "\n")
    ingest("digestables", tmp_path / "tables.jsonl", tmp_path / "c")
    (table,) = read_gold_tables(load_corpus(tmp_path / "c"), WINDOW, TablesOptions()).tables
    assert table.kind == "digestables"
    assert table.columns == ("Size", "Data")
    assert [(row.ordinal, row.label, row.cells) for row in table.rows] == [
        (1, "Work 22", ("1M", None)),
        (2, "Work 11", ("small", "web")),
    ]


def test_an_answer_of_another_form_is_refused_with_the_part_that_is_wrong() -> None:
    with pytest.raises(InputError, match=r"table\.rows must be a list"):
        answer_table({"papers": [], "columns": [], "rows": "none"})


def test_two_papers_that_cite_one_title_mean_one_work() -> None:
    first = work_of_reference(reference("a", 0, "Ames", 2019, title="Deep Nets: A Tour"))
    second = work_of_reference(reference("b", 7, "A. Ames", 2020, title="Deep nets - a tour"))
    assert first.paper_id == second.paper_id
    assert first.paper_id.startswith("work:")
    assert (first.published, first.evidence) == ("2019", "title")


def test_without_a_title_the_entry_itself_tells_works_apart() -> None:
    first = work_of_reference(reference("a", 0, "Ames", 2019, raw="Ames. Nature  2019."))
    same = work_of_reference(reference("b", 0, "Ames", 2019, raw="Ames. Nature 2019."))
    other = work_of_reference(reference("b", 1, "Ames", 2020, raw="Ames. Nature 2020."))
    assert first.title == ""
    assert first.paper_id == same.paper_id != other.paper_id


@pytest.mark.parametrize(
    "title",
    [
        "doi: 10.1609/aaai.v38i17.29946",
        "https://example.org",
        "URL https://example.org",
        "arXiv preprint arXiv:2001.00001",
        "In The Thirty-eighth Annual Conference on Nets",
        "--",
    ],
)
def test_an_address_or_a_venue_is_no_title(title: str) -> None:
    assert work_of_reference(reference("a", 0, "Ames", 2019, title=title)).title == ""
    kept = work_of_reference(reference("a", 0, "Ames", 2019, title="In Praise of Trees"))
    assert kept.title == "In Praise of Trees"


def test_the_corpus_goes_before_what_citations_say() -> None:
    row: dict[str, Any] = dict.fromkeys(TABLES["papers"].names) | {"categories": [], "gates": []}
    known = {"title": "Parsing", "abstract": "On parsing.", "first_public": "2020-01-05"}
    works = [
        Work("p", "Parsing (extended)", None, "2019", False),
        Work("work:1", "", None, None, False),
        Work("work:1", "Later named", None, "2018", False),
        Work("work:1", "And renamed", None, "2017", False),
    ]
    assert merge_works(works, {"p": paper_from_row(row | {"paper_id": "p"} | known)}, {"p"}) == {
        "p": Work("p", "Parsing", "On parsing.", "2020-01-05", True),
        "work:1": Work("work:1", "Later named", None, "2018", False),
    }


def test_the_library_of_a_round_holds_works_outside_of_the_corpus_too(tmp_path: Path) -> None:
    corpus = survey_corpus(tmp_path)
    works = corpus_works(corpus)
    assert (sorted(works), works[OLD].abstract) == ([OLD, SURVEY], "On ash.")
    outside = Work(work_id("A work", ""), "A work", None, "2018", False)
    library = read_library(library_as_bytes(works_library(corpus, [outside, works[OLD]])))
    assert list(library) == sorted([OLD, outside.paper_id])
    assert library[OLD].sections[0].text == "Of ash."
    assert library[outside.paper_id].title == "A work"
    assert library[outside.paper_id].sections == ()
