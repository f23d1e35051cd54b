"""A table without a model: papers by BM25, the demand's words as columns, phrases in cells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow
from vivavoce.retrieval.sparse import Bm25Retriever
from vivavoce.tasks.tables.items.composing import PoolText
from vivavoce.tasks.tables.items.demand_leaks import telling_words

MAX_COLUMNS = 6
_WORDS_BESIDE = 2
_NEAR = 60
"""Characters before and behind a word in which those beside it are looked for."""
_BREAK = re.compile(r"[^\w\s'-]|\n")


def make_table(demand: str, papers: Sequence[PoolText]) -> LiteratureTable:
    """A table of the half of a pool that BM25 of title and abstract puts first.

    Columns are the demand's first words that some of their texts have and others have not. A cell
    is the phrase around the first such word of a text, or N/A.
    """
    asked = list(dict.fromkeys(word.casefold() for word in telling_words(demand)))
    searched = Bm25Retriever((f"{one.title}\n{one.abstract}" for one in papers), epsilon=None)
    order = np.argsort(-searched.scores(" ".join(asked)), kind="stable")
    chosen = [papers[place] for place in sorted(order[: -(-len(papers) // 2)].tolist())]
    texts = {one.label: "\n".join((one.title, one.abstract, one.text)) for one in chosen}
    columns = {
        word.capitalize(): found
        for word in asked
        if 0 < len(found := _phrases(word, texts)) < len(texts)
    }
    shown = dict(list(columns.items())[:MAX_COLUMNS])
    return LiteratureTable(
        papers=tuple(texts),
        columns=tuple(shown),
        rows=tuple(
            TableRow(label, tuple(found.get(label) for found in shown.values())) for label in texts
        ),
    )


def _phrases(word: str, texts: Mapping[str, str]) -> dict[str, str]:
    """The phrase around a word, by the label of each text that has it."""
    pattern = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)
    places = ((label, text, pattern.search(text)) for label, text in texts.items())
    return {label: _around(text, found) for label, text, found in places if found}


def _around(text: str, found: re.Match[str]) -> str:
    """A word with those beside it up to the next punctuation."""
    before = _BREAK.split(text[max(0, found.start() - _NEAR) : found.start()])[-1].split()
    behind = _BREAK.split(text[found.end() : found.end() + _NEAR])[0].split()
    return " ".join([*before[-_WORDS_BESIDE:], found[0], *behind[:_WORDS_BESIDE]])
