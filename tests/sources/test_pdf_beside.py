"""Text that flows around a figure, a table or a box is whole, and no caption is in it."""

import json
from collections.abc import Callable
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import stringWidth
from tests.servers.commands import viva_here
from tests.sources.pdf_pages import FILLER, TEXT, Paper

Draw = Callable[[Paper, float, float], None]


def narrow(page: Paper, x: float, width: float, lines: int) -> str:
    """Lines justified to a width, of words that no other line has; gives back the words."""
    said: list[str] = []
    for _ in range(lines):
        words: list[str] = []
        while stringWidth(" ".join([*words, "word999"]), TEXT, 10) < width:
            words.append(f"word{len(said) + len(words):03}")
        page.y += page.leading
        gap = (width - sum(stringWidth(word, TEXT, 10) for word in words)) / (len(words) - 1)
        at = x
        for word in words:
            at = page.say(word, at, page.y) + gap
        said += words
    return " ".join(said)


def picture(page: Paper, x: float, y: float) -> None:
    """Labels of a drawing with a caption of two lines below it, on the lines of the text."""
    for row, label in enumerate(("Encoder", "Decoder", "Output of the model")):
        page.say(label, x + 20, y + 14 * row, TEXT, 8)
    page.say("Figure 1: Parts of the reader that", x, y + 60)
    page.say("are trained by hand here.", x, y + 72)


def table(page: Paper, x: float, y: float) -> None:
    """A caption above rows of a table."""
    page.say("Table 1: Scores of both readers.", x, y + 4, TEXT, 9)
    for row, cells in enumerate((("Name", "F1"), ("First", "0.71"), ("Second", "0.78"))):
        page.say(cells[0], x + 10, y + 24 + 12 * row, TEXT, 9)
        page.say(cells[1], x + 90, y + 24 + 12 * row, TEXT, 9)


def opened(path: Path, *headings: str) -> Paper:
    page = Paper(path)
    page.centred(f"A Study of Small Papers of the Kind {path.stem}")
    page.sections(*headings)
    return page


def flowing(path: Path, draw: Draw, *, is_left: bool) -> str:
    """A paper whose Method flows around a float; gives back the words beside it."""
    page = opened(path, "1 Introduction", "2 Method")
    top = page.y + page.leading
    words = narrow(page, page.left + (190 if is_left else 0), 206, 8)
    draw(page, page.left + (0 if is_left else 220), top)
    page.paragraph(FILLER)
    page.sections("3 Results", "4 Conclusion")
    page.save()
    return words


def sections_of(folder: Path) -> dict[str, dict[str, str]]:
    """The sections of the PDFs of a folder, as a user gets them out of a corpus, by file."""
    corpus, rows = folder / "corpus", {}
    viva_here("ingest", "pdf", folder, "--corpus", corpus)
    for table in ("papers", "sections"):
        out = folder / f"{table}.jsonl"
        viva_here("corpus", "export", table, "--corpus", corpus, "--out", out)
        rows[table] = list(map(json.loads, out.read_text("utf-8").splitlines()))
    files = {row["paper_id"]: row["source_file"] for row in rows["papers"]}
    sections: dict[str, dict[str, str]] = {name: {} for name in files.values()}
    for row in rows["sections"]:
        sections[files[row["paper_id"]]][row["heading"]] = row["text"]
    return sections


def test_text_beside_a_float_is_whole_and_in_order(tmp_path: Path) -> None:
    words = {}
    for draw in (picture, table):
        for is_left in (True, False):
            path = tmp_path / f"{draw.__name__}-{is_left}.pdf"
            words[path.name] = flowing(path, draw, is_left=is_left)
    for name, sections in sections_of(tmp_path).items():
        text = sections["Method"]
        assert words[name] in " ".join(text.split())
        assert not [word for word in ("Figure 1", "Table 1", "Encoder") if word in text]


def test_two_figures_side_by_side_are_no_text(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf", "1 Introduction", "2 Method")
    for number, x in enumerate((108, 318), 1):
        page.say(f"Figure {number}: What is seen in the left", x, page.y + 80)
        page.say("of both halves of the sample.", x, page.y + 92)
    page.y += 110
    page.paragraph(FILLER)
    page.sections("3 Results", "4 Conclusion")
    page.save()
    text = sections_of(tmp_path)["a.pdf"]["Method"]
    assert "Figure" not in text
    assert "halves" not in text
    assert text.count("The corpus holds") == 2
