"""Papers of the style matrix as LaTeX."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.pdf.styles.story import CITATION, Block, Entry, Part, Person, Story

STYLES: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("latex.toml").read_text("utf-8")
)
_SPECIAL = {
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "$": r"\$",
    "–": "--",
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


def escape(text: str) -> str:
    """Plain text as LaTeX."""
    return "".join(_SPECIAL.get(character, character) for character in text)


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
        front = FRONTS[style.get("front", "article")](self)
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


Front = tuple[str, str]


def _name(person: Person) -> str:
    return escape(person.name)


def _place(story: Story, number: int) -> str:
    return escape(", ".join(story.places[number]))


def _article(r: Renderer) -> Front:
    story = r.story
    names = r" \and ".join(
        f"{_name(p)} \\\\ {_place(story, p.place)} \\\\ \\texttt{{{p.email}}}" for p in story.people
    )
    head = f"\\title{{{escape(story.title)}}}\n\\author{{{names}}}\n\\date{{{story.date}}}"
    return head, f"\\maketitle\n\\begin{{abstract}}\n{escape(story.abstract)}\n\\end{{abstract}}"


def _stacked(r: Renderer) -> Front:
    """Names on one line with raised numbers, affiliations below, as imitated styles set them."""
    story = r.story
    names = ", ".join(f"{_name(p)}$^{{{p.place + 1}}}$" for p in story.people)
    places = r" \\ ".join(f"$^{{{n + 1}}}${_place(story, n)}" for n in range(len(story.places)))
    mails = ", ".join(p.email for p in story.people)
    head = (
        f"\\title{{{escape(story.title)}}}\n"
        f"\\author{{{names} \\\\ {places} \\\\ {{\\tt {mails}}}}}\n\\date{{}}"
    )
    return head, f"\\maketitle\n\\begin{{abstract}}\n{escape(story.abstract)}\n\\end{{abstract}}"


def _ieee(r: Renderer) -> Front:
    story = r.story
    if "journal" in r.style.get("options", ""):
        names = ", ".join(_name(p) for p in story.people)
        author = f"{names}\\thanks{{The authors are with {_place(story, 0)}.}}"
    else:
        author = r" \and ".join(
            f"\\IEEEauthorblockN{{{_name(p)}}}\\IEEEauthorblockA{{{_place(story, p.place)}\\\\"
            f"{p.email}}}"
            for p in story.people
        )
    return f"\\title{{{escape(story.title)}}}\n\\author{{{author}}}", (
        f"\\maketitle\n\\begin{{abstract}}\n{escape(story.abstract)}\n\\end{{abstract}}\n"
        f"\\begin{{IEEEkeywords}}\n{story.keywords}\n\\end{{IEEEkeywords}}"
    )


def _acm(r: Renderer) -> Front:
    story = r.story
    people = "\n".join(
        f"\\author{{{_name(p)}}}\n\\affiliation{{\\institution{{{escape(story.places[p.place][1])}}}"
        f"\\city{{{escape(story.places[p.place][2].split(', ')[0])}}}"
        f"\\country{{{escape(story.places[p.place][2].split(', ')[1])}}}}}\n\\email{{{p.email}}}"
        for p in story.people
    )
    return "", (
        f"\\title{{{escape(story.title)}}}\n{people}\n\\begin{{abstract}}\n"
        f"{escape(story.abstract)}\n\\end{{abstract}}\n\\keywords{{{story.keywords}}}\n\\maketitle"
    )


def _revtex(r: Renderer) -> Front:
    story = r.story
    people = "\n".join(
        f"\\author{{{_name(p)}}}\\email{{{p.email}}}\\affiliation{{{_place(story, p.place)}}}"
        for p in story.people
    )
    return "", (
        f"\\title{{{escape(story.title)}}}\n{people}\n\\date{{{story.date}}}\n\\begin{{abstract}}\n"
        f"{escape(story.abstract)}\n\\end{{abstract}}\n\\maketitle"
    )


def _llncs(r: Renderer) -> Front:
    story = r.story
    people = r" \and ".join(f"{_name(p)}\\inst{{{p.place + 1}}}" for p in story.people)
    places = r" \and ".join(_place(story, n) for n in range(len(story.places)))
    return "", (
        f"\\title{{{escape(story.title)}}}\n\\author{{{people}}}\n\\institute{{{places}}}\n\\maketitle"
        f"\n\\begin{{abstract}}\n{escape(story.abstract)}\n\\keywords{{{story.keywords}}}\n"
        "\\end{abstract}"
    )


def _elsevier(r: Renderer) -> Front:
    story = r.story
    people = "\n".join(
        f"\\author[a{p.place}]{{{_name(p)}}}\n\\ead{{{p.email}}}" for p in story.people
    )
    places = "\n".join(f"\\address[a{n}]{{{_place(story, n)}}}" for n in range(len(story.places)))
    return "", (
        f"\\begin{{frontmatter}}\n\\title{{{escape(story.title)}}}\n{people}\n{places}\n"
        f"\\begin{{abstract}}\n{escape(story.abstract)}\n\\end{{abstract}}\n\\begin{{keyword}}\n"
        f"{story.keywords}\n\\end{{keyword}}\n\\end{{frontmatter}}"
    )


def _ams(r: Renderer) -> Front:
    story = r.story
    people = "\n".join(
        f"\\author{{{_name(p)}}}\n\\address{{{_place(story, p.place)}}}\n\\email{{{p.email}}}"
        for p in story.people
    )
    return "", (
        f"\\title{{{escape(story.title)}}}\n{people}\n\\date{{{story.date}}}\n\\begin{{abstract}}\n"
        f"{escape(story.abstract)}\n\\end{{abstract}}\n\\maketitle"
    )


def _aas(r: Renderer) -> Front:
    story = r.story
    people = "\n".join(
        f"\\author{{{_name(p)}}}\n\\affiliation{{{_place(story, p.place)}}}" for p in story.people
    )
    return "", (
        f"\\title{{{escape(story.title)}}}\n{people}\n\\begin{{abstract}}\n{escape(story.abstract)}\n"
        "\\end{abstract}"
    )


def _mnras(r: Renderer) -> Front:
    story = r.story
    people = ", ".join(f"{_name(p)}$^{{{p.place + 1}}}$" for p in story.people)
    places = r" \\ ".join(f"$^{{{n + 1}}}${_place(story, n)}" for n in range(len(story.places)))
    short = escape(story.people[0].family)
    return (
        f"\\title[A short title]{{{escape(story.title)}}}\n\\author[{short} et al.]{{{people}\\\\"
        f"{places}}}\n\\date{{{story.date}}}\n\\pubyear{{2020}}"
    ), (
        f"\\maketitle\n\\begin{{abstract}}\n{escape(story.abstract)}\n\\end{{abstract}}\n"
        "\\begin{keywords}\nmethods: data analysis\n\\end{keywords}"
    )


def _jmlr(r: Renderer) -> Front:
    story = r.story
    people = r" \AND ".join(
        f"\\Name{{{_name(p)}}} \\Email{{{p.email}}}\\\\ \\addr {_place(story, p.place)}"
        for p in story.people
    )
    return f"\\title{{{escape(story.title)}}}\n\\author{{{people}}}", (
        f"\\maketitle\n\\begin{{abstract}}\n{escape(story.abstract)}\n\\end{{abstract}}"
    )


def _thesis(r: Renderer) -> Front:
    story = r.story
    person = story.people[0]
    return "", (
        f"\\begin{{titlepage}}\\centering\\vspace*{{3cm}}{{\\Huge\\bfseries {escape(story.title)}"
        f"\\par}}\\vspace{{2cm}}{{\\Large {_name(person)}\\par}}\\vspace{{1cm}}"
        f"{_place(story, person.place)}\\par {story.date}\\end{{titlepage}}\n"
        f"\\chapter*{{Abstract}}\n{escape(story.abstract)}\n\\tableofcontents"
    )


FRONTS: dict[str, Callable[[Renderer], Front]] = {
    "article": _article,
    "stacked": _stacked,
    "ieee": _ieee,
    "acm": _acm,
    "revtex": _revtex,
    "llncs": _llncs,
    "elsevier": _elsevier,
    "ams": _ams,
    "aas": _aas,
    "mnras": _mnras,
    "jmlr": _jmlr,
    "thesis": _thesis,
}


def typeset(story: Story, name: str, out: Path, work: Path) -> None:
    """Typeset a story in a style with pdfLaTeX, three times for references and contents.

    Raises `RuntimeError` with the first error of the log.
    """
    work.mkdir(parents=True, exist_ok=True)
    source = Renderer(story, STYLES[name]).document()
    (work / "paper.tex").write_text(source, "utf-8")
    engine = STYLES[name].get("engine", "pdflatex")
    command = [engine, "-interaction=nonstopmode", "-no-shell-escape", "paper.tex"]
    for _ in range(3):
        subprocess.run(command, cwd=work, capture_output=True, timeout=180, check=False)
    made = work / "paper.pdf"
    if not made.exists():
        log = (work / "paper.log").read_text("latin-1")
        error = re.search(r"^! .*$", log, re.MULTILINE)
        raise RuntimeError(f"{name}: {error[0] if error else 'no PDF and no error in the log'}")
    out.write_bytes(made.read_bytes())
