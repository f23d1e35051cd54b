"""Readings of real papers by the pdf source, compared with their known contents.

    python benchmarks/pdf/accuracy.py [--data DIR] [--json]

Headings are compared by their letters and digits. A level-1 heading that the truth does not list
is counted as false, except the usual end matter (acknowledgements, references, appendix), which
bookmarks leave out; a second precision counts that as false too. Where LaTeX lies beside a PDF,
its words are looked for in the sections, and its lines in the order of the source.
"""

import argparse
import json
import re
import sys
from bisect import bisect_left
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vivavoce.corpus.fields import assign_roles
from vivavoce.records import Document
from vivavoce.sources.fulltext.pdf.document import read_file
from vivavoce.sources.fulltext.pdf.evidence import compact

ROOT = Path(__file__).resolve().parents[2]
END_MATTER = {"acknowledgements", "references", "appendix"}
DROPPED = (
    "table figure equation align tabular wrapfigure algorithm algorithmic lstlisting verbatim"
    " tikzpicture gather multline eqnarray displaymath"
).split()


@dataclass(frozen=True)
class Line:
    """One paper of the table."""

    file: str
    title: bool
    true: int
    found: int
    given: int
    right: int
    end_matter: int
    missed: tuple[str, ...]
    false: tuple[str, ...]
    introduction_ends: bool | None
    related_work: bool
    words: float | None = None
    out_of_order: float | None = None


def measure(row: dict[str, Any], folder: Path, latex: Path) -> Line:
    """Read one paper and compare."""
    document = read_file(folder / row["file"])
    sections = assign_roles(document.sections)
    tops = [section for section in sections if section.level == 1]
    wanted = list(row["sections"] or [])
    listed = {compact(name) for name in [*wanted, *(row["appendix_sections"] or [])]}
    given = {compact(section.heading or "") for section in tops}
    known = row["sections"] is not None
    other = [section for section in tops if compact(section.heading or "") not in listed]
    end = [section for section in other if section.role in END_MATTER]
    false = [section.heading or "" for section in other if section.role not in END_MATTER]
    words, order = _against_latex(document, latex / Path(row["file"]).stem)
    return Line(
        file=row["file"],
        title=compact(document.title or "") == compact(row["title"]),
        true=len(wanted),
        found=sum(compact(name) in given for name in wanted),
        given=len(tops) if known else 0,
        right=len(tops) - len(other) if known else 0,
        end_matter=len(end) if known else 0,
        missed=tuple(name for name in wanted if compact(name) not in given),
        false=tuple(false) if known else (),
        introduction_ends=_introduction_ends(document),
        related_work=any(section.role == "related_work" for section in sections),
        words=words,
        out_of_order=order,
    )


def _introduction_ends(document: Document) -> bool | None:
    """Whether the second section's first words stand outside the first; None without two."""
    tops = [place for place, s in enumerate(document.sections) if s.level == 1]
    if len(tops) < 2:
        return None
    later = next((s.text for s in document.sections[tops[1] :] if len(s.text) > 80), "")
    return bool(later) and later[:80] not in document.sections[tops[0]].text


def _against_latex(document: Document, folder: Path) -> tuple[float | None, float | None]:
    sources = sorted(folder.rglob("*.tex")) if folder.is_dir() else []
    mains = [path for path in sources if r"\begin{document}" in path.read_text("utf-8", "replace")]
    if not mains:
        return None, None
    source = max((_plain(path) for path in mains), key=len)
    text = "\n".join([document.abstract or "", *(_whole(s) for s in document.sections)])
    ours, theirs = Counter(_words(text)), Counter(_words(source))
    kept = sum(min(count, ours[word]) for word, count in theirs.items())
    return kept / max(sum(theirs.values()), 1), _out_of_order(source, text)


def _whole(section: Any) -> str:
    return f"{section.heading or ''}\n{section.text}"


def _plain(path: Path) -> str:
    """The running text of a LaTeX file: no comments, floats, formulas or commands."""
    text = path.read_text("utf-8", "replace")
    for _ in range(3):
        text = re.sub(r"\\(?:input|include)\{([^}]*)\}", lambda m: _included(path, m[1]), text)
    text = re.sub(r"(?<!\\)%.*", "", text)
    text = text.partition(r"\begin{document}")[2].partition(r"\end{document}")[0]
    text = re.split(r"\\bibliography\{|\\begin\{thebibliography\}", text)[0]
    text = text.partition(r"\begin{abstract}")[2] or text
    for name in DROPPED:
        text = re.sub(rf"\\begin\{{{name}\*?\}}.*?\\end\{{{name}\*?\}}", " ", text, flags=re.S)
    text = re.sub(r"\$\$.*?\$\$|\$[^$]*\$|\\\[.*?\\\]", " ", text, flags=re.S)
    text = re.sub(r"\\footnote\{(?:[^{}]|\{[^{}]*\})*\}", " ", text)
    text = re.sub(
        r"\\(?:cite\w*|ref|label|url|href|\w*ref|includegraphics)\*?"
        r"(?:\[[^\]]*\])*\{[^}]*\}",
        " ",
        text,
    )
    text = re.sub(r"\\(?:begin|end|vspace|hspace|setlength|usepackage)\*?\{[^}]*\}", " ", text)
    text = re.sub(r"\\[a-zA-Z]+\*?(?:\[[^\]]*\])?", " ", text)
    return re.sub(r"[{}~]", " ", text)


def _included(path: Path, name: str) -> str:
    for candidate in (path.parent / name, path.parent / f"{name}.tex"):
        if candidate.is_file():
            return candidate.read_text("utf-8", "replace")
    return " "


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]{3,}", text.casefold().replace("’", "'"))


def _out_of_order(source: str, text: str) -> float:
    """The share of source lines of which the text has the first words, but elsewhere."""
    words = _words(text)
    places: dict[tuple[str, ...], list[int]] = {}
    for place in range(len(words) - 4):
        places.setdefault(tuple(words[place : place + 5]), []).append(place)
    found: list[int] = []
    for start in range(0, len(all_words := _words(source)) - 5, 10):
        at = places.get(tuple(all_words[start : start + 5]), [])
        if len(at) == 1:
            found.append(at[0])
    longest: list[int] = []
    for place in found:
        spot = bisect_left(longest, place)
        longest[spot : spot + 1] = [place]
    return 1 - len(longest) / max(len(found), 1)


def main() -> int:
    """Print the table, the worst paper first."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = (options.data / "pdf" / "truth.jsonl").read_text("utf-8").splitlines()
    lines = [measure(json.loads(r), options.data / "pdf", options.data / "latex") for r in rows]
    lines.sort(key=lambda n: (n.found - n.true - len(n.false) - (not n.title), -n.end_matter))
    if options.json:
        print(json.dumps([asdict(line) for line in lines]))
        return 0
    for n in lines:
        latex = "" if n.words is None else f"words {n.words:.3f}, out of order {n.out_of_order:.3f}"
        print(
            f"{n.file:24} found {n.found}/{n.true} true {n.right}/{n.given} (+{n.end_matter} end)"
            f" title {n.title} intro ends {n.introduction_ends} related {n.related_work} {latex}"
            f" {'missed ' + str(n.missed) if n.missed else ''}"
            f" {'false ' + str(n.false) if n.false else ''}"
        )
    found, true = sum(n.found for n in lines), sum(n.true for n in lines)
    right, given = sum(n.right for n in lines), sum(n.given for n in lines)
    end = sum(n.end_matter for n in lines)
    print(
        f"recall {found}/{true} = {found / true:.3f}; precision {right + end}/{given} ="
        f" {(right + end) / given:.3f}, end matter as false {right / given:.3f};"
        f" titles {sum(n.title for n in lines)}/{len(lines)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
