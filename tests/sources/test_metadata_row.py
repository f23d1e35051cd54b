"""What one row of metadata says of a paper."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.metadata_files import same_folder

from vivavoce.records import Author, Document, Fault
from vivavoce.sources import Piece, ReadOptions
from vivavoce.sources.catalogues.metadata import SOURCE


def read_row(folder: Path, row: Mapping[str, Any]) -> Document | Fault:
    path = folder / "row.jsonl"
    path.write_text(json.dumps(row))
    (item,) = SOURCE.read(Piece(path), ReadOptions())
    return item


def document(folder: Path, **row: Any) -> Document:
    item = read_row(folder, {"id": "a", **row})
    assert isinstance(item, Document), item
    return item


def reason(folder: Path, **row: Any) -> str:
    item = read_row(folder, {"id": "a", **row})
    assert isinstance(item, Fault), item
    assert item.where == "row.jsonl:1"
    return item.reason


def test_a_full_row_fills_a_document(tmp_path: Path) -> None:
    row = {
        "id": "p1",
        "title": "A  Title\nin two lines",
        "abstract": "First line.\nSecond line.\n",
        "authors": ["Author 001", "Author 002"],
        "author_ids": ["a1", None],
        "published": "2014-10-20",
        "year": 1999,
        "categories": ["cs.NE", "cs.LG"],
        "doi": "https://doi.org/10.1000/ABC",
        "arxiv_id": "arXiv:1410.5401v2",
        "source_url": "https://example.org/paper",
        "venues": ["nips", "arxiv"],
        "booktitle": "Proceedings",
        "licence": "CC BY 4.0",
        "file": "folder/1410.5401.pdf",
        "colour": "ignored",
    }
    assert read_row(tmp_path, row) == Document(
        kind="metadata",
        key="arxiv:1410.5401",
        source_file="1410.5401.pdf",
        given_id="p1",
        arxiv_id="1410.5401",
        doi="10.1000/abc",
        source_url="https://example.org/paper",
        title="A Title in two lines",
        abstract="First line.\nSecond line.",
        published="2014-10-20",
        categories=("cs.NE", "cs.LG"),
        venue="nips; arxiv",
        licence="CC BY 4.0",
        authors=(Author("Author 001", "a1"), Author("Author 002")),
    )


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ({"id": "1410.5401v2", "doi": "10.1000/1"}, "arxiv:1410.5401"),
        ({"id": "x", "doi": "10.1000/1"}, "doi:10.1000/1"),
        ({"doi": "10.18653/v1/P18-1001"}, "acl:P18-1001"),
        ({"id": "x", "source_url": "https://example.org"}, "id:x"),
        ({"id": 17}, "id:17"),
        ({"source_url": "https://www.Example.org/A/#top"}, "url:example.org/A"),
        ({"source_url": "http://aclweb.org/anthology/C14-1220"}, "acl:C14-1220"),
        ({"file": "C:\\papers\\a.pdf"}, "file:a.pdf"),
    ],
)
def test_the_key_is_the_strongest_identity(tmp_path: Path, row: dict[str, Any], key: str) -> None:
    item = read_row(tmp_path, row)
    assert isinstance(item, Document)
    assert item.key == key


@pytest.mark.parametrize(
    ("row", "published"),
    [
        ({"published": "2014-10-20"}, "2014-10-20"),
        ({"published": "2014-10-20T12:00:00Z", "year": 1999}, "2014-10-20"),
        ({"year": 2014, "month": "25-26 August"}, "2014-08"),
        ({"year": "2014", "month": "Sept"}, "2014-09"),
        ({"year": "2014.0", "month": "5.0"}, "2014-05"),
        ({"year": 2014, "month": " "}, "2014"),
        ({"published": "", "year": 2014}, "2014"),
        ({}, None),
    ],
)
def test_a_date_comes_from_published_or_year_and_month(
    tmp_path: Path, row: dict[str, Any], published: str | None
) -> None:
    assert document(tmp_path, **row).published == published


@pytest.mark.parametrize(
    ("authors", "ids", "expected"),
    [
        (["A 1", "B 2"], None, (Author("A 1"), Author("B 2"))),
        ("A 1; B 2;", None, (Author("A 1"), Author("B 2"))),
        ("A 1; B 2", "x;", None),  # one id for two authors
        ("A 1; B 2; C 3", "x;;z", (Author("A 1", "x"), Author("B 2"), Author("C 3", "z"))),
        (["A 1", "", "C 3"], ["x", "y", 3], (Author("A 1", "x"), Author("C 3", "3"))),
        (["A 1", "B 2"], [None], (Author("A 1"), Author("B 2"))),
        ([{"name": "A 1", "id": "x"}, {"name": "B 2"}], None, (Author("A 1", "x"), Author("B 2"))),
        ('["A 1", "B 2"]', None, (Author("A 1"), Author("B 2"))),
        (None, None, ()),
    ],
)
def test_authors_are_a_list_or_separated_text(
    tmp_path: Path, authors: Any, ids: Any, expected: tuple[Author, ...] | None
) -> None:
    if expected is None:
        assert "author_ids has 1 entries, authors has 2" in reason(
            tmp_path, authors=authors, author_ids=ids
        )
    else:
        assert document(tmp_path, authors=authors, author_ids=ids).authors == expected


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"id": None}, "none of id, doi, arxiv_id, source_url, file"),
        ({"id": None, "doi": "n/a", "arxiv_id": "soon"}, "none of id, doi"),
        ({"id": True}, "id is of the type bool instead of text"),
        ({"arxiv_id": 1410.5401}, "arxiv_id is of the type float instead of text"),
        ({"title": 5}, "title is of the type int instead of text"),
        ({"published": "soon"}, "published 'soon' is not a date"),
        ({"published": []}, None),
        ({"published": {}}, "published {} is not a date"),
        ({"year": "2014-05"}, "year '2014-05' is not a year"),
        ({"year": 2014, "month": "Spring"}, "month 'Spring' is not a month"),
        ({"month": "May"}, "month 'May' has no year"),
        ({"authors": [5]}, "an entry of authors is of the type int instead of text"),
        ({"authors": "['A', 'B']"}, "looks like a list but is not JSON"),
        ({"author_ids": ["x"]}, "author_ids has 1 entries, authors has 0"),
    ],
)
def test_a_bad_row_says_what_is_bad(tmp_path: Path, row: dict[str, Any], words: str | None) -> None:
    if words is None:
        assert document(tmp_path, **row).published is None
    else:
        assert words in reason(tmp_path, **row)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(categories=None), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
NAMES = ("id", "title", "abstract", "authors", "author_ids", "published", "year", "month")
NAMES += ("categories", "doi", "arxiv_id", "source_url", "venues", "booktitle", "licence", "file")


@same_folder
@given(st.dictionaries(st.sampled_from(NAMES), JSON))
def test_any_json_row_gives_a_document_or_a_reason(tmp_path: Path, row: dict[str, Any]) -> None:
    item = read_row(tmp_path, row)
    repr(item).encode("utf-8")
    if isinstance(item, Document):
        assert item.key.partition(":")[2]
        for text in (item.title, item.abstract, item.given_id, item.source_url, item.doi):
            assert text is None or text.encode("utf-8")
