"""The sample corpus: fictional papers that come with the package, to try every family of tasks.

A few papers lack something on purpose, so that the quality gates have work: every tenth has no
section on related work, one has no abstract and one has no date.
"""

import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, document_adapter

MAX_PAPERS = 400
PAPERS = Path(__file__).with_name("sample_papers.jsonl.zst")
"""One document per line, in JSON."""


def read_papers(count: int = 60) -> tuple[Document, ...]:
    """The first papers of the sample by date; `InputError` for a count outside 1 … `MAX_PAPERS`."""
    import pyarrow as pa

    _check_count(count)
    with pa.input_stream(PAPERS, compression="zstd") as stream:
        lines = islice(io.BufferedReader(stream), count)
        return tuple(map(document_adapter().validate_json, lines))


def _check_count(count: int) -> None:
    if not 1 <= count <= MAX_PAPERS:
        raise InputError(
            f"A sample corpus has 1 to {MAX_PAPERS} papers, not {count}. "
            "Ask for a number in this range, such as: viva ingest sample 60"
        )


def _pieces(path: Path) -> Iterator[Piece]:
    """Read WHERE as a number of papers: `viva ingest sample 60` names no file."""
    try:
        count = int(str(path))
    except ValueError as error:
        raise InputError(
            f"The sample source takes a number of papers, not {str(path)!r}: viva ingest sample 60"
        ) from error
    _check_count(count)
    yield Piece(path, 0, count)


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    stop = MAX_PAPERS if piece.stop is None else piece.stop
    yield from read_papers(stop)[piece.start :]


SOURCE = Source(
    kind="sample",
    summary="fictional papers that come with the package; WHERE is how many, such as 60",
    is_metadata=True,
    matches=lambda path: False,
    pieces=_pieces,
    read=_read,
    reads_files=False,
    reader_version="2",
)
