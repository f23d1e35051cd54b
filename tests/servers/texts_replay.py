"""Texts of papers for a server on the loopback interface, and a library that serves them by path.

Pages follow what arXiv documents of its HTML papers: the article of LaTeXML, the licence and the
watermark above it, and the notice that stands in the place of a page that could not be made.
"""

import gzip
import io
import tarfile
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from types import MappingProxyType

from tests.servers.arxiv_replay import Ask, Fault
from tests.sources.pdf_pages import FILLER, simple_paper

NO_HTML = b"""<!DOCTYPE html><html lang="en"><head><title>arXiv</title></head><body>
<h1>No HTML for '2001.00001v1'</h1><p>HTML is not available for the source.</p></body></html>"""
NO_FILE = b"""<!DOCTYPE html><html><body><h1>File unavailable for 2001.00001</h1></body></html>"""
WITHDRAWN = b"<html><body><p>This paper has been withdrawn by its author.</p></body></html>"
ABSTRACT_PAGE = (
    b'<html><head><meta name="citation_arxiv_id" content="2001.00001"/></head>'
    b'<body><div id="abs"><h1>A title</h1></div></body></html>'
)
BY = "CC BY 4.0"
_SECTIONS = dict.fromkeys(("Introduction", "Method", "Conclusion"), f"{FILLER}\n\n{FILLER}")
_PAGE = """<!DOCTYPE html><html lang="en"><head><title>{title}</title></head><body>
<div class="ltx_page_main"><div class="ltx_page_content"><div id="infobox">
<a id="license-tr" href="https://info.arxiv.org/help/license/">License: {licence}</a>
<div id="watermark-tr">arXiv:{name} [{category}] {day}</div></div>
<article class="ltx_document"><h1 class="ltx_title ltx_title_document">{title}</h1>
<div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">Abstract</h6>
<p class="ltx_p">{abstract}</p></div>{sections}{references}</article></div></div></body></html>"""
_SECTION = """<section id="S{0}" class="ltx_section"><h2 class="ltx_title ltx_title_section">
<span class="ltx_tag ltx_tag_section">{0} </span>{1}</h2>{2}</section>"""
_PARAGRAPH = '<div class="ltx_para"><p class="ltx_p">{}</p></div>'
_BIBITEM = '<li class="ltx_bibitem" id="bib.{}"><span class="ltx_bibblock">{}</span></li>'
_REFERENCES = '<section class="ltx_bibliography"><ul class="ltx_biblist">{}</ul></section>'
_TEX = r"""\documentclass{article}\title{%s}\begin{document}\maketitle
\begin{abstract}What it is about.\end{abstract}
\section{Introduction}%s

\section{Method}%s
\end{document}
"""


def latexml_page(
    name: str,
    *,
    licence: str = BY,
    title: str = "A page",
    abstract: str = "What it is about.",
    sections: Mapping[str, str] = MappingProxyType(_SECTIONS),
    cited: Sequence[str] = (),
    day: str = "31 Jan 2020",
    category: str = "cs.CL",
) -> bytes:
    """A page as LaTeXML makes it, of an id with its version; a blank line parts paragraphs."""
    body = ""
    for number, (heading, text) in enumerate(sections.items(), start=1):
        paragraphs = "".join(_PARAGRAPH.format(escape(part)) for part in text.split("\n\n"))
        body += _SECTION.format(number, escape(heading), paragraphs)
    entries = "".join(_BIBITEM.format(n, escape(text)) for n, text in enumerate(cited))
    page = _PAGE.format(
        **{"name": name, "licence": licence, "day": day, "category": category},
        **{"title": escape(title), "abstract": escape(abstract), "sections": body},
        references=_REFERENCES.format(entries) if cited else "",
    )
    return page.encode()


def wrapper_page(name: str) -> bytes:
    """A page that LaTeXML made of a source that only includes a PDF."""
    whole = latexml_page(name).decode()
    start, _, _ = whole.partition('<div class="ltx_abstract">')
    stub = '<div class="ltx_para"><p class="ltx_p">See pages 1-last of main.pdf</p></div>'
    return f"{start}{stub}</article></div></div></body></html>".encode()


def tex(title: str = "A source") -> bytes:
    return (_TEX % (title, FILLER, FILLER)).encode()


def tar(*files: tuple[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def eprint(title: str = "A source") -> bytes:
    """Sources in a gzip tar, the same bytes each time."""
    return gzip.compress(tar(("main.tex", tex(title)), ("figure.eps", b"%!PS")), mtime=0)


def pdf(folder: Path) -> bytes:
    """A paper of one page."""
    return simple_paper(folder / "made.pdf", ["1 Introduction", "2 Method"]).read_bytes()


class Library:
    """Answers by path: one, or several in turn of which the last one stays; else 404."""

    def __init__(self, answers: dict[str, Fault | list[Fault]] | None = None) -> None:
        self.answers = dict(answers or {})
        self.count: Counter[str] = Counter()

    def add(self, path: str, body: bytes, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers[path] = Fault(body, headers=named)

    def __call__(self, ask: Ask) -> Fault | None:
        path = ask.target.partition("?")[0]
        self.count[path] += 1
        answer = self.answers.get(path, Fault(b"<html>Not found</html>", 404))
        if isinstance(answer, Fault):
            return answer
        return answer[min(self.count[path], len(answer)) - 1]
