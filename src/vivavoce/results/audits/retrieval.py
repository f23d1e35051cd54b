"""Search for the works of a round's tables without a pool, by the demand alone.

Each retriever searches the titles and abstracts of all works of the round, or of a whole corpus
with them, for every demand. The differences between retrievers are paired by table.

Source: arXiv2Table §4.2, Figure 3; Tables 14 and 15.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from vivavoce.corpus import load_corpus
from vivavoce.errors import InputError
from vivavoce.reports import Column, Report, Sheet, sheet
from vivavoce.rounds import Round, load_round
from vivavoce.statistics.estimates import Draws, paired_row
from vivavoce.statistics.intervals import Floats, Interval
from vivavoce.store import Row
from vivavoce.tasks.tables.items.cited_works import corpus_works
from vivavoce.tasks.tables.items.pool_vectors import (
    DEPTH,
    RETRIEVERS,
    SPARSE,
    Search,
    Study,
    open_retriever,
    study_retrieval,
    summarise,
)
from vivavoce.tasks.tables.items.table_items import FAMILY, PAPERS, TASK, Work
from vivavoce.text.tokens import INSTALL, packaged_model

Progress = Callable[[int, int], None]
CUTOFFS = (5, 10, 20)
_COMPARED_AT = 10
_ROWS_AT_ONCE = 500
"""Papers whose texts are held at a time."""
_CURVE = (2, 5, 10, 20, 50, 100)
"""Cutoffs of the curve that are printed; --json has all."""


@dataclass(frozen=True, slots=True)
class RetrievalAudit(Report):
    """The report of `viva audit retrieval`."""

    round: str
    works: int
    """Works that were searched."""
    retrievers: tuple[Row, ...]
    """One row a retriever: `retrieval_study.summarise`."""
    differences: tuple[Row, ...]
    """One row a measure and a retriever after the first: what it has more than the first one."""
    notes: tuple[str, ...]

    def parts(self) -> Iterator[Sheet | str]:
        """Retrievers, their curves, and their differences."""
        yield sheet(
            f"Round {self.round}: the works of its tables among {self.works:,} works",
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
        yield sheet(
            "Differences on the same tables",
            self.differences,
            Column(lambda row: row["measure"].upper(), "measure"),
            "retriever",
            Column("first", "more than"),
            Column("difference", ci="ci"),
            *("n", "tied"),
        )
        yield "mean over tables [95% interval over source papers]; --json has every cutoff."


def audit_retrieval(
    folder: Path | str,
    retrievers: Sequence[str] = (),
    *,
    corpus: Path | None = None,
    depth: int = DEPTH,
    device: str = "cpu",
    cache: Path | None = None,
    draws: Draws | None = None,
    progress: Progress | None = None,
) -> RetrievalAudit:
    """Search for the works of every table of a round.

    A retriever is `tfidf`, `bm25`, an encoder by preset, folder or hub name, or PRESET=FOLDER for a
    preset whose weights lie there; by default those that need no download. `depth` is the largest
    cutoff. Papers of `corpus` are searched too.

    Raises:
        InputError: The round has no tables, or a retriever cannot be opened.
        MissingExtra: An encoder needs what is not installed.
    """
    opened = load_round(folder)
    asked = round_searches(opened)
    works = _works(opened, corpus)
    chosen, notes = (list(dict.fromkeys(retrievers)), []) if retrievers else _without_download()
    draws = draws or Draws()
    studies: list[Study] = []
    for number, name in enumerate(chosen):
        if progress:
            progress(number, len(chosen))
        preset, _, weights = name.partition("=")
        held = open_retriever(preset, works, folder=weights or None, device=device, cache=cache)
        shown = Path(preset).name if Path(preset).is_dir() else preset
        studies.append(study_retrieval(shown, held, works, asked, depth=depth))
    notes += _out_of_reach(studies[0])

    def intervals(clusters: Sequence[str], values: Floats) -> Sequence[Interval | None]:
        return draws.of(clusters).intervals(values)

    return RetrievalAudit(
        round=opened.id,
        works=len(works),
        retrievers=tuple(summarise(study, intervals, cutoffs=CUTOFFS) for study in studies),
        differences=tuple(_differences(studies, draws)),
        notes=tuple(notes),
    )


def round_searches(opened: Round) -> list[Search]:
    """Searches for the tables of a round, sorted by id.

    Raises:
        InputError: The round has none.
    """
    if (FAMILY, TASK) not in opened.tasks():
        raise InputError(
            f"Round {opened.id} has no tables, so there is nothing to retrieve. Build one with "
            f'families = ["{FAMILY}"].'
        )
    rows = sorted(opened.items(FAMILY, TASK), key=lambda row: str(row["id"]))
    if not rows:
        raise InputError(f"Round {opened.id} has no table. Its leakage.json says what left them.")
    return [
        Search(
            id=row["id"],
            cluster=row["cluster"],
            demand=row["demand"],
            relevant=tuple(row["gold_papers"]),
            hidden=tuple(row["hidden_papers"]),
        )
        for row in rows
    ]


def _works(opened: Round, corpus: Path | None) -> list[Work]:
    """The works of the round's pools, and with a corpus its papers, sorted by id."""
    found: dict[str, Work] = dict(corpus_works(load_corpus(corpus))) if corpus else {}
    library = pq.ParquetFile(pa.BufferReader(opened.read_file(FAMILY, PAPERS)))
    columns = ["paper_id", "title", "abstract", "published", "sections"]
    for batch in library.iter_batches(_ROWS_AT_ONCE, columns=columns):
        sections = pc.list_value_length(batch["sections"]).to_pylist()
        rows = batch.drop_columns(["sections"]).to_pylist()
        found |= {
            row["paper_id"]: Work(**row, has_text=bool(count))
            for row, count in zip(rows, sections, strict=True)
        }
    return [found[name] for name in sorted(found)]


def _without_download() -> tuple[list[str], list[str]]:
    """The retrievers that can be run here, and what is missing for the others."""
    if packaged_model() and find_spec("sentence_transformers"):
        return list(RETRIEVERS), []
    note = f"without minilm: pip install 'vivavoce[neural]', {INSTALL}."
    return list(SPARSE), [note]


def _out_of_reach(study: Study) -> list[str]:
    short = int((study.reachable < 1).sum())
    if not short:
        return []
    return [f"{short} of {len(study.ids)} tables have works that are not among those searched."]


def _differences(studies: Sequence[Study], draws: Draws) -> list[Row]:
    first, *others = studies
    clusters = dict(zip(first.ids, first.clusters, strict=True))
    cutoff = min(_COMPARED_AT, first.depth)
    measures: dict[str, Callable[[Study], Floats]] = {
        "ap": lambda study: study.ap,
        f"r@{cutoff}": lambda study: study.recall[:, cutoff - 1],
    }
    rows = []
    for measure, values in measures.items():
        base = _by_table(first, values(first))
        for other in others:
            found = paired_row(base, _by_table(other, values(other)), clusters, draws)
            names = {"measure": measure, "first": first.retriever, "retriever": other.retriever}
            rows.append({**names, **found})
    return rows


def _by_table(study: Study, values: Floats) -> dict[str, float]:
    return dict(zip(study.ids, map(float, values), strict=True))
