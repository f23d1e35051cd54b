"""Real TEI files: sections, references and what their tables cite."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from lxml import etree
from tests.sources.reading import read_one

from vivavoce.corpus.fields import assign_roles
from vivavoce.records import Document, Section
from vivavoce.sources.fulltext.assemble import plain_text
from vivavoce.text.citation_markers import name_key


@pytest.fixture(scope="module")
def real(data_dir: Path) -> dict[str, Document]:
    return {
        path.name: read_one("tei", path) for path in sorted((data_dir / "tei").glob("*.tei.xml"))
    }


@pytest.mark.data
def test_real_files_keep_references_and_tables(real: dict[str, Document], data_dir: Path) -> None:
    lines = (data_dir / "tei" / "index.jsonl").read_text("utf-8").splitlines()
    for row in map(json.loads, lines):
        document = real[row["file"]]
        assert len(document.references) == row["n_refs"], row["file"]
        assert len(document.tables) == row["n_tables"], row["file"]
        assert document.title is not None
        assert row["grobid_title"].endswith(document.title)


@pytest.mark.data
def test_no_paragraph_of_a_real_body_is_lost(real: dict[str, Document], data_dir: Path) -> None:
    name_space = "{http://www.tei-c.org/ns/1.0}"
    aside = {f"{name_space}figure", f"{name_space}note"}
    for name, document in real.items():
        text = " ".join("".join(s.text.split()) for s in document.sections)
        root = etree.parse(data_dir / "tei" / name).getroot()
        for paragraph in root.iterfind(f"{name_space}text//{name_space}p"):
            if aside & {around.tag for around in paragraph.iterancestors()}:
                continue
            printed = plain_text("".join(paragraph.itertext()))
            assert "".join(printed.split()) in text, name


@pytest.mark.data
def test_real_papers_show_their_introduction_and_conclusion(real: dict[str, Document]) -> None:
    def has(document: Document, role: str) -> bool:
        return any(s.role == role and s.level == 1 for s in assign_roles(document.sections))

    # Some papers have none, or GROBID lost its heading.
    assert sum(has(document, "introduction") for document in real.values()) >= 0.95 * len(real)
    assert sum(has(document, "conclusion") for document in real.values()) >= 0.9 * len(real)


@pytest.mark.data
def test_real_sections_are_well_formed(real: dict[str, Document]) -> None:
    sections = [s for document in real.values() for s in document.sections]
    assert all(s.heading is None or any(map(str.isalpha, s.heading)) for s in sections)
    assert all(s.level >= 1 and s.text == s.text.strip() for s in sections)
    for document in real.values():
        assert [s.ordinal for s in document.sections] == list(range(len(document.sections)))
        assert not _falls_back(document.sections)


def _falls_back(sections: tuple[Section, ...]) -> list[str]:
    """Top-level Arabic numbers that go back before the appendix."""
    numbers = [s.number for s in sections if s.level == 1 and (s.number or "").isdigit()]
    return [b for a, b in pairwise(numbers) if a and b and int(b) <= int(a)]


@pytest.mark.data
def test_a_good_share_of_real_tables_cites(real: dict[str, Document]) -> None:
    # Most tables print no marker at all: about a quarter does.
    tables = [table for document in real.values() for table in document.tables]
    assert sum(bool(table.cited) for table in tables) >= 0.18 * len(tables)
    assert sum(len(table.cited) for table in tables) >= 0.5 * len(tables)


@pytest.mark.data
def test_what_real_tables_cite_is_named_in_them(real: dict[str, Document]) -> None:
    named = total = 0
    for document, printed in ((one, table) for one in real.values() for table in one.tables):
        cells = " ".join(cell for row in printed.cells for cell in row)
        text = f"{printed.caption} {cells}"
        joined = name_key_of(text)
        for ordinal in printed.cited:
            author = document.references[ordinal].first_author or ""
            words = [name_key(word) for word in author.split()]
            named += "[" in text or any(len(word) > 1 and word in joined for word in words)
            total += 1
    assert named >= 0.97 * total


def name_key_of(text: str) -> str:
    """A long text as `name_key` would write it."""
    return "".join(name_key(word) for word in text.split())
