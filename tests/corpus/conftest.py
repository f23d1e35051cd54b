"""Small papers and metadata written to files."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.tei import tei_text

from vivavoce.store import write_jsonl

TeiWriter = Callable[..., Path]
RowsWriter = Callable[[str, Sequence[Mapping[str, Any]]], Path]


@pytest.fixture
def write_tei(tmp_path: Path) -> TeiWriter:
    """Write a paper as TEI; returns its path."""

    def write(name: str, title: str, *, folder: Path = tmp_path / "tei", **parts: Any) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(tei_text(title, **parts), "utf-8")
        return path

    return write


@pytest.fixture
def write_rows(tmp_path: Path) -> RowsWriter:
    """Write metadata as JSON Lines; returns the path."""

    def write(name: str, rows: Sequence[Mapping[str, Any]]) -> Path:
        write_jsonl(tmp_path / name, rows)
        return tmp_path / name

    return write
