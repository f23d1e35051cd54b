"""How many cells of made tables are read out of PDF and LaTeX, style by style.

    python -m benchmarks.pdf.tables --out DIR [--half developed|held|all] [--tables N] [--json]

Each style is a document with some tables between paragraphs. Styles are split in two by the SHA-256
of their names: the reader was written with one half in view, and the other half was looked at once,
at the end. Needs TeX Live and Chromium, each for its own styles.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.pdf.grits import Similarity, compare, grid_of
from benchmarks.pdf.made_tables import MadeTable, as_html, as_latex, make_table

from vivavoce.records import CitedTable
from vivavoce.sources.fulltext.latex import read_document
from vivavoce.sources.fulltext.pdf.document import read_file

STYLES: dict[str, dict[str, Any]] = {
    "booktabs": {},
    "booktabs-right": {"align": "r"},
    "booktabs-narrow": {"columns": 2, "size": "\\footnotesize", "sep": "3pt"},
    "booktabs-wide-float": {"columns": 2, "star": True},
    "booktabs-below": {"below": True, "columns": 2, "size": "\\small"},
    "hline": {"rules": "hline"},
    "hline-small": {"rules": "hline", "size": "\\scriptsize", "columns": 2, "sep": "4pt"},
    "hline-times": {"rules": "hline", "font": "newtxtext,newtxmath", "below": True},
    "grid": {"rules": "grid"},
    "grid-narrow": {"rules": "grid", "columns": 2, "size": "\\footnotesize", "sep": "3pt"},
    "rows-ruled": {"rules": "rows", "align": "r"},
    "bare": {"rules": "none"},
    "bare-right": {"rules": "none", "align": "r", "columns": 2, "size": "\\small"},
    "zebra": {"zebra": True, "font": "helvet"},
    "scaled": {"scale": 0.72, "columns": 2},
    "loose": {"stretch": 1.5, "sep": "12pt"},
    "words": {"kind": "words"},
    "words-grid": {"kind": "words", "rules": "grid", "wrap": "5cm"},
    "words-rows": {"kind": "words", "rules": "rows", "size": "\\small"},
    "words-bare": {"kind": "words", "rules": "none", "stretch": 1.2},
    "words-wide": {"kind": "words", "columns": 2, "star": True, "wrap": "6cm"},
    "page-plain": {"page": "td,th{padding:2px 8px}"},
    "page-grid": {"page": "td,th{border:1px solid #333;padding:3px 8px}"},
    "page-zebra": {"page": "tr:nth-child(even){background:#ddd} td,th{padding:4px 14px}"},
    "page-words": {"page": "td,th{border-bottom:1px solid #999;padding:4px}", "kind": "words"},
    "page-sans": {"page": "body{font-family:sans-serif;font-size:9pt} td,th{padding:1px 10px}"},
}
_TEXT = (
    "The study compares what systems read with what readers know, and asks which of the two says "
    "more about a field. It takes each case apart before it is counted, so that no case weighs "
    "more than another, and reports what is left without a further choice. "
)


def is_held(style: str) -> bool:
    """Check whether a style is of the half that the reader was not written for."""
    return hashlib.sha256(style.encode()).digest()[0] % 2 == 1


def made(style: str, count: int) -> list[MadeTable]:
    """The tables of a style: no two styles share one."""
    start = 1 + sorted(STYLES).index(style) * 30
    kind = STYLES[style].get("kind", "results")
    return [make_table(start + n, kind) for n in range(count)]


def latex_source(style: str, tables: list[MadeTable]) -> str:
    """The document of a style."""
    of = STYLES[style]
    star = "*" if of.get("star") else ""
    options = "twocolumn,10pt" if of.get("columns") == 2 else "11pt"
    packages = "booktabs,multirow,colortbl,graphicx" + (f",{of['font']}" if "font" in of else "")
    parts = []
    for table in tables:
        tabular = as_latex(table, of)
        if "scale" in of:
            tabular = f"\\scalebox{{{of['scale']}}}{{{tabular}}}"
        if of.get("columns") == 2:  # what is too wide is made to fit, as authors do
            fit = "\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi"
            tabular = f"\\resizebox{{{fit}}}{{!}}{{{tabular}}}"
        caption = f"\\caption{{{table.caption}}}"
        inside = f"{tabular}\n{caption}" if of.get("below") else f"{caption}\n{tabular}"
        parts.append(
            f"{_TEXT * 3}\n\n\\begin{{table{star}}}[t]\n\\centering{of.get('size', '')}\n"
            f"{inside}\n\\end{{table{star}}}\n\n{_TEXT * 2}"
        )
    return (
        f"\\documentclass[{options}]{{article}}\n\\usepackage[T1]{{fontenc}}\n"
        f"\\usepackage[margin=2cm]{{geometry}}\n\\usepackage{{{packages}}}\n"
        f"\\setlength\\tabcolsep{{{of.get('sep', '6pt')}}}\n"
        f"\\renewcommand\\arraystretch{{{of.get('stretch', 1)}}}\n"
        "\\title{Tables of a Style}\\author{Ada First}\\begin{document}\\maketitle\n"
        "\\begin{abstract}"
        + _TEXT * 2
        + "\\end{abstract}\n\\section{Introduction}\n"
        + "\n\n".join(parts)
        + "\n\\section{Conclusion}\n"
        + _TEXT * 4
        + "\n\\end{document}\n"
    )


def page_source(style: str, tables: list[MadeTable]) -> str:
    """The page of a style that a browser prints."""
    parts = [
        f"<p>{_TEXT * 3}</p><div style='break-inside:avoid'><p><b>Table {n}:</b> {table.caption}"
        f"</p>{as_html(table)}</div><p>{_TEXT}</p>"
        for n, table in enumerate(tables, 1)
    ]
    look = "body{font-family:serif;font-size:11pt} table{border-collapse:collapse}"
    return (
        f"<html><head><style>{look}{STYLES[style]['page']}</style></head><body>"
        f"<h1>Tables of a Style</h1><h2>1 Introduction</h2>{''.join(parts)}</body></html>"
    )


def typeset(style: str, tables: list[MadeTable], out: Path) -> Path:
    """The PDF of a style; `RuntimeError` where its program is missing or fails."""
    path = out / f"{style}.pdf"
    if path.exists():
        return path
    if "page" in STYLES[style]:
        source = out / f"{style}.html"
        source.write_text(page_source(style, tables), "utf-8")
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        command = [str(chromium), "--headless", "--no-sandbox", "--no-pdf-header-footer"]
        command += [f"--print-to-pdf={path}", str(source)]
    else:
        source = out / f"{style}.tex"
        source.write_text(latex_source(style, tables), "utf-8")
        command = ["pdflatex", "-interaction=batchmode", "-output-directory", str(out), str(source)]
    subprocess.run(command, capture_output=True, check=False, timeout=120)
    if not path.exists():
        raise RuntimeError(f"{style} was not typeset by {command[0]}")
    return path


def score(found: tuple[CitedTable, ...], tables: list[MadeTable]) -> dict[str, float]:
    """Means over the true tables; one that is not found counts 0."""
    kept: list[Similarity] = []
    bold: list[float] = []
    for table in tables:
        truth: Any = table.truth()
        true = grid_of(truth["cells"], truth["spans"])
        mine = next((one for one in found if table.caption in one.caption), None)
        if mine is None or not mine.cells:
            kept.append(Similarity(0.0, 0.0, 0.0))
            bold.append(0.0)
            continue
        # Formulas in LaTeX are kept as they are written.
        cells = [[text.replace("$\\pm$", "±") for text in row] for row in mine.cells]
        kept.append(compare(true, grid_of(cells, mine.spans)))
        # Of figures: heads of pages are bold as well.
        texts = {truth["cells"][r][c] for r, c in truth["bold"]}
        marked = {text for r, c in mine.bold if "." in (text := cells[r][c])}
        both = len(texts & marked)
        bold.append(2 * both / (len(texts) + len(marked)) if texts or marked else 1.0)
    return {
        "content": fmean(one.content for one in kept),
        "structure": fmean(one.structure for one in kept),
        "exact": fmean(one.exact for one in kept),
        "bold": fmean(bold),
    }


def measure(style: str, count: int, out: Path) -> dict[str, dict[str, float]]:
    """Scores of a style by what was read."""
    tables = made(style, count)
    found = {"pdf": score(read_file(typeset(style, tables, out)).tables, tables)}
    if "page" not in STYLES[style]:
        found["latex"] = score(read_document(out / f"{style}.tex").tables, tables)
    return found


def main() -> int:
    """Measure the styles; exit code 1 where a style is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--half", choices=["developed", "held", "all"], default="developed")
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    wanted = {"developed": (False,), "held": (True,), "all": (False, True)}[options.half]
    rows: dict[str, dict[str, dict[str, float]]] = {}
    failed = []
    for style in STYLES:
        if is_held(style) in wanted:
            try:
                rows[style] = measure(style, options.tables, options.out)
            except (OSError, RuntimeError, subprocess.SubprocessError) as error:
                failed.append(f"{style}: {error}")
    if options.json:
        print(json.dumps(rows))
    else:
        _print(rows)
    for reason in failed:
        print(f"left out: {reason}", file=sys.stderr)
    return 1 if failed else 0


def _print(rows: dict[str, dict[str, dict[str, float]]]) -> None:
    print(f"{'style':22}{'':8}{'content':>10}{'structure':>10}{'exact':>10}{'bold':>10}")
    for kind in ("pdf", "latex"):
        mine = {style: row[kind] for style, row in rows.items() if kind in row}
        total = {n: fmean(row[n] for row in mine.values()) for n in next(iter(mine.values()))}
        for style, row in [*sorted(mine.items()), ("mean", total)]:
            values = "".join(f"{value:10.3f}" for value in row.values())
            print(f"{style:22}{kind:8}{values}")


if __name__ == "__main__":
    sys.exit(main())
