"""Titles and abstracts of works that a corpus cites: the work of `viva fetch cited`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vivavoce.corpus.identity.matching import is_telling, title_key
from vivavoce.corpus.ingestion.downloads import (
    DOWNLOADS,
    Index,
    finish_reading,
    is_sound,
    open_downloads,
    read_downloads,
)
from vivavoce.corpus.ingestion.imports import Progress
from vivavoce.corpus.ingestion.lookup import (
    GOT,
    SUFFIXES,
    UNKNOWN,
    KeptBody,
    Lookup,
    Wanted,
    is_refusal,
)
from vivavoce.corpus.reading import Corpus, load_corpus
from vivavoce.records import Document, Fault
from vivavoce.sources.catalogues.arxiv.search import API, by_ids
from vivavoce.sources.http.client import BadReplyError, Client, HttpError
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
    """Works with an arXiv id, or without one, that the corpus cited and did not have."""
    asked: int
    found: int
    """Works that came."""
    unknown: tuple[str, ...]
    """Works asked for that no service knows; they are not asked for again."""
    papers: int
    """Papers of the corpus afterwards."""
    left: int
    """Works that were not asked for, because of the limit or because the fetch stopped."""
    faults: tuple[Fault, ...]
    """Faults of answers that could not be read."""
    stopped: str | None
    """Why the fetch ended before its time."""
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
    """Ask arXiv, a hundred ids at a time, for the cited works that the corpus does not have.

    They become papers of the corpus without a text. What was cut short goes on where it stopped.

    Args:
        corpus: The corpus folder; answers go into its folder `downloads/cited`.
        client: Must be allowed to talk to the API.
        limit: The most works to ask for.
        api: Where the API is.
        tables: Only works that tables cite.
        progress: Called with (works done, works in all).

    Raises:
        InputError: No corpus there.
        LockedError: Another process fetches for this corpus, or holds it.
    """
    with open_downloads(corpus, INDEX, ("arxiv_id",), limit, "works") as index:
        return _Fetch(index, corpus, client, api, tables).run(limit, progress)


class _Fetch:
    """One run."""

    def __init__(self, index: Index, corpus: Path, client: Client, api: str, tables: bool) -> None:
        self.index = index
        self._corpus = corpus
        self._client = KeptBody(client)
        self._api = api
        self._tables = tables
        self._unknown: list[str] = []
        self._asked = 0
        self._found = 0
        files = (_NUMBERED.search(str(row.get("file", ""))) for row in self.index.rows())
        self._last_number = max((int(found[1]) for found in files if found), default=0)

    def run(self, limit: int | None, progress: Progress | None) -> CitedReport:
        finish_reading(self._corpus)
        absent = _absent(load_corpus(self._corpus), tables=self._tables)
        todo = _open_ones(self._corpus, self.index, absent)
        wanted = todo if limit is None else todo[:limit]
        stopped = None
        for start in range(0, len(wanted), BATCH):
            try:
                self._ask(wanted[start : start + BATCH])
            except HttpError as error:
                stopped = str(error)
                break
            if progress:
                progress(min(start + BATCH, len(wanted)), len(wanted))
        faults = self._read(absent)
        return CitedReport(
            cited=len(absent),
            asked=self._asked,
            found=self._found,
            unknown=tuple(self._unknown),
            papers=len(load_corpus(self._corpus).papers),
            left=len(todo) - self._asked,
            faults=tuple(faults),
            stopped=stopped,
            index=self.index.path,
        )

    def _ask(self, names: Sequence[str]) -> None:
        try:
            entries = list(by_ids(self._client, names, page=BATCH, api=self._api))
        except BadReplyError as error:
            if not is_refusal(error):
                raise
            if len(names) == 1:
                self._note(names, set(), {"reason": str(error)})
                return
            # One id that arXiv will not have must not cost the others.
            middle = len(names) // 2
            self._ask(names[:middle])
            self._ask(names[middle:])
            return
        there = {e.arxiv_id for e in entries if isinstance(e, Document) and e.arxiv_id}
        self._note(names, there, self._save() if there else {})

    def _save(self) -> Row:
        """Write the answer under the next number."""
        self._last_number += 1
        file = f"{DOWNLOADS}/{FOLDER}/{self._last_number:05d}.atom.xml"
        write_bytes(self._corpus / file, self._client.body)
        return {"file": file, "sha256": hash_file(self._corpus / file)}

    def _note(self, names: Sequence[str], there: set[str], more: Row) -> None:
        got = [name for name in names if name in there]
        lost = [name for name in names if name not in there]
        reason = {"reason": more.get("reason", "arXiv has no paper of this id")}
        self.index.note(
            [
                *({"arxiv_id": name, "outcome": GOT, **more} for name in got),
                *({"arxiv_id": name, "outcome": UNKNOWN, **reason} for name in lost),
            ]
        )
        self._asked += len(names)
        self._found += len(got)
        self._unknown += lost

    def _read(self, absent: Sequence[str]) -> list[Fault]:
        """Read the answers, earlier ones too, that have works missing from the corpus."""
        known = {paper.arxiv_id for paper in load_corpus(self._corpus).papers}
        rows = [row for name in absent if name not in known and (row := self.index.get(name))]
        files = {row["file"]: row for row in rows if row["outcome"] == GOT}
        sound = sorted(file for file, row in files.items() if is_sound(self._corpus, row))
        return read_downloads(self._corpus, {"arxiv": sound}).faults if sound else []


def _open_ones(corpus: Path, index: Index, names: Iterable[str]) -> list[str]:
    """Works that were not asked for, or whose answer is damaged."""
    rows = {name: index.get(name) for name in names}
    return [
        name
        for name, row in rows.items()
        if row is None or (row["outcome"] == GOT and not is_sound(corpus, row))
    ]


def _absent(corpus: Corpus, *, tables: bool) -> list[str]:
    """ArXiv ids of cited works that no paper of the corpus has, sorted."""
    known = {paper.arxiv_id for paper in corpus.papers if paper.arxiv_id}
    names = (row["arxiv_id"] for row in _references(corpus, tables=tables) if row["arxiv_id"])
    found = (find_arxiv_id(name) for name in names)
    return sorted({pair[0] for pair in found if pair} - known)


def _references(corpus: Corpus, *, tables: bool) -> Iterator[Row]:
    """References of a corpus; those that tables cite alone, if asked for."""
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

    A title is searched on arXiv, where texts are. Works that arXiv does not have are asked for at
    Crossref, by DOI where there is one.

    Args:
        corpus: The corpus folder; answers go into its folder `downloads/named`.
        client: Must be allowed to talk to both services.
        limit: The most works to ask for.
        base: Where the services are, unless at their usual addresses.
        tables: Only works that tables cite.
        progress: Called with (works done, works in all).

    Raises:
        InputError: No corpus there.
        LockedError: Another process fetches for this corpus, or holds it.
    """
    with open_downloads(corpus, NAMED, ("work",), limit, "works") as index:
        finish_reading(corpus)
        absent = _absent_by_name(load_corpus(corpus), tables=tables)
        todo = _open_ones(corpus, index, absent)
        wanted = todo if limit is None else todo[:limit]
        lookup, stopped, came = Lookup(client, base), None, dict[str, bool]()
        for done, name in enumerate(wanted, start=1):
            try:
                row = _ask_by_name(corpus, lookup, name, absent[name])
            except HttpError as error:
                stopped = str(error)
                break
            index.note([row])
            came[name] = row["outcome"] == GOT
            if progress:
                progress(done, len(wanted))
        faults = _read_named(corpus, index, absent)
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


def _absent_by_name(corpus: Corpus, *, tables: bool) -> dict[str, Wanted]:
    """Works that resolve to no paper, by DOI, else by title; sorted."""
    found: dict[str, Wanted] = {}
    for row in _references(corpus, tables=tables):
        title = row["title"] or ""
        key = title_key(title) if is_telling(title) else ""
        if row["cited_paper_id"] is None and not row["arxiv_id"] and (row["doi"] or key):
            name = f"doi:{row['doi']}" if row["doi"] else f"title:{key}"
            found.setdefault(name, Wanted(title if key else "", None, row["doi"]))
    return {name: found[name] for name in sorted(found)}


def _ask_by_name(corpus: Path, lookup: Lookup, name: str, wanted: Wanted) -> Row:
    file = f"{DOWNLOADS}/named/{hash_of(name)[:16]}"
    row: Row = {"outcome": UNKNOWN}
    for service in SUFFIXES if wanted.title else ("crossref",):
        row = lookup.keep(service, wanted, corpus, file)
        if row["outcome"] == GOT:
            return {"work": name, "service": service, **row}
    return {"work": name, **row, "reason": "neither service knows it"}


def _read_named(corpus: Path, index: Index, absent: Collection[str]) -> list[Fault]:
    """Read the answers about works that the corpus does not have yet, earlier ones too."""
    files: dict[str, list[str]] = {}
    for row in index.rows():
        if row["work"] in absent and row["outcome"] == GOT and is_sound(corpus, row):
            files.setdefault(row["service"], []).append(row["file"])
    return read_downloads(corpus, files).faults if files else []
