"""Corpora of papers that print tables, typed by hand."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.corpora import paper, reference, write_papers

from vivavoce.corpus import Corpus

Row = dict[str, Any]
SURVEY = "arxiv:2003.00001"
OLD = "arxiv:1901.00001"

HEADER = ("Method", "Encoder", "Data")
LINES = (("Ash [1]", "LSTM", "news"), ("Bay [2]", "CNN", "-"), ("Cob [3]", "LSTM", "web [1]"))
"""Lines of a table with 5 of 6 cells filled."""


def printed(
    lines: Sequence[Sequence[str]] = LINES,
    *,
    header: Sequence[Sequence[str]] = (HEADER,),
    cites: Sequence[Sequence[int]] | None = None,
    caption: str = "Table 1: Parsers.",
    ordinal: int = 0,
    paper_id: str = SURVEY,
) -> Row:
    """A row of `tables`; by default line n cites reference n."""
    rows = [[n] for n in range(len(lines))] if cites is None else [list(row) for row in cites]
    return {
        "paper_id": paper_id,
        "ordinal": ordinal,
        "caption": caption,
        "cells": [list(row) for row in (*header, *lines)],
        "cited": sorted({one for row in rows for one in row}),
        "row_cited": [*([] for _ in header), *rows],
    }


def survey_corpus(
    folder: Path,
    *tables: Row,
    references: Sequence[Row] | None = None,
    published: str | None = "2020-03-01",
    text: str = "Table 1 is about parsers. Nothing else is.",
) -> Corpus:
    """A survey of five works, the first of which is a paper of the corpus."""
    papers = [
        paper(OLD, "Parsing with Ash", "2019-01-01", source="tei", abstract="On ash."),
        paper(SURVEY, "A Survey of Parsing", published, source="html"),
    ]
    if references is None:
        references = [
            reference(SURVEY, 0, "Ames", 2019, title="Parsing with Ash", cited=OLD),
            *(
                reference(SURVEY, n, "Bell", 2010 + n, title=f"Work number {n}")
                for n in range(1, 5)
            ),
        ]
    texts = {SURVEY: text, OLD: "Of ash."}
    return write_papers(folder, papers, references=references, tables=tables, texts=texts)
