"""Parts of a sample: the pool under labels, its papers' texts, the question, the gold in labels.

Texts are long and shared by many items, so that a sample holds none: methods open those of its
pool in the round's library.

Abbreviations are those that texts define in brackets: `question answering (QA)`, or the other way
round. The letters of the short form are found from the right in the words before the bracket, and
its first letter begins a word. Source: Schwartz and Hearst, "A simple algorithm for identifying
abbreviation definitions in biomedical text" (2003).
"""

from __future__ import annotations

import html
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from vivavoce.errors import InputError
from vivavoce.metrics.tables.literature_tables import (
    FAULTS,
    LiteratureTable,
    count_faults,
    score_table,
)
from vivavoce.metrics.tables.table_schema import jaccard, schema_recall
from vivavoce.readers.paper_tables import LibraryPaper
from vivavoce.store import Row
from vivavoce.tasks.library import open_papers
from vivavoce.tasks.prompting.prompts import PromptSet, Rendered, fence_mark
from vivavoce.tasks.tables.items.item import FAMILY, PAPERS, gold_of
from vivavoce.tasks.tables.items.replies import UnusableReply, read_table
from vivavoce.text.chunk import headed, table_lines

_MAX_TITLE = 300


def pool_entries(
    row: Row, papers: Mapping[str, LibraryPaper], setting: str
) -> list[dict[str, Any]]:
    """The papers that an item shows: label, id, title, and the abstract where it is shown."""
    return [
        {
            "label": label,
            "paper_id": paper_id,
            "title": " ".join(papers[paper_id].title[:_MAX_TITLE].split()),
            "abstract": None if setting == "titles" else papers[paper_id].abstract,
        }
        for label, paper_id in zip(labels_of(row), row["pool"], strict=True)
    ]


def labels_of(row: Row) -> list[str]:
    """Labels of the papers of an item's pool, in their order: P1, P2, P3."""
    return [f"P{number}" for number in range(1, len(row["pool"]) + 1)]


def gold_in_labels(row: Row) -> LiteratureTable:
    """The gold of an item, with labels for papers."""
    labels = dict(zip(row["pool"], labels_of(row), strict=True))
    gold = gold_of(row)
    return LiteratureTable(
        papers=tuple(labels[paper] for paper in gold.papers),
        columns=gold.columns,
        rows=tuple(replace(one, paper=labels[one.paper]) for one in gold.rows),
    )


def abbreviations_for(gold: LiteratureTable, pool: Iterable[LibraryPaper]) -> dict[str, str]:
    """Short forms that the papers define and that the gold uses, or whose words it uses."""
    cells = (cell for row in gold.rows for cell in row.cells if cell)
    words = "\n".join([*gold.columns, *cells]).casefold()
    found = abbreviations_in(text for paper in pool for text in paper.texts(abstract=True))
    return {
        short: long
        for short, long in found.items()
        if short.casefold() in words or long.casefold() in words
    }


def question(prompts: PromptSet, demand: str, pool: Sequence[Mapping[str, Any]]) -> Rendered:
    """The question of an item, without the papers' abstracts and texts."""
    listed = "\n".join(f"{one['label']} [{one['paper_id']}] {one['title']}" for one in pool)
    mark = fence_mark([demand, listed])
    return prompts.render("question", {"demand": demand, "papers": listed}, {"mark": mark})


@dataclass(frozen=True, slots=True)
class PoolText:
    """A paper of a pool as a method reads it; what is not shown or not known is empty."""

    label: str
    title: str
    abstract: str = ""
    text: str = ""


def read_pool(metadata: Mapping[str, Any]) -> list[PoolText]:
    """The papers of a sample's pool, with their texts where the setting shows these.

    Args:
        metadata: Of the sample. Where the pool has texts already, they are taken as they are.
    """
    library = metadata.get("library")
    papers: Mapping[str, LibraryPaper] = {}
    if library is not None and metadata.get("setting") == "base":
        papers = open_papers(library["round"], FAMILY, PAPERS)
    pool = []
    for one in metadata["pool"]:
        known = papers.get(one.get("paper_id"))
        text = one.get("text") or (full_text(known) if known else "")
        title, abstract = " ".join((one["title"] or "").split()), one.get("abstract") or ""
        pool.append(PoolText(one["label"], title, abstract.strip(), text.strip()))
    return pool


def full_text(paper: LibraryPaper) -> str:
    """A paper's sections, then its tables; empty where the library has neither."""
    parts = [headed(one.heading, one.text) for one in paper.sections if one.text.strip()]
    parts += ["\n".join(table_lines(one.caption, one.cells)) for one in paper.tables]
    return "\n\n".join(part for part in parts if part.strip())


NAMES = (
    *("avg", "unary_f1", "schema_f1", "pairwise_f1", "paper_f1"),
    *("unary_p", "unary_r", "schema_p", "schema_r", "pairwise_p", "pairwise_r"),
    *("paper_p", "paper_r"),
)
"""Metrics in the order of the card."""
LEXICAL, SCHEMA_RECALL = "avg_lexical", "schema_recall"
DIAGNOSTICS = ("success", LEXICAL, SCHEMA_RECALL, *FAULTS[1:])
NOTHING = LiteratureTable((), (), ())

_ROWS, _COLUMNS, _CELL = 60, 30, 160
"""Of a table that is shown to people, at most."""
_ABSENT = "N/A"
_MAX_COLUMNS = 300
"""Columns of an answer that are compared by their stems."""
_BACKSLASHED = str.maketrans({char: f"\\{char}" for char in "\\|`*_[]$~"})


def read_answer(answer: str, titles: Mapping[str, str]) -> LiteratureTable | None:
    """The table of an answer, papers by label; None where there is none."""
    try:
        return read_table(answer, titles)
    except UnusableReply:
        return None


def read_gold(target: str, titles: Mapping[str, str]) -> LiteratureTable:
    """The gold of a sample, papers by label.

    Raises:
        InputError: It is no table.
    """
    gold = read_answer(target, titles)
    if gold is None:
        raise InputError("The gold of a sample is no table. Build the round again.")
    return gold


def diagnose(
    gold: LiteratureTable,
    answer: LiteratureTable | None,
    pairs: int | None = None,
    seed: int = 0,
) -> dict[str, float]:
    """The values of `DIAGNOSTICS`; NaN where undefined."""
    columns = (answer or NOTHING).columns[:_MAX_COLUMNS]
    recall = schema_recall(gold.columns, columns, jaccard)
    faults = count_faults(gold, answer)
    lexical = score_table(gold, answer or NOTHING, pairs=pairs, seed=seed).values()["avg"]
    values = {LEXICAL: lexical, SCHEMA_RECALL: recall, **faults}
    defined = {name: math.nan if value is None else value for name, value in values.items()}
    return {name: float(defined[name]) for name in DIAGNOSTICS}


def side_by_side(
    gold: LiteratureTable, answer: LiteratureTable | None, titles: Mapping[str, str]
) -> str:
    """The gold and the generated table in markdown, as in Tables 16 to 18 of arXiv2Table."""
    shown = _markdown(answer, titles) if answer is not None else "The answer is no table."
    return f"### Gold\n\n{_markdown(gold, titles)}\n\n### Generated\n\n{shown}"


def _markdown(table: LiteratureTable, titles: Mapping[str, str]) -> str:
    """A table with its papers' titles; long ones are cut and say so."""
    columns = table.columns[:_COLUMNS]
    lines = [_line(["Paper", *columns]), _line(["---"] * (len(columns) + 1), escaped=False)]
    lines += [
        _line([_name(row.paper, titles), *(cell or _ABSENT for cell in row.cells[:_COLUMNS])])
        for row in table.rows[:_ROWS]
    ]
    with_rows = {row.paper for row in table.rows}
    bare = [paper for paper in table.papers if paper not in with_rows]
    lines += [_line([_name(paper, titles), *[""] * len(columns)]) for paper in bare[:_ROWS]]
    more_rows, more_columns = len(table.rows) - _ROWS, len(table.columns) - _COLUMNS
    if more_rows > 0 or more_columns > 0:
        left_out = f"{max(0, more_rows)} further rows and {max(0, more_columns)} further columns"
        lines.append(f"\n{left_out} are not shown.")
    return "\n".join(lines)


def _name(paper: str, titles: Mapping[str, str]) -> str:
    title = titles.get(paper)
    return f"{paper} {title}" if title else paper


def _line(cells: Sequence[str], *, escaped: bool = True) -> str:
    return f"| {' | '.join(_cell(cell) if escaped else cell for cell in cells)} |"


def _cell(text: str) -> str:
    """A text on one line in which nothing is markup."""
    line = " ".join(text[: 4 * _CELL].split())
    cut = line if len(line) <= _CELL else f"{line[: _CELL - 1]}…"
    return html.escape(cut, quote=False).translate(_BACKSLASHED)


_BRACKET = re.compile(r"\(([^()\n]{2,80})\)")
_SHORT = re.compile(r"[^\W_][\w.&/-]{1,9}")
_BEFORE = 200
"""Characters before a bracket in which a long form is looked for."""
_END_OF_SENTENCE = re.compile(r"[.;:?!]\s|\n")
_MAX_WORDS_BESIDE = 2
"""Words of a long form beside one for each letter; the source allows five, most of them wrong."""


def abbreviations_in(texts: Iterable[str]) -> dict[str, str]:
    """Short forms that texts define -> the long form that most definitions give, sorted.

    Long forms that differ in case, hyphens or the plural alone are one. A short form is left out
    where two long forms are equally frequent. A plural (`CNNs`) defines the singular too.
    """
    found: dict[str, Counter[str]] = {}
    wordings: dict[str, str] = {}
    for text in texts:
        for short, long in _definitions(text):
            wordings.setdefault(_key(long), long)
            found.setdefault(short, Counter())[_key(long)] += 1
            if short.endswith("s") and short[:-1].isupper():
                found.setdefault(short[:-1], Counter())[_key(long)] += 1
    return {
        short: wordings[ranked[0][0]]
        for short, counts in sorted(found.items())
        if len(ranked := counts.most_common(2)) == 1 or ranked[0][1] > ranked[1][1]
    }


@lru_cache(maxsize=2048)
def _definitions(text: str) -> tuple[tuple[str, str], ...]:
    """(short form, long form) of each definition in a text; papers are read once for all tables."""
    return tuple(_find_definitions(text))


def _find_definitions(text: str) -> Iterator[tuple[str, str]]:
    for bracket in _BRACKET.finditer(text):
        inside = re.split(r"[;,]\s", bracket[1])[0].strip()
        start = max(0, bracket.start() - _BEFORE)
        before = _END_OF_SENTENCE.split(text[start : bracket.start()].rstrip())[-1]
        if _is_short_form(inside):
            long = _long_form(inside, before)
            if long is not None:
                yield inside, long
        elif (words := before.split()) and _is_short_form(words[-1]):
            long = _long_form(words[-1], inside)
            if long is not None and len(long) == len(inside):
                yield words[-1], long


def _is_short_form(text: str) -> bool:
    return bool(_SHORT.fullmatch(text)) and sum(map(str.isupper, text)) > 1


def _long_form(short: str, before: str) -> str | None:
    """The shortest run of words at the end of a text that holds the letters in order."""
    letters = [char.casefold() for char in short if char.isalnum()]
    text = " ".join(before.split()[-len(letters) - _MAX_WORDS_BESIDE :])
    place = len(text)
    for number in range(len(letters) - 1, -1, -1):
        place -= 1
        while place >= 0 and (
            text[place].casefold() != letters[number]
            or (number == 0 and place > 0 and text[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return None
    long = text[place:]
    is_other = len(long.split()) > 1 and short.casefold() not in long.casefold().split()
    return long if is_other and not {"(", ")"} & set(long) else None


def _key(long: str) -> str:
    return re.sub(r"[\W_]|s\b", "", long.casefold())
