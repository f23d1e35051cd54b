"""AcademicEval's collection: a breadth-first walk through co-authors over arXiv's query API.

Every response is kept in the folder `pages`, and the walk depends only on these responses. An
interrupted walk, or one with a larger quota, continues without repeating a request. This walk
differs from the released code. All results of an author are read, not only the first 100. An empty
search is repeated before an author counts as having no papers. All requests keep arXiv's delay. A
hyphen does not mean NOT. Names are compared in NFKC and case-folded.
"""

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
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
from vivavoce.store import Row, hash_of, lock, read_sealed, write_bytes, write_json, write_sealed
from vivavoce.text.identifiers import find_arxiv_id

MAX_NEIGHBOURS = 20
WALK, GRAPH = "walk.json", "graph.json"
MAX_RESULTS = 1_000
"""Maximum number of results read per author; authors with more are reported."""
_PAGES = "pages"
_ENTRIES = 1_000
"""Number of papers per output file."""
_WORD = re.compile(r"[^\W_]+")
_OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"


@dataclass(frozen=True, slots=True)
class FetchedWalk:
    """Outcome of a walk."""

    folder: Path
    files: tuple[str, ...]
    """Names of the files that hold the papers."""
    requests: int
    """Number of requests made in this run."""
    answers: int
    """Number of responses kept, including those of earlier runs."""
    before: Row
    """Counts of authors queried, of first authors, and of their papers, edges and components."""
    after: Row
    """The same counts, for the largest component of the first authors."""
    without_papers: tuple[str, ...]
    """Queried authors without first-author papers."""
    cut: tuple[str, ...]
    """Authors with more than `MAX_RESULTS` results."""


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
    """Walk from seed authors to their co-authors, and save the first-author papers of each.

    Args:
        client: Client that fetches one page at a time.
        folder: Folder of one walk; an unfinished walk is continued.
        seeds: Names of authors, as arXiv spells them.
        quota: Number of authors with papers to stop at; a larger one continues a finished walk.
        neighbours: Maximum co-authors to follow per author, most frequent first, ties by name.
        fresh: If true, delete the responses kept so far.
        api: The address of the query API.
        progress: Called with (authors with papers, quota).

    Raises:
        InputError: There is no seed, the quota is below 1, or the folder has another walk.
        HttpError: A request failed; the same command continues later.
        LockedError: Another process is writing to this folder.
    """
    names = {name_of(seed): seed for seed in seeds if _WORD.search(seed)}
    if not names or quota < 1 or neighbours < 1:
        raise InputError("A walk needs a seed, and a quota and neighbours of 1 or more.")
    start = list(names)
    settings = {"seeds": start, "neighbours": neighbours, "api": api}
    with lock(folder):
        _begin(folder, settings, fresh=fresh)
        asked = client.requests
        authors = _Authors(names, client, folder / _PAGES, api, quota, progress)
        walk = _go(authors, start, quota, neighbours)
        graph = _link(walk, neighbours)
        core = largest_component(graph)
        without = [authors.names[author] for author in walk.without]
        nodes = [{"name": authors.names[one], "papers": authors.papers(one)} for one in walk.nodes]
        edges = [list(edge) for edge in graph.rows()]
        content = {"quota": quota, "authors": nodes, "edges": edges, "without_papers": without}
        write_json(folder / GRAPH, settings | content)
        files = _write_papers(folder, {p for node in walk.nodes for p in authors.papers(node)})
        return FetchedWalk(
            folder=folder,
            files=files,
            requests=client.requests - asked,
            answers=len(list((folder / _PAGES).glob("*.xml"))),
            before={"authors": len(walk.nodes) + len(walk.without)}
            | _measure(authors, walk, graph, np.ones(graph.n, np.bool_)),
            after={"authors": int(core.sum())} | _measure(authors, walk, graph, core),
            without_papers=tuple(without),
            cut=tuple(sorted(authors.cut)),
        )


def _begin(folder: Path, settings: Row, *, fresh: bool) -> None:
    path = folder / WALK
    if fresh:
        for kept in (folder / _PAGES).glob("*.xml"):
            kept.unlink()
    elif path.exists() and read_sealed(path) != settings:
        raise InputError(
            f"{folder} has a walk from other seeds or with other options. Name another folder "
            "with --out, or begin this one anew with --fresh."
        )
    write_sealed(path, settings)


@dataclass(slots=True)
class _Authors:
    """Authors by normalised name, each queried on first use."""

    names: dict[str, str]
    """Normalised name -> the name as arXiv spells it."""
    _client: Client
    _folder: Path
    _api: str
    _quota: int
    _progress: Callable[[int, int], None] | None
    cut: set[str] = field(default_factory=set)
    _found: dict[str, list[Document]] = field(default_factory=dict)

    def papers(self, author: str) -> list[str]:
        """Ids of the papers whose first author is `author`, newest first."""
        if author not in self._found:
            self._found[author] = self._ask(author)
            if self._progress:
                self._progress(sum(map(bool, self._found.values())), self._quota)
        return [str(paper.arxiv_id) for paper in self._found[author]]

    def coauthors(self, author: str) -> dict[str, int]:
        """Co-authors on an author's first-author papers, with counts of shared papers."""
        shared: Counter[str] = Counter()
        for paper in self._found[author]:
            listed = {name_of(one.name): one.name for one in reversed(paper.authors)}
            for name, spelled in listed.items():
                self.names.setdefault(name, spelled)
            shared.update(listed.keys() - {author})
        return dict(shared)

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


def _closest(shared: dict[str, int], limit: int) -> list[str]:
    """The most frequent co-authors, ties by name."""
    return sorted(shared, key=lambda name: (-shared[name], name))[:limit]


@dataclass(frozen=True, slots=True)
class _Walk:
    """Authors in the order in which the walk reached them."""

    nodes: list[str]
    counts: list[dict[str, int]]
    """Co-authors of each node, with counts of shared papers."""
    without: list[str]
    """Authors without first-author papers, who are not nodes."""


def _go(authors: _Authors, start: Sequence[str], quota: int, neighbours: int) -> _Walk:
    """Walk breadth-first from authors to their co-authors, up to `quota` nodes."""
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
        fresh = [a for a in _closest(walk.counts[-1], neighbours) if a not in seen]
        seen.update(fresh)
        queue.extend(fresh)
    return walk


def _link(walk: _Walk, neighbours: int) -> Graph:
    """Graph with an edge if one of two nodes is among the closest co-authors of the other."""
    place = {author: number for number, author in enumerate(walk.nodes)}
    weights: dict[tuple[int, int], int] = {}
    for number, shared in enumerate(walk.counts):
        for author in _closest(shared, neighbours):
            other = place.get(author)
            if other is not None:
                both = shared[author] + walk.counts[other].get(walk.nodes[number], 0)
                weights[min(number, other), max(number, other)] = both
    pairs = sorted(weights)
    ends = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    weight = np.array([weights[pair] for pair in pairs], dtype=np.int32)
    return Graph(len(walk.nodes), ends[:, 0], ends[:, 1], weight)


def _measure(authors: _Authors, walk: _Walk, graph: Graph, keep: np.ndarray) -> Row:
    """Counts for the part of a walk that has the nodes to keep."""
    kept = [node for node, is_kept in zip(walk.nodes, keep.tolist(), strict=True) if is_kept]
    part = induced(graph, keep)
    return {
        "first_authors": len(kept),
        **measure(part),
        "papers": len({paper for node in kept for paper in authors.papers(node)}),
    }


def _write_papers(folder: Path, wanted: set[str]) -> tuple[str, ...]:
    """Write the entries of some papers, each once, sorted by id; return the file names."""
    entries: dict[str, bytes] = {}
    for path in sorted((folder / _PAGES).glob("*.xml")):
        entries.update((n, e) for n, e in _entries(path) if n in wanted and n not in entries)
    files = []
    ordered = [entries[name] for name in sorted(entries)]
    for start in range(0, len(ordered), _ENTRIES):
        part = ordered[start : start + _ENTRIES]
        files.append(f"{start // _ENTRIES:05d}{SUFFIX}")
        numbers = {"itemsPerPage": len(part), "totalResults": len(ordered), "startIndex": start}
        head = "".join(f"<o:{name}>{n}</o:{name}>" for name, n in numbers.items())
        opening = f'<feed xmlns="{ATOM[1:-1]}" xmlns:o="{_OPENSEARCH}">{head}'
        write_bytes(folder / files[-1], b"\n".join([opening.encode(), *part, b"</feed>\n"]))
    for path in folder.glob(f"*{SUFFIX}"):
        if path.name not in files:
            path.unlink()
    return tuple(files)


def _entries(path: Path) -> Iterator[tuple[str, bytes]]:
    root = etree.fromstring(decode_feed(path.read_bytes())[0].encode(), safe_parser())
    for entry in root.iterfind(f"{ATOM}entry"):
        arxiv_id = find_arxiv_id(entry.findtext(f"{ATOM}id") or "")
        if arxiv_id is not None:
            yield arxiv_id[0], etree.tostring(entry, with_tail=False)
