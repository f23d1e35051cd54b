"""Small papers and metadata written to files, and corpora made of them."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

TeiWriter = Callable[..., Path]
RowsWriter = Callable[[str, Sequence[Mapping[str, Any]]], Path]


@pytest.fixture
def write_tei(tmp_path: Path) -> TeiWriter:
    """Write a paper as TEI; returns its path."""

    def write(
        name: str,
        title: str,
        *,
        abstract: str = "",
        doi: str = "",
        sections: Mapping[str, str] | None = None,
        cited: Sequence[str] = (),
        authors: Sequence[str] = (),
        folder: Path = tmp_path / "tei",
    ) -> Path:
        people = "".join(
            f"<author><persName><surname>{escape(name)}</surname></persName></author>"
            for name in authors
        )
        number = f'<idno type="DOI">{doi}</idno>' if doi else ""
        body = "".join(
            f"<div><head>{escape(head)}</head><p>{escape(text)}</p></div>"
            for head, text in (sections or {"Introduction": "Some words."}).items()
        )
        entries = "".join(
            f'<biblStruct><analytic><title level="a">{escape(t)}</title></analytic></biblStruct>'
            for t in cited
        )
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"""<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
            <title level="a" type="main">{escape(title)}</title></titleStmt><sourceDesc><biblStruct>
            <analytic>{people}</analytic>{number}</biblStruct></sourceDesc></fileDesc><profileDesc>
            <abstract><p>{escape(abstract)}</p></abstract></profileDesc></teiHeader><text><body>{body}
            </body><back><div type="references"><listBibl>{entries}</listBibl></div></back></text>
            </TEI>""",
            "utf-8",
        )
        return path

    return write


@pytest.fixture
def write_rows(tmp_path: Path) -> RowsWriter:
    """Write metadata as JSON Lines; returns the path."""

    def write(name: str, rows: Sequence[Mapping[str, Any]]) -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return path

    return write
