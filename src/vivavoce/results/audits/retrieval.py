"""Retrieval of the works in a round's tables by the tables' demands alone, without pools.

For every demand, each retriever searches the titles and abstracts of all works of the round, and
optionally of a whole corpus.

Source: arXiv2Table §4.2, Figure 3; Tables 14 and 15.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from vivavoce.corpus import load_corpus
from vivavoce.errors import InputError
from vivavoce.metrics.titles_list import average_precision
from vivavoce.reports import Column, Report, Sheet, sheet
from vivavoce.retrieval import Retriever
from vivavoce.retrieval.papers import SPARSE, open_retriever
from vivavoce.rounds import Round, load_round
from vivavoce.running.logs import Progress
from vivavoce.statistics.estimates import Draws, Estimate
from vivavoce.statistics.intervals import Floats
from vivavoce.store import Row
from vivavoce.tasks.tables.item import FAMILY, PAPERS, TASK, Work
from vivavoce.tasks.tables.pool import corpus_works
from vivavoce.text.tokens import INSTALL, packaged_model

CUTOFFS = (5, 10, 20)
DEPTH = 100
"""Default for the largest cutoff."""
_FIRST = 2
"""Smallest cutoff on the published curve."""
_ROWS_AT_ONCE = 500
"""Number of papers whose texts are in memory at a time."""
_CURVE = (2, 5, 10, 20, 50, 100)
"""Cutoffs of the curve to print; --json has all."""


@dataclass(frozen=True, slots=True)
class RetrievalAudit(Report):
    """The report of `viva audit retrieval`."""

    round: str
    works: int
    """Number of searched works."""
    retrievers: tuple[Row, ...]
    """One row per retriever: average precision, precision and recall by cutoff, and the curve."""
    notes: tuple[str, ...]

    def parts(self) -> Iterator[Sheet | str]:
        """Sheets on retrievers and their curves."""
        yield sheet(
            f"Round {self.round}: retrieval of its tables' works among {self.works:,} works",
            self.retrievers,
            "retriever",
            *(Column(f"at.{name}", name.upper()) for name in self.retrievers[0]["at"]),
            *(Column("ap", "AP"), "reachable", Column("tables", "n")),
        )
        curves = {
            (row["retriever"], part): {point["k"]: point[part]["value"] for point in row["curve"]}
            for row in self.retrievers
            for part in "pr"
        }

        def on_curve(name: str, part: str) -> Column:
            return Column(lambda k: curves[name, part][k], f"{part.upper()} {name}")

        yield sheet(
            "Precision and recall by the number of works retrieved",
            [point["k"] for point in self.retrievers[0]["curve"] if point["k"] in _CURVE],
            Column(str, "k"),
            *(on_curve(*place) for place in curves),
        )
        yield "mean over tables [95% interval over source papers]; --json has every cutoff."


def audit_retrieval(
    folder: Path | str,
    retrievers: Sequence[str] = (),
    *,
    corpus: Path | None = None,
    depth: int = DEPTH,
    device: str = "cpu",
    draws: Draws | None = None,
    progress: Progress | None = None,
) -> RetrievalAudit:
    """Retrieve the works of every table in a round.

    A retriever is `tfidf`, `bm25`, an encoder (preset, folder or hub name), or PRESET=FOLDER for a
    preset whose weights are in a folder. By default, retrievers that need no download are used.
    `depth` is the largest cutoff. The papers of `corpus` are searched too.
    """
    if depth < 1:
        raise InputError(f"The largest cutoff is {depth}. It must be at least 1.")
    opened = load_round(folder)
    items = _items(opened)
    works = _works(opened, corpus)
    ids = [work.paper_id for work in works]
    chosen, notes = (list(dict.fromkeys(retrievers)), []) if retrievers else _without_download()
    draws = draws or Draws()
    results: list[tuple[str, Floats]] = []
    for number, name in enumerate(chosen):
        if progress:
            progress(number, len(chosen))
        preset, _, weights = name.partition("=")
        retriever = open_retriever(
            preset,
            [(work.title, work.abstract) for work in works],
            folder=weights or None,
            device=device,
        )
        shown = Path(preset).name if Path(preset).is_dir() else preset
        results.append((shown, measure(retriever, ids, items, depth)))
    if short := int((results[0][1][:, 1] < 1).sum()):
        lacking = f"{short} of {len(items)} tables have works that are not among the searched ones."
        notes.append(lacking)
    return RetrievalAudit(
        round=opened.id,
        works=len(works),
        retrievers=tuple(
            {"retriever": name, "works": len(works)} | _summary(values, items, draws)
            for name, values in results
        ),
        notes=tuple(notes),
    )


def _items(opened: Round) -> list[Row]:
    """The tables of a round, sorted by id."""
    if (FAMILY, TASK) not in opened.tasks():
        raise InputError(
            f"Round {opened.id} has no tables, so there is nothing to retrieve. Build one with "
            f'families = ["{FAMILY}"].'
        )
    rows = sorted(opened.items(FAMILY, TASK), key=lambda row: str(row["id"]))
    if not rows:
        raise InputError(f"Round {opened.id} has no tables. Its leakage.json has the reasons.")
    return rows


def _works(opened: Round, corpus: Path | None) -> list[Work]:
    """Works in the round's pools, plus the papers of the corpus if there is one, sorted by id."""
    works: dict[str, Work] = dict(corpus_works(load_corpus(corpus))) if corpus else {}
    library = pq.ParquetFile(pa.BufferReader(opened.read_file(FAMILY, PAPERS)))
    columns = ["paper_id", "title", "abstract", "published", "sections"]
    for batch in library.iter_batches(_ROWS_AT_ONCE, columns=columns):
        sections = pc.list_value_length(batch["sections"]).to_pylist()
        rows = batch.drop_columns(["sections"]).to_pylist()
        works |= {
            row["paper_id"]: Work(**row, has_text=bool(count))
            for row, count in zip(rows, sections, strict=True)
        }
    return [works[name] for name in sorted(works)]


def _without_download() -> tuple[list[str], list[str]]:
    """Retrievers that run without a download, and a note on those that are missing."""
    if packaged_model() and find_spec("sentence_transformers"):
        return [*SPARSE, "minilm"], []
    note = f"Without minilm. To add it: pip install 'vivavoce[neural]', {INSTALL}."
    return list(SPARSE), [note]


def measure(retriever: Retriever, ids: Sequence[str], items: Sequence[Row], depth: int) -> Floats:
    """Measure a retriever; one row per table: AP, best recall, precision and recall by cutoff.

    The paper that prints a table is not a result. AP is over the retrieved works. The best recall
    is the share of a table's works that are among the searched works. Undefined values are NaN.

    Args:
        retriever: Retriever over the works, in the order of `ids`.
        ids: Ids of the searched works, sorted.
        items: The tables of a round.
        depth: The largest cutoff.
    """
    searched = set(ids)
    values = np.full((len(items), 2 + 2 * depth), np.nan)
    room = max(len(item["hidden_papers"]) for item in items)
    results = retriever.search_many([item["demand"] for item in items], depth + room)
    for row, item, result in zip(values, items, results, strict=True):
        listed = (ids[hit.index] for hit in result)
        papers = [paper for paper in listed if paper not in item["hidden_papers"]][:depth]
        wanted = set(item["gold_papers"])
        relevant = np.zeros(depth)
        relevant[: len(papers)] = [paper in wanted for paper in papers]
        hits = np.cumsum(relevant)
        row[2 : 2 + depth] = hits / np.arange(1, depth + 1)
        if wanted:
            row[0] = average_precision(papers, wanted)
            row[1] = len(wanted & searched) / len(wanted)
            row[2 + depth :] = hits / len(wanted)
    return values


def _summary(values: Floats, items: Sequence[Row], draws: Draws) -> Row:
    """Means over tables, each as `{"value", "ci", "n"}`, with null if undefined."""
    clusters = [item["cluster"] for item in items]
    depth = values.shape[1] // 2 - 1
    drawn = draws.of(clusters)
    numbers = (~np.isnan(values)).sum(axis=0).tolist()
    columns = zip(drawn.mean(values), drawn.intervals(values), numbers, strict=True)
    cells = [Estimate(*column).fields() for column in columns]
    precision, recall = cells[2 : 2 + depth], cells[2 + depth :]
    cutoffs: Row = {}
    for k in CUTOFFS:
        if k <= depth:
            cutoffs |= {f"p@{k}": precision[k - 1], f"r@{k}": recall[k - 1]}
    return {
        "tables": len(items),
        "clusters": len(set(clusters)),
        "ap": cells[0],
        "reachable": cells[1],
        "at": cutoffs,
        "curve": [
            {"k": k, "p": precision[k - 1], "r": recall[k - 1]}
            for k in range(min(_FIRST, depth), depth + 1)
        ],
    }
