"""viva corpus stats --of tuples: results in tables with their cells, out of ingested files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Viva = Callable[..., Result]
LATEX = r"""\documentclass{article}
\title{CoReader: Reading Twice}\author{Ann Lee}
\begin{document}\maketitle
\begin{abstract}We read passages twice and answer questions about them better.\end{abstract}
\section{Results}We compare models in Table~1.
\begin{table}\caption{Reading comprehension, mean of five runs of each model.}
\begin{tabular}{lcccc}
 & \multicolumn{2}{c}{SQuAD} & \multicolumn{2}{c}{PTB} \\
Model & EM & F1 & EM & F1 \\ \hline
Reader & 60.1 & 70.5 & 50.0 & -- \\
Ours & \textbf{63.0} & \textbf{72.5} & 49.9 & 61.2 \\
\end{tabular}\end{table}
\end{document}
"""
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">CoReader: Reading Twice</title></titleStmt></fileDesc></teiHeader>
<text><body><div><head>Results</head><p>We compare models in Table 1.</p></div>
<figure type="table">
<head>Table 1 :</head><figDesc>Reading comprehension, mean of five runs of each model. SQuAD PTB
</figDesc><table><row><cell>Model</cell></row><row><cell>EM F1 EM F1</cell></row>
<row><cell>Reader 60.1 70.5 50.0</cell></row></table></figure></body></text></TEI>"""
LIST = [
    {"task": "Question Answering", "dataset": "SQuAD", "metric": "Exact match"},
    {"task": "Question Answering", "dataset": "SQuAD", "metric": "F1"},
    {"task": "Parsing", "dataset": "Penn Treebank", "metric": "F1"},
]


@pytest.fixture
def corpus(viva: Viva, tmp_path: Path) -> Path:
    """One paper, first as TEI that lost the columns, then as LaTeX, and a list of results."""
    paper = tmp_path / "latex" / "1801.00001"
    paper.mkdir(parents=True)
    (paper / "paper.tex").write_text(LATEX, encoding="utf-8")
    (tmp_path / "tei").mkdir()
    (tmp_path / "tei" / "1801.00001.tei.xml").write_text(TEI, encoding="utf-8")
    rows = [
        row | {"method": "Other", "score": "50", "paper_url": "https://a.org/x"} for row in LIST
    ]
    (tmp_path / "pwc.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for kind, where in (("tei", "tei"), ("latex", "latex"), ("pwc", "pwc.jsonl")):
        found = viva("ingest", kind, tmp_path / where, "--corpus", tmp_path / "corpus")
        assert found.exit_code == 0, found.output
    return tmp_path / "corpus"


def cells(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    names = ("table", "row", "column", "task", "dataset", "metric", "method", "score", "bold")
    return [tuple(row[name] for name in names) for row in rows]


def test_tuples_have_their_cells_and_the_task_that_lists_know(viva: Viva, corpus: Path) -> None:
    found = json.loads(
        viva("corpus", "stats", "--of", "tuples", "--corpus", corpus, "--json").stdout
    )
    assert (found["tuples"], found["papers"]) == (7, 1)
    assert cells(found["rows"]) == [
        (0, 2, 1, "Question Answering", "SQuAD", "EM", "Reader", 60.1, False),
        (0, 2, 2, "Question Answering", "SQuAD", "F1", "Reader", 70.5, False),
        (0, 2, 3, None, "PTB", "EM", "Reader", 50.0, False),
        (0, 3, 1, "Question Answering", "SQuAD", "EM", "CoReader", 63.0, True),
        (0, 3, 2, "Question Answering", "SQuAD", "F1", "CoReader", 72.5, True),
        (0, 3, 3, None, "PTB", "EM", "CoReader", 49.9, False),
        (0, 3, 4, "Parsing", "PTB", "F1", "CoReader", 61.2, False),
    ]
    by_cell = {(row["row"], row["column"]): row for row in found["rows"]}
    assert by_cell[2, 1]["board"] == "question_answering/squad/exact_match"
    assert by_cell[3, 1]["direction_from"] == ["name", "bold"]
    assert [by_cell[row, 3]["is_best"] for row in (2, 3)] == [True, False]
    assert by_cell[3, 1]["date"] == "2018-01"
    # Each cell is where the exported table has it.
    tables = corpus.parent / "tables.jsonl"
    viva("corpus", "export", "tables", "--corpus", corpus, "--out", tables)
    (table,) = map(json.loads, tables.read_text("utf-8").splitlines())
    assert all(
        table["cells"][row["row"]][row["column"]] == row["score_text"] for row in found["rows"]
    )
