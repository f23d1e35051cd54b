"""Titles and abstracts of works that a corpus cites: the work of `viva fetch cited`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.corpus.ingestion.downloads import (
    DOWNLOADS,
    Index,
    finish_reading,
    is_sound,
    open_downloads,
    read_downloads,
)
from vivavoce.corpus.ingestion.imports import Progress
from vivavoce.corpus.reading import Corpus, load_corpus
from vivavoce.records import Document, Fault
from vivavoce.sources.catalogues.arxiv.search import API, by_ids
from vivavoce.sources.http.client import BadReplyError, BadStatusError, Client, HttpError
from vivavoce.store import Row, hash_file, write_bytes
from vivavoce.text.identifiers import find_arxiv_id

INDEX = "cited.jsonl"
FOLDER = "cited"
BATCH = 100
GOT, UNKNOWN = "got", "unknown"
_NUMBERED = re.compile(r"([0-9]{5,9})\.atom\.xml")


@dataclass(frozen=True, slots=True)
class CitedReport:
    """Counts of a fetch of cited works."""

    cited: int
    """Works with an arXiv id that the corpus cited and did not have."""
    asked: int
    found: int
    """Works that came."""
    unknown: tuple[str, ...]
    """Ids asked for that arXiv does not know; they are not asked for again."""
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
    progress: Progress | None = None,
) -> CitedReport:
    """Ask arXiv, a hundred ids at a time, for the cited works that the corpus does not have.

    They become papers of the corpus without a text. What was cut short goes on where it stopped.

    Args:
        corpus: The corpus folder; answers go into its folder `downloads/cited`.
        client: Must be allowed to talk to the API.
        limit: The most works to ask for.
        api: Where the API is.
        progress: Called with (works done, works in all).

    Raises:
        InputError: No corpus there.
        LockedError: Another process fetches for this corpus, or holds it.
    """
    with open_downloads(corpus, INDEX, ("arxiv_id",), limit, "works") as index:
        return _Fetch(index, corpus, client, api).run(limit, progress)


class KeptBody(Client):
    """A client that keeps the last body it gave."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.body = b""

    def get(self, url: str, **options: Any) -> bytes:
        """The body of an address, which is kept as well."""
        self.body = self._client.get(url, **options)
        return self.body


class _Fetch:
    """One run."""

    def __init__(self, index: Index, corpus: Path, client: Client, api: str) -> None:
        self.index = index
        self._corpus = corpus
        self._client = KeptBody(client)
        self._api = api
        self._unknown: list[str] = []
        self._asked = 0
        self._found = 0
        files = (_NUMBERED.search(str(row.get("file", ""))) for row in self.index.rows())
        self._last_number = max((int(found[1]) for found in files if found), default=0)

    def run(self, limit: int | None, progress: Progress | None) -> CitedReport:
        finish_reading(self._corpus)
        absent = _absent(load_corpus(self._corpus))
        todo = [name for name in absent if self._is_open(name)]
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

    def _is_open(self, name: str) -> bool:
        row = self.index.get(name)
        return row is None or (row["outcome"] == GOT and not is_sound(self._corpus, row))

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


def _absent(corpus: Corpus) -> list[str]:
    """ArXiv ids of cited works that no paper of the corpus has, sorted."""
    known = {paper.arxiv_id for paper in corpus.papers if paper.arxiv_id}
    names = (row["arxiv_id"] for row in corpus.rows("references") if row["arxiv_id"])
    found = (find_arxiv_id(name) for name in names)
    return sorted({pair[0] for pair in found if pair} - known)


def is_refusal(error: BadReplyError) -> bool:
    """Return whether arXiv refused the request, rather than sent a bad answer."""
    cause = error.__cause__
    return isinstance(cause, BadStatusError) and cause.status == 400
