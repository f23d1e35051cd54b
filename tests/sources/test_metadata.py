"""Metadata of papers, the same from every format, under our names or theirs."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.metadata_files import read, same_folder, write

from vivavoce.errors import InputError
from vivavoce.records import Author, Document
from vivavoce.sources import ReadOptions
from vivavoce.sources.catalogues.metadata import unknown_columns

WORDS = st.text("abcdé ü-", min_size=1, max_size=12).filter(lambda t: t == " ".join(t.split()))
ROWS = st.fixed_dictionaries(
    {
        "id": st.integers(0, 999).map("p{}".format),
        "title": WORDS,
        "abstract": WORDS,
        "authors": st.lists(WORDS, max_size=3),
        "published": st.dates().map(str),
        "categories": st.lists(WORDS, max_size=2),
        "licence": st.none() | WORDS,
    }
)


@same_folder
@given(st.lists(ROWS, min_size=1, max_size=5))
def test_a_row_is_the_same_in_every_format(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    expected = [
        Document(
            kind="metadata",
            key=f"id:{row['id']}",
            given_id=row["id"],
            title=row["title"],
            abstract=row["abstract"],
            authors=tuple(map(Author, row["authors"])),
            published=row["published"],
            categories=tuple(row["categories"]),
            licence=row["licence"],
        )
        for row in rows
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    table = io.StringIO()
    writer = csv.DictWriter(table, list(rows[0]))
    writer.writeheader()
    for row in rows:
        joined = {"authors": ";".join(row["authors"]), "categories": ";".join(row["categories"])}
        if len(row["categories"]) == 1:
            joined["categories"] += ";"
        writer.writerow({**row, **joined})
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    for path in (
        write(tmp_path, "rows.jsonl", lines),
        write(tmp_path, "rows.jsonl.gz", lines),
        write(tmp_path, "rows.csv", table.getvalue()),
        write(tmp_path, "rows.csv.gz", table.getvalue()),
        tmp_path / "rows.parquet",
    ):
        assert read(path) == expected


@pytest.fixture(params=["parquet", "jsonl", "csv"])
def foreign(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """One row in another's words."""
    path = tmp_path / f"foreign.{request.param}"
    if request.param == "parquet":
        pq.write_table(pa.table({"key": ["p1"], "name": ["T"], "stars": ["5"]}), path)
    elif request.param == "jsonl":
        path.write_text('{"key": "p1", "name": "T", "stars": "5"}\n')
    else:
        path.write_text("key,name,stars\np1,T,5\n")
    return path


def test_columns_are_renamed_and_the_rest_is_listed(foreign: Path) -> None:
    rename = {"key": "id", "name": "title"}
    (item,) = read(foreign, **rename)
    assert isinstance(item, Document)
    assert (item.given_id, item.title) == ("p1", "T")
    assert unknown_columns(foreign, ReadOptions(rename)) == ["stars"]
    assert unknown_columns(foreign, ReadOptions()) in (["key", "name", "stars"], [])


@pytest.mark.parametrize(
    ("rename", "words"),
    [
        ({"titel": "title"}, "has no column 'titel'. It has: key, name, stars"),
        ({"name": "titel"}, "there is no field 'titel'. Choose from: id, title"),
        ({"name": "title", "stars": "title"}, "several columns are mapped to 'title'"),
    ],
)
def test_an_odd_rename_is_wrong_use(foreign: Path, rename: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        unknown_columns(foreign, ReadOptions(rename))
    with pytest.raises(InputError, match=words):
        read(foreign, **rename)


def test_a_key_that_only_a_late_row_has_can_be_renamed(tmp_path: Path) -> None:
    lines = [f'{{"id": "p{number}"}}' for number in range(10_050)] + ['{"id": "q", "name": "T"}']
    items = read(write(tmp_path, "late.jsonl", "\n".join(lines)), name="title")
    assert isinstance(items[-1], Document)
    assert (len(items), items[-1].title) == (10_051, "T")


@pytest.mark.data
def test_the_anthology_is_read_whole(data_dir: Path) -> None:
    path = data_dir / "acl" / "acl_upto2022.parquet"
    items = [item for item in read(path) if isinstance(item, Document) and item.published]
    assert len(items) == len({item.acl_id for item in items}) == 38_962
    first = min(items, key=lambda item: str(item.acl_id))
    assert (first.acl_id, first.published) == ("1963.earlymt-1.1", "1963-08")
    assert unknown_columns(path, ReadOptions()) == []


@pytest.mark.data
def test_the_index_of_the_tei_files_names_their_papers(data_dir: Path) -> None:
    path = data_dir / "tei" / "index.jsonl"
    items = [item for item in read(path) if isinstance(item, Document)]
    assert len(items) == 100
    assert sum(item.arxiv_id is not None for item in items) == 85
    assert sum(item.acl_id is not None for item in items) == 4
    assert "grobid_title" in unknown_columns(path, ReadOptions())
