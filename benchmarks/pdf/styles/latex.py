"""Papers of the style matrix as LaTeX."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

from benchmarks.pdf.styles.fronts import FRONTS, escape
from benchmarks.pdf.styles.story import CITATION, Block, Entry, Part, Story

STYLES: dict[str, dict[str, Any]] = {
    name: style
    for file in ("latex.toml", "classes.toml")
    for name, style in tomllib.loads(Path(__file__).with_name(file).read_text("utf-8")).items()
}
_COMMON = r"""
\usepackage[utf8]{inputenc}
\usepackage{graphicx}
\usepackage{url}
"""
_FIGURE = (
    r"\setlength{\unitlength}{0.9\linewidth}\begin{picture}(1,0.42)"
    r"\put(0.08,0.06){\line(1,0){0.86}}\put(0.08,0.06){\line(0,1){0.34}}"
    r"\put(0.1,0.1){\line(2,1){0.5}}\put(0.12,0.35){\small first stage}"
    r"\put(0.45,0.01){\footnotesize length}\put(0.6,0.2){\small second stage}\end{picture}"
)
_FORMULAS = (
    r"\begin{equation} L(\theta) = \sum_{i=1}^{n} w_i \log p_\theta(y_i \mid x_i)"
    r" + \lambda \| \theta \|_2^2 \end{equation}",
    r"\begin{equation} s_t = \frac{1}{Z} \int_0^1 f(x_t)\, \mathrm{d}x, \qquad Z = \max_k a_k"
    r" \end{equation}",
)
_CHECKLIST = (
    "Claims|Theory|Experimental Result Reproducibility|Open Access to Data and Code|Limitations"
    "|Experimental Setting|Statistical Significance|Compute Resources|Code of Ethics|Safeguards"
    "|Broader Impacts|Licenses|New Assets|Crowdsourcing|Approvals"
).split("|")


class Renderer:
    """Writes a story in one style."""

    def __init__(self, story: Story, style: dict[str, Any]) -> None:
        self.story = story
        self.style = style
        self.is_author_year = style.get("cite") == "author-year"
        self.formulas = 0

    def document(self) -> str:
        """The whole source."""
        style = self.style
        front = FRONTS[style.get("front", "article")](self.story, style)
        classes = rf"\documentclass[{style.get('options', '')}]{{{style['class']}}}"
        encoding = "" if style.get("old_encoding") else "\\usepackage[T1]{fontenc}\n"
        packages = _COMMON + encoding + style.get("preamble", "")
        if self.is_author_year and not style.get("has_natbib"):
            packages += "\n\\usepackage[round]{natbib}"
        if style.get("bookmarks"):
            packages += "\n\\usepackage[bookmarks=true]{hyperref}"
        body = "\n\n".join(self.part(part) for part in self.story.parts)
        ending = "\n".join(self.ending())
        return (
            f"{classes}\n{packages}\n{front[0]}\n\\begin{{document}}\n{front[1]}\n{body}\n{ending}"
            "\n\\end{document}\n"
        )

    def ending(self) -> list[str]:
        """Acknowledgements, references, appendix and checklist in the style's order."""
        heads = self.style.get("levels", ["section", "subsection", "subsubsection"])
        thanks = rf"\{heads[0]}*{{Acknowledgements}}" + "\n" + escape(self.story.thanks)
        if self.style.get("thanks"):
            thanks = self.style["thanks"] % escape(self.story.thanks)
        appendix = "\n\\appendix\n" + "\n\n".join(self.part(part) for part in self.story.appendix)
        parts = [thanks, self.references()]
        if self.story.appendix and not self.style.get("no_appendix"):
            parts.append(appendix)
        if self.style.get("checklist"):
            items = "\n".join(
                rf"\item {{\bf {name}}}\\ Question: Does the paper say enough about this?\\"
                r" Answer: [Yes]\\ Justification: The sections on the method and on the results"
                r" say so in several places, and the appendix holds the rest of what one may ask."
                for name in _CHECKLIST
            )
            parts.append(
                "\\newpage\n\\section*{Paper Checklist}\n\\begin{enumerate}\n"
                + items
                + "\n\\end{enumerate}"
            )
        return parts

    def part(self, part: Part) -> str:
        """A heading and its blocks."""
        heads = self.style.get("levels", ["section", "subsection", "subsubsection"])
        star = "*" if self.style.get("unnumbered") else ""
        head = rf"\{heads[part.level - 1]}{star}{{{escape(part.heading)}}}"
        return "\n\n".join([head, *(self.block(block) for block in part.blocks)])

    def block(self, block: Block) -> str:
        """A paragraph or a float."""
        text, label = self.cited(escape(block.text)), escape(block.label)
        wide = self.style.get("columns", 1) == 2
        if block.kind == "run_in":
            return (
                rf"\paragraph{{{label}.}} {text}"
                if not self.style.get("plain_run_in")
                else (rf"\textbf{{{label}.}} {text}")
            )
        if block.kind == "note":
            return f"{text}\\footnote{{{label}}}"
        if block.kind == "formula":
            self.formulas += 1
            return _FORMULAS[self.formulas % 2]
        if block.kind == "figure":
            inside = f"\\centering\n{_FIGURE}\n\\caption{{{label}}}"
            return f"\\begin{{figure}}[t]\n{inside}\n\\end{{figure}}"
        if block.kind == "table":
            rows = "\\\\\n".join(" & ".join(map(escape, row)) for row in block.rows)
            columns = "l" * max(map(len, block.rows))
            star = "*" if wide and len(columns) > 3 else ""
            return (
                f"\\begin{{table{star}}}[t]\n\\caption{{{label}}}\n\\centering\\small\n"
                f"\\begin{{tabular}}{{{columns}}}\n\\hline\n{rows}\\\\\n\\hline\n\\end{{tabular}}\n"
                f"\\end{{table{star}}}"
            )
        if block.kind == "algorithm":
            return (
                "\\begin{quote}\\small\\textbf{Algorithm 1} " + label + "\\\\\n"
                "1: for each case do\\\\\n2: \\quad ask the first stage\\\\\n3: end for\\end{quote}"
            )
        if block.kind == "list":
            items = "\n".join(rf"\item {escape(row[0])}" for row in block.rows)
            return f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"
        return text

    def cited(self, text: str) -> str:
        """Citation tokens as commands."""
        command = r"\citep" if self.is_author_year else r"\cite"
        return CITATION.sub(
            lambda m: "~" + command + "{" + ",".join(f"r{n}" for n in m[1].split(",")) + "}", text
        )

    def references(self) -> str:
        """The list of references."""
        entries = "\n\n".join(
            self._item(number, entry) for number, entry in enumerate(self.story.entries)
        )
        size = self.style.get("bibliography_size", "")
        return f"{size}\\begin{{thebibliography}}{{99}}\n{entries}\n\\end{{thebibliography}}"

    def _item(self, number: int, entry: Entry) -> str:
        form = self.style.get("entries", "plain")
        label = ""
        if self.is_author_year:
            names = [family for _, family in entry.authors]
            short = (
                names[0]
                if len(names) == 1
                else (f"{names[0]} and {names[1]}" if len(names) == 2 else f"{names[0]} et~al.")
            )
            label = f"[{{{escape(short)}({entry.year})}}]"
        return f"\\bibitem{label}{{r{number}}} {escape(entry_text(entry, form))}"


def entry_text(entry: Entry, form: str) -> str:
    """An entry as the lists of references of many journals print it."""
    given = [f"{first} {last}" for first, last in entry.authors]
    family = [f"{last}, {first}" for first, last in entry.authors]
    short = [f"{last} {first[0]}" for first, last in entry.authors]
    joined = ", ".join(given[:-1]) + (" and " if len(given) > 1 else "") + given[-1]
    if form == "ieee":
        return f"{joined}, “{entry.title},” {entry.venue}, pp. {entry.pages}, {entry.year}."
    if form == "apa":
        names = " & ".join([", ".join(family[:-1]), family[-1]] if len(family) > 1 else family)
        return f"{names} ({entry.year}). {entry.title}. {entry.venue}, {entry.pages}."
    if form == "acm":
        return f"{joined}. {entry.year}. {entry.title}. {entry.venue}, {entry.pages}."
    if form == "vancouver":
        names = ", ".join(short)
        return f"{names}. {entry.title}. {entry.venue}. {entry.year};{entry.pages}."
    if form == "physics":
        return f"{joined}, {entry.title}, {entry.venue} {entry.pages} ({entry.year})."
    return f"{joined}. {entry.title}. {entry.venue}, {entry.pages}, {entry.year}."


def typeset(story: Story, style: dict[str, Any], out: Path, work: Path) -> None:
    """Typeset a story in a style with pdfLaTeX, twice for references and contents.

    Raises `RuntimeError` with the first error of the log.
    """
    work.mkdir(parents=True, exist_ok=True)
    (work / "paper.tex").write_text(Renderer(story, style).document(), "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "paper.tex"]
    for draft in (["-draftmode"], []):
        subprocess.run(
            [*command[:1], *draft, *command[1:]],
            cwd=work,
            capture_output=True,
            timeout=180,
            check=False,
        )
    log = (work / "paper.log").read_text("latin-1")
    error = re.search(r"^! .*$", log, re.MULTILINE)
    made = work / "paper.pdf"
    if error or not made.exists():
        raise RuntimeError(error[0] if error else "no PDF and no error in the log")
    out.write_bytes(made.read_bytes())
