"""How many tables of real PDFs are read right, by truth from their LaTeX sources.

    python -m benchmarks.pdf.real_tables DIR [--half dev|test] [--files] [--peer]

`DIR` is what `benchmarks.pdf.real` wrote. The latex source of this package gives the true cells; it
shares no code with the reader of PDFs that finds cells. A true table counts where it has two rows
and columns and the text of a page holds nearly all of its cells, which leaves out tables of other
versions of a paper. Cells are compared by ASCII letters and digits, since LaTeX writes formulas
otherwise. `--peer` reads the same pages with pdfplumber and takes the table most like the true one.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pdfplumber
import pypdfium2
from benchmarks.pdf.grits import compare, grid_of
from benchmarks.pdf.score import compact, is_in_half
from rapidfuzz.fuzz import ratio

from vivavoce.errors import InputError
from vivavoce.sources.fulltext.latex import read_document
from vivavoce.sources.fulltext.pdf.document import read_file

_RIGHT = 0.9
"""F1 of the cells with text from which on a table is right."""
_PRINTED = 0.9
"""Share of the cells of a true table that a page holds, at least."""
_SAME_CAPTION = 80
"""Likeness of two captions of one table, of 100."""
_STRATEGIES: tuple[dict[str, str], ...] = (
    {},
    {"vertical_strategy": "text"},
    {"vertical_strategy": "text", "horizontal_strategy": "text"},
)
_COMMAND = re.compile(r"\\[A-Za-z]+|\\.")
_LABEL = re.compile(
    r"^\s*(?:tab(?:la|le|leau|ela|elle)?|[cq]uadro)\.?\s*[\dIVXA-Z.]+\s*[:.|]?\s*", re.IGNORECASE
)

Rows = Sequence[Sequence[str]]


class TrueTable(NamedTuple):
    """A table of a LaTeX source, and the number of the page that holds it."""

    caption: str
    cells: Rows
    page: int


def letters(text: str) -> str:
    """ASCII letters and digits of a cell, without the commands of formulas."""
    plain = compact(_COMMAND.sub(" ", text))
    return "".join(filter(str.isascii, plain))


def true_tables(latex: Path, pages: Sequence[str]) -> Iterator[TrueTable]:
    """The tables of a source that a page prints; those that share a caption are left out."""
    tables = read_document(latex).tables
    names = Counter(letters(table.caption) for table in tables)
    for table in tables:
        cells = [[letters(text) for text in row] for row in table.cells]
        filled = [cell for row in cells for cell in row if cell]
        if (
            len(cells) < 2
            or len(cells[0]) < 2
            or len(filled) < 4
            or names[letters(table.caption)] > 1
        ):
            continue
        shares = [sum(cell in page for cell in filled) / len(filled) for page in pages]
        caption = letters(table.caption)[:40]
        held = [p for p, share in enumerate(shares) if share >= _PRINTED and caption in pages[p]]
        if held and caption:
            yield TrueTable(letters(table.caption), cells, max(held, key=lambda p: shares[p]))


def f1(true: Rows, given: Rows) -> float:
    """Share of cells with text that stand at the place of the true ones, of both tables."""
    rows = [[letters(text or "") for text in row] for row in given]
    counts = [sum(bool(cell) for row in table for cell in row) for table in (true, rows)]
    if not all(counts):
        return 0.0
    right = compare(grid_of(true, ()), grid_of(rows, ())).exact * counts[0]
    return 2 * right / sum(counts)


def measure(path: Path, latex: Path, *, with_peer: bool) -> Iterator[dict[str, object]]:
    """A row for each true table of a paper."""
    with pypdfium2.PdfDocument(path) as document:
        pages = [letters(page.get_textpage().get_text_bounded()) for page in document]
    try:
        true = list(true_tables(latex, pages))
        given = list(read_file(path).tables) if true else []
    except InputError as error:
        print(f"left out: {path.name}: {error}", file=sys.stderr)
        return
    for table in true:
        captions = [letters(_LABEL.sub("", one.caption)) for one in given]
        likeness = [
            ratio(own[:80], table.caption[:80]) + ratio(own, table.caption) / 1000
            for own in captions
        ]
        best = max(range(len(given)), key=likeness.__getitem__, default=None)
        verdict, score = "missing", 0.0
        if best is not None and likeness[best] >= _SAME_CAPTION:
            cells = given[best].cells
            score = f1(table.cells, cells) if cells else 0.0
            verdict = "doubt" if not cells else "right" if score >= _RIGHT else "wrong"
        peer = _peer(path, table) if with_peer else 0.0
        yield {"caption": table.caption[:50], "verdict": verdict, "f1": score, "peer": peer}


def _peer(path: Path, table: TrueTable) -> float:
    """The best F1 of pdfplumber's tables on the page, over three ways to find lines."""
    with pdfplumber.open(path, pages=[table.page + 1]) as document:
        found = [one for how in _STRATEGIES for one in document.pages[0].extract_tables(how)]
    return max((f1(table.cells, one) for one in found if one), default=0.0)


def main() -> int:
    """Print the shares of tables that are right, wrong, in doubt and missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=["dev", "test"])
    parser.add_argument("--files", action="store_true", help="a line for each table")
    parser.add_argument("--peer", action="store_true")
    options = parser.parse_args()
    rows = []
    for line in (options.folder / "truth.jsonl").read_text("utf-8").splitlines():
        paper = json.loads(line)
        if is_in_half(paper, options.half):
            path = options.folder / paper["file"]
            for row in measure(path, Path(paper["latex"]), with_peer=options.peer):
                rows.append(row)
                if options.files:
                    print(f"{row['verdict']:8}{row['f1']:6.2f}{row['peer']:6.2f}", end=" ")
                    print(paper["file"], row["caption"])
    counts = Counter(str(row["verdict"]) for row in rows)
    given = counts["right"] + counts["wrong"]
    print(f"{len(rows)} tables: {dict(counts)}")
    print(f"right of those not in doubt: {counts['right'] / max(given, 1):.3f}")
    print(f"in doubt: {counts['doubt'] / max(len(rows), 1):.3f}")
    if options.peer:
        best = sum(float(str(row["peer"])) >= _RIGHT for row in rows)
        print(f"pdfplumber right: {best / max(len(rows), 1):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
