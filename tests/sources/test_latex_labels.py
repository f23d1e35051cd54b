"""Numbers of labelled parts, by the rules of LaTeX's counters and of the packages that refer."""

from pathlib import Path

import pytest
from tests.sources.test_latex import read

from vivavoce.sources.fulltext.latex import read_document

FIGURE = r"\begin{figure}\caption{F.}\label{fig}\end{figure}"
TABLE = r"\begin{table}\caption{T.}\label{tab}\begin{tabular}{cc}a&b\\c&d\end{tabular}\end{table}"
EQUATION = r"\begin{equation}a\label{eq}\end{equation}"


def printed(folder: Path, body: str, written: str, preamble: str = "") -> str:
    """What references print in the last section of a paper."""
    text = rf"\section{{One}}\label{{one}} {body} \section*{{Last}} {written}"
    return read(folder, text, preamble=preamble).sections[-1].text


def test_references_print_the_numbers_of_labels(tmp_path: Path) -> None:
    body = r"""
\begin{equation} a \label{one}\end{equation}
\begin{align} b \label{two}\\ c \nonumber\\ d \label{three}\\ e \tag{S} \label{tagged}\end{align}
\begin{equation*} f \end{equation*}
\begin{theorem}\label{th} T.\end{theorem}
\begin{lemma}\label{le} L.\end{lemma}
\begin{enumerate}\item I. \item\label{it} J.\end{enumerate}
\begin{algorithm}\caption{A.}\label{al}\end{algorithm}
\section{Two} By \eqref{two}, (\ref{three}), \eqref{tagged}, \cref{th}, \ref{le}, \ref{it},
\cref{al} and \eqref{gone}."""
    preamble = r"\newtheorem{theorem}{Theorem}[section]\newtheorem{lemma}[theorem]{Lemma}"
    paper = read(tmp_path, rf"\section{{One}} {body}", preamble=preamble)
    assert paper.sections[1].text == "By (2), (3), (S), Theorem 1.1, 1.2, 2, Algorithm 1 and ."


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r"\cref{one,two,proof}", "Sections 1 and 2 and Appendix A"),
        (r"\cref{fig,one,tab,two}", "Figure 1, Sections 1 and 2, and Table 1"),
        (r"\Cref{four,one,three,two,six}", "Sections 1 to 4 and 6"),
        (r"\autoref{proof} \cref{proof,more}", "Appendix A Appendices A and B"),
        (r"\nameref{proof}, \namecref{fig}", "Proofs, Figure"),
        (r"\labelcref{eq,eq2} \eqref{eq2} \ref{eq2}", "(1) and (A.1) (A.1) A.1"),
        (r"\vref{two}, p.~\pageref{two}\cpageref{one}", "2, p."),
    ],
)
def test_references_of_packages_name_and_order_parts(
    tmp_path: Path, written: str, shown: str
) -> None:
    sections = "".join(rf"\section{{S}}\label{{{n}}}" for n in ("two", "three", "four", "5", "six"))
    appendix = r"\appendix\numberwithin{equation}{section}\section{Proofs}\label{proof}"
    appendix += r"\begin{equation}b\label{eq2}\end{equation}\section{More}\label{more}"
    body = FIGURE + TABLE + EQUATION + sections + appendix
    assert printed(tmp_path, body, written) == shown


def test_parts_of_a_supplement_have_numbers_of_their_own(tmp_path: Path) -> None:
    preamble = r"\newcommand{\supplement}{\setcounter{figure}{0}\setcounter{equation}{0}"
    preamble += r"\renewcommand{\thefigure}{S\arabic{figure}}"
    preamble += r"\renewcommand{\theequation}{S\arabic{equation}}\counterwithin*{table}{section}"
    preamble += r"\setcounter{section}{0}\def\thesection{S\Roman{section}}}"
    before = r"\begin{figure}\caption{F.}\label{before}\end{figure}"
    body = rf"{before}\supplement\section{{More}}\label{{more}}{FIGURE}{EQUATION}{TABLE}"
    written = r"\ref{before} \ref{fig} \eqref{eq} \ref{tab} \ref{more}"
    assert printed(tmp_path, body, written, preamble) == "1 S1 (S1) 1 SI"


def test_theorems_are_counted_as_they_are_declared(tmp_path: Path) -> None:
    preamble = r"""\newtheorem{theorem}{Theorem}[section]\newtheorem*{note}{Note}
\declaretheorem[name=Lemma, sibling=theorem]{lem} \spnewtheorem{ass}{Assumption}{\bf}{\rm}
\renewcommand{\theass}{A\arabic{ass}} \crefname{ass}{assumption}{assumptions}"""
    body = r"""\begin{theorem}\label{a} x\end{theorem}
\begin{restatable}[Main]{theorem}{main}\label{b} y\end{restatable}
\begin{lem}\label{c} z\end{lem} \begin{ass}\label{d} u\end{ass} \begin{ass}\label{e} v\end{ass}
\section{Two} \begin{theorem}\label{f} w\end{theorem}"""
    written = r"\cref{a,b}, \cref{c}, \cref{d,e}, \ref{f}"
    shown = "Theorems 1.1 and 1.2, Lemma 1.3, Assumptions A1 and A2, 2.1"
    assert printed(tmp_path, body, written, preamble) == shown


@pytest.mark.parametrize(
    ("options", "package", "shown"),
    [
        ("", "enumitem", "2 2a"),
        (r"[label=(\roman*)]", "enumitem", "(ii) (ii)a"),
        (r"[label=\textbf{Q\arabic*}, ref=Q\arabic*, start=4]", "enumitem", "Q5 Q5a"),
        ("[(a)]", "enumerate", "b ba"),
        ("[noitemsep]", "enumitem", "2 2a"),
        ("", r"enumitem}\setlist[enumerate]{label=(\roman*)", "(ii) (i)"),
    ],
)
def test_items_are_numbered_as_their_list_says(
    tmp_path: Path, options: str, package: str, shown: str
) -> None:
    inner = r"\begin{enumerate}\item\label{in} x\end{enumerate}"
    body = rf"\begin{{enumerate}}{options}\item a\item\label{{out}} b {inner}\end{{enumerate}}"
    preamble = rf"\usepackage{{{package}}}"
    assert printed(tmp_path, body, r"\ref{out} \ref{in}", preamble) == shown


def test_rows_of_equations_are_numbered_one_by_one(tmp_path: Path) -> None:
    body = r"""\begin{IEEEeqnarray}{rCl} x\label{a}\\ y\IEEEnonumber\\ z\label{b}\end{IEEEeqnarray}
\begin{subequations}\label{c}\begin{align}p\label{d}\\q\label{e}\end{align}\end{subequations}
\begin{equation*}r\tag{\ref{a}b}\label{f}\end{equation*}"""
    written = r"\eqref{a} \eqref{b} \eqref{c} \ref{d} \ref{e} \eqref{f} \crefrange{a}{c}"
    shown = "(1) (2) (3) 3a 3b (1b) Equations (1) to (3)"
    assert printed(tmp_path, body, written) == shown


def test_each_caption_of_a_float_counts(tmp_path: Path) -> None:
    body = r"""\begin{figure}\begin{minipage}{1cm}\caption{A}\label{a}\end{minipage}
\begin{minipage}{1cm}\caption{B}\label{b}\end{minipage}\end{figure}
\begin{minipage}{1cm}\captionof{table}{C}\label{c}\end{minipage}
\begin{figure}\begin{subfigure}{1cm}\caption{D}\label{d}\end{subfigure}\caption{E}\end{figure}"""
    assert printed(tmp_path, body, r"\ref{a} \ref{b} \cref{c} \ref{d}") == "1 2 Table 1 3a"


def test_lines_of_algorithms_have_numbers(tmp_path: Path) -> None:
    lines = r"\Require x \State a \For{b}\label{for} \State c\label{state} \EndFor"
    listing = rf"\begin{{algorithmic}}[1]{lines}\end{{algorithmic}}"
    body = rf"\begin{{algorithm}}\caption{{A}}\label{{alg}}{listing}\end{{algorithm}}"
    written = r"\cref{alg}, \cref{state}, line~\ref{for}"
    assert printed(tmp_path, body, written) == "Algorithm 1, Line 3, line 2"


def test_counters_of_a_paper_are_printed(tmp_path: Path) -> None:
    preamble = (
        r"\newcounter{aim}[section]\newcommand{\aim}[1]{\refstepcounter{aim}Aim \theaim\label{#1}}"
    )
    body = r"\aim{a}, \aim{b}. \section{Two} \aim{c}."
    assert printed(tmp_path, body, r"\ref{a} \ref{b} \ref{c}", preamble) == "1 2 1"


@pytest.mark.parametrize(
    ("document_class", "shown"),
    [("IEEEtran", "II-A II-A1 A"), ("revtex4-2", "II A II A 1 A"), ("article", "2.1 2.1.1 A")],
)
def test_sections_are_referred_to_as_their_class_says(
    tmp_path: Path, document_class: str, shown: str
) -> None:
    body = r"""\section{Two}\subsection{Sub}\label{a}\subsubsection{Subsub}\label{b}
\begin{appendices}\section{More}\label{c}\end{appendices}"""
    main = tmp_path / "main.tex"
    text = rf"\section{{One}} \ref{{a}} \ref{{b}} \ref{{c}} {body}"
    main.write_text(rf"\documentclass{{{document_class}}}\begin{{document}}{text}\end{{document}}")
    assert read_document(main).sections[0].text == shown


def test_counters_that_call_each_other_without_end_are_bounded(tmp_path: Path) -> None:
    preamble = r"\newcounter{a}\newcounter{b}\def\thea{\theb\theb}\def\theb{\thea\thea}"
    assert printed(tmp_path, r"\refstepcounter{a}\label{x}", r"\ref{x}.", preamble) == "."


@pytest.mark.parametrize(("document_class", "shown"), [("llncs", "Lemma 1"), ("acmart", "1.2")])
def test_theorems_of_classes_need_no_declaration(
    tmp_path: Path, document_class: str, shown: str
) -> None:
    theorems = r"\begin{theorem}T.\end{theorem}\begin{lemma}\label{a}L.\end{lemma}"
    text = rf"\section{{One}}{theorems}\section*{{Last}}\crefalias{{section}}{{part}}\cref{{a}}"
    main = tmp_path / "main.tex"
    main.write_text(rf"\documentclass{{{document_class}}}\begin{{document}}{text}\end{{document}}")
    assert read_document(main).sections[-1].text.endswith(shown)
