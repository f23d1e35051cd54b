"""The paths that are fuzzed, by name: a function of bytes that raises when something is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.fuzz.documents import read_pdf, read_set_pages, through_source
from tests.fuzz.json_paths import JSON_PATHS
from tests.fuzz.tables import TABLE_PATHS

from vivavoce.errors import VivaError

Run = Callable[[bytes], None]


@dataclass(frozen=True)
class Target:
    """One path, and the words that mutations of its inputs are made of."""

    name: str
    run: Run
    words: tuple[str, ...] = ()
    syntax: str = ""
    """`json` or `xml` where inputs are changed as trees too, not only as bytes."""
    has_choice: bool = False
    """Whether the first byte of an input chooses among several readers."""


def one_of(runs: Sequence[Run]) -> Run:
    """Runs the function that the first byte of the input chooses on the rest of it."""

    def run(content: bytes) -> None:
        if content:
            runs[content[0] % len(runs)](content[1:])

    return run


def read(target: Target, content: bytes) -> None:
    """Run a target; errors that are meant for users are no findings."""
    try:
        target.run(content)
    except VivaError:
        return


def _words(text: str) -> tuple[str, ...]:
    """Words of mutations, two spaces or a line apart."""
    return tuple(re.split(r" {2,}|\n *", text))


_TEI_WORDS = _words(
    r"""<div>  <p>  <row>  </  <formula>  <listBibl>  <figDesc>  <persName>  coords='1,2,3'
    &#x202e;  &#0;  <!--  <?x?>  <![CDATA[  ]]>  <head n='1.1'>  <ref type='bibr' target='#b0'>
    <biblStruct xml:id='b0'>  <figure type='table'>  <cell cols='2' rows='2'>
    <note place='foot'>  <idno type='arXiv'>  <date when='2017'/>"""
)
_PDF_WORDS = _words(
    r"""BT  ET  Tf  Td  Tm  Tj  TJ  Tz  Ts  TL  T*  cm  q  Q  Do  /MediaBox  /Kids  /Parent
    /Contents  /Outlines  /Next  /First  /ToUnicode  /Encoding  /Widths  stream  endstream
    endobj  xref  trailer  1e38  -1e38  %%EOF  startxref  /Rotate 90  0 0 0 0 0 0  /Length 0"""
)
_PAGE_WORDS = _words(
    r"""References  Abstract  [1]  [12]  A.1  III.  1e5  -1e5  nan  inf  0.0001  arXiv:1706.03762
    108 80 17 1   108 100 10 0   320 100 10 0   1 Introduction  Table 1:  Figure 2:
    (Smith et al., 2017)  et al.  In Proceedings"""
)
_TABLE_WORDS = _words(
    r"""<table>  &  P1  P2  Method  Score  F1  SQuAD  88.5%  &amp;  &#x110000;  **  (ours)
    | a | b |  |---|---|  ```csv  <td rowspan=9999>  <td colspan=9999>  \begin{tabular}{lll}
    \multicolumn{3}{c}{  \\  \hline  \end{tabular}  ±  \|  Table 1: Results on SQuAD  1.  -
    et al., 2017"""
)
_JSON_WORDS = _words(
    r"""[  ]  }  null  true  -1  1e999  NaN  9999999999999999999  -0.0  [[[[[[[[  {"  ":  "\ud800"
    "\u0000"  "paper_id"  "body_text"  "cite_spans"  "bib_entries"  "ref_entries"  "start"
    "row_bib_map"  "table"  "rows"  "cells"  "columns"  "papers"  "methods"  "main_content"
    "metadata"  "title"  "authors"  "versions"  "datasets"  "sota"  ```json  ```  \sigma
    "parents"  """
)
_HTML_WORDS = _words(
    r"""<table>  <tr>  <h2>  <svg>  <template>  &lt;  <td rowspan=9999 colspan=9999>
    <cite class='ltx_cite'>  <a href='#b1'>  <section class='ltx_section'>
    <li class='ltx_bibitem' id='b1'>  <math alttext='  <figure class='ltx_table'>
    <meta name='citation_title'"""
)
_LATEX_WORDS = _words(
    r"""$  {  }  %  \documentclass{article}  \begin{document}  \section{  \cite{a}  \input{x}
    \begin{table}  \begin{tabular}{ll}  \multirow{9999}{*}{  \bibitem{a}  \def\a{\a}
    \newcommand{\b}[9]{#1#1}  \b  \verb|  \end{  \item  \if"""
)

TARGETS = {
    target.name: target
    for target in (
        Target("pdf", read_pdf, _PDF_WORDS),
        Target("pages", read_set_pages, _PAGE_WORDS),
        Target("tei", through_source("tei", "paper.tei.xml"), _TEI_WORDS, syntax="xml"),
        Target("tables", one_of(TABLE_PATHS), _TABLE_WORDS, has_choice=True),
        Target("json", one_of(JSON_PATHS), _JSON_WORDS, syntax="json", has_choice=True),
        Target("html", through_source("html", "1501.00002.html"), _HTML_WORDS, syntax="xml"),
        Target("latex", through_source("latex", "1501.00002.tex"), _LATEX_WORDS),
        Target("jats", through_source("jats", "paper.nxml"), _TEI_WORDS, syntax="xml"),
    )
}
