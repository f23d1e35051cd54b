"""Rounds of two surveys typed by hand: one compares parsers of fruit, the other translators."""

from pathlib import Path
from typing import Any

from tests.support.corpora import paper, reference, write_papers

from vivavoce.corpus import Corpus
from vivavoce.rounds import Round, parse_spec
from vivavoce.rounds.build import build_round
from vivavoce.tasks.tables import build as family

PARSING, TRANSLATING = "arxiv:2003.00001", "arxiv:2003.00002"
LATE = "arxiv:2105.00001"
FRUIT = ("apple", "banana", "cherry", "damson")
TONGUES = ("Greek", "Hindi", "Irish", "Korean", "Latin")
PARSERS = tuple(f"arxiv:1901.0000{n}" for n in range(1, 5))
TRANSLATORS = tuple(f"arxiv:1902.0000{n}" for n in range(1, 6))
ITEM = f"{PARSING}/table/0"

PARSING_TITLES = (
    "Parsing sentences of orchards",
    "Trees for parsing in a hurry",
    "How little data parsing needs",
    "A transition system for parsing sentences",
)
TRANSLATING_TITLES = (
    "Translating sentences of the ancients",
    "Attention for translating long documents",
    "Back and forth: translating twice",
    "On the cost of translating",
    "Dictionaries help in translating",
)

Row = dict[str, Any]


def score_of(place: int) -> str:
    return f"{81 + place}.5"


def _parser(place: int) -> tuple[Row, str]:
    fruit = FRUIT[place]
    title = PARSING_TITLES[place]
    row = paper(PARSERS[place], title, "2019-01-01", source="tei", abstract=f"On {fruit}.")[0]
    text = f"We train on the {fruit} treebank. The parser has an F1 of {score_of(place)}."
    return row, text


def _translator(place: int) -> tuple[Row, str]:
    tongue = TONGUES[place]
    title = TRANSLATING_TITLES[place]
    row = paper(TRANSLATORS[place], title, "2019-02-01", source="tei", abstract=f"On {tongue}.")[0]
    return row, f"We translate from {tongue}."


def _table(paper_id: str, caption: str, header: list[str], lines: list[list[str]]) -> Row:
    cites = [[place] for place in range(len(lines))]
    return {
        "paper_id": paper_id,
        "ordinal": 0,
        "caption": caption,
        "cells": [header, *lines],
        "cited": list(range(len(lines))),
        "row_cited": [[], *cites],
    }


def corpus_of(folder: Path, *, late: bool = False, bare: str | None = None) -> Corpus:
    """Both surveys and nine works with texts.

    Args:
        folder: Where it is written.
        late: Whether there is a parser that came after the window.
        bare: A work without its text.
    """
    works = [*(_parser(place) for place in range(4)), *(_translator(place) for place in range(5))]
    papers = [[row] for row, _ in works]
    papers += [
        paper(PARSING, "A Survey of Parsing", "2020-03-01", source="html"),
        paper(TRANSLATING, "A Survey of Translation", "2020-03-02", source="html"),
    ]
    texts = {row["paper_id"]: text for row, text in works if row["paper_id"] != bare}
    texts |= {PARSING: "Table 1 is about parsers.", TRANSLATING: "Table 1 is about translators."}
    if late:
        papers.append(paper(LATE, "Parsing has become faster", "2021-05-01"))
        texts[LATE] = "Far too late."
    references = [
        reference(source, place, "Ames", 2019, title=row["title"], cited=row["paper_id"])
        for source, of in ((PARSING, works[:4]), (TRANSLATING, works[4:]))
        for place, (row, _) in enumerate(of)
    ]
    lines = [[f"Pa{n} [{n}]", FRUIT[n], score_of(n)] for n in range(4)]
    others = [[f"Tr{n} [{n}]", TONGUES[n], f"{n + 2} layers"] for n in range(5)]
    tables = [
        _table(PARSING, "Table 1: Work on parsing.", ["Method", "Treebank", "F1"], lines),
        _table(TRANSLATING, "Table 1: Translating.", ["Method", "Source", "Depth"], others),
    ]
    return write_papers(folder, papers, references=references, tables=tables, texts=texts)


def round_of(
    folder: Path,
    *,
    corpus: Corpus | None = None,
    name: str = "hand",
    seed: int = 0,
    start: str = "2020-01-01",
    end: str = "2021-01-01",
    **options: Any,
) -> Round:
    """A round of both surveys, or of another corpus; by default of the year 2020."""
    values = {"id": name, "window": {"start": start, "end": end}, "families": ["tables"]}
    spec = parse_spec(
        {"round": {**values, "seed": seed}, "tables": options}, {"tables": family.OPTIONS}
    )
    made = corpus or corpus_of(folder / "corpus")
    return build_round(made, spec, {"tables": family}, folder / "rounds")
