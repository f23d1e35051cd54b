"""Resolution of references in shards; all are resolved again if papers came, left or changed.

An index holds the papers of a corpus by key: a hash of an identifier, a title or a part of a title,
the same on every machine. A paper has all the keys under which a reference may mean it. Two texts
rarely share a key, and then do no harm: a key only says which papers are worth comparing. The keys
are mapped into memory in ascending order, so a shard reads only the parts that it needs.

References without a matching key are done. The others are resolved by a `PaperIndex` of the
matching papers. It holds every paper that an index of the whole corpus would compare with them.
"""

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from vivavoce.columns import Longs, with_columns, write_parquet_table
from vivavoce.corpus.matching import title_key
from vivavoce.corpus.references import (
    KnownPaper,
    PaperIndex,
    Resolution,
    identifiers_of,
    parts_of_title,
    titles_inside,
)
from vivavoce.corpus.schema import row_of
from vivavoce.records import Reference
from vivavoce.store import Row, hash_file, hash_of, hash_tree, is_intact, mark_done, read_done
from vivavoce.text.shingles import distinct
from vivavoce.version import __version__

REFERENCES, FACTS = "references", "facts"
"""Tables of a shard: references, and facts of the papers that a reference is compared with."""
INDEX = "index-"
"""Prefix of index folders; the hash of the indexed papers follows."""
_PAPERS, _KEYS, _NUMBERS = "papers.arrow", "keys.npy", "numbers.npy"
"""Files of an index: the papers, all keys, and the number of each key's paper."""
COLUMNS = ("raw", "title", "year", "first_author", "arxiv_id", "doi", "given_id")
"""Columns of a reference that are read."""
RESOLVED = pa.schema(
    [("cited_paper_id", pa.string()), ("resolver", pa.string()), ("confidence", pa.float64())]
)
"""Columns that resolution fills; null if the cited work is not in the corpus."""
_REFERENCES = 20_000
"""Number of references joined at a time."""
_ADDRESS = r"(?i)aclweb\.org|aclanthology\.|10\.18653/|10\.3115/"
_TEXTS = pa.list_(pa.string())
_PAPER = pa.schema(
    [
        ("paper_id", pa.string()),
        ("authors", _TEXTS),
        ("years", pa.list_(pa.int32())),
        ("names", _TEXTS),
        ("titles", _TEXTS),
    ]
)
_FACTS = pa.schema([*_PAPER, pa.field("keys", pa.list_(pa.uint64()))])
Keys = NDArray[np.uint64]


def hash_texts(texts: Iterable[str]) -> Keys:
    """The key of each text."""
    encoded = (text.encode("utf-8", "surrogatepass") for text in texts)
    digests = b"".join(hashlib.blake2b(text, digest_size=8).digest() for text in encoded)
    return np.frombuffer(digests, "<u8")


def paper_facts(papers: Iterable[KnownPaper]) -> pa.Table:
    """Facts of papers, one row each, with their keys."""
    # A title without letters and digits cannot find anything.
    known = [replace(one, titles=tuple(filter(title_key, one.titles))) for one in papers]
    rows = [
        {**row_of(one), "years": sorted(one.years), "keys": hash_texts(_texts_of_paper(one))}
        for one in known
    ]
    return pa.Table.from_pylist(rows, schema=_FACTS)


def _texts_of_paper(paper: KnownPaper) -> Iterator[str]:
    yield from paper.names
    for title in paper.titles:
        yield f"title:{title_key(title)}"
        keys = map(title_key, chain(*parts_of_title(title)))
        yield from (f"part:{key}" for key in keys if key)


def _texts_of_title(title: str) -> list[str]:
    """The texts that find papers for a reference with this title."""
    key = title_key(title)
    if not key:
        return []
    others = map(title_key, chain(parts_of_title(title)[0], titles_inside(title)))
    return [f"part:{key}", f"title:{key}", *(f"title:{other}" for other in others if other)]


def _reference_keys(references: pa.Table) -> tuple[NDArray[np.uint32], Keys]:
    """The keys of references, each with the row of its reference."""
    texts: list[str] = []
    rows: list[int] = []
    texts_of = cache(_texts_of_title)  # a repeated title is processed once
    for number, title in enumerate(references["title"].to_pylist()):
        found = texts_of(title or "")
        texts += found
        rows += [number] * len(found)
    named = pc.match_substring_regex(pc.fill_null(references["raw"], ""), _ADDRESS)
    for name in ("doi", "arxiv_id", "given_id"):
        named = pc.or_(named, references[name].is_valid())
    numbers = np.flatnonzero(named.to_numpy())
    for number, row in zip(numbers.tolist(), references.take(numbers).to_pylist(), strict=True):
        names = list(map(":".join, identifiers_of(_reference_of(row))))
        texts += names
        rows += [number] * len(names)
    return np.array(rows, np.uint32), hash_texts(texts)


def _reference_of(row: Mapping[str, Any]) -> Reference:
    return Reference(0, row["raw"] or "", **{name: row[name] for name in COLUMNS[1:]})


@dataclass(frozen=True, slots=True)
class Index:
    """The papers of a corpus, numbered in the order of their tables, and their keys."""

    keys: Keys
    """Keys in ascending order."""
    numbers: NDArray[np.uint32]
    """The number of the paper that has each key."""
    papers: pa.RecordBatchFileReader
    starts: Longs
    """The number of the first paper of each batch."""

    def known_papers(self, numbers: Longs) -> list[KnownPaper]:
        """The papers with some numbers, given in ascending order; returned in corpus order."""
        rows: list[Row] = []
        for batch, (low, high) in enumerate(pairwise(np.searchsorted(numbers, self.starts))):
            if low < high:
                wanted = pa.array(numbers[low:high] - self.starts[batch])
                rows += self.papers.get_batch(batch).take(wanted).to_pylist()
        for row in rows:
            row.update({name: tuple(row[name]) for name in ("titles", "authors", "names")})
            row["years"] = frozenset(row["years"])
        return [KnownPaper(**row) for row in sorted(rows, key=lambda row: str(row["paper_id"]))]


def build_index(folder: Path, facts: Iterable[pa.Table]) -> None:
    """Write the index of papers, from tables of facts that are read once."""
    folder.mkdir(parents=True)
    keys, numbers, count = [np.empty(0, np.uint64)], [np.empty(0, np.uint32)], 0
    with pa.ipc.new_file(str(folder / _PAPERS), _PAPER) as papers:
        for table in facts:
            whole = table.combine_chunks()
            papers.write_table(whole.select(_PAPER.names))
            lists = whole["keys"].combine_chunks()
            keys.append(lists.flatten().to_numpy())
            of_table = np.arange(count, count + len(whole), dtype=np.uint32)
            numbers.append(np.repeat(of_table, pc.list_value_length(lists).to_numpy()))
            count += len(whole)
    joined = np.concatenate(keys)
    order = np.argsort(joined, kind="stable")
    for name, array in ((_KEYS, joined), (_NUMBERS, np.concatenate(numbers))):
        np.save(folder / name, array[order], allow_pickle=False)


@lru_cache(maxsize=1)
def open_index(folder: Path) -> Index:
    """The index in a folder."""
    keys, numbers = (np.load(folder / name, mmap_mode="r") for name in (_KEYS, _NUMBERS))
    papers = pa.ipc.open_file(pa.memory_map(str(folder / _PAPERS)))
    sizes = [len(papers.get_batch(number)) for number in range(papers.num_record_batches)]
    return Index(keys, numbers, papers, np.cumsum([0, *sizes], dtype=np.int64))


def make_index(folder: Path, names: Sequence[str], facts: Sequence[str]) -> str:
    """Build the index of all papers unless it exists; return the name of its folder."""
    inputs = hash_of([__version__, *facts])
    name = INDEX + inputs[:16]
    marker = read_done(folder / name / _PAPERS, config=name, inputs=name)
    if marker is not None and all(
        is_intact(folder / name / file, digest) for file, digest in marker["files"].items()
    ):
        return name
    shutil.rmtree(folder / name, ignore_errors=True)
    build_index(folder / name, (pq.read_table(folder / FACTS / f"{n}.parquet") for n in names))
    files = hash_tree(folder / name)
    mark_done(folder / name / _PAPERS, config=name, inputs=name, extra={"files": files})
    return name


def resolve_references(task: Row) -> Row:
    """Resolve the references of one shard; an unchanged file is not rewritten.

    Args:
        task: `folder` of the tables; `name`, `config` and `inputs` of the shard; the `index` to
            use; and `lists`, the marker of the shard's references.
    """
    folder = Path(task["folder"])
    path = folder / REFERENCES / f"{task['name']}.parquet"
    entry = {part: task["lists"][part] for part in ("sha256", "rows", "row_hash")}
    is_intact = hash_file(path) == entry["sha256"]  # a worker may have died after writing it
    references = pq.read_table(path)
    resolved = resolve_shard(references, open_index(folder / task["index"]))
    if not (is_intact and resolved.equals(references.select(RESOLVED.names))):
        columns = {name: resolved[name] for name in resolved.column_names}
        entry = write_parquet_table(path, with_columns(references, columns))
    extra = {**entry, "index": task["index"]}
    mark_done(path, config=task["config"], inputs=task["inputs"], extra=extra)
    return {}


def files_to_resolve(task: Row) -> Iterator[Path]:
    """The files that `resolve_references` needs for a task."""
    folder = Path(task["folder"])
    yield folder / REFERENCES / f"{task['name']}.parquet"
    yield from (path for path in (folder / task["index"]).rglob("*") if path.is_file())


def resolve_shard(references: pa.Table, index: Index) -> pa.Table:
    """Resolve references against the papers of a corpus.

    `references` has the columns `COLUMNS`; the result has the schema `RESOLVED`, row for row.
    """
    asked = references.select(COLUMNS)
    starts = range(0, len(asked), _REFERENCES)
    tables = [_resolve_slice(asked.slice(n, _REFERENCES).combine_chunks(), index) for n in starts]
    return pa.concat_tables([RESOLVED.empty_table(), *tables])


def _resolve_slice(references: pa.Table, index: Index) -> pa.Table:
    """Resolve references by an equi-join of their keys with the keys of papers."""
    rows, keys = _reference_keys(references)
    wanted, which = np.unique(keys, return_inverse=True)
    first, last = (np.searchsorted(index.keys, wanted, side) for side in ("left", "right"))
    sizes = last - first
    places = np.repeat(first - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
    numbers = distinct(np.asarray(index.numbers[places], np.int64))
    known = PaperIndex(index.known_papers(numbers))
    found = distinct(rows[(sizes > 0)[which]])
    answers: list[Resolution | None] = [None] * len(references)
    for number, row in zip(found.tolist(), references.take(found).to_pylist(), strict=True):
        answers[number] = known.resolve(_reference_of(row))
    columns = [
        pa.array([answer and answer[place] for answer in answers], type=field.type)
        for place, field in enumerate(RESOLVED)
    ]
    return pa.table(columns, schema=RESOLVED)
