"""The open track of related work: works are found in a library of earlier papers.

A round keeps title and abstract of the papers in `library.parquet`, with the day of each citation.
An item sees those that were over when its paper appeared, as in every library; its paper, other
versions of it and papers of the same text are hidden.

An answer cites a work in brackets by its id (`[arxiv:2401.01234]`) or by its title, several parted
by semicolons or commas. `read_citations` puts numbers in their place, so that the metrics of the
other tracks read these answers too: first the works that the section cites, then others of the
library in order of mention. Numbers after those stand for works that are not in the library.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa

from vivavoce.corpus import Corpus
from vivavoce.rounds import Round, load_round
from vivavoce.store import Row, table_of_parquet
from vivavoce.tasks.library import describe_library, library_as_bytes, library_rows
from vivavoce.tasks.writing.citations import Citing, count_before
from vivavoce.tasks.writing.inputs import OPEN
from vivavoce.text.citation_markers import find_numeric_markers
from vivavoce.text.dates import earlier, is_over, period
from vivavoce.text.normalise import normalise_title

FILE = "library.parquet"
TEMPLATE = "open.related_work"
_CITED_ON = pa.field("cited_on", pa.list_(pa.int64()))
_BRACKET = re.compile(r"\[([^\[\]\n]{1,500})\]")
_MIN_WORDS = 3
"""Fewest words of text in brackets that make it a title, and not a remark."""


def make_library(corpus: Corpus, citing: Citing, rows: Sequence[Row]) -> bytes | None:
    """The library of the items that have the open setting; None where there is none."""
    starts = [period(row["published"])[0] for row in rows if OPEN in row["settings"]]
    if not starts:
        return None
    last = max(starts)
    names = [one.paper_id for one in corpus.papers if one.title and is_over(one.first_public, last)]
    papers = library_rows(corpus, names, texts=False)
    dated = ({**paper, _CITED_ON.name: citing.days(paper["paper_id"])} for paper in papers)
    return library_as_bytes(dated, [_CITED_ON])


def is_there(work: Row, row: Row) -> bool:
    """Check whether the library of an item has a work that the section cites."""
    if work["role"] != "cited" or not work["published"] or work["work_id"] in row["hidden"]:
        return False
    return earlier(work["published"], row["published"])


def describe_open(row: Row, opened: Round) -> Row:
    """Metadata of an item in the open setting: its library, and the works to be found there."""
    works = [work for work in row["works"] if work["role"] == "cited"]
    place, day = ("writing", FILE), row["published"]
    return {
        "library": describe_library(
            opened, place, papers=None, cutoff=day, hidden_papers=row["hidden"]
        ),
        "template": TEMPLATE,
        "works": [work["title"] for work in works],
        "work_ids": [work["work_id"] for work in works],
        "citations": [work["citations"] for work in works],
        "cited": [number for number, work in enumerate(works, 1) if is_there(work, row)],
    }


@lru_cache(maxsize=2)
def _papers(folder: str, _sha256: str) -> tuple[Mapping[str, Row], Mapping[str, str]]:
    """The papers of a round's library by id in lower case, and those ids by title."""
    content = load_round(folder).read_file("writing", FILE)
    columns = ["paper_id", "title", "published", _CITED_ON.name]
    rows = table_of_parquet(content, columns).to_pylist()
    papers = {row["paper_id"].lower(): row for row in rows}
    return papers, {normalise_title(row["title"]): name for name, row in papers.items()}


def read_citations(text: str, row: Mapping[str, Any]) -> Row:
    """An answer with numbers for the works it cites, and their titles and citations by number.

    Args:
        text: The answer.
        row: Metadata of its sample.
    """
    entry = row["library"]
    papers, titles = _papers(entry["round"], load_round(entry["round"]).sha256)
    works, citations = list(row["works"]), list(row["citations"])
    known = zip(row["work_ids"], row["works"], strict=True)
    numbers = {
        key: number
        for number, (paper_id, title) in enumerate(known, 1)
        for key in (normalise_title(title), (paper_id or "").lower())
        if key
    }

    def find(name: str) -> int | None:
        title, given = normalise_title(name), name.strip().lower()
        keys = (title, titles.get(title, ""), given, f"arxiv:{given}")
        if number := next((numbers[key] for key in keys if key in numbers), None):
            return number
        key = next((key for key in keys if key in papers), "")
        if not key or papers[key]["paper_id"] in entry["hidden_papers"]:
            return None
        if not earlier(papers[key]["published"], entry["cutoff"]):
            return None
        works.append(papers[key]["title"])
        citations.append(count_before(papers[key][_CITED_ON.name], entry["cutoff"]))
        numbers[key] = len(works)
        return len(works)

    strangers: dict[str, int] = {}
    plain = {marker.start for marker in find_numeric_markers(text)}
    brackets = [(each, _names_in(each, find, plain)) for each in _BRACKET.finditer(text)]
    pieces, end = [], 0
    for bracket, names in brackets:
        meant = dict.fromkeys(
            find(name) or len(works) + strangers.setdefault(name, len(strangers) + 1)
            for name in names
        )
        shown = f"[{', '.join(map(str, meant))}]" if meant else bracket[0]
        pieces += [text[end : bracket.start()], shown]
        end = bracket.end()
    return {
        "read_as": "".join(pieces) + text[end:],
        "works": works,
        "citations": citations,
    }


def _names_in(
    bracket: re.Match[str], find: Callable[[str], int | None], plain: Iterable[int]
) -> list[str]:
    """The works that text in brackets names; none for a remark."""
    inside = bracket[1]
    names: list[str] = []
    for part in [inside] if find(inside) else inside.split(";"):
        pieces = part.split(",")
        names += pieces if not find(part) and any(map(find, pieces)) else [part]
    names = [name.strip() for name in names if name.strip()]
    if any(map(find, names)):
        return names
    is_title = normalise_title(inside).count(" ") + 1 >= _MIN_WORDS
    return [inside] if is_title or bracket.start() in plain else []
