"""Fetching of titles and abstracts of works that a corpus cites, for `viva fetch cited`."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vivavoce.corpus.ingestion.downloads import DOWNLOADS, Index, finish_reading, open_downloads
from vivavoce.corpus.ingestion.imports import Progress
from vivavoce.corpus.ingestion.lookup import (
    GOT,
    SUFFIXES,
    UNKNOWN,
    Lookup,
    WorkKey,
    ask_in_turn,
    is_lost,
    is_refusal,
    read_answers,
)
from vivavoce.corpus.matching import is_telling, title_key
from vivavoce.corpus.reading import Corpus, load_corpus
from vivavoce.records import Document, Fault
from vivavoce.sources.catalogues.arxiv import read_feed
from vivavoce.sources.catalogues.arxiv.search import API, by_ids
from vivavoce.sources.http.client import BadReplyError, Client
from vivavoce.store import Row, hash_file, hash_of, write_bytes
from vivavoce.text.identifiers import find_arxiv_id

INDEX, NAMED = "cited.jsonl", "cited_named.jsonl"
FOLDER = "cited"
BATCH = 100
_NUMBERED = re.compile(r"([0-9]{5,9})\.atom\.xml")


@dataclass(frozen=True, slots=True)
class CitedReport:
    """Counts of a fetch of cited works."""

    cited: int
    """Number of works that the corpus cited and lacked, either with or without an arXiv id."""
    asked: int
    found: int
    """Number of works that were found."""
    unknown: tuple[str, ...]
    """Works that no service knows; they are not asked for again."""
    papers: int
    """Number of papers in the corpus afterwards."""
    left: int
    """Number of works not asked for, because of the limit or because the fetch stopped."""
    faults: tuple[Fault, ...]
    """Faults for answers that could not be read."""
    stopped: str | None
    """Reason why the fetch ended early; None if it was not cut short."""
    index: Path


def fetch_cited(
    corpus: Path,
    client: Client,
    *,
    limit: int | None = None,
    api: str = API,
    tables: bool = False,
    progress: Progress | None = None,
) -> CitedReport:
    """Ask arXiv, a hundred ids at a time, for the cited works missing from the corpus.

    These works become papers of the corpus without a text. Answers go into `downloads/cited`.
    An interrupted fetch resumes where it stopped. `limit` bounds the works asked for. With
    `tables`, only works cited in tables count. `progress` is called with (works done, all works).

    Raises:
        InputError: The folder holds no corpus.
        LockedError: Another process fetches for this corpus, or has locked it.
    """

    def rows_of(index: Index, names: Sequence[str], absent: Absent) -> Iterator[list[Row]]:
        return _ask_arxiv(client, api, corpus, index, names)

    return _fetch(corpus, INDEX, "arxiv_id", rows_of, _absent, limit, tables, progress, BATCH)


Absent = Mapping[str, WorkKey]
"""Works that the corpus lacks, sorted by their names in the index."""


def _fetch(
    corpus: Path,
    file: str,
    key: str,
    rows_of: Callable[[Index, Sequence[str], Absent], Iterable[list[Row]]],
    absent_of: Callable[[Corpus, bool], Absent],
    limit: int | None,
    tables: bool,
    progress: Progress | None,
    size: int = 1,
) -> CitedReport:
    """Ask for absent works, `size` at a time; read all answers, including those of earlier runs."""
    with open_downloads(corpus, file, (key,), limit, "works") as index:
        finish_reading(corpus)
        absent = absent_of(load_corpus(corpus), tables)
        known = {name: index.get(name) for name in absent}
        todo = [name for name, row in known.items() if row is None or is_lost(corpus, row)]
        wanted = todo if limit is None else todo[:limit]
        came: dict[str, bool] = {}

        def ask(names: Sequence[str]) -> None:
            for rows in rows_of(index, names, absent):
                index.note(rows)
                came.update((row[key], row["outcome"] == GOT) for row in rows)
                if progress:
                    progress(len(came), len(wanted))

        batches = [wanted[start : start + size] for start in range(0, len(wanted), size)]
        stopped = ask_in_turn(batches, ask, None)
        faults = read_answers(corpus, (row for row in index.rows() if row[key] in absent))
        papers = len(load_corpus(corpus).papers)
    unknown = tuple(name for name, is_there in came.items() if not is_there)
    return CitedReport(
        cited=len(absent),
        asked=len(came),
        found=len(came) - len(unknown),
        unknown=unknown,
        papers=papers,
        left=len(todo) - len(came),
        faults=tuple(faults),
        stopped=stopped,
        index=index.path,
    )


def _ask_arxiv(
    client: Client, api: str, corpus: Path, index: Index, names: Sequence[str]
) -> Iterator[list[Row]]:
    """Ask for works in one request, or in halves if it is refused; yield their index rows."""
    try:
        body = by_ids(client, names, api=api)
    except BadReplyError as error:
        if not is_refusal(error):
            raise
        if len(names) == 1:
            yield [{"arxiv_id": names[0], "outcome": UNKNOWN, "reason": str(error)}]
            return
        # One id that arXiv refuses must not spoil the request for the others.
        middle = len(names) // 2
        yield from _ask_arxiv(client, api, corpus, index, names[:middle])
        yield from _ask_arxiv(client, api, corpus, index, names[middle:])
        return
    known = {entry.arxiv_id for entry in read_feed(body).entries if isinstance(entry, Document)}
    got = [name for name in names if name in known]
    kept = _save(corpus, index, body) if got else {}
    lost = {"outcome": UNKNOWN, "reason": "arXiv has no paper with this id"}
    yield [
        *({"arxiv_id": name, "outcome": GOT, **kept} for name in got),
        *({"arxiv_id": name, **lost} for name in names if name not in known),
    ]


def _save(corpus: Path, index: Index, body: bytes) -> Row:
    files = {str(row.get("file", "")) for row in index.rows()}
    numbers = (int(match[1]) for file in files if (match := _NUMBERED.search(file)))
    file = f"{DOWNLOADS}/{FOLDER}/{max(numbers, default=0) + 1:05d}.atom.xml"
    write_bytes(corpus / file, body)
    return {"file": file, "sha256": hash_file(corpus / file)}


def _absent(corpus: Corpus, tables: bool) -> Absent:
    """Cited works by arXiv id, except papers of the corpus."""
    known = {paper.arxiv_id for paper in corpus.papers if paper.arxiv_id}
    names = (row["arxiv_id"] for row in _references(corpus, tables) if row["arxiv_id"])
    ids = (find_arxiv_id(name) for name in names)
    return {name: WorkKey("", name) for name in sorted({pair[0] for pair in ids if pair} - known)}


def _references(corpus: Corpus, tables: bool) -> Iterator[Row]:
    """References of a corpus; with `tables`, only those cited in tables."""
    cited: set[tuple[str, int]] = set()
    if tables:
        for row in corpus.rows("tables"):
            cited.update((row["paper_id"], ordinal) for ordinal in row["cited"])
    for row in corpus.rows("references"):
        if not tables or (row["paper_id"], row["ordinal"]) in cited:
            yield row


def fetch_named(
    corpus: Path,
    client: Client,
    *,
    limit: int | None = None,
    base: str | None = None,
    tables: bool = False,
    progress: Progress | None = None,
) -> CitedReport:
    """Ask for cited works without an arXiv id, one at a time.

    Titles are searched on arXiv first, since arXiv has texts. Works not found there are looked up
    at Crossref, by DOI if there is one. Answers go into the folder `downloads/named`. `base`
    replaces the usual addresses of both services. The other arguments and the errors are those of
    `fetch_cited`.
    """
    lookup = Lookup(client, base)

    def rows_of(index: Index, names: Sequence[str], absent: Absent) -> Iterator[list[Row]]:
        yield [_ask_by_name(corpus, lookup, name, absent[name]) for name in names]

    return _fetch(corpus, NAMED, "work", rows_of, _absent_by_name, limit, tables, progress)


def _absent_by_name(corpus: Corpus, tables: bool) -> Absent:
    """Works that resolve to no paper, keyed and sorted by DOI, else by title."""
    works: dict[str, WorkKey] = {}
    for row in _references(corpus, tables):
        title = row["title"] or ""
        key = title_key(title) if is_telling(title) else ""
        if row["cited_paper_id"] is None and not row["arxiv_id"] and (row["doi"] or key):
            name = f"doi:{row['doi']}" if row["doi"] else f"title:{key}"
            works.setdefault(name, WorkKey(title if key else "", None, row["doi"]))
    return {name: works[name] for name in sorted(works)}


def _ask_by_name(corpus: Path, lookup: Lookup, name: str, wanted: WorkKey) -> Row:
    file = f"{DOWNLOADS}/named/{hash_of(name)[:16]}"
    row: Row = {"outcome": UNKNOWN}
    for service in SUFFIXES if wanted.title else ("crossref",):
        row = lookup.keep(service, wanted, corpus, file)
        if row["outcome"] == GOT:
            return {"work": name, "service": service, **row}
    return {"work": name, **row, "reason": "neither service knows it"}
