"""Which papers are candidates for a board, and which are not."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.corpora import paper, write_papers

from vivavoce.corpus import Corpus
from vivavoce.store import Row
from vivavoce.tasks.ranking import build as graph_items
from vivavoce.tasks.ranking.build import Candidates, find_candidates
from vivavoce.text.terms import STOP_WORDS, terms_of

SOON = date(2021, 1, 1)


def board(*names: str) -> Row:
    return dict(zip(("id", "task", "dataset", "metric"), names, strict=True))


BOARD = board("parsing/penn_treebank/f1", "Parsing", "Penn Treebank", "F1")
RIGHT = "Parsing the Penn Treebank: F1 of trees"


def only(corpus: Corpus, asked: Row = BOARD, **options: object) -> Candidates:
    options.setdefault("as_of", SOON)
    return find_candidates(corpus, [asked], **options)[asked["id"]]  # type: ignore[arg-type]


def test_a_candidate_has_every_word_of_task_dataset_and_metric(tmp_path: Path) -> None:
    corpus = write_papers(
        tmp_path,
        [
            paper("a", RIGHT),
            paper("b", "Parsing", abstract="An f1 of 90 on the PENN-treebank."),
            paper("c", "Parsing the Penn Treebank"),
        ],
    )
    assert only(corpus) == Candidates(("a", "b"), cut=0)


def test_fewer_names_make_more_candidates(tmp_path: Path) -> None:
    corpus = write_papers(tmp_path, [paper("a", RIGHT), paper("b", "Tagging the Penn Treebank")])
    assert only(corpus).papers == ("a",)
    assert only(corpus, names=("dataset",)).papers == ("a", "b")


def test_a_full_text_can_have_the_words_that_an_abstract_lacks(tmp_path: Path) -> None:
    papers = [paper("a", RIGHT), paper("b", "Parsing trees"), paper("c", "Parsing graphs")]
    texts = {"b": "We report F1 on the Penn Treebank.", "c": "We report F1 on another treebank."}
    corpus = write_papers(tmp_path, papers, texts=texts)
    assert only(corpus, text="abstracts").papers == ("a",)
    assert only(corpus, text="fulltext").papers == ("a", "b")


@pytest.mark.parametrize(
    ("published", "is_found"),
    [
        ("2020-12-31", True),
        ("2021-01-01", False),
        ("2021-01", False),
        ("2020", True),
        (None, False),
    ],
)
def test_a_paper_that_is_not_over_when_the_window_ends_is_no_candidate(
    published: str | None, is_found: bool, tmp_path: Path
) -> None:
    corpus = write_papers(tmp_path, [paper("planted", RIGHT, published)], texts={"planted": "Penn"})
    for text in graph_items.TEXTS:
        assert only(corpus, text=text).papers == (("planted",) if is_found else ())


def test_of_too_many_the_most_relevant_stay_and_the_rest_is_counted(tmp_path: Path) -> None:
    corpus = write_papers(
        tmp_path,
        [
            paper("a", RIGHT, abstract="nothing of interest " * 20),
            paper("b", "Parsing parsing parsing: Penn Treebank F1"),
            paper("c", RIGHT),
            paper("d", RIGHT),
            paper("e", "Tagging"),
        ],
    )
    # b repeats a word and is short; a is long; c and d are equal, so the lower id stays.
    assert only(corpus, limit=2) == Candidates(("b", "c"), cut=2)
    assert only(corpus, limit=3) == Candidates(("b", "c", "d"), cut=1)
    assert only(corpus, limit=4) == Candidates(("a", "b", "c", "d"), cut=0)


def test_names_without_a_word_have_no_candidates(tmp_path: Path) -> None:
    corpus = write_papers(tmp_path, [paper("a", RIGHT)])
    assert only(corpus, board("x", "--", "?", "%")) == Candidates((), cut=0)


@settings(deadline=None, max_examples=25)
@given(
    texts=st.lists(
        st.lists(st.sampled_from(["parsing", "of", "trees", "f1", "the"]), max_size=6), max_size=8
    ),
    names=st.lists(st.sampled_from(["parsing", "of", "trees", "f1"]), min_size=3, max_size=3),
    limit=st.integers(1, 9),
)
def test_candidates_are_what_a_scan_finds(
    texts: list[list[str]], names: list[str], limit: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("scan")
    titles = {f"p{place}": " ".join(words) for place, words in enumerate(texts)}
    corpus = write_papers(folder, [paper(name, title) for name, title in titles.items()])
    found = only(corpus, board("x", *names), limit=limit)
    wanted = set(names) - STOP_WORDS
    scanned = [p for p, title in titles.items() if wanted and wanted <= set(terms_of(title))]
    assert list(found.papers) == sorted(found.papers)
    assert set(found.papers) <= set(scanned)
    assert len(found.papers) == min(limit, len(scanned))
    assert found.cut == len(scanned) - len(found.papers)
