"""Rows out of files as people, programs and accidents write them."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.sources.metadata_files import kinds, read, write

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions
from vivavoce.sources.catalogues.metadata import SOURCE, unknown_columns


def test_the_format_is_told_from_the_content(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["p1"]}), tmp_path / "table.csv")
    assert kinds(read(tmp_path / "table.csv")) == ["p1"]
    assert kinds(read(write(tmp_path, "lines.csv", ' \n{"id": "p1"}'))) == ["p1"]
    assert kinds(read(write(tmp_path, "cells.jsonl", "id,title\np1,T\n"))) == ["p1"]
    packed = tmp_path / "packed.jsonl"
    packed.write_bytes(gzip.compress(b'{"id": "p1"}'))
    assert kinds(read(packed)) == ["p1"]
    assert kinds(read(write(tmp_path, "bom.jsonl", b'\xef\xbb\xbf{"id": "p1"}'))) == ["p1"]


def test_bad_json_lines_are_named_and_the_rest_goes_in(tmp_path: Path) -> None:
    lines = [
        b"not json",
        b'{"id": "p2"}',
        b"",
        b'{"id": "p4", "year": NaN}',
        b"[1, 2]",
        b'{"id": "\xff"}',
        b"[" * 100_000,
        b'{"id": "p8"}\r',
        b'{"id": "p9"',
    ]
    items = read(write(tmp_path, "a.jsonl", b"\n".join(lines)))
    assert kinds(items) == [
        "a.jsonl:1",
        "p2",
        "a.jsonl:4",
        "a.jsonl:5",
        "a.jsonl:6",
        "a.jsonl:7",
        "p8",
        "a.jsonl:9",
    ]


def test_bad_csv_lines_are_named_and_the_rest_goes_in(tmp_path: Path) -> None:
    content = (
        b'id,title\np2,T\np3,T,more\np4,"open quote\np5,T\np6,\xff\np7,"x"y\np8,T\np9\np10,"last'
    )
    items = read(write(tmp_path, "a.csv", content))
    assert kinds(items) == [
        "p2",
        "a.csv:3",
        "a.csv:4",
        "p5",
        "a.csv:6",
        "a.csv:7",
        "p8",
        "a.csv:9",
        "a.csv:10",
    ]


def test_a_field_beyond_the_limit_costs_one_line(tmp_path: Path) -> None:
    content = "id,title\np2," + "x" * 200_000 + "\np3,T\n"
    assert kinds(read(write(tmp_path, "a.csv", content))) == ["a.csv:2", "p3"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_cut_gzip_file_gives_the_rows_before_the_cut(tmp_path: Path, name: str) -> None:
    rows = "".join(
        f'{{"id": "p{n}"}}\n' if name == "a.jsonl" else f"p{n},{n * 7919 % 1009}\n"
        for n in range(20_000)
    )
    head = "" if name == "a.jsonl" else "id,title\n"
    packed = gzip.compress((head + rows).encode())
    path = tmp_path / name
    path.write_bytes(packed[: len(packed) // 2])
    *items, last = read(path)
    assert 1000 < len(items) < 20_000
    assert isinstance(last, Fault)
    assert "cannot be read beyond row" in last.reason
    assert unknown_columns(path, ReadOptions()) == []


def test_a_damaged_parquet_page_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table({"id": [f"p{n}" for n in range(5000)]})
    pq.write_table(table, path, compression="zstd", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[100:2000] = bytes(1900)
    path.write_bytes(content)
    (item,) = read(path)
    assert isinstance(item, Fault)
    assert "cannot be read beyond row 0" in item.reason


def test_a_parquet_cell_that_is_not_utf8_costs_its_row(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    titles = pa.array([b"good", b"\xff", b"also good"]).view(pa.string())
    pq.write_table(pa.table({"id": ["p1", "p2", "p3"], "title": titles}), path)
    assert kinds(read(path)) == ["p1", "a.parquet:2", "p3"]


def test_a_path_that_is_no_file_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a file"):
        list(SOURCE.pieces(tmp_path / "absent.jsonl"))
    with pytest.raises(InputError, match="does not exist"):
        unknown_columns(tmp_path / "absent.jsonl", ReadOptions())


def is_partition(pieces: list[Piece], end: int) -> bool:
    stops = [piece.stop for piece in pieces]
    return [piece.start for piece in pieces] == [0, *stops[:-1]] and stops[-1] == end


@pytest.mark.parametrize(
    ("rows", "group", "starts"),
    [
        (25_000, 25_000, [0, 10_000, 20_000]),  # one large group
        (25_000, 100, [0, 10_000, 20_000]),  # many small groups
        (25_000, 6_000, [0, 12_000, 24_000]),  # two small groups make a piece
        (176_000, 176_000, list(range(0, 176_000, 11_000))),  # at most 16 to a group
        (30_000, 11_000, [0, 10_000, 11_000, 21_000, 22_000]),  # groups of 11,000 and 8,000
        (500, 500, [0]),
    ],
)
def test_parquet_is_cut_by_rows(tmp_path: Path, rows: int, group: int, starts: list[int]) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": range(rows)}), path, row_group_size=group)
    pieces = list(SOURCE.pieces(path))
    assert [piece.start for piece in pieces] == starts
    assert len(pieces) == 1 or is_partition(pieces, rows)


def test_every_row_of_a_parquet_file_in_pieces_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": range(12_000)}), path, row_group_size=11_000)
    assert len(list(SOURCE.pieces(path))) > 1
    found = [document.given_id for document in read(path) if isinstance(document, Document)]
    assert found == [str(number) for number in range(12_000)]
