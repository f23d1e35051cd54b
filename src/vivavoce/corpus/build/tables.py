"""Building of the tables of a corpus from its imports, in resumable steps.

1. `identity` finds which documents belong to which paper, from a few small columns.
2. `partitioning` cuts the papers, sorted by id, into shards at places determined by their ids.
3. For each shard whose documents or config changed, its documents are repartitioned to it, and
   `parts` makes the shard.
4. `citing` resolves the references, again for all if papers were added, removed or changed.
5. The small tables, which are not sharded by paper, and the manifest are written.

The tables depend only on the set of imported documents, not on their order, the engine or earlier
builds. `tables/manifest.json` is written last, with a hash of the imports. So an interrupted build
is noticed and resumed.
"""

import shutil
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple
from unicodedata import unidata_version

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from vivavoce.columns import write_parquet_table
from vivavoce.corpus.build.citing import (
    FACTS,
    INDEX,
    REFERENCES,
    files_to_resolve,
    make_index,
    resolve_references,
)
from vivavoce.corpus.build.engine import Engine
from vivavoce.corpus.build.identity import File, Identity, identify
from vivavoce.corpus.build.partitioning import (
    NeededRows,
    cut_papers,
    needs_of,
    repartition,
    runs_of_files,
)
from vivavoce.corpus.build.parts import RESULTS, SKETCHES, make_shard, read_marker
from vivavoce.corpus.build.results import collect_results
from vivavoce.corpus.matching import SKETCH, find_works
from vivavoce.corpus.merge import DELETED
from vivavoce.corpus.reading import MANIFEST, Batch, imports_fingerprint, list_batches, read_faults
from vivavoce.corpus.schema import FORMAT, KEYS, TABLES, sort_rows
from vivavoce.errors import DamagedError
from vivavoce.records import Document, Fault
from vivavoce.sources import list_sources
from vivavoce.store import DONE_SUFFIX, Row, hash_file, hash_of, hash_tree, read_done, write_sealed
from vivavoce.version import __version__

ROWS_PER_FILE = 100_000
"""Rows per file of a table that is not sharded by paper."""
_WORK = "work"
_OWN_FOLDERS = (*TABLES, FACTS, RESULTS, SKETCHES, _WORK)


@dataclass(frozen=True, slots=True)
class BuildCounts:
    """Counts of the documents and records in the tables."""

    papers: int
    dated: int
    """Number of papers with a date."""
    sources: Counter[str]
    """Number of papers from each combination of sources, such as `metadata+tei`."""
    merged: int
    """Number of papers described by several documents."""
    unmatched: list[tuple[Batch, Fault]]
    """Rows that only name a file from which no paper came, with the batch that read each."""
    results: Counter[str]
    """Number of results from each source."""
    results_of_papers: Counter[str]
    """Number of results for papers of the corpus, by source."""


class _Shard(NamedTuple):
    """A shard, and the documents it is built from."""

    name: str
    ids: list[str]
    counts: list[int]
    """Number of documents of each paper."""
    files: np.ndarray[tuple[int], np.dtype[np.int32]]
    rows: np.ndarray[tuple[int], np.dtype[np.int32]]
    inputs: str

    def task(self, folder: Path, config: str) -> Row:
        """The part of a step's task that names this shard."""
        return {"folder": str(folder), "name": self.name, "config": config, "inputs": self.inputs}


def build_tables(corpus: Path, engine: Engine | None = None) -> BuildCounts:
    """Write every table of a corpus from its complete imports; up-to-date files stay.

    `DamagedError` if a shard changed while it was being built, or cannot be read.
    """
    engine = (engine or Engine()).at(corpus)
    folder = corpus / "tables"
    batches = [batch for batch in list_batches(corpus) if batch.is_complete]
    identity = identify(batches)
    plan, config = _plan(identity), _config()
    markers = _made(folder, plan, config)
    todo = [s for s in plan if s.name not in markers]
    _make(folder, todo, identity.files, config, engine)
    markers |= _made(folder, todo, config)
    if lost := [s.name for s in plan if s.name not in markers]:
        raise _changed(folder, lost)
    ordered = {s.name: markers[s.name] for s in plan}
    index = _resolve(folder, plan, ordered, config, engine)
    unmatched = [(batch, _unmatched(document)) for batch, document in identity.unmatched]
    files: Row = {
        file: entry
        for marker in ordered.values()
        for file, entry in marker["files"].items()
        if file.partition("/")[0] in TABLES
    }
    for shard, marker in ordered.items():
        entry = {part: marker[REFERENCES][part] for part in ("sha256", "rows", "row_hash")}
        files[f"{REFERENCES}/{shard}.parquet"] = entry
    results, outside = collect_results(folder, ordered, identity)
    sketches = (pq.read_table(folder / SKETCHES / f"{name}.parquet") for name in ordered)
    small = {
        "results": results,
        "works": find_works(pa.concat_tables([SKETCH.empty_table(), *sketches]).combine_chunks()),
        "faults": _faults(batches, unmatched),
    }
    for name, table in small.items():
        for number, start in enumerate(range(0, max(table.num_rows, 1), ROWS_PER_FILE)):
            file = f"{name}/{number:05d}.parquet"
            files[file] = write_parquet_table(folder / file, table.slice(start, ROWS_PER_FILE))
    internal = _internal(folder, ordered, index)
    _clean(folder, {*files, *internal}, index)
    manifest = {
        "format": FORMAT,
        "imports": imports_fingerprint(batches),
        "files": files,
        "internal": internal,
        "shards": list(ordered),
    }
    write_sealed(folder / MANIFEST, manifest)
    sources: Counter[str] = Counter()
    of_papers: Counter[str] = Counter()
    for marker in ordered.values():
        sources.update(marker["sources"])
        of_papers.update(marker["results"])
    return BuildCounts(
        papers=sources.total(),
        dated=sum(int(marker["dated"]) for marker in ordered.values()),
        sources=sources,
        merged=sum(count > 1 for shard in plan for count in shard.counts),
        unmatched=unmatched,
        results=of_papers + outside,
        results_of_papers=of_papers,
    )


def _config() -> str:
    """Hash of everything that determines the tables, except the documents."""
    kinds = {s.kind: [s.is_metadata, s.completes, s.dates] for s in list_sources().values()}
    versions = {"code": __version__, "format": FORMAT, "unicode": unidata_version}
    return hash_of({**versions, "kinds": kinds})


def _plan(identity: Identity) -> list[_Shard]:
    ids = identity.places["paper_id"].combine_chunks()
    files, rows = (identity.places[name].to_numpy() for name in ("file", "row"))
    differs = pc.not_equal(ids[1:], ids[:-1]) if len(ids) else pa.array([], pa.bool_())
    starts = np.flatnonzero(np.append(len(ids) > 0, differs.to_numpy(zero_copy_only=False)))
    ends = np.append(starts, len(ids))
    hashes = [file.sha256 for file in identity.files]
    names: list[str] = ids.take(pa.array(starts)).to_pylist()
    plan = []
    for shard in cut_papers(names):
        bounds = ends[shard.start : shard.stop + 1]
        own = slice(int(bounds[0]), int(bounds[-1]))
        papers, counts = names[shard.start : shard.stop], np.diff(bounds).tolist()
        # Files are named by content, so that neither a file's number nor its place matters.
        digests = [hashes[file] for file in files[own].tolist()]
        distinct = {digest: number for number, digest in enumerate(sorted(set(digests)))}
        documents = [[distinct[digest] for digest in digests], rows[own].tolist()]
        inputs = hash_of([papers, counts, list(distinct), documents])
        plan.append(_Shard(shard.name, papers, counts, files[own], rows[own], inputs))
    return plan


def _made(folder: Path, plan: Sequence[_Shard], config: str) -> dict[str, Row]:
    """Markers of the shards that are up to date."""
    markers = ((s.name, read_marker(folder, s.name, config, s.inputs)) for s in plan)
    return {name: marker for name, marker in markers if marker is not None}


def _make(
    folder: Path, todo: Sequence[_Shard], files: Sequence[File], config: str, engine: Engine
) -> None:
    of_file: dict[int, list[NeededRows]] = defaultdict(list)
    for number, shard in enumerate(todo):
        for need in needs_of(number, shard.files, shard.rows):
            of_file[need.file].append(need)
    tasks: list[Row] = []
    lying: dict[int, list[list[object]]] = defaultdict(list)
    for run in runs_of_files([file.n for file in files], of_file):
        needs = [need for file in run for need in of_file[file]]
        rows = [[str(files[n.file].path), n.shard, n.rows.tolist(), n.slot.tolist()] for n in needs]
        path = folder / _WORK / f"{len(tasks):05d}.arrow"
        inputs = hash_of([[files[file].sha256 for file in run], rows])
        tasks.append({"path": str(path), "config": config, "inputs": inputs, "needed": rows})
        for number, of_shard in enumerate(sorted({need.shard for need in needs})):
            lying[of_shard].append([str(path), number])
    left = [
        task
        for task in tasks
        if read_done(Path(task["path"]), config=config, inputs=task["inputs"]) is None
    ]
    n = sum(len(shard.rows) for shard in todo)
    engine.run(repartition, left, n, lambda task: {Path(p) for p, *_ in task["needed"]})
    tasks = [
        shard.task(folder, config)
        | {"ids": shard.ids, "counts": shard.counts, "documents": lying[number]}
        for number, shard in enumerate(todo)
    ]
    engine.run(make_shard, tasks, n, lambda task: [Path(p) for p, _ in task["documents"]])


def _resolve(
    folder: Path, plan: Sequence[_Shard], markers: dict[str, Row], config: str, engine: Engine
) -> str | None:
    """Resolve the references of every shard; return the name of the index used."""
    if not any(marker[REFERENCES]["rows"] for marker in markers.values()):
        return None
    facts = [m["files"][f"{FACTS}/{name}.parquet"]["row_hash"] for name, m in markers.items()]
    index = make_index(folder, list(markers), facts)
    tasks = []
    for shard in plan:
        lists = markers[shard.name][REFERENCES]
        if lists["rows"] and lists["index"] != index:
            tasks.append(shard.task(folder, config) | {"index": index, "lists": lists})
    n = sum(len(shard.rows) for shard in plan)
    engine.run(resolve_references, tasks, n, files_to_resolve)
    for task in tasks:
        path = folder / REFERENCES / f"{task['name']}.parquet"
        lists = read_done(path, config=config, inputs=task["inputs"])
        if lists is None or lists["index"] != index:
            raise _changed(folder, [task["name"]])
        markers[task["name"]] = {**markers[task["name"]], REFERENCES: lists}
    return index


def _changed(folder: Path, names: Sequence[str]) -> DamagedError:
    return DamagedError(
        f"Shards of {folder} changed while they were made, such as {names[0]}. "
        "Run the same command again."
    )


def _faults(batches: Sequence[Batch], unmatched: Sequence[tuple[Batch, Fault]]) -> pa.Table:
    """The table `faults`: everything that could not be read and was not read by a later batch."""
    faults = [(batch.kind, fault) for batch, fault in unmatched]
    read_later: dict[str, set[str]] = defaultdict(set)
    for batch in reversed(batches):
        later = read_later[batch.kind]
        faults += [
            (batch.kind, fault)
            for fault in read_faults(batch)
            if later.isdisjoint((fault.where, fault.where.rpartition(":")[0]))
        ]
        later.update(entry["name"] for entry in batch.plan["inputs"])
    rows = [{"source": source, **asdict(fault)} for source, fault in faults]
    return sort_rows(pa.Table.from_pylist(rows, schema=TABLES["faults"]), KEYS["faults"])


def _unmatched(document: Document) -> Fault:
    if document.key.startswith(DELETED):
        return Fault(document.key.removeprefix(DELETED), "deleted by the repository")
    return Fault(
        f"file {document.source_file}",
        "the row names a file, and no paper came from a file of exactly that name",
    )


def _internal(folder: Path, markers: dict[str, Row], index: str | None) -> Row:
    """Files outside the tables from which a later build continues, with their hashes."""
    names = [f"{part}/{name}.parquet" for name in markers for part in ("papers", REFERENCES)]
    files = {f"{name}{DONE_SUFFIX}": hash_file(folder / f"{name}{DONE_SUFFIX}") for name in names}
    for name, marker in markers.items():
        for part in (FACTS, SKETCHES):
            file = f"{part}/{name}.parquet"
            files[file] = marker["files"][file]["sha256"]
        if entry := marker["files"].get(f"{RESULTS}/{name}.parquet"):
            files[f"{RESULTS}/{name}.parquet"] = entry["sha256"]
    if index:
        hashes = hash_tree(folder / index)
        files.update({f"{index}/{name}": digest for name, digest in hashes.items()})
    return {name: {"sha256": digest} for name, digest in files.items()}


def _clean(folder: Path, kept: set[str], index: str | None) -> None:
    """Remove what earlier or killed builds left behind in the folders of the build."""
    for own in _OWN_FOLDERS:
        for path in sorted((folder / own).glob("*")):
            if path.relative_to(folder).as_posix() not in kept:
                path.unlink()
        if (folder / own).is_dir() and not any((folder / own).iterdir()):
            (folder / own).rmdir()
    for path in folder.glob(f"{INDEX}*"):
        if path.name != index:
            shutil.rmtree(path)
