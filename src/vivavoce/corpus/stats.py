"""Counts of a corpus and of its merges, result tuples, and how well titles resolve references.

Of references that have an id, it identifies the work. A reference is resolved again without it, and
the result is compared with the paper that bears the id. Where no paper of the corpus bears the id,
a found paper is wrong when it has another id of the same scheme. It is undecided when it has none:
the same work may be in the corpus under its other identity.

The table `tuples` holds dataset, metric, method and score with the cell they were read from. A
dataset and a metric that lists know give the task; `PTB` may stand for `Penn Treebank`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any

from vivavoce.corpus.boards import most_first
from vivavoce.corpus.build.identity import index_papers, merge_imports
from vivavoce.corpus.build.parts import text_document
from vivavoce.corpus.dating import CONTRADICTIONS
from vivavoce.corpus.fields import GATES
from vivavoce.corpus.identity.merge import APART, MergedPaper, identifiers, ids_in_doi
from vivavoce.corpus.reading import Corpus
from vivavoce.corpus.resolve.references import PaperIndex, Resolution, identifiers_of
from vivavoce.corpus.schema import TABLES
from vivavoce.readers.board_keys import board_names, dataset_key, measured_key
from vivavoce.readers.terms import stands_for
from vivavoce.records import Reference
from vivavoce.store import Row
from vivavoce.text.dates import earlier


def corpus_stats(corpus: Corpus) -> dict[str, Any]:
    """Count a corpus: rows a table, sources, dates, gates, section roles, resolved references."""
    papers = corpus.papers
    resolvers = Counter(row["resolver"] or "unresolved" for row in corpus.rows("references"))
    failed = Counter(gate for paper in papers for gate in paper.gates)
    files = corpus.manifest["files"]
    dates = [paper.published for paper in papers if paper.published]
    return {
        "tables": {
            name: sum(entry["rows"] for file, entry in files.items() if file.startswith(f"{name}/"))
            for name in TABLES
        },
        "sources": most_first(Counter(paper.source for paper in papers)),
        "merges": most_first(Counter(row["joined_by"] for row in corpus.rows("merges"))),
        "dates": most_first(Counter(paper.date_source or "undated" for paper in papers)),
        "date_precision": most_first(
            Counter(paper.date_precision or "undated" for paper in papers)
        ),
        "published": [min(dates), max(dates)] if dates else None,
        "first_public": date_sources(corpus),
        "contradictions": count_contradictions(corpus),
        "gates": {gate: failed[gate] for gate in GATES},
        "fit": sum(1 for paper in papers if not paper.gates),
        "section_roles": most_first(Counter(row["role"] for row in corpus.rows("sections"))),
        "references": most_first(resolvers),
        "ambiguous_titles": corpus.manifest["ambiguous_titles"],
        "fingerprint": corpus.fingerprint,
    }


def date_sources(corpus: Corpus) -> dict[str, int]:
    """Papers by the evidence of their first public date."""
    return most_first(Counter(p.first_public_from or "undated" for p in corpus.papers))


def count_contradictions(corpus: Corpus) -> dict[str, int]:
    """Papers whose dates contradict each other, by verdict."""
    found = {(row["paper_id"], row["verdict"]) for row in contradictions(corpus)}
    return most_first(Counter(verdict for _, verdict in found))


def contradictions(corpus: Corpus) -> Iterator[dict[str, Any]]:
    """Dated statements that others contradict, each with the date that counts."""
    used = {paper.paper_id: paper for paper in corpus.papers}
    for row in corpus.rows("dates"):
        if row["verdict"] in CONTRADICTIONS:
            paper = used[row["paper_id"]]
            yield {
                **row,
                "first_public": paper.first_public,
                "first_public_from": paper.first_public_from,
            }


def date_report(corpus: Corpus) -> dict[str, Any]:
    """Sources of the first public dates, statements by verdict, and every contradiction."""
    said = Counter((row["evidence"].split()[0], row["verdict"]) for row in corpus.rows("dates"))
    return {
        "sources": date_sources(corpus),
        "statements": [
            {"evidence": evidence, "verdict": verdict, "statements": number}
            for (evidence, verdict), number in sorted(said.items())
        ],
        "changed": sum(
            earlier(paper.first_public, paper.published)
            for paper in corpus.papers
            if paper.first_public and paper.published
        ),
        "contradictions": list(contradictions(corpus)),
    }


EXAMPLES = 5


def summarise_merges(corpus: Corpus, examples: int = EXAMPLES) -> dict[str, Any]:
    """Count the rows of `merges` by reason, and show the first of each."""
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    shown: dict[str, list[dict[str, Any]]] = defaultdict(list)
    papers = set()
    for row in corpus.rows("merges"):
        joined_by = row["joined_by"]
        counts[joined_by] += 1
        if joined_by == APART:
            reasons[row["detail"].partition(":")[0]] += 1
        else:
            papers.add(row["paper_id"])
        if len(shown[joined_by]) < examples:
            shown[joined_by].append(row)
    near_misses = counts.pop(APART, 0)
    return {
        "papers": len(corpus.papers),
        "merged_papers": len(papers),
        "documents_joined_by": dict(sorted(counts.items())),
        "near_misses": near_misses,
        "apart_because": dict(sorted(reasons.items())),
        "examples": dict(sorted(shown.items())),
    }


MAX_EXAMPLES = 20
_Z95 = 1.959963984540054
"""The 97.5% point of the normal distribution."""


@dataclass(slots=True)
class Tally:
    """Outcome for references whose id was hidden."""

    correct: int = 0
    wrong: int = 0
    undecided: int = 0

    @property
    def precision(self) -> Row:
        """Correct ones among those decided."""
        return wilson(self.correct, self.correct + self.wrong)

    def as_row(self) -> Row:
        """The counts as plain values, with the precision."""
        return {**asdict(self), "precision": self.precision}


@dataclass(slots=True)
class ResolutionCheck:
    """The outcome of hiding the ids of references."""

    references: int = 0
    with_id: int = 0
    inside: int = 0
    """References among these whose id is that of a paper of the corpus."""
    found: int = 0
    """References among these that were resolved to that paper."""
    total: Tally = field(default_factory=Tally)
    by_resolver: dict[str, Tally] = field(default_factory=dict)
    by_confidence: dict[float, Tally] = field(default_factory=dict)
    """By confidence rounded down to tenths."""
    wrong: list[Row] = field(default_factory=list)
    """The first that came out wrong."""
    missed: list[Row] = field(default_factory=list)
    """The first inside that were not resolved."""

    @property
    def recall(self) -> Row:
        """References found again among those of which the work is inside the corpus."""
        return wilson(self.found, self.inside)

    def as_row(self) -> Row:
        """The outcome as plain values."""
        total = self.total
        strict = wilson(total.correct, total.correct + total.wrong + total.undecided)
        return {
            "references": self.references,
            "with_id": self.with_id,
            "inside": self.inside,
            "precision": total.precision,
            "recall": self.recall,
            "undecided": total.undecided,
            "precision_if_undecided_were_wrong": strict,
            "by_resolver": {k: v.as_row() for k, v in sorted(self.by_resolver.items())},
            "by_confidence": {
                f"{k:.1f}": v.as_row() for k, v in sorted(self.by_confidence.items())
            },
            "wrong": self.wrong,
            "missed": self.missed,
        }


def measure_resolution(corpus: Corpus) -> ResolutionCheck:
    """Hide the ids of a corpus' references and resolve them by title.

    The papers are put together from the imports, so that the titles and ids of every source count,
    as they do when the tables are built.
    """
    papers = merge_imports(corpus.folder).papers
    return check_resolution(papers, index_papers(papers))


def check_resolution(papers: Iterable[MergedPaper], index: PaperIndex) -> ResolutionCheck:
    """Resolve the references of papers without their ids, and compare with the ids."""
    check = ResolutionCheck()
    ids: dict[str, dict[str, set[str]]] = {}
    papers = list(papers)
    for paper in papers:
        known = ids.setdefault(paper.paper_id, {})
        for document in paper.documents:
            own = identifiers(document)
            for scheme, value in (*own.items(), *ids_in_doi(own.get("doi", "")).items()):
                known.setdefault(scheme, set()).add(value)
    for paper in papers:
        for reference in text_document(paper).references:
            check.references += 1
            wanted = dict(identifiers_of(reference))
            if not wanted:
                continue
            check.with_id += 1
            meant = index.by_identifier(reference)
            hidden = replace(reference, arxiv_id=None, doi=None)
            _note(check, reference, meant, index.by_title(hidden), wanted, ids)
    return check


def _note(
    check: ResolutionCheck,
    reference: Reference,
    meant: Resolution | None,
    found: Resolution | None,
    wanted: dict[str, str],
    ids: dict[str, dict[str, set[str]]],
) -> None:
    check.inside += meant is not None
    check.found += bool(meant and found and meant.paper_id == found.paper_id)
    if found is None:
        if meant is not None and len(check.missed) < MAX_EXAMPLES:
            check.missed.append(_example(reference, meant, None))
        return
    if meant is not None:
        outcome = "correct" if meant.paper_id == found.paper_id else "wrong"
    else:
        own = ids[found.paper_id]
        contradicted = any(s in own and value not in own[s] for s, value in wanted.items())
        outcome = "wrong" if contradicted else "undecided"
    tenth = math.floor(found.confidence * 10) / 10
    for tally in (
        check.total,
        check.by_resolver.setdefault(found.resolver, Tally()),
        check.by_confidence.setdefault(tenth, Tally()),
    ):
        setattr(tally, outcome, getattr(tally, outcome) + 1)
    if outcome == "wrong" and len(check.wrong) < MAX_EXAMPLES:
        check.wrong.append(_example(reference, meant, found))


def _example(reference: Reference, meant: Resolution | None, found: Resolution | None) -> Row:
    return {
        "title": reference.title,
        "raw": reference.raw[:200],
        "meant": meant.paper_id if meant else None,
        "found": found.paper_id if found else None,
        "resolver": found.resolver if found else None,
    }


def wilson(count: int, n: int) -> Row:
    """A share and its 95% interval after Wilson (1927), equation for the score interval.

    Without anything to divide by, `value` and `ci` are None.
    """
    if n == 0:
        return {"value": None, "ci": None, "count": count, "n": n}
    p, z2 = count / n, _Z95**2
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z95 * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    ci = [max(0.0, centre - half), min(1.0, centre + half)]
    return {"value": p, "ci": ci, "count": count, "n": n}


_KNOWN = tuple[str, str, str]
"""Id, task and key of the dataset of a board."""


def result_tuples(corpus: Corpus, paper: str | None = None) -> Iterator[Row]:
    """Rows of `tuples` with `task`, `board` and the date of the paper, sorted by cell.

    Args:
        corpus: The corpus.
        paper: The id of a paper, for its rows alone.
    """
    known: dict[str, set[_KNOWN]] = defaultdict(set)
    for row in corpus.rows("results"):
        task, dataset, metric = row["task"], row["dataset"], row["metric"]
        names = board_names(task, dataset)
        key = dataset_key(names.dataset, names.task, metric)
        known[measured_key(metric)].add((row["board"], names.task, key))
    boards = {metric: sorted(of_metric) for metric, of_metric in known.items()}
    dates = {one.paper_id: one.first_public for one in corpus.papers}

    @cache
    def find(dataset: str, metric: str) -> tuple[str | None, str | None]:
        return _only_board(dataset, boards.get(measured_key(metric), []))

    for row in corpus.rows("tuples"):
        if paper is None or row["paper_id"] == paper:
            board, task = find(row["dataset"] or "", row["metric"])
            first = {"paper_id": row["paper_id"], "date": dates[row["paper_id"]]}
            yield {**first, "board": board, "task": task, **row}


def _only_board(dataset: str, boards: list[_KNOWN]) -> tuple[str | None, str | None]:
    """The board and the task of a dataset, where one board alone fits; None otherwise."""
    key = dataset_key(dataset) if dataset else ""
    same = [board for board in boards if key and board[2] == key]
    short = [b for b in boards if not same and stands_for(dataset, tuple(b[2].split()))]
    ids = {board for board, _, _ in same or short}
    tasks = {task for _, task, _ in same or short}
    return (ids.pop() if len(ids) == 1 else None, tasks.pop() if len(tasks) == 1 else None)
