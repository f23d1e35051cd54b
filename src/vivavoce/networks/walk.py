"""AcademicEval's collection: a breadth-first walk through co-authors over arXiv's query API.

Every answer is kept in the folder `pages`, and the walk is a function of these. A walk that was cut
short, or gets a larger quota, goes on without asking for anything twice. It differs from the
released code. Each author is asked for to the end and not for the first 100 results. A search that
finds nothing is asked again before an author is believed to have no papers. All requests keep
arXiv's pause. A hyphen is no NOT. Names are compared in NFKC and case-folded.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from lxml import etree

from vivavoce.errors import InputError
from vivavoce.networks.authors import name_of
from vivavoce.networks.graph import Graph, induced, largest_component, measure
from vivavoce.records import Document
from vivavoce.sources.catalogues.arxiv import ATOM, decode_feed, read_feed
from vivavoce.sources.catalogues.arxiv.coauthors import SUFFIX
from vivavoce.sources.catalogues.arxiv.search import API, find_page
from vivavoce.sources.http.client import Client
from vivavoce.sources.xml import safe_parser
from vivavoce.store import (
    Row,
    hash_of,
    lock,
    read_sealed,
    write_bytes,
    write_json,
    write_sealed,
)
from vivavoce.text.identifiers import find_arxiv_id

MAX_NEIGHBOURS = 20
WALK, GRAPH = "walk.json", "graph.json"
MAX_RESULTS = 1_000
"""Results that are read of one author; the names of those who have more are reported."""
_PAGES = "pages"
_ENTRIES = 1_000
"""Papers in a file."""
_WORD = re.compile(r"[^\W_]+")
_OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"


@dataclass(frozen=True, slots=True)
class FetchedWalk:
    """Outcome of a walk."""

    folder: Path
    files: tuple[str, ...]
    """Files of papers, by name."""
    requests: int
    """Requests of this run."""
    answers: int
    """Answers that are kept, of earlier runs too."""
    before: Row
    """Authors who were asked for; those who lead a paper, their papers, edges and components."""
    after: Row
    """The same of the largest component, once authors who lead no paper are dropped."""
    without_papers: tuple[str, ...]
    """Authors who were asked for and never are first author."""
    cut: tuple[str, ...]
    """Authors with more results than were read."""


def fetch_walk(
    client: Client,
    folder: Path,
    seeds: Sequence[str],
    quota: int,
    *,
    neighbours: int = MAX_NEIGHBOURS,
    fresh: bool = False,
    api: str = API,
    progress: Callable[[int, int], None] | None = None,
) -> FetchedWalk:
    """Walk from seed authors to those they write with, and save the papers that each of them leads.

    Args:
        client: Fetches, one page at a time.
        folder: Holds one walk; an unfinished one is continued.
        seeds: Names of authors, as arXiv spells them.
        quota: Stop at so many authors with papers; a larger one goes on from where a walk ended.
        neighbours: Go on to so many co-authors of each, most frequent first, ties by name.
        fresh: Drop the answers that are there.
        api: The address of the query API.
        progress: Called with (authors found, quota).

    Raises:
        InputError: No seed, a quota below 1, or the folder holds another walk.
        HttpError: An answer could not be had; the same command goes on later.
        LockedError: Another process walks in this folder.
    """
    names = list({name_of(seed): seed for seed in seeds if _WORD.search(seed)}.values())
    if not names or quota < 1 or neighbours < 1:
        raise InputError("A walk needs a seed, and a quota and neighbours of 1 or more.")
    start = [name_of(name) for name in names]
    settings = {"seeds": start, "neighbours": neighbours, "api": api}
    with lock(folder):
        _begin(folder, settings, fresh=fresh)
        asked = client.requests
        authors = _Authors(client, folder, api, names, quota, progress)
        walk = _go(authors, start, quota, neighbours)
        graph = _link(walk, neighbours, authors)
        core = largest_component(graph)
        _write_graph(folder, {**settings, "quota": quota}, authors, walk, graph)
        files = _write_papers(folder, {p for node in walk.nodes for p in authors.papers(node)})
        return FetchedWalk(
            folder=folder,
            files=files,
            requests=client.requests - asked,
            answers=len(list((folder / _PAGES).glob("*.xml"))),
            before={"authors": len(walk.nodes) + len(walk.without)}
            | _measure(authors, walk, graph, np.ones(graph.n, np.bool_)),
            after={"authors": int(core.sum())} | _measure(authors, walk, graph, core),
            without_papers=tuple(authors.names[author] for author in walk.without),
            cut=tuple(sorted(authors.cut)),
        )


def _begin(folder: Path, settings: Row, *, fresh: bool) -> None:
    path = folder / WALK
    if fresh:
        for kept in (folder / _PAGES).glob("*.xml"):
            kept.unlink()
    elif path.exists() and read_sealed(path) != settings:
        raise InputError(
            f"{folder} holds a walk from other seeds or with other options. Name another folder "
            "with --out, or begin this one anew with --fresh."
        )
    write_sealed(path, settings)


class _Authors:
    """Authors by name as it is compared, each asked for when first looked at."""

    def __init__(
        self,
        client: Client,
        folder: Path,
        api: str,
        seeds: Sequence[str],
        quota: int,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.names = {name_of(seed): seed for seed in seeds}
        self.cut: set[str] = set()
        self._client = client
        self._folder = folder / _PAGES
        self._api = api
        self._quota = quota
        self._progress = progress
        self._found: dict[str, list[Document]] = {}

    def papers(self, author: str) -> list[str]:
        """Ids of the papers that list an author first, newest first."""
        if author not in self._found:
            self._found[author] = self._ask(author)
            if self._progress:
                self._progress(sum(map(bool, self._found.values())), self._quota)
        return [str(paper.arxiv_id) for paper in self._found[author]]

    def coauthors(self, author: str) -> dict[str, int]:
        """Authors of those papers, and how many of these each wrote."""
        shared: Counter[str] = Counter()
        for paper in self._found[author]:
            listed = {name_of(one.name): one.name for one in reversed(paper.authors)}
            for name, spelled in listed.items():
                self.names.setdefault(name, spelled)
            shared.update(listed.keys() - {author})
        return dict(shared)

    def closest(self, shared: dict[str, int], limit: int) -> list[str]:
        """The most frequent co-authors, ties by name."""
        return sorted(shared, key=lambda name: (-shared[name], name))[:limit]

    def _ask(self, author: str) -> list[Document]:
        name = self.names[author]
        query = " AND ".join(f"au:{word}" for word in _WORD.findall(name))
        kept = self._folder / f"{hash_of(query)[:20]}.xml"
        if not kept.exists():
            body = find_page(self._client, query, MAX_RESULTS, sort="submittedDate", api=self._api)
            write_bytes(kept, body)
        feed = read_feed(kept.read_bytes())
        if feed.total > MAX_RESULTS:
            self.cut.add(name)
        papers = (paper for paper in feed.entries if isinstance(paper, Document))
        return [one for one in papers if one.authors and name_of(one.authors[0].name) == author]


@dataclass(frozen=True, slots=True)
class _Walk:
    """Authors in the order in which a walk reached them."""

    nodes: list[str]
    counts: list[dict[str, int]]
    """The co-authors of each node."""
    without: list[str]
    """Authors without first-author papers, who are not nodes."""


def _go(authors: _Authors, start: Sequence[str], quota: int, neighbours: int) -> _Walk:
    """Go from some authors to their co-authors, theirs, and so on, to so many nodes."""
    queue = deque(start)
    seen = set(queue)
    walk = _Walk([], [], [])
    while queue and len(walk.nodes) < quota:
        author = queue.popleft()
        if not authors.papers(author):
            walk.without.append(author)
            continue
        walk.nodes.append(author)
        walk.counts.append(authors.coauthors(author))
        fresh = [a for a in authors.closest(walk.counts[-1], neighbours) if a not in seen]
        seen.update(fresh)
        queue.extend(fresh)
    return walk


def _link(walk: _Walk, neighbours: int, authors: _Authors) -> Graph:
    """An edge where one node is among the closest co-authors of the other."""
    place = {author: number for number, author in enumerate(walk.nodes)}
    weights: dict[tuple[int, int], int] = {}
    for number, shared in enumerate(walk.counts):
        for author in authors.closest(shared, neighbours):
            other = place.get(author)
            if other is not None:
                both = shared[author] + walk.counts[other].get(walk.nodes[number], 0)
                weights[min(number, other), max(number, other)] = both
    pairs = sorted(weights)
    ends = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    weight = np.array([weights[pair] for pair in pairs], dtype=np.int32)
    return Graph(len(walk.nodes), ends[:, 0], ends[:, 1], weight)


def _measure(authors: _Authors, walk: _Walk, graph: Graph, keep: np.ndarray) -> Row:
    """Size of the part of a walk that holds the nodes to keep."""
    kept = [node for node, is_kept in zip(walk.nodes, keep.tolist(), strict=True) if is_kept]
    part = induced(graph, keep)
    return {
        "first_authors": len(kept),
        **measure(part),
        "papers": len({paper for node in kept for paper in authors.papers(node)}),
    }


def _write_graph(folder: Path, settings: Row, authors: _Authors, walk: _Walk, graph: Graph) -> None:
    write_json(
        folder / GRAPH,
        {
            **settings,
            "authors": [
                {"name": authors.names[node], "papers": authors.papers(node)} for node in walk.nodes
            ],
            "edges": [list(edge) for edge in graph.rows()],
            "without_papers": [authors.names[node] for node in walk.without],
        },
    )


def _write_papers(folder: Path, wanted: set[str]) -> tuple[str, ...]:
    """Write the entries of some papers, each once, sorted by id; return the names of the files."""
    entries: dict[str, bytes] = {}
    for path in sorted((folder / _PAGES).glob("*.xml")):
        entries.update((n, e) for n, e in _entries(path) if n in wanted and n not in entries)
    files = []
    ordered = [entries[name] for name in sorted(entries)]
    for start in range(0, len(ordered), _ENTRIES):
        part = ordered[start : start + _ENTRIES]
        files.append(f"{start // _ENTRIES:05d}{SUFFIX}")
        write_bytes(folder / files[-1], _feed(part, start, len(ordered)))
    for path in folder.glob(f"*{SUFFIX}"):
        if path.name not in files:
            path.unlink()
    return tuple(files)


def _entries(path: Path) -> Iterator[tuple[str, bytes]]:
    root = etree.fromstring(decode_feed(path.read_bytes())[0].encode(), safe_parser())
    for entry in root.iterfind(f"{ATOM}entry"):
        found = find_arxiv_id(entry.findtext(f"{ATOM}id") or "")
        if found is not None:
            yield found[0], etree.tostring(entry, with_tail=False)


def _feed(entries: Sequence[bytes], start: int, total: int) -> bytes:
    numbers = {"itemsPerPage": len(entries), "totalResults": total, "startIndex": start}
    head = "".join(f"<o:{name}>{n}</o:{name}>" for name, n in numbers.items())
    opening = f'<feed xmlns="{ATOM[1:-1]}" xmlns:o="{_OPENSEARCH}">{head}'
    return b"\n".join([opening.encode(), *entries, b"</feed>\n"])
