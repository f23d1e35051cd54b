"""Real papers, where they are at hand."""

import json
import sys
from pathlib import Path
from typing import Any
from unicodedata import combining, normalize

import pytest

from vivavoce.corpus.fields import assign_roles
from vivavoce.records import Document
from vivavoce.sources.fulltext.pdf.document import read_file
from vivavoce.sources.fulltext.pdf.evidence import compact

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def papers(data_dir: Path) -> list[tuple[dict[str, Any], Document]]:
    folder = data_dir / "pdf"
    rows = [json.loads(line) for line in (folder / "truth.jsonl").read_text("utf-8").splitlines()]
    return [(row, read_file(folder / row["file"])) for row in rows]


Papers = list[tuple[dict[str, Any], Document]]


def tops(document: Document) -> set[str]:
    return {compact(s.heading or "") for s in document.sections if s.level == 1}


def test_at_least_97_of_100_top_level_headings_are_found(papers: Papers) -> None:
    wanted = [(compact(n), d) for row, d in papers for n in row["sections"] or []]
    found = [name for name, document in wanted if name in tops(document)]
    assert len(found) >= 0.97 * len(wanted)


def test_at_least_97_of_100_headings_of_the_body_are_true(papers: Papers) -> None:
    right = given = 0
    for row, document in papers:
        if row["sections"] is None:
            continue
        listed = {compact(n) for n in [*row["sections"], *(row["appendix_sections"] or [])]}
        for section in assign_roles(document.sections):
            if section.level > 1 or section.role in {"acknowledgements", "appendix"}:
                continue
            given += 1
            right += compact(section.heading or "") in listed
    assert right >= 0.97 * given


def test_at_least_21_of_22_titles_are_right(papers: Papers) -> None:
    right = [compact(d.title or "") == compact(row["title"]) for row, d in papers]
    assert sum(right) >= len(right) - 1


def test_abstracts_agree_with_the_anthology(papers: Papers) -> None:
    for row, document in papers:
        if row["abstract"]:
            ours, theirs = compact(document.abstract or ""), compact(row["abstract"])
            assert ours[:60] == theirs[:60], row["file"]
            assert abs(len(ours) - len(theirs)) < 0.15 * len(theirs), row["file"]


def test_no_introduction_holds_the_next_section(papers: Papers) -> None:
    for row, document in papers:
        places = [place for place, s in enumerate(document.sections) if s.level == 1]
        later = [s.text for s in document.sections[places[1] :] if len(s.text) > 80]
        assert later, row["file"]
        assert later[0][:80] not in document.sections[places[0]].text, row["file"]


def test_related_work_is_found_in_every_paper_that_has_a_section_of_it(papers: Papers) -> None:
    for row, document in papers:
        names = [compact(name) for name in row["sections"] or []]
        if any(name.startswith(("relatedwork", "backgroundandrelatedwork")) for name in names):
            roles = {section.role for section in assign_roles(document.sections)}
            assert "related_work" in roles, row["file"]


def test_references_are_cut_into_entries_of_one_work(papers: Papers) -> None:
    for row, document in papers:
        raw = [reference.raw for reference in document.references]
        assert len(raw) >= 9, row["file"]
        dated = sum(reference.year is not None for reference in document.references)
        assert dated >= 0.8 * len(raw), row["file"]


def test_no_running_text_is_left_behind_a_page_number(papers: Papers) -> None:
    for row, document in papers:
        lines = [line for s in document.sections for line in s.text.split("\n\n")]
        assert not [line for line in lines if line.strip().isdigit()], row["file"]


def test_the_benchmark_measures_the_same(data_dir: Path) -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks" / "pdf"))
    try:
        from accuracy import measure  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    rows = (data_dir / "pdf" / "truth.jsonl").read_text("utf-8").splitlines()
    row = next(json.loads(line) for line in rows if '"green.pdf"' in line)
    line = measure(row, data_dir / "pdf", data_dir / "latex")
    assert (line.found, line.true, line.title) == (7, 7, True)
    assert line.words >= 0.97
    assert line.out_of_order < 0.02


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
