"""Citations of a numbered list of works, counted by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.metrics.citation_list import find_citations

WORKS = [
    "Deep Nets for Paper Reading",
    "BERT",
    "Sparse Attention: A Survey",
    "Graphs of Papers",
    "Reading by Walking on Graphs",
]


def scores(text: str, cited: list[int] | None = None) -> tuple[float | None, float | None]:
    found = find_citations(text, WORKS)
    wanted = cited if cited is not None else [1, 2, 3, 4]
    return found.precision(wanted), found.recall(wanted)


@pytest.mark.parametrize(
    ("text", "listed", "unlisted"),
    [
        ("Nets read papers [1].", {1}, 0),
        ("Nets read papers [1, 3-5].", {1, 3, 4, 5}, 0),
        ("Nets read papers [7], as [1] says; so does [6, 7].", {1}, 2),
        ("Nobody is cited here.", set(), 0),
        # By title, in any case and punctuation; a title of one word is not a title in a sentence.
        ("As in deep nets for paper reading, BERT is read.", {1}, 0),
        ("*Sparse Attention - A Survey* [3] tells more.", {3}, 0),
        # Names with a year point at nothing in the list, unless a number follows.
        ("Miller et al. (2020) read papers.", set(), 1),
        ("Miller et al. (2020) and Miller et al. (2020) read papers [2].", {2}, 1),
        ("Miller et al. (2020) [4] read papers.", {4}, 0),
        ("In June 2020 the field changed.", set(), 0),
        # What is in brackets and no citation.
        ("Values in [0, 1] and x[3] and sizes [2, 4].", set(), 0),
        # A list of references cites nothing.
        ("Nets [1].\n\n## References\n[2] BERT\n[3] Sparse Attention: A Survey", {1}, 0),
    ],
)
def test_what_a_text_cites(text: str, listed: set[int], unlisted: int) -> None:
    found = find_citations(text, WORKS)
    assert (found.listed, found.unlisted) == (listed, unlisted)


def test_precision_and_recall_by_hand() -> None:
    # Cited: 1, 3, 5 and 9, of which 1 and 3 are wanted: P = 2/4. Of 1, 2, 3, 4 they are 2: R = 2/4.
    assert scores("One [1], three [3], five [5], nine [9].") == (2 / 4, 2 / 4)


def test_what_has_no_denominator_is_undefined() -> None:
    assert scores("Nobody is cited here.") == (None, 0.0)
    assert scores("One [1].", []) == (0.0, None)
    assert find_citations("One [1].", []).precision([1]) == 0.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The paper cites 1 and 2, whose counts are 4 and 8: the median is 6.
        ("One [1], three [3].", 7 / 6),  # of 4 and 10 it is 7
        ("Again [3], and again [3, 1].", 7 / 6),  # a work counts once
        ("Nobody is cited.", 0.0),
        ("Beyond the list [99].", 0.0),
        ("One [1], and three that nobody knows [97, 98, 99].", 0.0),  # of 4, 0, 0, 0
        ("A work without a count [4].", None),
        ("One [1] and a work without a count [4].", 4 / 6),
    ],
)
def test_importance_by_hand(text: str, expected: float | None) -> None:
    found = find_citations(text, WORKS).importance([4, 8, 10, None, 0], [1, 2, 4])
    assert found == (None if expected is None else pytest.approx(expected))


def test_importance_is_undefined_where_the_papers_own_works_have_no_citations() -> None:
    cited = find_citations("One [1].", WORKS)
    assert cited.importance([4, 0, 0, 1, None], [2, 3, 4]) is None  # the median is 0
    assert cited.importance([4, 0, 0, 1, None], [5]) is None
    assert cited.importance([4, 0, 0, 1, None], []) is None


def test_the_gold_text_cites_what_it_cites() -> None:
    text = "Papers are read by nets [1] and by BERT [2]; see also [3], [4]."
    assert scores(text) == (1.0, 1.0)


@given(st.text(alphabet="[]1234567890,-–; ab\n.", max_size=200))
def test_shares_are_shares(text: str) -> None:
    found = find_citations(text, WORKS)
    precision = found.precision([1, 2])
    assert precision is None or 0 <= precision <= 1
    assert found.importance([3, 1, 4, 1, 5], [1, 2]) is not None
    assert found.listed <= {1, 2, 3, 4, 5}
