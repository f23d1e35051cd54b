"""Papers of an exam read into a corpus, and counted: mixed files, one file, or a query to arXiv."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from vivavoce.corpus import Corpus, load_corpus
from vivavoce.corpus.ingestion.fetching import fetch_texts
from vivavoce.corpus.ingestion.imports import File, files_below, ingest_files
from vivavoce.errors import InputError, VivaError
from vivavoce.examining.request import Request
from vivavoce.rounds import Round
from vivavoce.rounds.arrivals import Service
from vivavoce.rounds.family import EVERY_TASK
from vivavoce.sources import list_sources
from vivavoce.sources.catalogues.arxiv.search import dated, save_search
from vivavoce.store import Row, read_json, write_json

Watch = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Opens a step by its label; what it gives is called with (done, in all)."""
GENERIC = "metadata"
"""The kind that takes any table; a file of a more special kind is read as that."""
UNREADABLE = "unreadable"
_LISTED = "listed.json"
"""Beside the pages of a listing once all of them are there."""
_MOST = 50
"""Papers that a query brings where nobody says how many."""


def find_papers(request: Request) -> dict[str, list[File]]:
    """Files of PAPERS by kind, by name; none for a query.

    A text of a paper goes before a listing, and any table comes last.

    Raises:
        InputError: There is no file, or none of a kind that is read.
    """
    if request.query is not None:
        return {}
    sources = [
        s for s in list_sources().values() if s.reads_files and (s.holds_papers or s.completes)
    ]
    sources.sort(key=lambda source: (source.kind == GENERIC, source.is_metadata, source.kind))
    found: dict[str, list[File]] = defaultdict(list)
    for name, path in files_below(Path(request.papers), request.out):
        if kind := next((source.kind for source in sources if source.matches(path)), None):
            found[kind].append((name, path))
    if not found:
        raise InputError(
            f"{request.papers} holds no paper of a kind that is read. viva list sources shows them."
        )
    return found


def read_papers(
    request: Request, files: Mapping[str, Sequence[File]], watch: Watch, service: Service
) -> Corpus:
    """Read the papers into the corpus; what a kill interrupted goes on.

    Raises:
        InputError: None can be read, or none has a date.
        VivaError: The network fails; what came is kept.
    """
    if request.query is not None:
        _fetch(request, request.query, watch, service)
    else:
        with watch("Reading papers") as update:
            ingest_files(files, request.corpus, progress=update)
    corpus = load_corpus(request.corpus)
    if not corpus.papers:
        faults = list(corpus.rows("faults"))
        why = f"{faults[0]['where']}: {faults[0]['reason']}" if faults else "they hold no paper"
        raise InputError(f"None of the papers in {request.papers} can be read. {why}")
    if not any(paper.first_public for paper in corpus.papers):
        raise InputError(
            f"None of the {len(corpus.papers):,} papers has a date, so nobody knows which models "
            "have read them. Put a table dates.csv with the columns file and published beside them."
        )
    return corpus


def _fetch(request: Request, query: str, watch: Watch, service: Service) -> None:
    """Fetch a listing once, then the texts of its papers."""
    client, feeds = service.client, request.out / "feeds"
    if not (feeds / _LISTED).exists():
        query = dated(query, request.since, request.until)
        most = request.most or _MOST
        with watch("Asking arXiv") as update:
            saved = save_search(
                client, query, feeds, limit=most, sort="submittedDate", api=service.api
            )
            update(1, 1)
        if not saved.files:
            raise InputError(f"arXiv knows no paper for {query}. Widen the query or its dates.")
        write_json(feeds / _LISTED, {"query": query, "files": saved.files})
    listed = [(name, feeds / name) for name in read_json(feeds / _LISTED)["files"]]
    ingest_files({"arxiv": listed}, request.corpus)
    with watch("Fetching texts") as update:
        report = fetch_texts(request.corpus, client, addresses=service.addresses, progress=update)
    if report.stopped is not None:
        raise VivaError(f"{report.stopped} What came is kept. Run the same command again later.")


def unread_files(corpus: Corpus) -> list[Row]:
    """Faults of files each of which should have been a paper."""
    sources = list_sources()
    return [row for row in corpus.rows("faults") if not sources[row["source"]].holds_many]


def count_papers(corpus: Corpus, opened: Round, tasks: Sequence[str], failed: int) -> Row:
    """Number of papers that were given and that tasks ask about, and why others are left out.

    `failed` files that should have been papers are none of the corpus.
    """
    known = {paper.paper_id for paper in corpus.papers}
    used: set[str] = set()
    for family, task in opened.tasks():
        if task in tasks:
            rows = opened.items(family, task)
            used |= {str(name) for row in rows for name in (row.get("paper_id"), row["cluster"])}
            used |= {str(name) for row in rows for name in row.get("papers") or ()}
    used &= known
    reasons: dict[str, str] = {}
    for row in opened.leakage["excluded"]:
        if row["task"] in (EVERY_TASK, *tasks):
            reasons.setdefault(row["paper_id"], row["reason"])
    left_out = Counter(
        paper.gates[0] if paper.gates else reasons.get(paper.paper_id, "no_item")
        for paper in corpus.papers
        if paper.paper_id not in used
    )
    left_out.update({UNREADABLE: failed} if failed else {})
    return {
        "given": len(known) + failed,
        "used": len(used),
        "left_out": dict(sorted(left_out.items())),
    }
