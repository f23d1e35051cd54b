"""Corpora to measure how a network follows its corpus: each with 95% of its papers, and with all.

The papers added are the newest or scattered over the others. The Anthology's and made-up ones are
written as tables at once, because only the networks are to be measured.
"""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from vivavoce.corpus import ingest
from vivavoce.corpus.schema import TABLES
from vivavoce.store import Row, hash_file, read_sealed, write_sealed

PAPERS_A_SHARD = 4096


def write_acl(path: Path, added: str, folder: Path) -> int:
    """A corpus of 19 in 20 of the Anthology's papers, and one of all; how many came."""
    table = pq.read_table(path, columns=["id", "year", "authors", "author_ids"]).sort_by("id")
    n = table.num_rows
    paper = pc.list_parent_indices(table["authors"].combine_chunks())
    size = np.bincount(paper.to_numpy(), minlength=n)
    authorships = pa.table(
        {
            "paper": paper,
            "ordinal": np.arange(len(paper)) - np.repeat(np.cumsum(size) - size, size),
            "author_id": table["author_ids"].combine_chunks().flatten(),
            "name": table["authors"].combine_chunks().flatten(),
        }
    )
    ids = table["id"].to_pylist()
    return write_both(authorships, ids, _added_of(table, added), folder)


def write_acl_files(path: Path, added: str, folder: Path) -> int:
    """The Anthology's papers in two files, known.parquet and added.parquet; how many came."""
    table = pq.read_table(path).sort_by("id")
    is_added = _added_of(table, added)
    folder.mkdir(parents=True)
    pq.write_table(table.filter(pa.array(~is_added)), folder / "known.parquet")
    pq.write_table(table.filter(pa.array(is_added)), folder / "added.parquet")
    return int(is_added.sum())


def _added_of(table: pa.Table, added: str) -> np.ndarray:
    """Which twentieth of the Anthology's papers, sorted by id, comes later."""
    n = table.num_rows
    newest = np.argsort(np.argsort(table["year"].to_numpy(), kind="stable"))
    rank = newest if added == "newest" else np.arange(n) * 7919 % n
    return np.asarray(rank >= n - n // 20)


def write_made_up(papers: int, added: str, folder: Path) -> int:
    """A corpus of 19 in 20 of made-up papers, and one of all; how many came."""
    generator = np.random.default_rng(0)
    authorships = make_up(papers, generator)
    ids = [f"{number * 240 // papers + 1000}.{number:07d}" for number in range(papers)]
    rank = np.arange(papers) if added == "newest" else generator.permutation(papers)
    return write_both(authorships, ids, rank >= papers - papers // 20, folder)


def write_both(
    authorships: pa.Table, ids: Sequence[str], is_added: np.ndarray, folder: Path
) -> int:
    """The corpus before some papers came, and after; how many did."""
    write_corpus(authorships, ids, ~is_added, folder / "before")
    write_corpus(authorships, ids, np.ones(len(ids), dtype=np.bool_), folder / "after")
    return int(is_added.sum())


def make_up(papers: int, generator: np.random.Generator) -> pa.Table:
    """Authorships: 3.6 a paper; who leads follows Zipf's law, and most others work nearby.

    Four authors in five have no id. Papers are numbered in the order of their ids.
    """
    size = 1 + generator.binomial(13, 0.2, papers)
    paper = np.repeat(np.arange(papers), size)
    place = np.arange(len(paper)) - np.repeat(np.cumsum(size) - size, size)
    authors = max(int(0.9 * papers), 10)
    weight = np.cumsum(np.arange(1, authors + 1) ** -0.55)
    lead = np.repeat(np.searchsorted(weight, generator.random(papers) * weight[-1]), size)
    far = np.searchsorted(weight, generator.random(len(paper)) * weight[-1])
    near = (lead + 997 * generator.geometric(0.15, len(paper))) % authors
    with_near = np.where(generator.random(len(paper)) < 0.75, near, far)
    author = np.where(place == 0, lead, with_near)
    names = pa.array(names_of(authors, generator))
    numbers = pa.array(author).cast(pa.string())
    numbers = pc.binary_join_element_wise("a", numbers, "-")
    ids = pc.if_else(pa.array(author % 5 == 0), numbers, None)
    return pa.table(
        {"paper": paper, "ordinal": place, "author_id": ids, "name": names.take(pa.array(author))}
    )


def names_of(count: int, generator: np.random.Generator) -> list[str]:
    """Names of syllables, a few with letters beyond ASCII."""
    starts = [*"bcdfghjklmnprstvwz", "ch", "sh", "st", "br"]
    vowels = [*("aaaeeeiioou" * 3), "ai", "ö", "é"]
    syllables = np.array([start + vowel for start in starts for vowel in vowels])

    def words(length: int, many: int) -> np.ndarray:
        drawn = syllables[generator.integers(0, len(syllables), (many, length))]
        return np.array(["".join(row).capitalize() for row in drawn.tolist()])

    first, last = words(2, 4_000), words(3, 90_000)
    middle = np.array(["", "", "", " A.", " J.", " M."])
    drawn = [generator.choice(each, count).tolist() for each in (first, middle, last)]
    return [f"{one}{two} {three}" for one, two, three in zip(*drawn, strict=True)]


def write_corpus(
    authorships: pa.Table, paper_ids: Sequence[str], is_there: np.ndarray, folder: Path
) -> None:
    """The tables of a corpus without its imports: files begin at papers told by their id.

    The papers' ids are sorted, and the authorships by paper.
    """
    ingest("sample", Path("1"), folder)
    shutil.rmtree(folder / "tables" / "authorships")
    manifest = read_sealed(folder / "tables" / "manifest.json")
    manifest.pop("shards", None)
    files: Row = {}
    numbers = np.flatnonzero(is_there)
    ids = [paper_ids[number] for number in numbers.tolist()]
    is_cut = [zlib.crc32(paper_id.encode()) % PAPERS_A_SHARD == 0 for paper_id in ids]
    cuts = np.flatnonzero([True, *is_cut[1:]]).tolist()
    paper = authorships["paper"].to_numpy()
    for number, (low, high) in enumerate(zip(cuts, [*cuts[1:], len(ids)], strict=True)):
        begin, end = np.searchsorted(paper, [numbers[low], numbers[high - 1] + 1])
        found = is_there[paper[begin:end]]
        rows = authorships.slice(begin, end - begin).filter(pa.array(found))
        here = np.searchsorted(numbers[low:high], paper[begin:end][found])
        shown = pa.array(ids[low:high])
        written = rows.select(["ordinal", "author_id", "name"])
        columns = {
            "papers": {"paper_id": shown, "title": shown, "gates": pa.array([[]] * len(shown))},
            "authorships": {
                "paper_id": shown.take(pa.array(here)),
                **dict(zip(written.column_names, written.columns, strict=True)),
            },
        }
        for name, each in columns.items():
            n = len(each["paper_id"])
            filled = {f.name: each.get(f.name, pa.nulls(n, f.type)) for f in TABLES[name]}
            file = f"{name}/{number:06d}.parquet"
            files[file] = write_shard(folder / "tables" / file, pa.table(filled), name)
    for name in sorted(set(TABLES) - {"papers", "authorships"}):
        file = f"{name}/none.parquet"
        files[file] = write_shard(folder / "tables" / file, TABLES[name].empty_table(), name)
    write_sealed(folder / "tables" / "manifest.json", {**manifest, "files": files})


def write_shard(path: Path, rows: pa.Table, name: str) -> Row:
    """One file of a table; the hash of the file stands for that of the rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows.cast(TABLES[name]), path, compression="zstd")
    digest = hash_file(path)
    return {"sha256": digest, "rows": rows.num_rows, "row_hash": digest}
