"""Papers typeset in many styles, with the truth known by construction (benchmarks/pdf/styles)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unicodedata import combining, normalize

import pytest

from vivavoce.sources.fulltext.pdf.document import read_file
from vivavoce.sources.fulltext.pdf.evidence import compact

FOLDER = Path(__file__).parent / "fixtures" / "pdf"
ROWS = [json.loads(line) for line in (FOLDER / "truth.jsonl").read_text("utf-8").splitlines()]
END_MATTER = {"acknowledgements", "acknowledgments", "благодарности", "paperchecklist", "سپاسگزاری"}


def bare(name: str) -> str:
    """A name without accents, which some old fonts set as signs that no order tells to a letter."""
    return compact("".join(c for c in normalize("NFKD", name) if not combining(c)))


@pytest.mark.parametrize("row", ROWS, ids=[row["style"] for row in ROWS])
def test_a_style_is_read(row: dict[str, Any]) -> None:
    document = read_file(FOLDER / row["file"])
    tops = [compact(s.heading or "") for s in document.sections if s.level == 1]
    wanted = [compact(heading) for level, heading in row["headings"] if level == 1]
    assert [name for name in tops if name not in END_MATTER] == wanted
    assert compact(document.title or "") == compact(row["title"])
    assert [bare(a.name) for a in document.authors] == [bare(name) for name in row["authors"]]
    assert all(0.5 < (author.confidence or 0) < 1 for author in document.authors)
    assert document.health == "good"
    raw = [compact(reference.raw) for reference in document.references]
    assert len(raw) == len(row["references"])
    held = [sum(compact(title) in entry for entry in raw) >= 1 for title in row["references"]]
    assert sum(held) >= 0.9 * len(held)
