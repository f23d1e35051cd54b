"""The papers' published tables are whole, as printed, and kept apart from our own results."""

from __future__ import annotations

import pytest
from lxml import html
from tests.web.board.board_courses import scored, site_with

from vivavoce.errors import VivaError
from vivavoce.web.board.pages import published
from vivavoce.web.board.pages.published import PublishedTable, published_papers

PAPERS = {paper.key: paper for paper in published_papers()}


def table(paper: str, number: str) -> PublishedTable:
    (found,) = (table for table in PAPERS[paper].tables if table.number == number)
    return found


def value(paper: str, number: str, labels: tuple[str, ...], column: int) -> str | None:
    (row,) = (row for row in table(paper, number).rows if row.labels == labels)
    return row.values[column]


def test_the_tables_of_five_papers() -> None:
    assert {key: [table.number for table in paper.tables] for key, paper in PAPERS.items()} == {
        "academiceval": ["3", "4", "5", "6"],
        "academiceval_earlier": ["3", "4"],
        "legobench": ["3", "4", "9"],
        "arxiv2table": ["2", "3", "4", "5", "6", "7", "9", "10", "11", "12", "14", "15"],
        "rd2bench": ["1", "2", "3", "4", "5"],
    }


def test_each_table_names_its_round_and_its_judge() -> None:
    for paper in PAPERS.values():
        assert paper.round
        assert paper.source
        for found in paper.tables:
            assert found.judge
            assert found.unit
    assert table("academiceval", "5").judge == "Mixtral-8x22B-Instruct-v0.1"
    assert "GPT-4o" in table("arxiv2table", "2").judge


@pytest.mark.parametrize(
    ("paper", "number", "labels", "column", "printed"),
    [
        ("academiceval", "3", ("Title", "title-10k"), 4, "74.2"),
        ("academiceval", "4", ("Abstract", "abs-28k"), 4, "26.6"),
        ("academiceval", "5", ("Related work", "related-34k"), 1, "91.9"),
        ("academiceval", "6", ("title only", "Nous Hermes 2 Mixtral 8x7B DPO"), 1, "19.3"),
        ("legobench", "3", ("closed", "GPT-4"), 1, "17.14"),
        ("legobench", "4", ("OAG-BERT",), 3, "−0.201"),
        ("legobench", "9", ("closed", "GPT-4"), 0, "21.89"),
        ("arxiv2table", "2", ("GPT-4o", "batches + CoT"), 12, "55.0"),
        ("arxiv2table", "9", ("batches",), 2, "194"),
        ("rd2bench", "1", ("III", "discovery", "minute_pv_corr"), 4, "0.744"),
        ("rd2bench", "1", ("II", "medium", "Vol20"), 5, "0.0"),
        ("rd2bench", "2", ("III", "hard", "AdjRDskew"), 2, "NaN"),
        ("rd2bench", "5", ("DirGNNConv", "medium"), 1, "0.56"),
    ],
)
def test_numbers_stand_as_printed(
    paper: str, number: str, labels: tuple[str, ...], column: int, printed: str
) -> None:
    assert value(paper, number, labels, column) == printed


def test_the_two_versions_of_academiceval_differ_in_one_number() -> None:
    for number, differing in (("3", []), ("4", [("44.5", "42.9")])):
        later, earlier = table("academiceval", number), table("academiceval_earlier", number)
        assert [row.labels for row in later.rows] == [row.labels for row in earlier.rows]
        pairs = [
            pair
            for ours, theirs in zip(later.rows, earlier.rows, strict=True)
            for pair in zip(ours.values, theirs.values, strict=True)
        ]
        assert [pair for pair in pairs if pair[0] != pair[1]] == differing


def test_the_averages_of_arxiv2table_follow_from_their_parts() -> None:
    """A wrong digit in one of the parts would show: Avg is the mean of three printed F1.

    One average differs in the paper itself: (56.5 + 56.3 + 51.5) / 3 = 54.8.
    """
    off = []
    for row in table("arxiv2table", "2").rows:
        schema, unary, pairwise, mean = (float(row.values[at] or 0) for at in (5, 8, 11, 12))
        if abs((schema + unary + pairwise) / 3 - mean) > 0.1:
            off.append((*row.labels, mean))
    assert off == [("GPT-4o", "batches + CoT", 55.0)]


def test_f1_of_arxiv2table_follows_from_its_precision_and_recall() -> None:
    for row in table("arxiv2table", "2").rows:
        for start in (0, 3, 6, 9):
            first, second, f1 = (row.values[at] for at in range(start, start + 3))
            if first is None or second is None or f1 is None:
                continue
            a, b = float(first), float(second)
            assert 2 * a * b / (a + b) == pytest.approx(float(f1), abs=0.25), row.labels


def test_what_a_paper_leaves_empty_stays_empty() -> None:
    assert value("academiceval", "3", ("Title", "title-30k"), 0) is None
    assert value("legobench", "9", ("7B", "Galactica"), 1) is None
    assert value("rd2bench", "1", ("I", "simple", "PEG"), 2) == "None"


def test_the_page_says_that_nothing_there_is_ranked_with_ours() -> None:
    (page,) = published.pages(site_with(scored("a/one", 0.6, 1)))
    found = html.fromstring(page.make())
    assert page.path == "published.html"
    assert "none of them is ranked with the results of our own rounds" in " ".join(
        found.text_content().split()
    )
    assert "a/one" not in found.text_content()
    assert len(found.xpath("//table")) == sum(len(paper.tables) for paper in PAPERS.values())
    assert len(found.xpath("//table/caption")) == len(found.xpath("//table"))
    assert not found.xpath("//table//td[normalize-space()='']/following-sibling::td[.='~']")
    assert len(page.make()) < 300_000


def test_a_row_that_is_too_short_is_refused() -> None:
    text = (
        "title: T\nsource: S\nfamily: f\nround: R\ntables:\n"
        "  - {number: '1', title: t, judge: j, unit: u, labels: [a], "
        "columns: [b, c], rows: [[x, 1]]}"
    )
    with pytest.raises(VivaError, match=r"A row of Table 1 in published/t.yaml has 2 cells"):
        published._paper("t", text)
    with pytest.raises(VivaError, match="lacks 'source'"):
        published._paper("t", "title: T")
