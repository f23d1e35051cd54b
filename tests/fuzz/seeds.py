"""Inputs that fuzzing starts from: hostile ones made here."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas
from tests.fuzz.record_seeds import made_json, made_tables
from tests.sources.pdf_pages import FILLER, simple_paper

# PDF


def _made_pdfs() -> Iterator[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.pdf"
        simple_paper(path, ["1 Introduction", "2 Method", "References"], FILLER + " [1] (A, 2017)")
        yield path.read_bytes()
        canvas = Canvas(str(path), pageCompression=0, invariant=1)
        for number, line in enumerate(("Table 1: Scores", "Method F1", "BERT [1] 93.2", "Ours 94")):
            canvas.drawString(100, 700 - 14 * number, line)
        canvas.bookmarkPage("a")
        canvas.addOutlineEntry("1 Introduction", "a", 0)
        canvas.addOutlineEntry("1.1 Deep", "a", 1)
        canvas.rotate(90)
        canvas.drawString(100, -50, "arXiv:1706.03762v2 [cs.CL] 6 Dec 2017")
        canvas.showPage()
        canvas.setPageRotation(90)
        canvas.scale(1e4, 1e-4)
        canvas.drawString(0, 0, "tiny and wide")
        canvas.save()
        yield path.read_bytes()
    for operators in _OPERATORS:
        yield _bare_pdf(operators)


_TEXT = b"BT /F 10 Tf 72 700 Td (Many words that a reader takes for the text of a page) Tj ET "
_OPERATORS = (
    _TEXT,
    _TEXT + b"1e30 0 0 1e30 1e30 -1e30 cm " + _TEXT,
    _TEXT + b"BT /F 1e9 Tf (too large) Tj ET BT /F 0 Tf (none) Tj ET BT /F -9 Tf (turned) Tj ET ",
    _TEXT + b"BT /F 9 Tf 0.7 0.7 -0.7 0.7 300 300 Tm (on a slope of many words) Tj ET ",
    _TEXT + b"BT /F 9 Tf 400 Tz [(a) -9e9 (b) 9e9 (c)] TJ 99 Ts (up) Tj ET ",
    b"q " * 500 + _TEXT,
    b"BT /F 8 Tf 10 TL 72 700 Td " + b"(one line of words) Tj T* " * 400 + b"ET ",
    b"".join(b"BT /F 8 Tf %d 400 Td (w) Tj ET " % x for x in range(0, 3000, 5)),
)


def _bare_pdf(operators: bytes) -> bytes:
    """One page that holds these operators; its cross-references are for the reader to rebuild."""
    return (
        b"%%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R/Outlines 6 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        b"/Resources<</Font<</F 5 0 R>>>>>>endobj\n"
        b"4 0 obj<</Length %d>>stream\n%s\nendstream endobj\n"
        b"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>endobj\n"
        b"6 0 obj<</First 7 0 R>>endobj\n"
        b"7 0 obj<</Title(1 Introduction)/Dest[3 0 R/Fit]/Next 7 0 R/First 7 0 R>>endobj\n"
        b"trailer<</Root 1 0 R>>\nstartxref\n0\n%%%%EOF\n" % (len(operators), operators)
    )


# Pages of words


def _made_pages() -> Iterator[bytes]:
    column = "\n".join(f"108 {100 + 12 * row} 10 0 many words of a line" for row in range(40))
    second = "\n".join(f"320 {100 + 12 * row} 10 0 and of another column" for row in range(40))
    title = "150 60 17 1 A Study of Small Papers\n108 90 12 1 Abstract\n"
    yield f"{title}{column}".encode()
    yield f"{title}{column}\n{second}\f108 90 12 1 1 Introduction\n{column}".encode()
    entries = "\n".join(
        f"108 {100 + 14 * n} 9 0 [{n}] A. One, B. Two. A title of work {n}. In ACL, 2017."
        for n in range(30)
    )
    yield f"{title}{column}\n108 600 12 1 References\f{entries}".encode()
    table = "\n".join(f"{120 + 90 * n} 230 9 0 {93 - n}.5" for n in range(5))
    yield f"{title}{column}\n108 210 9 0 Table 1: F1 of all\n{table}\n{column}".encode()
    yield b"\n".join(b"%d %d 2 0 w w w" % (x, x % 700) for x in range(1500))
    yield b"\f".join([b"108 30 8 0 Running head 7\n108 700 10 0 some words stand here again"] * 30)


# XML


def _made_tei() -> Iterator[bytes]:
    body = (
        "<div><head n='1'>Introduction</head><p>As in <ref type='bibr' target='#b0'>[1]</ref>, "
        "<ref type='bibr'>(One et al., 2017)</ref> and [2-9].</p></div>"
        "<div><head n='1.1'>Deep</head><p>Text <formula>x</formula><note place='foot'>n</note></p>"
        "</div><figure type='table' xml:id='tab_0'><head>Table 1</head><figDesc>F1 [1]</figDesc>"
        "<table><row><cell>Method</cell><cell cols='2'>F1</cell></row><row><cell>BERT "
        "<ref type='bibr' target='#b0'>[1]</ref></cell><cell rows='2'>93.2</cell></row></table>"
        "</figure>"
    )
    entry = (
        "<biblStruct xml:id='b0'><analytic><title>A title</title><author><persName>"
        "<forename>A</forename><surname>One</surname></persName></author>"
        "<idno type='arXiv'>1706.03762</idno></analytic><monogr><title>ACL</title><imprint>"
        "<date when='2017'/></imprint></monogr><note type='raw_reference'>A. One. 2017.</note>"
        "</biblStruct>"
    )
    whole = (
        "<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><fileDesc><titleStmt><title>A paper"
        "</title></titleStmt></fileDesc><profileDesc><abstract><p>Short.</p></abstract>"
        f"</profileDesc></teiHeader><text><body>{body}</body><back><listBibl>{entry}</listBibl>"
        "</back></text></TEI>"
    )
    yield whole.encode()
    yield whole.replace(entry, entry * 60).encode()
    yield whole.replace(body, "<div>" * 200 + body + "</div>" * 200).encode()
    yield whole.replace("[2-9]", "[1-999999999]").encode()
    yield whole.replace("Short.", "(" * 5_000).encode()
    yield b"<!DOCTYPE TEI [<!ENTITY a 'b'>]><TEI>&a;</TEI>"


def _made_html() -> Iterator[bytes]:
    folder = Path(__file__).resolve().parents[1] / "sources" / "fixtures" / "html"
    for path in sorted(folder.iterdir()):
        yield path.read_bytes()


def _made_jats() -> Iterator[bytes]:
    yield (
        b"<article><front><article-meta><title-group><article-title>A paper</article-title>"
        b"</title-group></article-meta></front><body><sec><title>1 Introduction</title><p>As "
        b"<xref ref-type='bibr' rid='B1'>1</xref>-<xref ref-type='bibr' rid='B2'>9</xref></p>"
        b"<table-wrap><caption><p>F1</p></caption><table><tr><td rowspan='9'>BERT</td><td>9</td>"
        b"</tr></table></table-wrap></sec></body><back><ref-list><ref id='B1'><mixed-citation>A. "
        b"One. 2017.</mixed-citation></ref></ref-list></back></article>"
    )


def _made_latex() -> Iterator[bytes]:
    yield (
        b"\\documentclass{article}\\newcommand{\\m}[2][x]{#1 and #2}\\title{A \\m{b}}"
        b"\\begin{document}\\maketitle\\begin{abstract}Short.\\end{abstract}\\section{Intro}As "
        b"\\cite{a,b} \\m[c]{d}.\\begin{table}\\caption{F1 of \\citet{a}}\\begin{tabular}{lr}"
        b"A \\cite{b} & \\multirow{2}{*}{9} \\\\ B & \\multicolumn{2}{c}{8} \\\\\\end{tabular}"
        b"\\end{table}\\begin{thebibliography}{9}\\bibitem{a} A. One. 2017.\\bibitem[B(2018)]{b} "
        b"B. Two.\\end{thebibliography}\\end{document}"
    )
    loops = (
        b"\\documentclass{article}\\def\\a{\\b\\b}\\def\\b{\\a\\a}"
        b"\\begin{document}\\a\\end{document}"
    )
    yield loops
    yield loops.replace(b"\\a\\a", b"{" * 9_000)


SEEDS: dict[str, Callable[[], Iterator[bytes]]] = {
    "pdf": _made_pdfs,
    "pages": _made_pages,
    "tei": _made_tei,
    "tables": made_tables,
    "json": made_json,
    "html": _made_html,
    "latex": _made_latex,
    "jats": _made_jats,
}
