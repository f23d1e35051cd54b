"""What the latex source reads out of a paper, feature by feature."""

from pathlib import Path

import pytest

from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions
from vivavoce.sources.fulltext.latex import SOURCE, read_document

BIB = r"""
@string{acl = "Proceedings of ACL"}
@article{smith2015, author = {Smith, Jane and M{\"u}ller, Jan and Kim, A.},
  title = {A {BERT} Paper}, year = 2015,
  journal = {CL}, doi = {10.1000/XYZ}, eprint = {1501.00001}, archiveprefix = {arXiv}}
@inproceedings{doe2018, author = {John Doe and Ann Roe}, title = {Second}, year = {2018},
  booktitle = acl}
@misc{unused, title = {Never cited}, year = 1999}
"""


def read(tmp_path: Path, body: str, *, preamble: str = "", **files: str) -> Document:
    folder = tmp_path / "paper"
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    main = folder / "main.tex"
    main.write_text(
        f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    )
    return read_document(main)


def test_sections_have_levels_numbers_and_headings(tmp_path: Path) -> None:
    paper = read(
        tmp_path,
        r"""
\section[Short]{A \textbf{Long} Heading\label{sec:a}}
First, see \autoref{sec:b} and Section~\ref{sec:a}.

Next paragraph.
\subsection{Inner}\label{sec:b} Inside.
\paragraph{Run-in.} Text runs in.
\section*{Acknowledgments} Thanks.
\appendix
\section{Proofs} Proof.
\subsection{Lemma} More.""",
    )
    assert [(s.level, s.number, s.heading, s.role) for s in paper.sections] == [
        (1, "1", "A Long Heading", None),
        (2, "1.1", "Inner", None),
        (4, None, "Run-in", None),
        (1, None, "Acknowledgments", None),
        (1, "A", "Proofs", "appendix"),
        (2, "A.1", "Lemma", "appendix"),
    ]
    assert paper.sections[0].text == "First, see Section 1.1 and Section 1.\n\nNext paragraph."


@pytest.mark.parametrize(
    ("preamble", "authors"),
    [
        (
            r"\author{Ana Roe$^1$ \\ University \\\And Bo {\"O}z \\ Other University \\"
            r"\texttt{b@c.d}}",
            "Ana Roe, Bo Öz",
        ),
        (
            r"\author{\IEEEauthorblockN{Ana Roe, Bo Oz}\IEEEauthorblockA{Some School}"
            r"\and \IEEEauthorblockN{Cy Po}\IEEEauthorblockA{Some Institute}}",
            "Ana Roe, Bo Oz, Cy Po",
        ),
        (
            r"\author{Ana Roe\inst{1}\orcidID{0000} \and Bo Oz\inst{2}}\institute{Uni}",
            "Ana Roe, Bo Oz",
        ),
        (
            r"\author[1]{Ana Roe}\affil[1]{Uni}\author{Bo Oz}\affiliation{\city{X}}",
            "Ana Roe, Bo Oz",
        ),
        (
            r"\author{\IEEEauthorblockN{Ana Roe\IEEEauthorrefmark{1}, Bo Oz\IEEEauthorrefmark{1}"
            r"\IEEEauthorrefmark{2} and Cy Po\IEEEauthorrefmark{2}}"
            r"\IEEEauthorblockA{\IEEEauthorrefmark{1}Some School}}",
            "Ana Roe, Bo Oz, Cy Po",
        ),
        (
            r"\author{Ana~Roe\orcidlink{0000-0000-0000-0001},~\IEEEmembership{Member,~IEEE,}"
            r" and~Bo~Oz\,\orcidlink{0000-0000-0000-0002}}",
            "Ana Roe, Bo Oz",
        ),
        (
            r"\usepackage{jheppub}\author[a,1]{Ana Roe,\note{Also here.}}"
            r"\author[b]{and Bo Oz\note{There.}}",
            "Ana Roe, Bo Oz",
        ),
        (r"\authorsnames[1,{1,2},2]{Ana Roe,Bo Oz,Cy Po}", "Ana Roe, Bo Oz, Cy Po"),
        (
            r"\author{Ana Roe, \textit{Life Fellow, IEEE}, Bo Oz, Fellow, IEEE, and Cy Po,"
            r" Honorary Member, IEEE}",
            "Ana Roe, Bo Oz, Cy Po",
        ),
        (r"\author{Ana Roe \emph{Fellow, ACM} \and Bo Oz, Fellow, OSA}", "Ana Roe, Bo Oz"),
        (r"\author{Ana Roe \rank{Fellow, ACM}, Bo Oz, PhD}", "Ana Roe, Bo Oz"),
        (r"\author{Ana (Annie) Roe \and Wei Li (李伟) \and Yi Ma 马毅}", "Ana Roe, Wei Li, Yi Ma"),
        # Behind a break with a length, or apart by one.
        (
            r"\author{\\[0.15cm]{\bf Ada Lovelace\hspace{1cm}Alan Turing}\\[2pt]Kings College}",
            "Ada Lovelace, Alan Turing",
        ),
    ],
)
def test_a_header_is_read_in_many_styles(tmp_path: Path, preamble: str, authors: str) -> None:
    paper = read(
        tmp_path,
        r"\maketitle \begin{abstract} Short. \end{abstract} \section{A} x",
        preamble=rf"\title{{On \emph{{Things}}\thanks{{Funded.}}\\ Again}}{preamble}",
    )
    assert (paper.title, paper.abstract) == ("On Things Again", "Short.")
    assert ", ".join(author.name for author in paper.authors) == authors


def test_bib_entries_are_those_cited_in_the_order_of_citation(tmp_path: Path) -> None:
    paper = read(
        tmp_path,
        r"\section{A} \citet{doe2018} and \citep[see][p.~3]{smith2015,doe2018}."
        r"\bibliographystyle{plainnat}\bibliography{refs}",
        preamble=r"\usepackage{natbib}",
        refs_bib=BIB,
    )
    assert paper.sections[0].text == (
        "Doe and Roe (2018) and (see Smith et al., 2015; Doe and Roe, 2018, p. 3)."
    )
    first, second = paper.references
    assert (first.title, first.year, first.first_author) == ("Second", 2018, "John Doe")
    assert first.raw == "John Doe, Ann Roe. Second. Proceedings of ACL. 2018."
    assert (second.title, second.doi, second.arxiv_id) == (
        "A BERT Paper",
        "10.1000/xyz",
        "1501.00001",
    )


def test_printed_list_goes_before_bib_and_keeps_its_order(tmp_path: Path) -> None:
    bbl = r"""\begin{thebibliography}{9}
\bibitem[Doe and Roe(2018)]{doe2018}
John Doe and Ann Roe. 2018.
\newblock \href{https://doi.org/10.1/abc}{Second, as printed}.
\newblock In \emph{Proceedings}.
\bibitem[Smith et~al.(2015)Smith, M\"uller, and Kim]{smith2015}
Jane Smith, Jan M\"uller, and A.~Kim. 2015.
\newblock A {BERT} Paper.
\end{thebibliography}"""
    paper = read(tmp_path, r"\section{A} \cite{smith2015}.", main_bbl=bbl, refs_bib=BIB)
    assert [r.title for r in paper.references] == ["Second, as printed", "A BERT Paper"]
    assert [r.year for r in paper.references] == [2018, 2015]
    assert paper.references[1].first_author == "Jane Smith"
    assert paper.sections[0].text == "(Smith et al., 2015)."


def test_biblatex_lists_are_read(tmp_path: Path) -> None:
    bbl = r"""\entry{k}{article}{}
    \name{author}{1}{}{%
      {{hash=1}{%
         family={Roe},
         familyi={R\bibinitperiod},
         given={Ann\bibnamedelima B.},
    }}%
    }
    \field{title}{A {T}itle}
    \field{year}{2020}
    \verb{doi}
    \verb 10.1000/ABC
    \endverb
  \endentry
"""
    paper = read(tmp_path, r"\section{A} \cite{k}", main_bbl=bbl)
    (reference,) = paper.references
    assert (reference.title, reference.year, reference.doi) == ("A Title", 2020, "10.1000/abc")
    assert reference.first_author == "Ann B. Roe"


def test_lists_of_amsrefs_are_read(tmp_path: Path) -> None:
    entry = r"\bib{k}{article}{author={Roe, Ann}, author={Doe, Jo}, title={A Work}, date={2010}}"
    body = rf"\section{{A}} \cite{{k}}. \begin{{biblist}}{entry}\end{{biblist}}"
    paper = read(tmp_path, body)
    (cited,) = paper.references
    assert (cited.title, cited.year, cited.first_author) == ("A Work", 2010, "Ann Roe")
    assert paper.sections[0].text == "[1]."


def test_tables_have_cells_captions_and_cited_references(tmp_path: Path) -> None:
    paper = read(
        tmp_path,
        r"""\section{A} Before.
\begin{table}[t] \centering \resizebox{\linewidth}{!}{
\begin{tabular}{@{}l|cc@{}} \toprule
 & \multicolumn{2}{c}{Score} \\ \cmidrule(lr){2-3}
\multirow{2}{*}{Model \cite{doe2018}} & {a & b} & $x_1$ \\[2pt]
 & 50\% & \makecell[l]{two \\ lines} \\ \bottomrule
\end{tabular}}
\caption{Scores of \citet{smith2015}\footnote{Not here.}.} \label{t}
\end{table}
After Table~\ref{t}. \bibliography{refs}""",
        refs_bib=BIB,
    )
    (table,) = paper.tables
    assert table.caption == "Scores of Smith et al. (2015)."
    assert table.cells == (
        ("", "Score", ""),
        ("Model (Doe and Roe, 2018)", "a b", "$x_1$"),
        ("", "50%", "two lines"),
    )
    assert table.cited == (0, 1)
    assert paper.sections[0].text == "Before. After Table 1."


def test_the_head_of_a_deluxetable_is_its_first_row(tmp_path: Path) -> None:
    paper = read(
        tmp_path,
        r"""\section{A}\begin{deluxetable}{cc}\tablecaption{Ages.}
\tablehead{\colhead{Method} & \colhead{Age}}
\startdata
One & 36 \\
Two & 67
\enddata
\tablecomments{Not a row.}
\end{deluxetable}""",
    )
    (table,) = paper.tables
    assert table.caption == "Ages."
    assert table.cells == (("Method", "Age"), ("One", "36"), ("Two", "67"))


def test_cells_that_span_and_bold_ones_are_marked(tmp_path: Path) -> None:
    paper = read(
        tmp_path,
        r"\section{A}\begin{table}\caption{C}\begin{tabular}{llll}"
        r"\multirow{2}{*}{M} & \multicolumn{2}{c}{News} & \textbf{Web} \\ & P & R & P \\"
        r"A & \textbf{91.2} & {\bf 90} & $\mathbf{7}$ \\ B & 9 \textbf{best} & x & \bfseries y"
        r"\end{tabular}\end{table}",
    )
    (table,) = paper.tables
    assert table.spans == ((0, 0, 2, 1), (0, 1, 1, 2))
    assert table.bold == ((0, 3), (2, 1), (2, 2), (2, 3), (3, 3))


def test_running_text_is_clean(tmp_path: Path) -> None:
    paper = read(
        tmp_path,
        r"""\section{A}
Caf\'e, na\"{\i}ve, Dvo\v{r}\'ak, \o re --- ``so''~it\footnote{A note.} is. % a comment
\iffalse hidden \else shown \fi \textcolor{red}{red} \unknown{kept} 5\,\% \url{http://a.b/c%20d}.
\begin{figure} picture \caption{Out} \end{figure}
\begin{comment} gone \end{comment}
\begin{itemize} \item one \item two \end{itemize}
Math $\alpha_{1}$ stays. \verb|a_%b| also.""",
    )
    paragraphs = paper.sections[0].text.split("\n\n")
    assert paragraphs[0] == (
        "Café, naïve, Dvořák, øre — “so” it is. shown red kept 5 % http://a.b/c%20d."
    )
    assert paragraphs[1:3] == ["one", "two"]
    assert paragraphs[3] == r"Math $\alpha_{1}$ stays. a_%b also."


def test_macros_conditions_and_inputs_are_followed(tmp_path: Path) -> None:
    paper = read(
        tmp_path,
        r"""\section{A} \name{} is \twice{so}, \opt[x]{y}, \opt{z}. \ifdraft no \else yes \fi
\input{part} \input{../outside} \begin{wrapped}in\end{wrapped}""",
        preamble=r"\newcommand{\name}{Tool\xspace}\newcommand{\twice}[1]{#1 #1}"
        r"\newcommand{\opt}[2][d]{#1-#2}\newif\ifdraft\draftfalse"
        r"\newenvironment{wrapped}{<}{>}",
        part_tex=r"Part text. \input{main}",
    )
    assert paper.sections[0].text == "Tool is so so, x-y, d-z. yes Part text. <in>"


def test_a_command_of_a_papers_own_goes_before_that_of_a_package(tmp_path: Path) -> None:
    own = r"\newcommand{\unit}[1]{<#1>}"
    body = r"\section{A} Up \unit{x}."
    for preamble in (own, rf"\usepackage{{siunitx}}{own}"):
        assert read(tmp_path, body, preamble=preamble).sections[0].text == "Up <x>."


def test_a_file_without_a_paper_is_one_fault(tmp_path: Path) -> None:
    path = tmp_path / "part.tex"
    path.write_text("Only a part.")
    (fault,) = SOURCE.read(Piece(path), ReadOptions())
    assert isinstance(fault, Fault)
    assert "has no \\begin{document}" in fault.reason


def test_a_heading_for_print_and_bookmarks_is_read_once(tmp_path: Path) -> None:
    paper = read(tmp_path, r"\section{On \texorpdfstring{$H_2$ Gas}{H2 Gas} Alone}Text.")
    assert [section.heading for section in paper.sections] == ["On $H_2$ Gas Alone"]


def test_acknowledgements_in_an_environment_are_a_section(tmp_path: Path) -> None:
    body = "\\section{End}We end.\n\\begin{ack}We thank all.\\end{ack}\n\\section{More}Words."
    found = [(section.heading, section.text) for section in read(tmp_path, body).sections]
    assert found == [("End", "We end."), ("Acknowledgements", "We thank all."), ("More", "Words.")]


def test_an_abstract_may_have_several_arguments(tmp_path: Path) -> None:
    preamble = "\\abstract{Old.}\n% aims\n{High.} {Plain.}{}{Near.}"
    assert read(tmp_path, r"\section{A} x", preamble=preamble).abstract == (
        "Old.\n\nHigh.\n\nPlain.\n\nNear."
    )


def test_sections_behind_the_environment_of_appendices_are_of_the_body(tmp_path: Path) -> None:
    body = r"\section{A} x \begin{appendices}\section{Proofs} y\end{appendices}\section{Methods} z"
    sections = read(tmp_path, body).sections
    assert [(one.number, one.role) for one in sections] == [
        ("1", None),
        ("A", "appendix"),
        ("2", None),
    ]


def test_acknowledgements_in_an_argument_are_a_section(tmp_path: Path) -> None:
    body = r"\section{End}We end. \acknowledgments{We thank all.}\funding{None.}"
    found = [(section.heading, section.text) for section in read(tmp_path, body).sections]
    assert found == [
        ("End", "We end."),
        ("Acknowledgements", "We thank all."),
        ("Funding", "None."),
    ]


def test_a_cell_keeps_an_unknown_command(tmp_path: Path) -> None:
    body = r"""
\begin{table}\caption{Signs}\begin{tabular}{lcc}
Method & Free & Fast \\ \rowstyle One & \good & \textbf{} \\ \rowstyle & \checkmark & 2 \\
\end{tabular}\end{table}"""
    (table,) = read(tmp_path, body).tables
    assert table.cells == (("Method", "Free", "Fast"), ("One", "\\good", ""), ("", "✓", "2"))
